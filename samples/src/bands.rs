//! Cuts the passes of a chain into bands that events or queues can order.
//!
//! A pass reads `radius` texels beyond what it writes. So the line between two bands moves from pass to pass by
//! that distance, rounded up to `--align`, towards the band that is recorded first:
//!
//! ```text
//! rows     pass 0   pass 1   pass 2
//!  0       a        a        a          band a of pass p+1 ends above where band a of pass p
//!  ...     a        a        b          ended, by at least the radius: it reads only band a of
//!  ...     a        b        b          pass p. Band b reads both, and the event after b covers
//!  ...     b        b        b          both: a set's first scope includes all earlier
//!  last    b        b        b          commands. So band n waits for event n of the pass before.
//! ```
//!
//! The same shift covers the write-after-read hazard of two alternating images: band n of pass p+1 writes rows of
//! the image that pass p-1 wrote and pass p read, and the readers of those rows are in bands ≤ n of pass p.

use std::ops::Range;

use common::{Event, Events, Extent, Pass, Rep};

use crate::chain::Chain;

/// The bands of all passes.
#[derive(Clone, Copy, Debug)]
pub struct Bands {
    /// Number of bands per pass.
    pub count: u32,
    size: Extent,
    passes: u32,
    align: u32,
    /// Rows by which the lines between bands move per pass: the radius, rounded up.
    shift: u32,
}

impl Bands {
    /// `count` bands per pass, with the lines between them on multiples of `align` rows.
    #[must_use]
    pub fn new(chain: &Chain, count: u32, align: u32) -> Self {
        Self::cut(chain.size, chain.passes, chain.radius, align, count)
    }

    fn cut(size: Extent, passes: u32, radius: u32, align: u32, count: u32) -> Self {
        Self { count, size, passes, align, shift: radius.next_multiple_of(align) }
    }

    /// All bands of a repetition, in the order of recording: each a pass and the index of the band in it.
    pub fn of(self, rep: Rep) -> impl Iterator<Item = (Pass, u32)> {
        rep.passes(self.passes).flat_map(move |pass| (0..self.count).map(move |band| (pass, band)))
    }

    /// The rows of a band.
    #[must_use]
    pub fn rows(&self, pass: Pass, band: u32) -> Range<u32> {
        self.line(pass, band)..self.line(pass, band + 1)
    }

    /// The event of a band, where there is one for each band of each pass.
    #[must_use]
    pub fn event(&self, events: Events, pass: Pass, band: u32) -> Event {
        events.get(pass.rep.index, pass.index * self.count + band)
    }

    /// First row of a band. Bands are about equal in the middle pass, begin on multiples of the alignment, and are
    /// never empty in any pass.
    fn line(&self, pass: Pass, band: u32) -> u32 {
        let Self { count, size: Extent { height, .. }, align, shift, .. } = *self;
        if band == 0 || band == count {
            return height * band / count;
        }
        let travel = (self.passes - 1) * shift;
        let even = (band * height / count + travel / 2 + align / 2) / align * align;
        let last = (height - 1) / align * align;
        even.clamp(travel + band * align, last - (count - 1 - band) * align) - pass.index * shift
    }

    /// Why the image cannot be cut like this, with the smallest size that can be; `None` if it can.
    #[must_use]
    pub fn impossible(&self) -> Option<String> {
        let Self { count, passes, align, shift, size: Extent { width, height } } = *self;
        let needed = (passes - 1) * shift + (count - 1) * align + 1;
        (needed > height).then(|| {
            format!(
                "{count} bands need --size {width}x{needed} or larger, because the lines between them lie {align} rows \
                 apart and move by {shift} in each of {passes} passes (or fewer bands, or a smaller --align)"
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Devices that never overlap dispatches hide a wrong line, so this is tested on the CPU.
    #[test]
    fn a_band_reads_only_what_its_event_stands_for() {
        let mut split = 0;
        for (height, count, align, radius, passes) in grid() {
            let bands = Bands::cut(Extent { width: 1, height }, passes, radius, align, count);
            if bands.impossible().is_some() {
                continue;
            }
            split += 1;
            for pass in (Rep { index: 0, count: 1 }).passes(passes) {
                let rows: Vec<_> = (0..count).map(|band| bands.rows(pass, band)).collect();
                assert!(rows.iter().all(|r| r.start < r.end), "{height} {count} {align} {radius}: {rows:?}");
                assert!(rows.windows(2).all(|w| w[0].end == w[1].start && w[1].start % align == 0));
                assert_eq!((rows[0].start, rows[count as usize - 1].end), (0, height));
                let Some(previous) = pass.previous() else { continue };
                for band in 0..count - 1 {
                    let (end, before) = (rows[band as usize].end, bands.rows(previous, band).end);
                    assert!(end + radius <= before, "{pass:?} band {band} reads too far");
                }
            }
        }
        assert!(split > 400, "only {split} of the grid can be split");
    }

    fn grid() -> impl Iterator<Item = (u32, u32, u32, u32, u32)> {
        let shapes = [64, 65, 200, 321, 512, 1152].into_iter().flat_map(|h| (2..=5).map(move |c| (h, c)));
        let aligned = shapes.flat_map(|(h, c)| [1, 8, 64].map(move |a| (h, c, a)));
        let reaching = aligned.flat_map(|(h, c, a)| [1, 2, 9].map(move |r| (h, c, a, r)));
        reaching.flat_map(|(h, c, a, r)| [1, 3, 12].map(move |p| (h, c, a, r, p)))
    }
}
