//! Counts the waves in flight per column of pixels.

use record::trace::{Dispatch, Lanes, Trace, Wave};

use super::axes::{real, whole};
use super::colours::{Map, SHADES};

/// Most rows of a map; with more lanes, several share a row.
const ROWS: usize = 160;

/// The time range of all panels, divided into equal columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    pub range_us: f64,
    pub columns: usize,
}

impl Grid {
    /// The position of a time, in columns from the left.
    fn place(&self, us: f64) -> f64 {
        (us / self.range_us * real(self.columns)).clamp(0.0, real(self.columns))
    }

    /// Adds a wave to the mean number of waves of each column that it touches.
    fn add(&self, means: &mut [f64], wave: &Wave, weight: f64) {
        let [begin, end] = [wave.begin_us, wave.end_us].map(|us| self.place(us));
        let (first, last) = (whole(begin), whole(end.ceil()).max(1) - 1);
        if first >= last {
            means[first.min(self.columns - 1)] += weight * (end - begin).max(0.0);
            return;
        }
        means[first] += weight * (real(first + 1) - begin);
        means[first + 1..last].iter_mut().for_each(|mean| *mean += weight);
        means[last] += weight * (end - real(last));
    }

    /// The first column that a dispatch touches, and the one after the last.
    fn columns_of(&self, dispatch: &Dispatch) -> (usize, usize) {
        let begin = dispatch.waves.iter().map(|wave| wave.begin_us).fold(f64::INFINITY, f64::min);
        let end = dispatch.waves.iter().map(|wave| wave.end_us).fold(0.0, f64::max);
        let first = whole(self.place(begin)).min(self.columns - 1);
        (first, whole(self.place(end).ceil()).clamp(first + 1, self.columns))
    }
}

/// Mean waves in flight of one dispatch, from the column `first` on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Stack {
    pub first: usize,
    pub means: Vec<f64>,
    /// Of these, the waves that are in the first stretch of a part: waiting, before the work that the kernel names.
    /// Empty if the waves do not report stretches.
    pub waiting: Vec<f64>,
}

/// A trace divided into columns.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Binned {
    /// One stack per dispatch.
    pub stacks: Vec<Stack>,
    /// Number of lanes that share a row of the map.
    pub lanes_a_row: usize,
    pub lanes: usize,
    pub columns: usize,
    /// Mean waves in flight of all dispatches, row by row.
    total: Vec<f64>,
    /// The dispatch with the most waves in each cell.
    owner: Vec<usize>,
}

impl Binned {
    pub(super) fn of(trace: &Trace, grid: Grid) -> Self {
        let (Lanes::Multiprocessors(lanes) | Lanes::Packed(lanes)) = trace.lanes;
        // A lane number above the trace's own count must neither be dropped nor cause a panic.
        let seen =
            trace.dispatches.iter().flat_map(|d| &d.waves).map(|wave| wave.lane + 1).max().unwrap_or(1);
        let lanes = lanes.max(seen) as usize;
        let lanes_a_row = lanes.div_ceil(ROWS);
        let cells = lanes.div_ceil(lanes_a_row) * grid.columns;
        let mut binned = Self {
            stacks: Vec::new(),
            lanes_a_row,
            lanes,
            columns: grid.columns,
            total: vec![0.0; cells],
            owner: vec![0; cells],
        };
        let (mut most, mut own) = (vec![0.0; cells], vec![0.0; cells]);
        for dispatch in &trace.dispatches {
            binned.add(dispatch, grid, &mut own, &mut most);
        }
        binned
    }

    /// `own` must be all zeros, and is again on return.
    fn add(&mut self, dispatch: &Dispatch, grid: Grid, own: &mut [f64], most: &mut [f64]) {
        for wave in &dispatch.waves {
            let row = wave.lane as usize / self.lanes_a_row;
            grid.add(&mut own[row * grid.columns..][..grid.columns], wave, dispatch.weight);
        }
        let (first, end) = grid.columns_of(dispatch);
        let mut means = vec![0.0; end - first];
        for row in 0..self.rows() {
            let cells = row * grid.columns + first..row * grid.columns + end;
            for (cell, mean) in cells.zip(&mut means) {
                let waves = std::mem::take(&mut own[cell]);
                *mean += waves;
                self.total[cell] += waves;
                if waves > most[cell] {
                    (most[cell], self.owner[cell]) = (waves, self.stacks.len());
                }
            }
        }
        self.stacks.push(Stack { first, means, waiting: waiting(dispatch, grid, first..end) });
    }

    pub(super) fn rows(&self) -> usize {
        self.lanes.div_ceil(self.lanes_a_row)
    }

    /// The largest number of waves in a column, summed over all dispatches.
    pub(super) fn tallest(&self) -> f64 {
        let mut sums = vec![0.0; self.columns];
        for stack in &self.stacks {
            sums[stack.first..].iter_mut().zip(&stack.means).for_each(|(sum, mean)| *sum += mean);
        }
        sums.into_iter().fold(0.0, f64::max)
    }

    /// The largest number of waves per lane in a cell of the map.
    pub(super) fn fullest(&self) -> f64 {
        self.total.iter().copied().fold(0.0, f64::max) / real(self.lanes_a_row)
    }

    /// The cells of the map in the dispatches' colours. The deepest shade stands for `full` waves per lane.
    pub(super) fn map(&self, full: f64) -> Map {
        let full = full * real(self.lanes_a_row);
        let shade = |waves: f64| {
            let shade = whole((waves / full * f64::from(SHADES)).ceil());
            u8::try_from(shade).unwrap_or(SHADES)
        };
        let cell = |(&waves, &owner): (&f64, &usize)| {
            // Ignores rounding errors.
            if waves > 1e-9 * full { Map::cell(owner, shade(waves)) } else { 0 }
        };
        Map { columns: self.columns, cells: self.total.iter().zip(&self.owner).map(cell).collect() }
    }
}

/// Mean number of waiting waves in a range of columns. Empty if the waves do not report stretches.
fn waiting(dispatch: &Dispatch, grid: Grid, columns: std::ops::Range<usize>) -> Vec<f64> {
    let Some(part) = &dispatch.part else { return Vec::new() };
    let mut means = vec![0.0; grid.columns];
    for (wave, stretches) in dispatch.waves.iter().zip(part.each()) {
        let end_us = wave.begin_us + stretches.first().copied().unwrap_or(0.0);
        grid.add(&mut means, &Wave { end_us, ..*wave }, dispatch.weight);
    }
    means.drain(columns).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(begin_us: f64, end_us: f64, lane: u32) -> Wave {
        Wave { begin_us, end_us, lane }
    }

    fn dispatch(waves: Vec<Wave>) -> Dispatch {
        Dispatch {
            kernel: "k".into(),
            groups: [1; 3],
            one_in: 1,
            weight: 2.0,
            waves,
            ends_us: Vec::new(),
            part: None,
        }
    }

    fn trace(dispatches: Vec<Dispatch>, lanes: Lanes) -> Trace {
        Trace { dispatches, lanes, stamps_us: 1.0, step_us: 0.1, time_stamps: Vec::new() }
    }

    const GRID: Grid = Grid { range_us: 10.0, columns: 5 };

    #[test]
    fn parts_of_columns_count_as_parts() {
        let trace =
            trace(vec![dispatch(vec![wave(1.0, 5.0, 0), wave(4.5, 5.5, 1)])], Lanes::Multiprocessors(2));
        let binned = Binned::of(&trace, GRID);
        assert_eq!(binned.stacks, [Stack { first: 0, means: vec![1.0, 2.0, 1.0 + 1.0], waiting: vec![] }]);
        assert_eq!((binned.tallest(), binned.fullest()), (2.0, 2.0));
        let cells = binned.map(2.0).cells;
        assert_eq!(cells[..5], [SHADES / 2, SHADES, SHADES / 2, 0, 0]);
        assert_eq!(cells[5..], [0, 0, SHADES / 2, 0, 0]);
    }

    #[test]
    fn waits_are_counted_apart() {
        let mut part = dispatch(vec![wave(1.0, 5.0, 0), wave(4.0, 6.0, 1)]);
        part.part = Some(record::trace::PartWaves {
            part: record::trace::Part { what: "p".into(), number: 1, of: 1, unit: "u".into(), units: 2 },
            in_a_row: true,
            stretches: &["wait", "work"],
            waits: 1,
            stretches_us: vec![2.0, 2.0, 0.5, 1.5],
        });
        let binned = Binned::of(&trace(vec![part], Lanes::Multiprocessors(2)), GRID);
        let [stack] = &binned.stacks[..] else { panic!() };
        assert_eq!((&*stack.means, &*stack.waiting), (&[1.0, 2.0, 3.0][..], &[1.0, 1.0, 0.5][..]));
    }

    #[test]
    fn the_dispatch_that_has_most_gives_the_colour() {
        let parts =
            vec![dispatch(vec![wave(0.0, 10.0, 0)]), dispatch(vec![wave(2.0, 4.0, 0), wave(2.0, 4.0, 0)])];
        let cells = Binned::of(&trace(parts, Lanes::Packed(1)), GRID).map(6.0).cells;
        assert_eq!(cells[..3], [Map::cell(0, 4), Map::cell(1, SHADES), Map::cell(0, 4)]);
    }

    #[test]
    fn many_lanes_share_rows_and_none_is_lost() {
        let last = wave(0.0, 10.0, 8447);
        let binned = Binned::of(&trace(vec![dispatch(vec![last])], Lanes::Packed(100)), GRID);
        assert_eq!((binned.lanes, binned.lanes_a_row, binned.rows()), (8448, 53, 160));
        assert_eq!(binned.stacks[0].means, [2.0; 5]);
    }

    #[test]
    fn what_lies_at_the_edges_stays_inside() {
        let waves = vec![wave(0.0, 0.0, 0), wave(10.0, 10.0, 0), wave(9.0, 12.0, 0)];
        let binned = Binned::of(&trace(vec![dispatch(waves)], Lanes::Packed(1)), GRID);
        assert_eq!(binned.stacks[0].means, [0.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
