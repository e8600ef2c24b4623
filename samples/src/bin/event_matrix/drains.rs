//! Whether a set or a wait drains the GPU, as measured.

use common::record::event_drivers::Drains;
use common::{Figures, Summary};

/// What a set or a wait did in the variants of a form.
#[derive(Clone, Copy)]
pub struct Measured {
    pub drains: Drains,
    /// Lowest and highest cost.
    us: [f64; 2],
}

/// What bands need to be compared with: the cost of a barrier before each, and the number of dependencies.
pub struct InPlace {
    barrier: Summary,
    dependencies: f64,
}

impl InPlace {
    /// `None` if no bands ran.
    pub fn of(figures: &Figures<'_>, passes: u32, bands: u32) -> Option<Self> {
        let no_sync = format!("bands_no_sync_{bands}");
        let barrier = figures.difference_us(&format!("barrier_bands_{bands}"), &no_sync)?;
        Some(Self { barrier, dependencies: f64::from((passes - 1) * bands) })
    }

    /// The cost of one barrier.
    pub fn barrier_us(&self) -> f64 {
        self.barrier.median / self.dependencies
    }

    /// What the sets or waits of a variant did. Traces decide, where there are any.
    pub fn measured(&self, figures: &Figures<'_>, variant: &str, no_sync: &str) -> Option<Measured> {
        let cost = figures.difference_us(variant, no_sync)?;
        let drains = traced(figures, variant, no_sync).unwrap_or_else(|| timed(&cost, &self.barrier));
        Some(Measured { drains, us: [cost.median / self.dependencies; 2] })
    }
}

impl Measured {
    /// Of several variants together.
    pub fn and(self, other: Self) -> Self {
        let drains = if self.drains == other.drains { self.drains } else { Drains::Unknown };
        Self { drains, us: [self.us[0].min(other.us[0]), self.us[1].max(other.us[1])] }
    }

    /// `2.43 to 2.51 µs`
    pub fn us(self) -> String {
        let [low, high] = self.us.map(|us| format!("{us:.2}"));
        if low == high { format!("{low} µs") } else { format!("{low} to {high} µs") }
    }
}

/// By the times. A drain costs the same whichever command causes it, so a command that drains costs what a barrier in its
/// place does. Half of that parts it from one that only takes time. What is close to the half is left open, and so is
/// everything where a barrier costs nothing.
fn timed(cost: &Summary, barrier: &Summary) -> Drains {
    let half = barrier.median / 2.0;
    match (cost.median_95, barrier.median_95) {
        (Some(_), Some(barrier)) if barrier.low <= 0.0 => Drains::Unknown,
        (Some(cost), Some(_)) if cost.low > half => Drains::Yes,
        (Some(cost), Some(_)) if cost.high < if cost.low <= 0.0 { half } else { half / 2.0 } => Drains::No,
        _ => Drains::Unknown,
    }
}

/// By the traces: how many dispatches overlap the next one, of those that do without sync. `None` if dispatches do not
/// overlap even without sync.
fn traced(figures: &Figures<'_>, variant: &str, no_sync: &str) -> Option<Drains> {
    let (together, _) = figures.trace(variant)?.overlapping();
    let (free, pairs) = figures.trace(no_sync)?.overlapping();
    // The first pass has no wait and the last no set, so that a few overlap in any case.
    let drains = match together {
        _ if 4 * together <= free => Drains::Yes,
        _ if 2 * together >= free => Drains::No,
        _ => Drains::Unknown,
    };
    (2 * free > pairs).then_some(drains)
}

#[cfg(test)]
mod tests {
    use common::record::stats::Interval;

    use super::*;

    /// A cost whose interval has these ends.
    fn within(low: f64, high: f64) -> Summary {
        let samples: Vec<f64> = (0..9).map(|at| low + (high - low) * f64::from(at) / 8.0).collect();
        let summary = Summary::of(&samples).unwrap();
        Summary { median_95: summary.median_95.map(|_| Interval { low, high }), ..summary }
    }

    #[test]
    fn half_of_a_barrier_parts_a_drain_from_a_cost() {
        let barrier = within(1.9, 2.1);
        for (low, high, drains) in [
            (1.1, 1.3, Drains::Yes),
            (3.0, 3.5, Drains::Yes),
            (0.9, 1.3, Drains::Unknown),
            (0.6, 0.8, Drains::Unknown),
            (0.1, 0.4, Drains::No),
            (-0.2, 0.9, Drains::No),
            (-0.2, 1.2, Drains::Unknown),
        ] {
            assert_eq!(timed(&within(low, high), &barrier), drains, "{low} to {high}");
        }
        assert_eq!(timed(&within(1.1, 1.3), &within(-0.1, 2.1)), Drains::Unknown, "no cost of a barrier");
        assert_eq!(timed(&Summary { median_95: None, ..barrier }, &barrier), Drains::Unknown);
    }

    #[test]
    fn ranges_span_all_variants() {
        let one = |drains, us| Measured { drains, us: [us; 2] };
        let both = one(Drains::Yes, 2.431).and(one(Drains::Yes, 2.512));
        assert_eq!((both.drains, &*both.us()), (Drains::Yes, "2.43 to 2.51 µs"));
        let unlike = both.and(one(Drains::No, 0.1));
        assert_eq!((unlike.drains, &*unlike.us()), (Drains::Unknown, "0.10 to 2.51 µs"));
        assert_eq!(one(Drains::No, 0.1).us(), "0.10 µs");
    }
}
