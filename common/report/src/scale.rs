//! Round values for the ticks of an axis.

/// At most `most` multiples of 1, 2 or 5 times a power of ten from `low` to `high`, in rising order.
#[must_use]
pub fn ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let steps = (-12..16).flat_map(|power| [1.0, 2.0, 5.0].map(|digit| digit * 10_f64.powi(power)));
    let ticks = |step: f64| {
        let first = (low / step).ceil();
        let ticks =
            (0..=u32::try_from(most).unwrap_or(u32::MAX)).map(move |at| (first + f64::from(at)) * step);
        ticks.take_while(|tick| *tick <= high + 1e-9 * step).collect::<Vec<f64>>()
    };
    steps.map(ticks).find(|ticks| ticks.len() <= most).unwrap_or_default()
}

/// The short label of a tick.
#[must_use]
pub fn named(value: f64) -> String {
    let size = value.abs();
    let text = match size {
        0.0 => "0".into(),
        s if !(1e-4..1e6).contains(&s) => format!("{value:e}"),
        // Multiples of steps such as 0.1 are not exact.
        _ => {
            let digits = format!("{value:.6}");
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        let words = |high, most| ticks(0.0, high, most).into_iter().map(named).collect::<Vec<_>>();
        assert_eq!(words(74.3, 11), ["0", "10", "20", "30", "40", "50", "60", "70"]);
        assert_eq!(words(1.0, 6), ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        assert_eq!(words(0.006, 7), ["0", "0.001", "0.002", "0.003", "0.004", "0.005", "0.006"]);
        assert_eq!([0.1 + 0.2, 1e7, -5.0, 250.0].map(named), ["0.3", "1e7", "−5", "250"]);
        for most in 3..13 {
            for high in [1e-3, 0.7, 3.0, 9.99, 10.0, 123.4, 8e6] {
                let count = ticks(0.0, high, most).len();
                assert!(count >= 2 && count <= most, "{count} for {high}, {most}");
            }
        }
    }
}
