//! Where things stand, and round numbers along an axis.

use super::super::words::trimmed;

/// Width of the picture, and of what is in it.
pub(super) const WIDTH: f64 = 1400.0;
pub(super) const EDGE: f64 = 28.0;
pub(super) const LEFT: f64 = 100.0;
pub(super) const PLOT: f64 = 1272.0;

/// A number that is whole already; none is below zero.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a place in the picture")]
pub(super) fn whole(value: f64) -> usize {
    value.max(0.0) as usize
}

#[expect(clippy::cast_precision_loss, reason = "a place in the picture")]
pub(super) fn real(value: usize) -> f64 {
    value as f64
}

/// Round numbers from 0 to `range`, `most` of them at the most, and how they are written.
pub fn ticks(range: f64, most: u32) -> Vec<(f64, String)> {
    let step = step(range, most);
    let decimals = (0..9).find(|&decimals| is_whole(step * 10_f64.powi(decimals))).unwrap_or(9);
    let decimals = usize::try_from(decimals).unwrap_or(0);
    let numbers = (0..=most).map(|at| f64::from(at) * step).take_while(|at| *at <= range * (1.0 + 1e-9));
    numbers.map(|at| (at, format!("{at:.decimals$}"))).collect()
}

/// 1, 2 or 5 times a power of ten.
fn step(range: f64, most: u32) -> f64 {
    let least = range / f64::from(most);
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= least * (1.0 - 1e-9)).unwrap_or(10.0 * power)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 && value.round() >= 1.0
}

/// `46.31 µs`, without needless noughts.
pub(super) fn us(value: f64) -> String {
    format!("{} µs", trimmed(value))
}

/// `0.9 µs`, where there is little room.
pub(super) fn short_us(value: f64) -> String {
    let decimals = if value >= 9.95 {
        0
    } else if value >= 0.095 {
        1
    } else {
        3
    };
    format!("{value:.decimals$} µs")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let words = |range, most| ticks(range, most).into_iter().map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(words(74.3, 10), ["0", "10", "20", "30", "40", "50", "60", "70"]);
        assert_eq!(words(1.0, 5), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(words(0.012, 6), ["0.000", "0.002", "0.004", "0.006", "0.008", "0.010", "0.012"]);
        assert_eq!(words(41_234.0, 5), ["0", "10000", "20000", "30000", "40000"]);
        for most in 2..12 {
            for range in [1e-3, 0.7, 3.0, 9.99, 10.0, 123.4, 8e6] {
                let count = ticks(range, most).len();
                assert!(count >= 2 && count <= most as usize + 1, "{count} for {range}, {most}");
            }
        }
    }

    #[test]
    fn short_times_have_few_digits() {
        assert_eq!([0.05, 0.93, 12.3].map(short_us), ["0.050 µs", "0.9 µs", "12 µs"]);
    }
}
