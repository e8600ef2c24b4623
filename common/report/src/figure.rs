//! Numbers as a reader gets them, aligned on their decimal points.

use record::number::{decimals, significant};
use record::stats::Summary;

use super::charset::Charset;
use super::step::{self, Coarse, Error};

/// Stands for a blank that no line may break at; [`super::table()`] turns it into a blank at the end.
pub(super) const BLANK: char = '\u{a0}';

/// What stands where there is no figure.
pub(super) const ABSENT: &str = "–";

/// One figure of a column: the number with its mark, and its error.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Figure {
    number: String,
    error: Option<String>,
}

impl Figure {
    /// A median in microseconds with the half width of its 95 % interval; `~` before it where
    /// `near_floor`.
    pub(super) fn time(summary: &Summary, near_floor: bool, coarse: Option<Coarse>) -> Self {
        let mark = if near_floor { "~" } else { "" };
        Self {
            number: format!("{mark}{}", significant(summary.median)),
            error: step::error(summary, coarse).map(share),
        }
    }

    /// A median ratio; `≈` before it where its 95 % interval holds 1 or is not known.
    pub(super) fn ratio(summary: &Summary) -> Self {
        let mark = if undecided(summary) { "≈" } else { "" };
        let digits = hundredths(summary.median);
        Self { number: format!("{mark}{digits}"), error: None }
    }

    pub(super) fn absent() -> Self {
        Self { number: ABSENT.into(), error: None }
    }

    /// Takes no room: for rows that have a status instead.
    pub(super) fn nothing() -> Self {
        Self { number: String::new(), error: None }
    }

    pub(super) fn without_error(self) -> Self {
        Self { error: None, ..self }
    }

    /// The same in other characters; before it is aligned, because they may be more.
    pub(super) fn fit(self, charset: Charset) -> Self {
        let fit = |text: String| charset.fit_part(&text).into_owned();
        Self { number: fit(self.number), error: self.error.map(fit) }
    }
}

/// The 95 % interval of a ratio's median holds 1, or there are too few samples for one. A row divided
/// by itself is decided.
pub(super) fn undecided(ratio: &Summary) -> bool {
    let itself = ratio.min == 1.0 && ratio.max == 1.0;
    !itself && ratio.median_95.is_none_or(|interval| interval.low <= 1.0 && 1.0 <= interval.high)
}

/// Two decimals, and more where they would leave fewer than two significant digits.
#[must_use]
pub fn hundredths(value: f64) -> String {
    let decimals = decimals(value, 2).max(2);
    format!("{value:.decimals$}")
}

/// A relative error as `±0.2 %`; one that rounds to nothing says that it is small, not zero.
pub(super) fn share(error: Error) -> String {
    let digits = match error {
        Error::Share(share) if share < 0.0005 => "<0.1".into(),
        Error::Share(share) => tenths(share * 100.0),
        // Rounded up, so that it is below that.
        Error::Below(share) if share < 0.0995 => {
            format!("<{}", tenths((share * 1e3 - 1e-9).ceil().max(1.0) / 10.0))
        }
        Error::Below(share) => format!("<{}", tenths((share * 100.0 - 1e-9).ceil())),
    };
    format!("±{digits}{BLANK}%")
}

fn tenths(percent: f64) -> String {
    if percent < 9.95 { format!("{percent:.1}") } else { format!("{percent:.0}") }
}

/// A count that may be half a one (the median of an even number of counts).
pub(super) fn count(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// Pads the figures of a column so that decimal points and errors stand below each other.
pub(super) fn align(figures: &[Figure]) -> Vec<String> {
    let whole = |f: &Figure| f.number.split('.').next().map_or(0, width);
    let after = |f: &Figure| width(&f.number) - whole(f);
    let error = |f: &Figure| f.error.as_deref().map_or(0, width);
    let wide = |part: &dyn Fn(&Figure) -> usize| figures.iter().map(part).max().unwrap_or(0);
    let (whole_max, after_max, error_max) = (wide(&whole), wide(&after), wide(&error));
    let pad = |n: usize| BLANK.to_string().repeat(n);
    figures
        .iter()
        .map(|f| {
            if f.number.is_empty() {
                return String::new();
            }
            let mut cell = pad(whole_max - whole(f)) + &f.number + &pad(after_max - after(f));
            if error_max > 0 {
                cell += &pad(1 + error_max - error(f));
                cell += f.error.as_deref().unwrap_or("");
            }
            cell
        })
        .collect()
}

/// Columns of a terminal that `text` takes; every character the table itself writes takes one.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_after_rounding_too() {
        for (value, text) in [
            (46.3149, "46.31"),
            (9.9999, "10.00"),
            (999.96, "1000"),
            (0.046_311, "0.04631"),
            (123_456.7, "123457"),
            (1.0, "1.000"),
            (0.0, "0"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn a_small_ratio_is_not_zero() {
        let texts = [1.0, 0.765, 12.345, 0.0999, 0.0197, 0.001_97].map(hundredths);
        assert_eq!(texts, ["1.00", "0.77", "12.35", "0.10", "0.020", "0.0020"]);
    }

    #[test]
    fn only_a_ratio_that_may_be_one_is_marked() {
        let marked = |samples: &[f64]| undecided(&Summary::of(samples).unwrap());
        assert!(!marked(&[1.0; 9]));
        assert!(marked(&[1.01, 1.02, 1.03]), "three samples have no interval");
        assert!(marked(&[0.99, 1.02, 1.03]));
        assert!(marked(&[0.9, 0.99, 0.995, 1.0, 1.001, 1.02, 1.03]));
        assert!(!marked(&[0.9, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07, 1.08, 1.09]));
    }

    #[test]
    fn a_small_error_is_not_zero() {
        let plain = |error| share(error).replace(BLANK, " ");
        let texts = [0.0001, 0.002, 0.0994, 0.0996, 0.5].map(|share| plain(Error::Share(share)));
        assert_eq!(texts, ["±<0.1 %", "±0.2 %", "±9.9 %", "±10 %", "±50 %"]);
        let texts =
            [0.0, 0.0001, 0.001, 0.0021, 0.032 / 11.2, 0.0991, 0.101].map(|share| plain(Error::Below(share)));
        assert_eq!(texts, ["±<0.1 %", "±<0.1 %", "±<0.1 %", "±<0.3 %", "±<0.3 %", "±<10 %", "±<11 %"]);
    }

    #[test]
    fn points_stand_below_each_other() {
        let figure = |number: &str, error: Option<&str>| Figure {
            number: number.into(),
            error: error.map(Into::into),
        };
        let cells =
            align(&[figure("~46.31", Some("±0.2 %")), figure("1234", Some("±12 %")), figure("–", None)]);
        let cells: Vec<_> = cells.iter().map(|c| c.replace(BLANK, " ")).collect();
        assert_eq!(cells, [" ~46.31 ±0.2 %", "1234     ±12 %", "   –          "].map(String::from));
    }
}
