//! A ratio of times in words.

use record::judge::{Verdict, judge};
use record::stats::{Interval, Summary};

use super::figure::{hundredths, undecided};

/// Smaller differences are not called faster or slower: the same program differs by as much from one process
/// to the next.
const SMALL: f64 = 0.01;

/// The most decimals that are shown to tell a ratio from 1.
const MOST_DECIMALS: usize = 6;

/// `1.63 times (1.62 to 1.63)`, or `0.998 times (0.997 to 0.999)`: with the digits that show on which side of 1
/// the interval lies.
pub(super) fn times(ratio: &Summary) -> String {
    let Some(Interval { low, high }) = ratio.median_95 else {
        return format!("{} times (too few samples for an interval)", hundredths(ratio.median));
    };
    let decimals = decimals(Interval { low, high }, 2);
    let [median, low, high] = [ratio.median, low, high].map(|value| digits(value, decimals));
    format!("{median} times ({low} to {high})")
}

/// Whether that is faster or slower.
pub(super) fn word(ratio: &Summary) -> &'static str {
    let Some(interval) = ratio.median_95.filter(|_| !undecided(ratio)) else { return "no difference shown" };
    let slower = interval.low > 1.0;
    match judge(interval, SMALL) {
        Verdict::Slower => "slower",
        Verdict::Faster => "faster",
        Verdict::Same if slower => "less than 1 % slower",
        Verdict::Same if interval.high < 1.0 => "less than 1 % faster",
        // A row divided by itself.
        Verdict::Same => "no difference shown",
        Verdict::Unsure if slower => "slower, perhaps by less than 1 %",
        Verdict::Unsure => "faster, perhaps by less than 1 %",
    }
}

/// As many as `least`, or as keep the end of the interval that is nearer to 1 away from it.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A ratio with this interval, and a median in its middle.
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

    /// Whatever the interval, one that is shown to touch 1 is not called faster or slower.
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
