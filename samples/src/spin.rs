//! Waves that spin for a given time and note when they did: what `queues/spin.comp` does.

use anyhow::{Result, ensure};
use common::{BufferSet, Buffers, Cmd, Kernel, Lab, Queue, Rep, Variant};

use crate::noted::{Note, SLACK_US, UNWRITTEN, no_clock};

/// Waves of one variant.
#[derive(Clone, Copy, Debug)]
pub struct Waves {
    kernel: Kernel,
    results: Buffers,
    notes: Buffers,
    count: u32,
    spin_us: u32,
    ticks_per_us: f64,
    lacks: Option<&'static str>,
}

impl Waves {
    /// `count` waves that spin for `spin_us` each, with their results and notes.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, name: &str, count: u32, spin_us: u32) -> Result<Self> {
        // Code is also compiled for AMD's GPUs.
        let only_compiles = lab.device().is_cpu() && lab.runs_nothing;
        let lanes = if only_compiles { 64 } else { lab.device().subgroup_size };
        let (ticks, lacks) = (lab.device().ticks_per_second(), no_clock(lab.device()));
        let results = BufferSet::new(1, count * lanes, UNWRITTEN).for_all_queues();
        let results = lab.output(name, results)?;
        lab.expect(results, 0, move || (0..count * lanes).map(|item| 3 * item + 1).collect());
        let notes = BufferSet::new(1, 4 * count, UNWRITTEN).for_all_queues();
        let notes = lab.output(&format!("notes of {name}"), notes)?;
        let kernel = lab.kernel("queues/spin.comp").workgroup([lanes, 1, 1]);
        let kernel = kernel.constant("TICKS_PER_SECOND", ticks).build();
        let ticks_per_us = f64::from(ticks) / 1e6;
        Ok(Self { kernel, results, notes, count, spin_us, ticks_per_us, lacks })
    }

    /// One of the waves, as a dispatch of its own.
    pub fn dispatch(&self, cmd: &Cmd, rep: Rep, slot: u32) {
        let bindings = [self.results, self.notes].map(|set| set.get(rep.index, 0).rows(slot..slot + 1));
        cmd.dispatch(self.kernel, &bindings, &[slot, self.spin_us], [1, 1, 1]);
    }

    /// Shows the results in the window: a row for each wave.
    pub fn show(&self, lab: &mut Lab) {
        let size = [lab.device().subgroup_size, self.count];
        lab.report.show(
            self.results,
            0,
            size,
            "what each invocation computes, a row for each wave",
            |words| crate::shades(&words.iter().map(|word| word & 0xFF).collect::<Vec<_>>()),
        );
    }

    /// Declares a figure of the notes, or why there is none on this device.
    pub fn measure(
        self,
        variant: &mut Variant,
        lacks: Option<impl Into<String>>,
        unit: &str,
        figure: fn(&Self, &[u32]) -> Result<f64>,
    ) {
        let (notes, words) = (self.notes.get(0, 0), 4 * self.count);
        variant.skip(self.lacks).skip(lacks);
        variant.metric(unit, notes, words, move |words| figure(&self, words).map(Some));
    }

    /// The most waves that ran at once. One that was paused for a part of its time counts less by that part.
    ///
    /// # Errors
    /// Invalid notes.
    pub fn at_once(&self, words: &[u32]) -> Result<f64> {
        let notes = self.noted(words)?;
        let running = |note: &Note| 1.0 - f64::from(note.word) / ticks(note.ended - note.began);
        let at = |begin: u64| notes.iter().filter(move |note| note.began <= begin && begin < note.ended);
        Ok(notes.iter().map(|note| at(note.began).map(running).sum()).fold(0.0, f64::max))
    }

    /// The time in µs from the end of the first wave to the start of the second.
    ///
    /// # Errors
    /// Invalid notes; a second wave that does not wait for the first.
    pub fn hand_over(&self, words: &[u32]) -> Result<f64> {
        let notes = self.noted(words)?;
        let [ended, began] = [notes[0].ended, notes[1].began];
        let ticks = if began < ended { -ticks(ended - began) } else { ticks(began - ended) };
        let us = ticks / self.ticks_per_us;
        ensure!(us >= -SLACK_US, "the second wave begins {:.1} µs before the first ends", -us);
        Ok(us)
    }

    /// The notes of waves that spun as long as they should.
    fn noted(&self, words: &[u32]) -> Result<Vec<Note>> {
        let notes = Note::all(words)?;
        let least = f64::from(self.spin_us) * self.ticks_per_us.floor();
        let short = notes.iter().filter(|note| ticks(note.ended - note.began) < least).count();
        ensure!(short == 0, "{short} of {} waves end too early", notes.len());
        Ok(notes)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a wave spins for less than 2^52 ticks")]
fn ticks(ticks: u64) -> f64 {
    ticks as f64
}

/// The queues of the first family that does graphics, or of the first that does not.
#[must_use]
pub fn queues_of(lab: &Lab, with_graphics: bool) -> Vec<Queue> {
    let fitting =
        || (0..).map(Queue).zip(lab.queues()).filter(|(_, place)| place.has_graphics == with_graphics);
    let family = fitting().next().map(|(_, place)| place.family);
    fitting().filter(|(_, place)| Some(place.family) == family).map(|(queue, _)| queue).collect()
}

#[cfg(test)]
mod tests {
    use common::Buffer;

    use super::*;

    fn waves(count: u32) -> Waves {
        let none = Buffers { first: Buffer(0), each: 1, repetitions: 1, wholes: None };
        let kernel = Kernel(0);
        Waves { kernel, results: none, notes: none, count, spin_us: 10, ticks_per_us: 10.0, lacks: None }
    }

    /// Notes of waves that begin at these ticks, spin for 100, and are paused for some of them.
    fn notes(of: &[[u32; 2]]) -> Vec<u32> {
        of.iter().flat_map(|[began, paused]| [*began, 0, began + 100, *paused]).collect()
    }

    #[test]
    fn waves_at_once_are_those_that_run() {
        for (begun, most) in [
            ([[0, 0], [99, 0], [198, 0]], 2.0),
            ([[0, 0], [100, 0], [200, 0]], 1.0),
            ([[0, 50], [10, 50], [200, 0]], 1.0),
        ] {
            assert!((waves(3).at_once(&notes(&begun)).unwrap() - most).abs() < 1e-9, "{begun:?}");
        }
    }

    #[test]
    fn invalid_notes_are_errors() {
        let two = waves(2);
        assert!((two.hand_over(&notes(&[[0, 0], [125, 0]])).unwrap() - 2.5).abs() < 1e-9);
        let early = two.hand_over(&notes(&[[0, 0], [70, 0]])).unwrap_err();
        assert_eq!(early.to_string(), "the second wave begins 3.0 µs before the first ends");
        let short = two.at_once(&[0, 0, 100, 0, 0, 0, 99, 0]).unwrap_err();
        assert_eq!(short.to_string(), "1 of 2 waves end too early");
    }
}
