//! Maps values to pixels, and chooses the ticks of an axis.

use report::scale::ticks;

/// The scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Linear.
    Linear,
    /// Logarithmic.
    Log,
    /// Linear up to about 1 on either side of 0, logarithmic beyond: for deviations in per cent.
    Both,
}

/// An axis.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    kind: Kind,
    values: [f64; 2],
    pixels: (f64, f64),
}

/// Largest value of an axis, and the inverse of the smallest value of a logarithmic one. Beyond it, differences have
/// no significant digits.
const MOST: f64 = 1e15;

impl Scale {
    /// An axis that includes all values. A linear one starts at 0 if `from_zero`.
    pub fn over(
        values: impl IntoIterator<Item = f64>,
        kind: Kind,
        from_zero: bool,
        pixels: (f64, f64),
    ) -> Self {
        let usable = |v: &f64| v.is_finite() && v.abs() < MOST && (kind != Kind::Log || *v > 1.0 / MOST);
        let values: Vec<f64> = values.into_iter().filter(usable).collect();
        let (mut low, mut high) = values
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
        if low > high {
            (low, high) = if kind == Kind::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        let ends = match kind {
            Kind::Log => [low / (high / low).powf(0.04).max(1.05), high * (high / low).powf(0.04).max(1.05)],
            Kind::Linear if from_zero => {
                [low.min(0.0), (high.max(0.0) + (high - low.min(0.0)) * 0.03).max(1e-9)]
            }
            Kind::Linear => {
                let room = ((high - low) * 0.05).max(high.abs() * 1e-6).max(1e-9);
                [low - room, high + room]
            }
            Kind::Both => [low.min(-1.0) * 1.1, high.max(1.0) * 1.1],
        };
        Self { kind, values: ends, pixels }
    }

    /// The pixel of a value, rounded. Values outside of the axis are drawn at its end.
    pub fn at(&self, value: f64) -> f64 {
        let [low, high] = self.values;
        let value = if value.is_nan() { low } else { value.clamp(low, high) };
        let place: fn(f64) -> f64 = match self.kind {
            Kind::Linear => |value| value,
            Kind::Log => f64::ln,
            Kind::Both => f64::asinh,
        };
        let [low, value, high] = [low, value, high].map(place);
        let (from, to) = self.pixels;
        (from + (to - from) * (value - low) / (high - low)).round()
    }

    /// At most about `most` ticks, in rising order.
    pub fn ticks(&self, most: usize) -> Vec<f64> {
        let [low, high] = self.values;
        let within = |v: &f64| *v >= low && *v <= high;
        match self.kind {
            Kind::Linear => ticks(low, high, most),
            Kind::Log => log_ticks(low, high, most),
            Kind::Both => {
                let powers = || (0..15).map(|power| 10_f64.powi(power));
                let mut ticks: Vec<f64> =
                    powers().map(|v| -v).chain([0.0]).chain(powers()).filter(within).collect();
                ticks.sort_by(f64::total_cmp);
                ticks
            }
        }
    }
}

/// 1, 2 and 5 of each decade, or fewer if these are too many; if they are too few, equal steps.
fn log_ticks(low: f64, high: f64, most: usize) -> Vec<f64> {
    let steps: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
    for step in steps {
        let ticks: Vec<f64> = (-16..16)
            .flat_map(|power| step.iter().map(move |digit| digit * 10_f64.powi(power)))
            .filter(|v| *v >= low && *v <= high)
            .collect();
        if ticks.len() < 3 && step.len() == 3 {
            return report::scale::ticks(low, high, most);
        }
        if ticks.len() <= most {
            return ticks;
        }
    }
    let every_third = (-16..16).step_by(3).map(|power| 10_f64.powi(power));
    every_third.filter(|v| *v >= low && *v <= high).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_pixel_inside() {
        let odd = [0.0, -3.0, 5.0, 1e-300, 1e300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        for kind in [Kind::Linear, Kind::Log, Kind::Both] {
            for values in [&odd[..], &odd[..1], &odd[4..5], &[], &[7.0, 7.0], &[3.0, 4000.0]] {
                let scale = Scale::over(values.iter().copied(), kind, false, (10.0, 430.0));
                for value in odd.iter().chain(values) {
                    let at = scale.at(*value);
                    assert!((10.0..=430.0).contains(&at), "{kind:?} {values:?}: {value} at {at}");
                }
                let ticks = scale.ticks(6);
                assert!(ticks.len() <= 31 && ticks.is_sorted(), "{kind:?} {values:?}: {ticks:?}");
            }
        }
    }

    #[test]
    fn ticks_are_round() {
        let scale = Scale::over([45.0, 230.0], Kind::Log, false, (0.0, 400.0));
        assert_eq!(scale.ticks(6), [50.0, 100.0, 200.0]);
        let scale = Scale::over([0.0, 230.0], Kind::Linear, true, (0.0, 400.0));
        assert_eq!(scale.ticks(6), [0.0, 50.0, 100.0, 150.0, 200.0]);
    }
}
