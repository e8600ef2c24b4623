//! When the first waves of a draw begin.

use anyhow::{Result, ensure};
use common::Counter;
use samples::noted::{UNWRITTEN, Window};

/// What is timed, from the end of the wave before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// The first wave of the vertex shader.
    Vertex,
    /// The first wave of the pixel shader.
    Pixel,
    /// The same behind a vertex shader that loads.
    Fetched,
    /// The last wave of the pixel shader.
    Last,
    /// The wave of a dispatch.
    Compute,
}

impl Begins {
    pub const OF_DRAWS: [Self; 4] = [Self::Vertex, Self::Pixel, Self::Last, Self::Fetched];

    /// The begin of variants' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Pixel => "pixel",
            Self::Fetched => "fetched",
            Self::Last => "last",
            Self::Compute => "compute",
        }
    }

    /// Words of the notes: two per triangle, two of the wave before, and two of a dispatch's wave. A note has two words.
    pub const fn words(self, triangles: u32) -> u32 {
        2 * (2 * triangles + if matches!(self, Self::Compute) { 4 } else { 2 })
    }

    /// The time in µs. `stamps` are those of the window's begin and end. `None` if the waves have another clock than these: then they do
    /// not lie between them.
    ///
    /// # Errors
    /// Notes that no right draw leaves.
    pub fn figure(
        self,
        clock: Counter,
        triangles: u32,
        words: &[u32],
        stamps: &[u64],
    ) -> Result<Option<f64>> {
        let notes = words.as_chunks::<2>().0;
        let unwritten = notes.iter().filter(|note| **note == [UNWRITTEN; 2]).count();
        ensure!(unwritten == 0, "{unwritten} of {} notes are not written", notes.len());
        let ticks: Vec<u64> =
            notes.iter().map(|[low, high]| u64::from(*high) << 32 | u64::from(*low)).collect();
        let Some(window) = Window::around(clock, stamps, &ticks)? else { return Ok(None) };
        let us: Vec<f64> = ticks.iter().map(|&ticks| window.us(ticks)).collect();
        let (vertices, rest) = us.split_at(triangles as usize);
        let (pixels, waves) = rest.split_at(triangles as usize);
        let first = |of: &[f64]| of.iter().copied().fold(f64::INFINITY, f64::min);
        let last = pixels.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let begins = match self {
            Self::Vertex => first(vertices),
            Self::Pixel | Self::Fetched => first(pixels),
            Self::Last => last,
            Self::Compute => waves[2],
        };
        let after = begins - waves[1];
        ensure!(after >= 0.0, "it begins {:.1} µs before the end of the wave that it waits for", -after);
        ensure!(first(vertices) <= first(pixels), "a pixel begins before its vertices");
        Ok(Some(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLOCK: Counter = Counter { bits: 64, tick_ns: 10.0 };
    const STAMPS: [u64; 2] = [100, 2000];

    /// The notes of two vertices, two pixels, and waves.
    fn words(ticks: &[u32]) -> Vec<u32> {
        ticks.iter().flat_map(|&low| [low, 7]).collect()
    }

    fn figure(begins: Begins, words: &[u32]) -> Result<Option<f64>> {
        let stamps = STAMPS.map(|stamp| stamp + (7 << 32));
        begins.figure(CLOCK, if begins == Begins::Compute { 0 } else { 2 }, words, &stamps)
    }

    #[test]
    fn each_figure_is_counted_from_the_wave_before() {
        let notes = words(&[500, 450, 900, 800, 290, 300]);
        for (begins, us) in
            [(Begins::Vertex, 1.5), (Begins::Pixel, 5.0), (Begins::Fetched, 5.0), (Begins::Last, 6.0)]
        {
            assert_eq!(figure(begins, &notes).unwrap(), Some(us));
        }
        assert_eq!(figure(Begins::Compute, &words(&[290, 300, 400, 410])).unwrap(), Some(1.0));
    }

    #[test]
    fn what_no_right_draw_leaves_is_an_error() {
        let told = |notes: &[u32]| figure(Begins::Pixel, notes).unwrap_err().to_string();
        assert!(told(&[UNWRITTEN; 12]).contains("6 of 6 notes"));
        assert!(told(&words(&[200, 450, 250, 800, 290, 300])).contains("0.5 µs before the end"));
        assert!(told(&words(&[500, 600, 400, 800, 290, 300])).contains("before its vertices"));
    }

    #[test]
    fn of_another_clock_nothing_is_told() {
        let notes = words(&[500, 450, 900, 800, 290, 300]);
        assert_eq!(Begins::Pixel.figure(CLOCK, 2, &notes, &[5000, 9000]).unwrap(), None);
    }
}
