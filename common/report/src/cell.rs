//! The words of single cells.

use record::number::significant;
use record::{Promise, Racy, Row, Status};

use super::charset::Charset;
use super::figure::{count, width};
use super::layout::RacyForm;

/// What a row without figures says instead.
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

/// Whether the specification promises the result: `yes`, `hardware`, `no` or `fault`.
#[must_use]
pub fn lawful(promise: &Promise) -> &'static str {
    match promise {
        Promise::Law => "yes",
        Promise::Hardware { .. } => "hardware",
        Promise::Nothing { .. } => "no",
        Promise::Fault { .. } => "fault",
    }
}

pub(super) fn racy(racy: Racy, form: RacyForm) -> String {
    let Racy { samples, racy_samples, median, max, long_max, .. } = racy;
    let gap = if form == RacyForm::Stacked { '\n' } else { ' ' };
    if racy_samples == 0 {
        return format!("none seen{gap}in {samples}");
    }
    match form {
        // A bare 0 would read as "none".
        RacyForm::Long if max == 0 => {
            format!("only in long submits (max {long_max}), {racy_samples} of {samples}")
        }
        _ if max == 0 => format!("long only{gap}in {racy_samples}/{samples}"),
        RacyForm::Long => format!("{} (max {max}) in {racy_samples} of {samples}", count(median)),
        _ if median == 0.0 => format!("≤{max}{gap}in {racy_samples}/{samples}"),
        _ => format!("{}{gap}in {racy_samples}/{samples}", count(median)),
    }
}

pub(super) fn published(row: &Row) -> Option<String> {
    let published = row.published.as_ref()?;
    Some(format!("{:.2} {}", published.value, published.device))
}

/// A published figure keeps the digits that its source gives, four at most below a thousand.
#[must_use]
pub fn trimmed(value: f64) -> String {
    let digits = significant(value);
    if !digits.contains('.') {
        return digits;
    }
    digits.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// How many elements a wrong row has wrong.
pub(super) fn differing(elements: u64) -> String {
    let (plural, verb) = if elements == 1 { ("", "s") } else { ("s", "") };
    format!("{elements} element{plural} differ{verb} from the CPU twin")
}

/// `text` on one line of at most `room` characters, with an ellipsis where something is missing.
pub(super) fn cut(text: &str, room: usize, charset: Charset) -> String {
    let text = charset.fit_part(text);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if width(&text) <= room {
        return text;
    }
    let ellipsis = charset.ellipsis();
    let kept: String = text.chars().take(room.saturating_sub(width(ellipsis))).collect();
    kept.trim_end().to_owned() + ellipsis
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn racy_counts_are_never_read_as_none() {
        let racy_samples = Racy { samples: 24, racy_samples: 3, median: 0.0, max: 7, long_max: 9, of: 100 };
        let forms = [RacyForm::Long, RacyForm::Short, RacyForm::Stacked];
        assert_eq!(
            forms.map(|form| racy(racy_samples, form)),
            ["0 (max 7) in 3 of 24", "≤7 in 3/24", "≤7\nin 3/24"]
        );
        let racy_samples = Racy { max: 0, ..racy_samples };
        assert_eq!(
            forms.map(|form| racy(racy_samples, form)),
            ["only in long submits (max 9), 3 of 24", "long only in 3/24", "long only\nin 3/24"]
        );
    }

    #[test]
    fn a_long_reason_is_cut_to_its_room() {
        assert_eq!(cut("one two\nthree", 20, Charset::Utf8), "one two three");
        assert_eq!(cut("one two three", 9, Charset::Utf8), "one two…");
        assert_eq!(cut("one two three", 9, Charset::Ascii), "one tw...");
    }
}
