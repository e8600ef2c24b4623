//! What a trace of waves shows of a chain of passes.

use common::record::trace::{DispatchFigures, TraceFigures};

/// Of one chain, medians over its passes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Seen {
    /// Share of the device's wave slots, or of the peak, that no wave filled.
    pub idle: f64,
    /// Share of a pass's waves that began in its own fill.
    pub first_fill: f64,
    /// From a pass's first wave to that of the next.
    pub start_to_start_us: f64,
    /// From a pass's last wave's end to the next one's first; negative where they overlap.
    pub gap_us: f64,
}

impl Seen {
    /// What a trace shows; nothing of fewer than two passes, between which nothing lies.
    pub fn of(trace: &TraceFigures) -> Option<Self> {
        let passes = &trace.dispatches;
        let first_fill = |pass: &DispatchFigures| pass.phases.first_fill / pass.phases.waves;
        let starts = passes.windows(2).map(|two| two[1].phases.begin_us - two[0].phases.begin_us);
        Some(Self {
            idle: trace.whole.idle,
            first_fill: median(passes.iter().map(first_fill))?,
            start_to_start_us: median(starts)?,
            gap_us: median(passes.iter().filter_map(|pass| Some(-pass.overlap?.us)))?,
        })
    }
}

/// The middle one, of two the greater.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// ` (tracing added 58 %)`, where that is so much that what was traced is not what was measured.
pub fn added(overhead: Option<f64>) -> String {
    const HEAVY: f64 = 0.2;
    let heavy = overhead.filter(|overhead| overhead.abs() > HEAVY);
    heavy.map_or_else(String::new, |overhead| format!(" (tracing added {:.0} %)", 100.0 * overhead))
}

impl Seen {
    /// Part of a sentence on the chain that a reader calls `name`, beside the first fill that the `formula` has for it
    /// and the idle share of the same passes without barriers; with how much longer tracing made it.
    pub fn told(
        self,
        name: &str,
        formula: Option<f64>,
        unordered: Option<f64>,
        overhead: Option<f64>,
    ) -> String {
        let formula = formula.map_or_else(String::new, |share| format!(" (formula {:.1})", 100.0 * share));
        let unordered =
            unordered.map_or_else(String::new, |idle| format!(" ({:.0} without barriers)", 100.0 * idle));
        let gap = match self.gap_us {
            gap if gap > 0.0 => format!("{gap:.2} of them without a wave of either"),
            gap => format!("overlapping by {:.2}", -gap),
        };
        format!(
            "{name}{}: {:.0} % of the room for waves idle{unordered}, {:.1} %{formula} of a pass's waves in its first \
             fill, {:.2} µs from pass to pass, {gap}",
            added(overhead),
            100.0 * self.idle,
            100.0 * self.first_fill,
            self.start_to_start_us,
        )
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use common::record::trace::{Dispatch, Lanes, Trace, Wave};

    /// `passes` of 160 waves of 400 µs, eight of which begin each 100 µs, `gap` µs between the passes.
    pub fn trace(passes: u32, gap: f64) -> TraceFigures {
        let pass = |number: u32| {
            let begin = f64::from(number) * (2300.0 + gap);
            let wave = |at: u32| {
                let begin_us = begin + 100.0 * f64::from(at / 8);
                Wave { begin_us, end_us: begin_us + 400.0, lane: at % 8 }
            };
            let waves = (0..160).map(wave).collect();
            Dispatch { kernel: "k".into(), groups: [160, 1, 1], one_in: 1, weight: 1.0, waves, part: None }
        };
        let dispatches = (0..passes).map(pass).collect();
        let trace = Trace { dispatches, lanes: Lanes::Packed(64), stamps_us: 1.0, step_us: 1.0 };
        TraceFigures::of(&trace, None).unwrap()
    }

    #[test]
    fn known_chains_come_out_exactly() {
        let seen = Seen::of(&trace(3, 50.0)).unwrap();
        // 32 of 160 begin before one in twenty of them has ended.
        assert_eq!((seen.first_fill, seen.start_to_start_us, seen.gap_us), (0.2, 2350.0, 50.0));
        let filled = 3.0 * 160.0 * 400.0;
        assert!((seen.idle - (1.0 - filled / (32.0 * (3.0 * 2300.0 + 100.0)))).abs() < 1e-9);
        assert_eq!(Seen::of(&trace(2, -100.0)).unwrap().gap_us, -100.0);
        assert_eq!(Seen::of(&trace(1, 0.0)), None);
        assert_eq!(trace(1, 0.0).whole.launch_rate, Some(32.0 / 300.0));
    }

    #[test]
    fn chains_are_told_in_a_sentence() {
        let [apart, over] = [50.0, -100.0].map(|gap| Seen::of(&trace(3, gap)).unwrap());
        let text = [
            apart.told("whole", Some(0.044), Some(0.12), Some(0.1)),
            over.told("1/4", None, None, Some(0.58)),
        ]
        .join("; ");
        assert_eq!(
            text,
            "whole: 14 % of the room for waves idle (12 without barriers), 20.0 % (formula 4.4) of a pass's \
             waves in its first fill, 2350.00 µs from pass to pass, 50.00 of them without a wave of either; 1/4 (tracing \
             added 58 %): 10 % of the room for waves idle, 20.0 % of a pass's waves in its first fill, 2200.00 µs from \
             pass to pass, overlapping by 100.00"
        );
    }
}
