//! The times from the end of the dispatch before a draw to its waves.

use anyhow::{Result, ensure};
use common::Counter;
use samples::noted::{UNWRITTEN, Window};

/// The wave that is timed, from the end of the dispatch before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timed {
    /// The first wave of the vertex shader.
    FirstVertex,
    /// The first wave of the pixel shader.
    FirstPixel,
    /// The same where the vertex shader loads.
    FirstPixelAfterLoads,
    /// The last wave of the pixel shader.
    LastPixel,
    /// The wave of a second dispatch.
    Dispatch,
}

impl Timed {
    pub const OF_DRAWS: [Self; 4] =
        [Self::FirstVertex, Self::FirstPixel, Self::LastPixel, Self::FirstPixelAfterLoads];

    /// The begin of variants' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::FirstVertex => "vertex",
            Self::FirstPixel => "pixel",
            Self::FirstPixelAfterLoads => "fetched",
            Self::LastPixel => "last",
            Self::Dispatch => "compute",
        }
    }

    /// Words of the timestamps that shaders write: two timestamps per triangle, two of the dispatch before, and two of a second dispatch.
    pub const fn words(self, triangles: u32) -> u32 {
        2 * (2 * triangles + if matches!(self, Self::Dispatch) { 4 } else { 2 })
    }

    /// The time in µs. `stamps` are those of the window's begin and end. `None` if the waves have another clock than these: then they do
    /// not lie between them.
    ///
    /// # Errors
    /// Timestamps that no right draw leaves.
    pub fn figure(
        self,
        clock: Counter,
        triangles: u32,
        words: &[u32],
        stamps: &[u64],
    ) -> Result<Option<f64>> {
        let notes = words.as_chunks::<2>().0;
        let unwritten = notes.iter().filter(|note| **note == [UNWRITTEN; 2]).count();
        ensure!(unwritten == 0, "{unwritten} of {} timestamps are not written", notes.len());
        let ticks: Vec<u64> =
            notes.iter().map(|[low, high]| u64::from(*high) << 32 | u64::from(*low)).collect();
        let Some(window) = Window::around(clock, stamps, &ticks)? else { return Ok(None) };
        let us: Vec<f64> = ticks.iter().map(|&ticks| window.us(ticks)).collect();
        let (vertices, rest) = us.split_at(triangles as usize);
        let (pixels, waves) = rest.split_at(triangles as usize);
        let first = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let last = pixels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let begins = match self {
            Self::FirstVertex => first(vertices),
            Self::FirstPixel | Self::FirstPixelAfterLoads => first(pixels),
            Self::LastPixel => last,
            Self::Dispatch => waves[2],
        };
        let after = begins - waves[1];
        ensure!(after >= 0.0, "it begins {:.1} µs before the end of the wave that it waits for", -after);
        Ok(Some(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Counter = Counter { bits: 64, tick_ns: 10.0 };
    const STAMPS: [u64; 2] = [100, 2000];

    /// The timestamps of two vertices, two pixels, and dispatches.
    fn words(ticks: &[u32]) -> Vec<u32> {
        ticks.iter().flat_map(|&low| [low, 7]).collect()
    }

    fn figure(timed: Timed, words: &[u32]) -> Result<Option<f64>> {
        let stamps = STAMPS.map(|stamp| stamp + (7 << 32));
        timed.figure(CLOCK, if timed == Timed::Dispatch { 0 } else { 2 }, words, &stamps)
    }

    #[test]
    fn each_figure_is_counted_from_the_wave_before() {
        let notes = words(&[500, 450, 900, 800, 290, 300]);
        for (begins, us) in [
            (Timed::FirstVertex, 1.5),
            (Timed::FirstPixel, 5.0),
            (Timed::FirstPixelAfterLoads, 5.0),
            (Timed::LastPixel, 6.0),
        ] {
            assert_eq!(figure(begins, &notes).unwrap(), Some(us));
        }
        assert_eq!(figure(Timed::Dispatch, &words(&[290, 300, 400, 410])).unwrap(), Some(1.0));
    }

    #[test]
    fn what_no_right_draw_leaves_is_an_error() {
        let told = |notes: &[u32]| figure(Timed::FirstPixel, notes).unwrap_err().to_string();
        assert!(told(&[UNWRITTEN; 12]).contains("6 of 6 timestamps"));
        assert!(told(&words(&[200, 450, 250, 800, 290, 300])).contains("0.5 µs before the end"));
    }

    #[test]
    fn of_another_clock_nothing_is_told() {
        let notes = words(&[500, 450, 900, 800, 290, 300]);
        assert_eq!(Timed::FirstPixel.figure(CLOCK, 2, &notes, &[5000, 9000]).unwrap(), None);
    }
}
