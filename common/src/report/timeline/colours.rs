//! The colours of a theme.

use super::Theme;
use super::scene::{Ink, PARTS, Stripes};

pub(super) type Rgb = [u8; 3];

/// One paper and the inks on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Colours {
    pub paper: Rgb,
    text: Rgb,
    faint: Rgb,
    grid: Rgb,
    band: Rgb,
    stripe: Rgb,
    gap: Rgb,
    warning: Rgb,
}

/// After Okabe and Ito, without the vermilion, which is the gaps', and the yellow, which white paper
/// swallows. Dark and light in turn, the last beside the first too.
pub(super) const COLOURS: [Rgb; PARTS] =
    [[0, 114, 178], [230, 159, 0], [0, 140, 105], [214, 134, 178], [86, 180, 233]];
/// Words on them.
const ON: [Rgb; PARTS] = [[255; 3], [20; 3], [255; 3], [20; 3], [20; 3]];

const LIGHT: Colours = Colours {
    paper: [255, 255, 255],
    text: [22, 24, 29],
    faint: [84, 91, 104],
    grid: [226, 229, 235],
    band: [240, 242, 246],
    stripe: [205, 210, 220],
    gap: [200, 40, 30],
    warning: [176, 32, 20],
};

const DARK: Colours = Colours {
    paper: [18, 20, 24],
    text: [236, 239, 244],
    faint: [170, 177, 189],
    grid: [46, 50, 58],
    band: [31, 35, 42],
    stripe: [62, 69, 81],
    gap: [255, 120, 105],
    warning: [255, 140, 120],
};

impl Colours {
    /// Light where it is left to a viewer: paper is.
    pub(super) fn of(theme: Theme) -> Self {
        match theme {
            Theme::Auto | Theme::Light => LIGHT,
            Theme::Dark => DARK,
        }
    }

    pub(super) fn ink(&self, ink: Ink) -> Rgb {
        match ink {
            Ink::Text => self.text,
            Ink::Faint => self.faint,
            Ink::Grid => self.grid,
            Ink::Band => self.band,
            Ink::Gap => self.gap,
            Ink::Warning => self.warning,
            Ink::Part(at) => COLOURS[at % PARTS],
            Ink::OnPart(at) => ON[at % PARTS],
        }
    }

    pub(super) fn stripes(&self, stripes: Stripes) -> Rgb {
        match stripes {
            Stripes::Band => self.stripe,
            Stripes::Paper => self.paper,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Relative luminance, as the web's guidelines for contrast define it.
    fn luminance(rgb: Rgb) -> f64 {
        let linear = rgb.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(a: Rgb, b: Rgb) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn words_can_be_read_on_every_paper() {
        for colours in [LIGHT, DARK] {
            for ink in [Ink::Text, Ink::Faint, Ink::Gap, Ink::Warning] {
                let contrast = contrast(colours.ink(ink), colours.paper);
                assert!(contrast >= 4.5, "{ink:?} {contrast}");
            }
        }
        for part in 0..PARTS {
            let contrast = contrast(LIGHT.ink(Ink::OnPart(part)), COLOURS[part]);
            assert!(contrast >= 4.0, "on {part}: {contrast}");
        }
    }

    #[test]
    fn dispatches_stand_out_from_their_neighbours_and_the_paper() {
        for part in 0..PARTS {
            let (this, next) = (COLOURS[part], COLOURS[(part + 1) % PARTS]);
            assert!(contrast(this, next) >= 1.3, "{part}: {}", contrast(this, next));
            for colours in [LIGHT, DARK] {
                assert!(contrast(this, colours.paper) >= 2.0, "{part}: {}", contrast(this, colours.paper));
            }
        }
    }
}
