//! Plateaus of a curve, as caches leave them.

use std::ops::Range;

/// Neighbours that are alike by this ratio are one plateau.
const ALIKE: f64 = 1.05;
/// Neighbouring plateaus that differ by less are one, which drifts.
const APART: f64 = 1.1;
/// The fewest points of a plateau. Two alike may lie on a slope.
const FEWEST: usize = 3;

/// Whether all values are alike.
#[must_use]
pub fn is_level(values: &[f64]) -> bool {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    values.iter().all(|value| *value <= least * ALIKE)
}

/// The plateaus of a curve, ascending.
#[must_use]
pub fn plateaus(values: &[f64]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut from = 0;
    while from < values.len() {
        let rest = &values[from..];
        let alike = (1..=rest.len()).take_while(|count| is_level(&rest[..*count])).last().unwrap_or(1);
        if alike < FEWEST {
            from += 1;
            continue;
        }
        let mut level = from..from + alike;
        let center = middle(values, &level);
        // What lies above the lowest by more, but is like the middle.
        level.end += values[level.end..].iter().take_while(|value| differ(**value, center) <= ALIKE).count();
        from = level.end;
        match found.last_mut() {
            Some(last) if last.end == level.start && differ(center, middle(values, last)) < APART => {
                last.end = level.end;
            }
            _ => found.push(level),
        }
    }
    found
}

/// The ratio of the larger to the smaller.
fn differ(a: f64, b: f64) -> f64 {
    (a / b).max(b / a)
}

/// The value in the middle of a plateau.
fn middle(values: &[f64], plateau: &Range<usize>) -> f64 {
    let mut values = values[plateau.clone()].to_vec();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_that_are_alike_are_a_plateau() {
        assert_eq!(plateaus(&[1.0, 1.01, 1.04, 1.3, 2.0, 2.02, 1.99, 3.0, 3.1, 5.0]), [0..3, 4..7]);
        assert_eq!(plateaus(&[]), []);
    }

    /// It rises by less than 10 % from one part to the next.
    #[test]
    fn a_plateau_may_drift() {
        assert_eq!(plateaus(&[1.0, 1.0, 1.0, 1.08, 1.08, 1.08, 2.0, 2.0, 2.0]), [0..6, 6..9]);
        assert_eq!(plateaus(&[1.0, 1.0, 1.0, 1.12, 1.12, 1.12]), [0..3, 3..6]);
    }

    /// The last points belong to it, too, if they are too few to be one of their own.
    #[test]
    fn the_end_of_a_drift_belongs_to_its_plateau() {
        assert_eq!(plateaus(&[1.0, 1.02, 1.04, 1.055, 1.06, 2.0, 2.0, 2.0]), [0..5, 5..8]);
    }

    #[test]
    fn a_peak_parts_two_plateaus() {
        assert_eq!(plateaus(&[1.0, 1.0, 1.0, 3.0, 1.0, 1.0, 1.0]), [0..3, 4..7]);
    }

    #[test]
    fn a_slope_has_none() {
        assert_eq!(plateaus(&[1.0, 1.04, 1.1, 1.15, 1.3]), []);
    }
}
