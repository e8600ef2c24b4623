//! Figures, statuses and promises as text: the same in tables, pages and the window.

use record::judge::{Verdict, judge};
use record::stats::{Interval, Summary};
use record::{Promise, Racy, Record, Row, Status};

use super::charset::BLANK;
use super::timestamp_resolution::{self, Coarse, Error};

pub use record::number::significant;

/// A median, followed by its error if it has one.
pub(super) fn uncertain(summary: &Summary, coarse: Option<Coarse>) -> String {
    let error = timestamp_resolution::error(summary, coarse)
        .map_or_else(String::new, |error| format!("{BLANK}{}", share(error)));
    significant(summary.median) + &error
}

/// `±0.2 %`: half the width of the 95 % interval of the median time alone, or the resolution of the timestamps.
/// `None` if there is no interval.
#[must_use]
pub fn isolated_error(record: &Record, summary: &Summary) -> Option<String> {
    Some(
        share(timestamp_resolution::error(summary, timestamp_resolution::isolated(record))?)
            .replace(BLANK, " "),
    )
}

/// A median ratio, with `≈` in front if its 95 % interval includes 1 or is unknown.
#[must_use]
pub fn ratio(summary: &Summary) -> String {
    format!("{}{}", almost(summary), hundredths(summary.median))
}

/// `1.63 times (1.62 to 1.63): slower`, with `≈` in front if the ratio cannot be distinguished from 1.
#[must_use]
pub fn ratio_in_words(summary: &Summary) -> String {
    match summary.median_95 {
        Some(_) => format!("{}{}: {}", almost(summary), times(summary), word(summary)),
        None => format!("{}{} times (too few samples to tell)", almost(summary), hundredths(summary.median)),
    }
}

fn almost(ratio: &Summary) -> &'static str {
    if undecided(ratio) { "≈" } else { "" }
}

/// Whether the 95 % interval of a ratio's median includes 1, or there are too few samples for an interval. The ratio
/// of a row to itself does not count.
pub(super) fn undecided(ratio: &Summary) -> bool {
    let itself = ratio.min == 1.0 && ratio.max == 1.0;
    !itself && ratio.median_95.is_none_or(|interval| interval.low <= 1.0 && 1.0 <= interval.high)
}

/// Two decimals, or more if two would show fewer than two significant digits.
#[must_use]
pub fn hundredths(value: f64) -> String {
    let decimals = record::number::decimals(value, 2).max(2);
    format!("{value:.decimals$}")
}

/// A relative error as `±0.2 %`. An error that rounds to zero is shown as `<0.1`.
pub(super) fn share(error: Error) -> String {
    let digits = match error {
        Error::Share(share) if share < 0.0005 => "<0.1".into(),
        Error::Share(share) => tenths(share * 100.0),
        // Rounded up, so that the error is really below the number shown.
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

/// `31 %`; shares below 10 % have one decimal, so that a small share is not shown as none.
#[must_use]
pub fn percent(share: f64) -> String {
    let percent = 100.0 * share;
    let decimals = if percent.abs() >= 9.95 || percent == 0.0 { 0 } else { 1 };
    format!("{percent:.decimals$} %")
}

/// Like [`percent`], with a sign.
#[must_use]
pub fn signed_percent(share: f64) -> String {
    let sign = if share < 0.0 { "−" } else { "+" };
    format!("{sign}{}", percent(share.abs()))
}

/// A count that may end in .5 (the median of an even number of counts).
pub(super) fn count(value: f64) -> String {
    if value.fract() == 0.0 || value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") }
}

/// Relative difference below which a ratio is not called faster or slower: one program differs by as much from one
/// process to the next.
const SMALL: f64 = 0.01;

/// The most decimals that are shown to tell a ratio from 1.
const MOST_DECIMALS: usize = 6;

/// `1.63 times (1.62 to 1.63)`, or `0.998 times (0.997 to 0.999)`: with enough digits to show on which side of 1 the
/// interval is.
pub(super) fn times(ratio: &Summary) -> String {
    let Some(Interval { low, high }) = ratio.median_95 else {
        return format!("{} times (too few samples for an interval)", hundredths(ratio.median));
    };
    let decimals = decimals(Interval { low, high }, 2);
    let [median, low, high] = [ratio.median, low, high].map(|value| digits(value, decimals));
    format!("{median} times ({low} to {high})")
}

/// `faster` or `slower`, or a weaker statement if the difference is small or not shown.
pub(super) fn word(ratio: &Summary) -> &'static str {
    let Some(interval) = ratio.median_95.filter(|_| !undecided(ratio)) else { return "no difference shown" };
    let slower = interval.low > 1.0;
    match judge(interval, SMALL) {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Same if slower => "less than 1 % slower",
        Verdict::Same if interval.high < 1.0 => "less than 1 % faster",
        // The ratio of a row to itself.
        Verdict::Same => "no difference shown",
        Verdict::Unsure if slower => "slower, perhaps by less than 1 %",
        Verdict::Unsure => "faster, perhaps by less than 1 %",
    }
}

/// The number of decimals, at least `least`, at which the end of the interval nearer to 1 is not shown as 1.
#[must_use]
pub fn decimals(Interval { low, high }: Interval, least: usize) -> usize {
    if low <= 1.0 && high >= 1.0 {
        return least;
    }
    let nearer = if low > 1.0 { low } else { high };
    let is_one = |decimals: usize| format!("{nearer:.decimals$}") == format!("{:.decimals$}", 1.0);
    (least..MOST_DECIMALS).find(|decimals| !is_one(*decimals)).unwrap_or(MOST_DECIMALS)
}

fn digits(value: f64, decimals: usize) -> String {
    if decimals == 2 { hundredths(value) } else { format!("{value:.decimals$}") }
}

/// The text shown in place of figures, for a row that has none.
#[must_use]
pub fn status(status: &Status) -> Option<String> {
    match status {
        Status::Ok => None,
        Status::Skipped { reason } => Some(format!("skipped: {reason}")),
        Status::Unsupported { reason } => Some(format!("unsupported: {reason}")),
        Status::Throttled { reason } => Some(format!("throttled: {reason}")),
        Status::Wrong { elements, .. } => Some(format!("wrong: {}", differing(*elements))),
        Status::Error { reason } => Some(format!("error: {reason}")),
    }
}

/// By what the result is correct.
#[must_use]
pub fn correct(promise: &Promise) -> &'static str {
    match promise {
        Promise::Law => "by the spec",
        Promise::Hardware { .. } => "on this GPU",
        Promise::Nothing { .. } => "no, on purpose",
        Promise::Fault { .. } => "seeded bug",
        Promise::OtherApi { .. } => "by another API",
    }
}

/// The number of elements that differed, and in how many of the runs any did.
#[must_use]
pub fn racy(Racy { samples, racy_samples, median, max, long_max, .. }: Racy) -> String {
    match (racy_samples, max) {
        (0, _) => format!("0 in {samples} runs"),
        // A bare 0 would be read as "none".
        (_, 0) => format!("only in long submits (max {long_max}), {racy_samples} of {samples} runs"),
        _ => format!("{} (max {max}) in {racy_samples} of {samples} runs", count(median)),
    }
}

pub(super) fn published(row: &Row) -> Option<String> {
    let published = row.published.as_ref()?;
    Some(format!("{:.2} {}", published.value, published.device))
}

/// At most four significant digits below a thousand, without trailing zeros, so that published figures keep the
/// digits of their source.
#[must_use]
pub fn trimmed(value: f64) -> String {
    let digits = significant(value);
    if !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Says how many elements of a row are wrong.
pub(super) fn differing(elements: u64) -> String {
    let (plural, verb) = if elements == 1 { ("", "s") } else { ("s", "") };
    format!("{elements} element{plural} differ{verb} from the CPU reference")
}

/// Whether the row has figures, or would have them if the run had not been stopped.
pub(super) fn measured(row: &Row) -> bool {
    row.status == Status::Ok
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
    fn shares_keep_two_digits() {
        assert_eq!([0.0, 0.004, 0.31, -0.07].map(signed_percent), ["+0 %", "+0.4 %", "+31 %", "−7.0 %"]);
    }

    #[test]
    fn counts_are_never_read_as_none() {
        let some = Racy { samples: 24, racy_samples: 3, median: 0.0, max: 7, long_max: 9, of: 100 };
        assert_eq!(racy(some), "0 (max 7) in 3 of 24 runs");
        assert_eq!(racy(Racy { max: 0, ..some }), "only in long submits (max 9), 3 of 24 runs");
        assert_eq!(racy(Racy { racy_samples: 0, ..some }), "0 in 24 runs");
    }

    /// A ratio with this interval and with a median at its centre.
    fn ratio(low: f64, high: f64) -> Summary {
        let middle = f64::midpoint(low, high);
        let median_95 = Some(Interval { low, high });
        Summary { median_95, ..Summary::of(&[low, middle, high]).unwrap() }
    }

    fn said(low: f64, high: f64) -> String {
        let ratio = ratio(low, high);
        format!("{}: {}", times(&ratio), word(&ratio))
    }

    #[test]
    fn digits_and_words_agree() {
        for (low, high, expected) in [
            (1.619, 1.631, "1.62 times (1.62 to 1.63): slower"),
            (0.75, 0.76, "0.76 times (0.75 to 0.76): faster"),
            (0.997, 0.999, "0.998 times (0.997 to 0.999): less than 1 % faster"),
            (1.0002, 1.0004, "1.0003 times (1.0002 to 1.0004): less than 1 % slower"),
            (0.94, 0.9997, "0.9698 times (0.9400 to 0.9997): faster, perhaps by less than 1 %"),
            (1.004, 1.02, "1.012 times (1.004 to 1.020): slower, perhaps by less than 1 %"),
            (1.012, 1.02, "1.02 times (1.01 to 1.02): slower"),
            (0.98, 1.01, "0.99 times (0.98 to 1.01): no difference shown"),
            (0.999, 1.001, "1.00 times (1.00 to 1.00): no difference shown"),
            (0.0123, 0.0125, "0.012 times (0.012 to 0.013): faster"),
            (1.0, 1.0, "1.00 times (1.00 to 1.00): no difference shown"),
        ] {
            assert_eq!(said(low, high), expected);
        }
    }

    /// An interval whose digits touch 1 is never called faster or slower.
    #[test]
    fn no_word_contradicts_the_digits() {
        for at in 1..4000 {
            let near = f64::from(at) * 1e-5;
            for (low, high) in [(1.0 + near, 1.05), (0.95, 1.0 - near), (1.0 + near, 1.0 + 1.5 * near)] {
                let said = said(low.min(high), high.max(low));
                assert!(!said.contains("(1.00 ") && !said.contains(" 1.00)"), "{said}");
            }
        }
    }

    #[test]
    fn without_an_interval_nothing_is_shown() {
        let few = Summary::of(&[0.5, 0.5]).unwrap();
        assert_eq!(times(&few), "0.50 times (too few samples for an interval)");
        assert_eq!(word(&few), "no difference shown");
    }
}
