//! The characters that a terminal can show, and replacements for the others.

use std::borrow::Cow;
use std::ffi::OsString;

/// A blank at which no line may be broken. The layout turns it into a plain blank.
pub const BLANK: char = '\u{a0}';

/// Shown in place of a missing figure.
pub const ABSENT: &str = "–";

/// Terminal columns that `text` takes. Every character that this program writes takes one column.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
}

/// The characters that a text may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// All characters.
    Utf8,
    /// ASCII only; other characters are spelled out.
    Ascii,
}

impl Charset {
    /// The character set of the locale: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is set and not empty.
    /// Without any (in a container, on Windows) UTF-8 is assumed, which current terminals support.
    #[must_use]
    pub fn of_terminal() -> Self {
        Self::of(["LC_ALL", "LC_CTYPE", "LANG"].map(std::env::var_os))
    }

    fn of(locale: [Option<OsString>; 3]) -> Self {
        let Some(locale) = locale.into_iter().flatten().find(|value| !value.is_empty()) else {
            return Self::Utf8;
        };
        let locale = locale.to_string_lossy().to_lowercase();
        if locale.contains("utf-8") || locale.contains("utf8") { Self::Utf8 } else { Self::Ascii }
    }

    /// `text` in these characters, with escapes for the characters that control the terminal.
    #[must_use]
    pub fn fit(self, text: &str) -> Cow<'_, str> {
        match self.fit_part(text) {
            Cow::Owned(text) if self == Self::Ascii => text.replace(BLANK, " ").into(),
            other => other,
        }
    }

    /// Like [`Self::fit`], but keeps [`BLANK`]s: for parts of a text that is still being laid out.
    pub(super) fn fit_part(self, text: &str) -> Cow<'_, str> {
        if !text.contains(steers) && (self == Self::Utf8 || text.is_ascii()) {
            return text.into();
        }
        let mut fitted = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                c if steers(c) => fitted.extend(c.escape_unicode()),
                c if self == Self::Utf8 || c.is_ascii() || c == BLANK => fitted.push(c),
                other => fitted.push_str(spelled(other)),
            }
        }
        fitted.into()
    }
}

/// Whether the character is a control character or changes the direction of the text that follows. Names of files
/// and devices may contain either.
fn steers(c: char) -> bool {
    let turns =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || (c.is_control() && !['\n', '\t'].contains(&c))
}

/// ASCII replacements for the characters that this crate and the samples write. Any other character, such as one in
/// a path or the name of a device, becomes `?`.
fn spelled(c: char) -> &'static str {
    match c {
        '±' => "+-",
        '÷' => "/",
        '×' => "x",
        'µ' | 'μ' => "u",
        '≈' => "~=",
        '≤' => "<=",
        '≥' => ">=",
        '·' => "*",
        '²' => "^2",
        '³' => "^3",
        '–' | '−' | '—' | '─' | '═' => "-",
        '│' | '┃' => "|",
        '✓' => "ok:",
        '✗' => "no:",
        '¹' => "(1)",
        '▁' => ".",
        '▂' => ":",
        '▃' => "-",
        '▄' => "=",
        '▅' => "+",
        '▆' => "*",
        '▇' => "#",
        '█' => "@",
        '→' => "->",
        '…' => "...",
        '‘' | '’' => "'",
        '“' | '”' => "\"",
        '™' => "(TM)",
        '®' => "(R)",
        '©' => "(C)",
        _ => "?",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(locale: [&str; 3]) -> Charset {
        Charset::of(locale.map(|value| (value != "unset").then(|| value.into())))
    }

    #[test]
    fn the_first_variable_that_says_anything_decides() {
        assert_eq!(of(["unset", "unset", "unset"]), Charset::Utf8);
        assert_eq!(of(["", "", ""]), Charset::Utf8);
        for name in ["C.UTF-8", "en_GB.utf8", "UTF-8", "de_DE.UTF-8@euro"] {
            assert_eq!(of(["", "unset", name]), Charset::Utf8, "{name}");
        }
        for name in ["C", "POSIX", "de_DE.ISO-8859-1", "de_DE"] {
            assert_eq!(of([name, "C.UTF-8", "C.UTF-8"]), Charset::Ascii, "{name}");
        }
        assert_eq!(of(["C.UTF-8", "C", "C"]), Charset::Utf8);
        assert_eq!(of(["unset", "C", "C.UTF-8"]), Charset::Ascii);
    }

    #[test]
    fn what_ascii_lacks_is_spelled_out() {
        let text = format!("46.31{BLANK}µs ±0.2{BLANK}% ÷ a, ≈1.00 – é");
        assert_eq!(Charset::Ascii.fit(&text), "46.31 us +-0.2 % / a, ~=1.00 - ?");
        assert_eq!(Charset::Utf8.fit(&text), text);
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let text = "a\u{1b}[2J\u{202e}b\r\u{9b}\tc\n–";
        let plain = "a\\u{1b}[2J\\u{202e}b\\u{d}\\u{9b}\tc\n";
        assert_eq!(Charset::Utf8.fit(text), format!("{plain}–"));
        assert_eq!(Charset::Ascii.fit(text), format!("{plain}-"));
    }
}
