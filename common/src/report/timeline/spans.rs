//! Where dispatches lie in time, and where nothing does.

use crate::trace::{Phases, Trace};

/// A row for each span, so that those of a row do not overlap: the lowest that is free.
pub(super) fn rows(spans: &[(f64, f64)]) -> Vec<usize> {
    let mut by_begin: Vec<usize> = (0..spans.len()).collect();
    by_begin.sort_by(|&a, &b| spans[a].0.total_cmp(&spans[b].0));
    let mut ends: Vec<f64> = Vec::new();
    let mut rows = vec![0; spans.len()];
    for at in by_begin {
        let (begin, end) = spans[at];
        let free = ends.iter().position(|taken| *taken <= begin);
        match free {
            Some(row) => ends[row] = end,
            None => ends.push(end),
        }
        rows[at] = free.unwrap_or(ends.len() - 1);
    }
    rows
}

/// Stretches between the first wave and the last in which none that was recorded was in flight.
pub(super) fn gaps(trace: &Trace) -> Vec<(f64, f64)> {
    let waves = trace.dispatches.iter().flat_map(|dispatch| &dispatch.waves);
    let mut spans: Vec<(f64, f64)> = waves.map(|wave| (wave.begin_us, wave.end_us)).collect();
    // Stable: waves come in sorted runs, which that makes use of.
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut gaps = Vec::new();
    let mut spans = spans.into_iter();
    let Some((_, mut busy)) = spans.next() else { return gaps };
    for (begin, end) in spans {
        if begin > busy {
            gaps.push((busy, begin));
        }
        busy = busy.max(end);
    }
    gaps
}

/// Fills and drains in which no other dispatch is in flight, so that what they leave unfilled nobody
/// fills.
pub(super) fn alone(dispatches: &[Phases]) -> Vec<(f64, f64)> {
    let mut alone = Vec::new();
    for (at, phases) in dispatches.iter().enumerate() {
        let clear = |time: f64| {
            let others = dispatches.iter().enumerate().filter(|(other, _)| *other != at);
            others.map(|(_, other)| other).all(|other| time < other.begin_us || other.end_us() < time)
        };
        let (begin, end) = (phases.begin_us, phases.end_us());
        for (from, to, edge) in [(begin, begin + phases.fill_us, begin), (end - phases.drain_us, end, end)] {
            if to > from && clear(edge) {
                alone.push((from, to));
            }
        }
    }
    alone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::{Dispatch, Lanes, Wave};

    #[test]
    fn what_overlaps_gets_another_row() {
        assert_eq!(rows(&[(0.0, 5.0), (5.0, 9.0), (8.0, 12.0), (8.5, 9.0), (9.0, 10.0)]), [0, 0, 1, 2, 0]);
        assert_eq!(rows(&[(4.0, 9.0), (0.0, 5.0)]), [1, 0]);
    }

    #[test]
    fn gaps_lie_between_waves_of_any_dispatch() {
        let dispatch = |spans: &[(f64, f64)]| Dispatch {
            kernel: "k".into(),
            groups: [1; 3],
            one_in: 1,
            weight: 1.0,
            waves: spans.iter().map(|&(begin_us, end_us)| Wave { begin_us, end_us, lane: 0 }).collect(),
        };
        let dispatches =
            vec![dispatch(&[(0.0, 9.0), (1.0, 2.0)]), dispatch(&[(10.0, 12.0), (11.0, 11.5), (12.0, 13.0)])];
        let trace = Trace { dispatches, lanes: Lanes::Packed(2), stamps_us: 1.0, step_us: 0.1 };
        assert_eq!(gaps(&trace), [(9.0, 10.0)]);
    }

    fn phases(begin_us: f64, [fill_us, steady_us, drain_us]: [f64; 3]) -> Phases {
        Phases {
            begin_us,
            fill_us,
            steady_us,
            drain_us,
            waves: 1.0,
            level: 1.0,
            peak: 1.0,
            mean: 1.0,
            idle: 0.0,
            first_fill: 1.0,
            launch_rate: None,
        }
    }

    #[test]
    fn only_edges_that_nothing_else_covers_are_alone() {
        let apart = [phases(0.0, [1.0, 5.0, 2.0]), phases(9.0, [1.0, 5.0, 2.0])];
        assert_eq!(alone(&apart), [(0.0, 1.0), (6.0, 8.0), (9.0, 10.0), (15.0, 17.0)]);
        let over = [phases(0.0, [1.0, 5.0, 2.0]), phases(7.0, [1.0, 5.0, 2.0])];
        assert_eq!(alone(&over), [(0.0, 1.0), (13.0, 15.0)]);
        assert_eq!(alone(&[phases(0.0, [0.0, 5.0, 0.0])]), []);
    }
}
