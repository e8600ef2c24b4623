//! Waves that stay for a given time and note when they did: what `queues/stay.comp` does.

use anyhow::{Result, ensure};
use common::record::DeviceFacts;
use common::{Buffer, BufferSet, Buffers, Cmd, Kernel, Lab, Rep};

use crate::noted::{Note, SLACK_US, UNWRITTEN};

/// Waves of one variant.
#[derive(Clone, Copy, Debug)]
pub struct Waves {
    kernel: Kernel,
    results: Buffers,
    notes: Buffers,
    count: u32,
    stay_us: u32,
    ticks_per_us: f64,
}

impl Waves {
    /// `count` waves that stay for `stay_us` each, with their results and notes.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn new(lab: &mut Lab, name: &str, count: u32, stay_us: u32) -> Result<Self> {
        // Code is also compiled for AMD's GPUs.
        let is_compiled = lab.device().is_cpu() && lab.runs_nothing;
        let lanes = if is_compiled { 64 } else { lab.device().subgroup_size };
        let ticks = lab.device().ticks_per_second();
        let results = BufferSet::new(1, count * lanes, UNWRITTEN).for_all_queues();
        let results = lab.output(name, results)?;
        lab.expect(results, 0, move || (0..count * lanes).map(|item| 3 * item + 1).collect());
        let notes = BufferSet::new(1, 4 * count, UNWRITTEN).for_all_queues();
        let notes = lab.output(&format!("notes of {name}"), notes)?;
        let kernel = lab.kernel("queues/stay.comp").workgroup([lanes, 1, 1]);
        let kernel = kernel.constant("TICKS_PER_SECOND", ticks).build();
        Ok(Self { kernel, results, notes, count, stay_us, ticks_per_us: f64::from(ticks) / 1e6 })
    }

    /// One of the waves, as a dispatch of its own.
    pub fn dispatch(&self, cmd: &Cmd, rep: Rep, slot: u32) {
        let bindings = [self.results, self.notes].map(|set| set.get(rep.index, 0).rows(slot..slot + 1));
        cmd.dispatch(self.kernel, &bindings, &[slot, self.stay_us], [1, 1, 1]);
    }

    /// The results, to be shown.
    pub const fn results(&self) -> Buffers {
        self.results
    }

    /// Where the notes of the first repetition are, and their words.
    pub fn notes(&self) -> (Buffer, u32) {
        (self.notes.get(0, 0), 4 * self.count)
    }

    /// How many waves ran at once at most. One that was away for a part of its time counts less by that part.
    ///
    /// # Errors
    /// Notes that no right kernel leaves.
    pub fn at_once(&self, words: &[u32]) -> Result<f64> {
        let notes = self.stayed(words)?;
        let running = |note: &Note| 1.0 - f64::from(note.word) / ticks(note.ended - note.began);
        let at = |begin: u64| notes.iter().filter(move |note| note.began <= begin && begin < note.ended);
        let most = notes.iter().map(|note| at(note.began).map(running).sum()).fold(0.0, f64::max);
        Ok(most)
    }

    /// The time in µs from the end of the first wave to the begin of the second.
    ///
    /// # Errors
    /// Notes that no right kernel leaves; a second wave that does not wait for the first.
    pub fn hand_over(&self, words: &[u32]) -> Result<f64> {
        let notes = self.stayed(words)?;
        let [first, second] = [notes[0], notes[1]];
        let ticks = if second.began < first.ended {
            -ticks(first.ended - second.began)
        } else {
            ticks(second.began - first.ended)
        };
        let us = ticks / self.ticks_per_us;
        ensure!(us >= -SLACK_US, "the second wave begins {:.1} µs before the first ends", -us);
        Ok(us)
    }

    /// The notes of waves that stayed as long as they should.
    fn stayed(&self, words: &[u32]) -> Result<Vec<Note>> {
        let notes = Note::all(words)?;
        let least = f64::from(self.stay_us) * self.ticks_per_us.floor();
        let short = notes.iter().filter(|note| ticks(note.ended - note.began) < least).count();
        ensure!(short == 0, "{short} of {} waves end too early", notes.len());
        Ok(notes)
    }
}

#[expect(clippy::cast_precision_loss, reason = "a wave stays for less than 2^52 ticks")]
fn ticks(ticks: u64) -> f64 {
    ticks as f64
}

/// Why waves that stay do not run on a device, if they do not.
#[must_use]
pub fn lacking(device: &DeviceFacts) -> Option<&'static str> {
    (!device.device_clock).then_some("the device has no clock that shaders can read (VK_KHR_shader_clock)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waves(count: u32) -> Waves {
        let none = Buffers { first: Buffer(0), each: 1, repetitions: 1, wholes: None };
        Waves { kernel: Kernel(0), results: none, notes: none, count, stay_us: 10, ticks_per_us: 10.0 }
    }

    /// Notes of waves that begin at these ticks, stay for 100, and are away for some of them.
    fn notes(of: &[[u32; 2]]) -> Vec<u32> {
        of.iter().flat_map(|[began, away]| [*began, 0, began + 100, *away]).collect()
    }

    #[test]
    fn waves_at_once_are_those_that_run() {
        let most = |of: &[[u32; 2]]| waves(3).at_once(&notes(of)).unwrap();
        assert_eq!(most(&[[0, 0], [99, 0], [198, 0]]), 2.0);
        assert_eq!(most(&[[0, 0], [100, 0], [200, 0]]), 1.0);
        assert_eq!(most(&[[0, 50], [10, 50], [200, 0]]), 1.0);
    }

    #[test]
    fn what_no_right_wave_notes_is_an_error() {
        let two = waves(2);
        assert_eq!(two.hand_over(&notes(&[[0, 0], [125, 0]])).unwrap(), 2.5);
        let early = two.hand_over(&notes(&[[0, 0], [70, 0]])).unwrap_err();
        assert_eq!(early.to_string(), "the second wave begins 3.0 µs before the first ends");
        let short = two.at_once(&[0, 0, 100, 0, 0, 0, 99, 0]).unwrap_err();
        assert_eq!(short.to_string(), "1 of 2 waves end too early");
    }
}
