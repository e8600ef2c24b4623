//! Arranges dispatches in rows, and finds those that run alone.

use record::trace::Phases;

/// The row of each span: the lowest one in which it does not overlap another span.
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

/// Fills and drains during which no other dispatch is in flight, so that no other work uses the idle slots.
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

    #[test]
    fn what_overlaps_gets_another_row() {
        assert_eq!(rows(&[(0.0, 5.0), (5.0, 9.0), (8.0, 12.0), (8.5, 9.0), (9.0, 10.0)]), [0, 0, 1, 2, 0]);
        assert_eq!(rows(&[(4.0, 9.0), (0.0, 5.0)]), [1, 0]);
    }

    fn phases(begin_us: f64, [fill_us, steady_us, drain_us]: [f64; 3]) -> Phases {
        Phases {
            begin_us,
            fill_us,
            steady_us,
            drain_us,
            waves: 1.0,
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
