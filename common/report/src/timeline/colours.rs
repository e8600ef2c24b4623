//! The colours of a theme.

use std::fmt::{Display, Formatter};

use clap::ValueEnum;

use crate::scene::Rgb;

/// The paper of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// As the viewer's system asks for; a PNG is light
    #[default]
    Auto,
    /// Dark ink on white
    Light,
    /// Light ink on black
    Dark,
}

/// Number of colours that dispatches take in turn. They can be distinguished with colour blindness, also by
/// lightness.
pub(super) const PARTS: usize = 5;
/// Shades of each of these colours in a [`Map`].
pub(super) const SHADES: u8 = 12;

/// The purpose of a shape, to which the theme assigns a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// Important text.
    Text,
    /// Explanations.
    Faint,
    /// Grid lines.
    Grid,
    /// Background where a dispatch fills or drains.
    Band,
    /// Brackets over stretches without waves.
    Gap,
    /// The background.
    Paper,
    /// The colour of stripes, on a whole shape.
    Stripe,
    /// Stripes on the background.
    Stripes,
    /// Stripes in the background's colour across a bar.
    Cuts,
    /// Warnings.
    Warning,
    /// One of the colours of dispatches.
    Part(usize),
    /// The colour of a dispatch for waves that wait.
    Waiting(usize),
    /// Text on a dispatch's colour.
    OnPart(usize),
}

impl Display for Ink {
    /// Formats the ink as a class; the picture's style sheet assigns its colour.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Part(at) => write!(f, " class=\"p{}\"", at % PARTS),
            Self::Waiting(at) => write!(f, " class=\"w{}\"", at % PARTS),
            Self::OnPart(at) => write!(f, " class=\"o{}\"", at % PARTS),
            other => write!(f, " class=\"{}\"", format!("{other:?}").to_lowercase()),
        }
    }
}

/// The colours of a theme, by class: the background first.
pub(super) type Colours = [(&'static str, Rgb); 8];

/// The palette of Okabe and Ito without vermilion, which marks gaps, and yellow, which is hard to see on white. The
/// order maximises the difference between neighbours (the first and the last are neighbours too) under colour
/// blindness.
pub(super) const COLOURS: [Rgb; PARTS] =
    [[0, 114, 178], [230, 159, 0], [86, 180, 233], [0, 128, 96], [222, 150, 190]];
/// The colour of text on each of them.
pub(super) const ON: [Rgb; PARTS] = [[255; 3], [20; 3], [20; 3], [255; 3], [20; 3]];

const LIGHT: Colours = [
    ("paper", [255, 255, 255]),
    ("text", [22, 24, 29]),
    ("faint", [84, 91, 104]),
    ("grid", [226, 229, 235]),
    ("band", [240, 242, 246]),
    ("stripe", [205, 210, 220]),
    ("gap", [200, 40, 30]),
    ("warning", [176, 32, 20]),
];

const DARK: Colours = [
    ("paper", [18, 20, 24]),
    ("text", [236, 239, 244]),
    ("faint", [170, 177, 189]),
    ("grid", [46, 50, 58]),
    ("band", [31, 35, 42]),
    ("stripe", [62, 69, 81]),
    ("gap", [255, 120, 105]),
    ("warning", [255, 140, 120]),
];

/// The colours of a theme; light for [`Theme::Auto`].
pub(super) fn colours(theme: Theme) -> Colours {
    if theme == Theme::Dark { DARK } else { LIGHT }
}

/// The colour of a dispatch's waiting waves: mixed with the background, which is the first of the colours.
pub(super) fn waiting(part: usize, [(_, paper), ..]: Colours) -> Rgb {
    let mix = |at: usize| (u16::from(COLOURS[part][at]) * 2 + u16::from(paper[at]) * 3) / 5;
    [0, 1, 2].map(|at| u8::try_from(mix(at)).unwrap_or(u8::MAX))
}

/// A map with one colour per cell, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    pub columns: usize,
    /// 0 shows the background; 1 and up are the shades of the first colour, then those of the next.
    pub cells: Vec<u8>,
}

impl Map {
    /// The cell value of a colour in a shade from 1 to [`SHADES`].
    pub(super) fn cell(part: usize, shade: u8) -> u8 {
        let part = u8::try_from(part % PARTS).unwrap_or(0);
        part * SHADES + shade.clamp(1, SHADES)
    }

    /// The opacity of a shade.
    pub(super) fn cover(shade: u8) -> f64 {
        // The faintest shade must still be visible.
        0.18 + 0.82 * f64::from(shade.saturating_sub(1)) / f64::from(SHADES - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(rgb: Rgb) -> [f64; 3] {
        rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// Relative luminance as defined by the Web Content Accessibility Guidelines.
    fn luminance(rgb: Rgb) -> f64 {
        let [red, green, blue] = linear(rgb);
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn words_can_be_read_on_every_paper() {
        for colours in [LIGHT, DARK] {
            for (class, ink) in colours {
                let contrast = contrast(ink, colours[0].1);
                let is_words = ["text", "faint", "gap", "warning"].contains(&class);
                assert!(!is_words || contrast >= 4.5, "{class} {contrast}");
            }
        }
        for (part, colour) in COLOURS.into_iter().enumerate() {
            let contrast = contrast(ON[part], colour);
            assert!(contrast >= 4.0, "on {part}: {contrast}");
        }
    }

    /// Normal sight, and vision without the cones for red, green or blue (Machado, Oliveira and Fernandes 2009).
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
    ];

    fn times(matrix: [[f64; 3]; 3], [a, b, c]: [f64; 3]) -> [f64; 3] {
        matrix.map(|row| row[0] * a + row[1] * b + row[2] * c)
    }

    /// CIE 1976 L*a*b*, in which a distance of 2 is just visible.
    fn lab(rgb: Rgb, sight: [[f64; 3]; 3]) -> [f64; 3] {
        let seen = times(sight, linear(rgb)).map(|part| part.clamp(0.0, 1.0));
        let to_xyz = [[0.4339, 0.3762, 0.1899], [0.2126, 0.7152, 0.0722], [0.0177, 0.1094, 0.8730]];
        let [x, y, z] = times(to_xyz, seen)
            .map(|part| if part > 0.008856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn waits_stand_out_from_work_and_paper() {
        for colours in [LIGHT, DARK] {
            for (part, colour) in COLOURS.into_iter().enumerate() {
                let waiting = waiting(part, colours);
                for other in [colour, colours[0].1] {
                    let contrast = contrast(waiting, other);
                    assert!(contrast >= 1.25, "{part}: {contrast}");
                }
            }
        }
    }

    #[test]
    fn dispatches_stand_out_from_their_neighbours_and_the_paper() {
        for (part, colour) in COLOURS.into_iter().enumerate() {
            for sight in SIGHTS {
                let [this, next] = [colour, COLOURS[(part + 1) % PARTS]].map(|rgb| lab(rgb, sight));
                let apart = (0..3).map(|at| (this[at] - next[at]).powi(2)).sum::<f64>().sqrt();
                assert!(apart >= 24.0, "{part}: {apart}");
            }
            for colours in [LIGHT, DARK] {
                let contrast = contrast(colour, colours[0].1);
                assert!(contrast >= 2.0, "{part}: {contrast}");
            }
        }
    }
}
