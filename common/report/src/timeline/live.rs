//! Draws traces for the window of `--live`, with the columns, colours and words of the file.

use record::trace::Trace;

use super::axes::{real, whole};
use super::bins::{Binned, Grid};
use super::colours::{COLOURS, Map, PARTS, SHADES};

pub use super::axes::ticks;
pub use super::words::{cautions, figures as said};
pub use crate::format::percent;

/// Pixels with red, green, blue and straight (not premultiplied) alpha, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Four bytes per pixel, row by row.
    pub bytes: Vec<u8>,
}

impl Pixels {
    fn clear(size: [usize; 2]) -> Self {
        Self { size, bytes: vec![0; 4 * size[0] * size[1]] }
    }

    fn set(&mut self, [x, y]: [usize; 2], [red, green, blue]: [u8; 3], cover: f64) {
        let alpha = u8::try_from(whole((255.0 * cover).round())).unwrap_or(255);
        self.bytes[4 * (y * self.size[0] + x)..][..4].copy_from_slice(&[red, green, blue, alpha]);
    }
}

/// A trace divided into columns of pixels.
pub struct Columns(Binned);

impl Columns {
    /// Divides `range_us` microseconds from the first wave on into `columns` columns.
    pub fn of(trace: &Trace, range_us: f64, columns: usize) -> Self {
        Self(Binned::of(trace, Grid { range_us, columns }))
    }

    /// The largest number of waves in flight in a column.
    #[cfg(test)]
    pub fn tallest(&self) -> f64 {
        self.0.tallest()
    }

    /// The largest number of waves per lane in a column.
    pub fn fullest(&self) -> f64 {
        self.0.fullest()
    }

    /// The number of multiprocessors or packed lanes.
    pub fn lanes(&self) -> usize {
        self.0.lanes
    }

    /// The waves in flight as stacked areas, one per dispatch. The height of the picture corresponds to `top` waves.
    pub fn stacks(&self, rows: usize, top: f64) -> Pixels {
        let mut pixels = Pixels::clear([self.0.columns, rows]);
        let mut below = vec![0.0; self.0.columns];
        for (at, stack) in self.0.stacks.iter().enumerate() {
            for (column, mean) in (stack.first..).zip(&stack.means) {
                let to = below[column] + mean;
                let [low, high] = [below[column], to].map(|waves| (waves / top).min(1.0) * real(rows));
                below[column] = to;
                for row in whole(low.floor())..whole(high.ceil()).min(rows) {
                    let covered = high.min(real(row + 1)) - low.max(real(row));
                    // Where two areas share a pixel, the upper one is drawn in front, with the opacity of both.
                    let cover =
                        if real(row) < low { 1.0_f64.min(covered + low - real(row)) } else { covered };
                    pixels.set([column, rows - 1 - row], COLOURS[at % PARTS], cover);
                }
            }
        }
        pixels
    }

    /// The map of lanes: one row per lane, or per few lanes, and one colour per dispatch. The deepest shade stands
    /// for `full` waves per lane.
    pub fn map(&self, full: f64) -> Pixels {
        let map = self.0.map(full);
        let mut pixels = Pixels::clear([self.0.columns, self.0.rows()]);
        for (at, cell) in map.cells.iter().enumerate() {
            if let Some(shade) = cell.checked_sub(1) {
                let place = [at % map.columns, at / map.columns];
                let colour = COLOURS[usize::from(shade / SHADES) % PARTS];
                pixels.set(place, colour, Map::cover(shade % SHADES + 1));
            }
        }
        pixels
    }
}

#[cfg(test)]
mod tests {
    use record::fixture::traces;

    use super::*;

    #[test]
    fn stacks_and_maps_show_the_waves() {
        let trace = traces::passes(Some(1.4));
        let columns = Columns::of(&trace, trace.stamps_us, 300);
        let pixels = columns.stacks(50, columns.tallest());
        assert_eq!(pixels.size, [300, 50]);
        let alpha = |pixels: &Pixels, x: usize, y: usize| pixels.bytes[4 * (y * pixels.size[0] + x) + 3];
        let high = (0..300).map(|x| (0..50).filter(|y| alpha(&pixels, x, *y) == 255).count());
        assert_eq!(high.max(), Some(50), "the tallest column fills the picture");
        for x in 0..300 {
            let solid = (0..50).skip_while(|y| alpha(&pixels, x, *y) == 0).skip(1);
            assert!(solid.clone().all(|y| alpha(&pixels, x, y) == 255), "no hole below the top in {x}");
        }
        let map = columns.map(columns.fullest());
        assert_eq!(map.size, [300, 132]);
        let shown = map.bytes.chunks(4).filter(|pixel| pixel[3] > 0).count();
        assert!(shown > 300 * 132 / 3 && shown < 300 * 132, "{shown}: waves, and drains between them");
    }
}
