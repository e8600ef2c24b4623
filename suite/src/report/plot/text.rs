//! How wide a text may come out, and how it is broken into lines.

use super::canvas::LETTERS;

/// What XML and a line can hold: control characters, and those that turn the direction of what follows,
/// become the sign for a character that is none.
pub fn readable(text: &str) -> String {
    let odd = |c: char| {
        c.is_control()
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
    };
    text.chars()
        .map(|c| {
            if c == '\n' || c == '\t' {
                ' '
            } else if odd(c) {
                '\u{fffd}'
            } else {
                c
            }
        })
        .collect()
}

/// Pixels that a text takes in the widest of the fonts that a viewer is likely to have (DejaVu Sans).
pub fn width(text: &str) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '|' | '\'' | ' ' | '(' | ')' | 't' | 'f' | 'r' | '['
        | ']' => 0.42,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 1.0,
        '\u{1100}'.. if c as u32 >= 0x2e80 => 1.05,
        '±' | '×' | '÷' | '≈' | '<' | '>' | '=' | '~' | '+' | '−' => 0.84,
        'A'..='Z' => 0.74,
        _ => 0.64,
    };
    text.chars().map(em).sum::<f64>() * LETTERS
}

/// `text` in lines of at most `room` pixels: at blanks, else behind a sign, else anywhere. Nothing is cut.
pub fn broken(text: &str, room: f64) -> Vec<String> {
    let text = readable(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    for part in parts(&text) {
        if width(&line) + width(part.trim_end()) > room - 0.01 && !line.is_empty() {
            lines.push(std::mem::take(&mut line).trim_end().to_owned());
        }
        for c in part.chars() {
            if width(&line) + width(c.encode_utf8(&mut [0; 4])) > room && c != ' ' {
                lines.push(std::mem::take(&mut line));
            }
            line.push(c);
        }
    }
    lines.push(line.trim_end().to_owned());
    lines.retain(|line| !line.is_empty());
    lines
}

/// Pieces that stay together where they can, with the sign that ends each.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', ',', '_', '-', '/'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_lost_and_every_line_fits() {
        let name = "a_very_long_name_of_a_variant".repeat(6) + &"x".repeat(200);
        for room in [60.0, 200.0, 420.0] {
            let lines = broken(&name, room);
            assert_eq!(lines.concat(), name);
            assert!(lines.iter().all(|line| width(line) <= room), "{room}: {lines:?}");
        }
        assert_eq!(broken("one two", 1000.0), ["one two"]);
        for room in 60..400 {
            let lines = broken("align 8, images one per pass, radius 2", f64::from(room));
            assert_eq!(lines.join(" "), "align 8, images one per pass, radius 2", "words stay whole");
        }
    }
}
