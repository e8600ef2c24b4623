//! Workgroups that note when they begin and end, and the rounds of work that take known time: what `wave_order/start.comp` does.

use anyhow::{Result, bail, ensure};
use common::Counter;
use common::record::DeviceFacts;

/// Fills the notes before each run.
pub const UNWRITTEN: u32 = 0xFFFF_DEAD;

/// The notes of a workgroup or a wave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// Ticks of the device's time when it began.
    pub began: u64,
    /// Ticks of the device's time when it ended.
    pub ended: u64,
    /// What the kernel notes beside that: a multiprocessor, or a word for what the workgroup was.
    pub word: u32,
}

impl Note {
    /// Notes of four words each.
    ///
    /// # Errors
    /// One is not written, or ends before it begins; none takes any time.
    pub fn all(words: &[u32]) -> Result<Vec<Self>> {
        let notes: Vec<Self> = words.as_chunks::<4>().0.iter().map(Self::of).collect();
        let unwritten = words.as_chunks::<4>().0.iter().filter(|note| **note == [UNWRITTEN; 4]).count();
        ensure!(unwritten == 0, "{unwritten} of {} notes are not written", notes.len());
        let backwards = notes.iter().filter(|note| note.took() > u64::from(u32::MAX / 2)).count();
        ensure!(backwards == 0, "{backwards} of {} notes end before they begin", notes.len());
        ensure!(notes.iter().any(|note| note.took() > 0), "no note takes any time");
        Ok(notes)
    }

    fn of(&[low, high, ended, word]: &[u32; 4]) -> Self {
        let began = u64::from(high) << 32 | u64::from(low);
        Self { began, ended: began + u64::from(ended.wrapping_sub(low)), word }
    }

    const fn took(&self) -> u64 {
        self.ended - self.began
    }
}

/// The timestamps around the commands of a variant, among which waves note times of the same clock.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    clock: Counter,
    begin: u64,
}

impl Window {
    /// The first and the last of `stamps`, of which `clock` is the clock. `None` if waves have another: then what they note lies beside
    /// the window.
    ///
    /// # Errors
    /// Fewer than two timestamps.
    pub fn around(clock: Counter, stamps: &[u64], noted: &[u64]) -> Result<Option<Self>> {
        let [begin, .., end] = *stamps else { bail!("there are no timestamps") };
        // Some waves' clocks have 32 bits.
        let is_short = noted.iter().any(|ticks| ticks >> u32::BITS == 0);
        let clock = Counter { bits: clock.bits.min(if is_short { 32 } else { 64 }), ..clock };
        let window = Self { clock, begin };
        let within = -SLACK_US..window.us(end) + SLACK_US;
        Ok(noted.iter().all(|&ticks| within.contains(&window.us(ticks))).then_some(window))
    }

    /// A time in µs from the first timestamp on.
    #[expect(clippy::cast_precision_loss, reason = "a submit lasts less than 2^52 ticks")]
    #[must_use]
    pub fn us(&self, ticks: u64) -> f64 {
        self.clock.ticks(self.begin, ticks) as f64 * self.clock.tick_ns / 1e3
    }
}

/// Both clocks may have steps of a microsecond.
pub const SLACK_US: f64 = 2.0;

/// Why waves cannot note times on a device, if they cannot.
#[must_use]
pub fn no_clock(device: &DeviceFacts) -> Option<&'static str> {
    (!device.device_clock).then_some("the device has no clock that shaders can read (VK_KHR_shader_clock)")
}

/// The shaders' pseudo-random numbers.
#[must_use]
pub const fn mixed(x: u32) -> u32 {
    let x = x.wrapping_mul(0x9E37_79B1) ^ 0x7F4A_7C15;
    let x = (x ^ x >> 15).wrapping_mul(0x85EB_CA6B);
    x ^ x >> 13
}

/// Several rounds of `x * 1664525 + 1013904223`, as one product and one sum.
#[derive(Clone, Copy, Debug)]
pub struct Rounds {
    times: u32,
    plus: u32,
}

impl Rounds {
    /// By doubling, so that the reference takes another way than the shader.
    #[must_use]
    pub fn new(count: u32) -> Self {
        let mut all = Self { times: 1, plus: 0 };
        for bit in (0..u32::BITS - count.leading_zeros()).rev() {
            all = all.then(all);
            if count >> bit & 1 == 1 {
                all = all.then(Self { times: 1_664_525, plus: 1_013_904_223 });
            }
        }
        all
    }

    const fn then(self, next: Self) -> Self {
        let Self { times, plus } = next;
        Self { times: self.times.wrapping_mul(times), plus: self.plus.wrapping_mul(times).wrapping_add(plus) }
    }

    /// What they make of a word.
    #[must_use]
    pub const fn of(self, x: u32) -> u32 {
        x.wrapping_mul(self.times).wrapping_add(self.plus)
    }
}

/// What workgroups of `lanes` invocations compute that do so many rounds, or uneven numbers of rounds around that.
#[must_use]
pub fn started(workgroups: u32, lanes: u32, rounds: u32, is_uneven: bool) -> Vec<u32> {
    let of =
        |group: u32| Rounds::new(if is_uneven { rounds / 8 + mixed(group) % rounds * 2 } else { rounds });
    (0..workgroups)
        .flat_map(|group| {
            let rounds = of(group);
            (group * lanes..(group + 1) * lanes).map(move |item| rounds.of(2 * item))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_have_two_words() {
        let words = [u32::MAX - 1, 7, 3, 5];
        assert_eq!(
            Note::all(&words).unwrap(),
            [Note { began: (8 << 32) - 2, ended: (8 << 32) + 3, word: 5 }]
        );
        for (words, wrong) in [
            ([UNWRITTEN; 4], "1 of 1 notes are not written"),
            ([5, 0, 4, 0], "1 of 1 notes end before they begin"),
            ([5, 0, 5, 0], "no note takes any time"),
        ] {
            assert_eq!(Note::all(&words).unwrap_err().to_string(), wrong);
        }
    }
}
