//! The bars of a card as shapes, and the sign of its outcome.

use record::Outcome;

use super::bars::{Bar, Bars};
use super::{Card, EDGE, LARGE, SIGN, SMALL, WIDTH};
use crate::scene::{Anchor, Area, Words, broken, text_width};
use crate::timeline::colours::Ink;

/// Highest bar, and highest strip for a bar with its label.
const THICK: f64 = 36.0;
const STRIP: f64 = 68.0;
/// Widest label.
const LABEL: f64 = 290.0;
/// Least room for the longest bar.
const SHORTEST: f64 = 120.0;
const GAP: f64 = 18.0;
/// Height of a line of text, as a multiple of its font size.
const LINE: f64 = 1.2;
/// From the middle of a line to its baseline, as a multiple of its font size.
const BASE: f64 = 0.36;

impl Card {
    /// What the bars show, and the meaning of their colours; returns where they end.
    pub(super) fn caption(&mut self, y: f64, bars: &Bars) -> f64 {
        let size = SMALL * self.size;
        let mut y = self.paragraph([EDGE, y], SMALL, Ink::Faint, &bars.caption);
        let mut left = EDGE + text_width(&bars.caption, size, false) + GAP;
        for (at, text) in bars.key.iter().enumerate() {
            let width = 1.6 * size + text_width(text, size, false);
            if left + width > WIDTH - EDGE {
                (left, y) = (EDGE, y + 1.3 * size);
            }
            let swatch = Area { left, top: y - 0.85 * size, width: size, height: size };
            self.scene.area(swatch, Ink::Part(at));
            y = self.paragraph([left + 1.6 * size, y - 1.3 * size], SMALL, Ink::Faint, text);
            left += width + GAP;
        }
        y
    }

    /// Strips with a label, its bars, and their figures at the right. `None` if there is no room.
    pub(super) fn bars(&mut self, [top, bottom]: [f64; 2], bars: &[Bar]) -> Option<()> {
        let columns = self.columns(bars)?;
        let count = bars.len().max(1) as f64;
        let strip = ((bottom - top) / count).min(STRIP);
        let top = top + (bottom - top - strip * count) / 3.0;
        for (at, bar) in bars.iter().enumerate() {
            self.label(bar, top + strip * at as f64, strip)?;
            self.parts(bar, [top + strip * at as f64, strip], columns)?;
        }
        (bottom >= top).then_some(())
    }

    /// The left edge of all bars, and the right edges of the longest bar and of both columns of figures.
    fn columns(&self, bars: &[Bar]) -> Option<[f64; 4]> {
        let large = LARGE * self.size;
        let parts = || bars.iter().flat_map(|bar| &bar.parts);
        let ratio = widest(parts().map(|part| text_width(&part.ratio, large, true)));
        let text = widest(parts().map(|part| text_width(&part.text, large, false)));
        let labels = bars.iter().flat_map(|bar| self.lines(bar));
        let left = EDGE + widest(labels.map(|(line, size)| text_width(&line, size, false))) + GAP;
        let texts = WIDTH - EDGE - if ratio > 0.0 { ratio + GAP } else { 0.0 };
        let longest = texts - text - GAP;
        (bars.is_empty() || longest - left >= SHORTEST).then_some([left, longest, texts, WIDTH - EDGE])
    }

    /// The lines of a label with their font sizes.
    fn lines(&self, bar: &Bar) -> Vec<(String, f64)> {
        let [large, small] = [LARGE, SMALL].map(|size| size * self.size);
        let lines = |text, size| broken(text, size, false, LABEL).into_iter().map(move |line| (line, size));
        lines(&bar.label, large).chain(lines(&bar.role, small)).collect()
    }

    fn label(&mut self, bar: &Bar, top: f64, strip: f64) -> Option<()> {
        let lines = self.lines(bar);
        let height: f64 = lines.iter().map(|(_, size)| LINE * size).sum();
        let mut y = top + 0.5 * (strip - height);
        for (at, (line, size)) in lines.into_iter().enumerate() {
            let ink = if at == 0 || size > SMALL * self.size { Ink::Text } else { Ink::Faint };
            self.scene.words(&Words::new([EDGE, y + (0.5 * LINE + BASE) * size], size, ink, line));
            y += LINE * size;
        }
        (height <= strip).then_some(())
    }

    fn parts(&mut self, bar: &Bar, [top, strip]: [f64; 2], columns: [f64; 4]) -> Option<()> {
        let [left, longest, texts, ratios] = columns;
        let step = 0.9 * strip / bar.parts.len().max(1) as f64;
        let height = (0.75 * step).min(THICK);
        let size = (LARGE * self.size).min(step / LINE);
        for (at, part) in bar.parts.iter().enumerate() {
            let middle = top + 0.05 * strip + step * (at as f64 + 0.5);
            let width = part.share * (longest - left);
            self.scene.area(Area { left, top: middle - 0.5 * height, width, height }, part.ink);
            let at = |right| [right, middle + BASE * size];
            let text = Words::new(at(texts), size, Ink::Text, part.text.as_str()).anchored(Anchor::End);
            self.scene.words(&text);
            if !part.ratio.is_empty() {
                let ratio = Words::new(at(ratios), size, Ink::Text, part.ratio.as_str());
                let ratio = ratio.anchored(Anchor::End);
                self.scene.words(&if bar.is_found { ratio.bold() } else { ratio });
            }
        }
        (size >= 0.8 * SMALL * self.size).then_some(())
    }

    /// A disc with ✓, ✗, ? or –. Fonts lack the first two, so they are drawn.
    pub(super) fn sign(&mut self, [x, y]: [f64; 2], outcome: Outcome) {
        let (disc, mark) = match outcome {
            Outcome::Holds => (Ink::Part(3), Ink::OnPart(3)),
            Outcome::DoesNotHold => (Ink::Gap, Ink::Paper),
            Outcome::Undecided | Outcome::SaysNothing => (Ink::Faint, Ink::Paper),
        };
        self.scene.circle([x, y], SIGN, disc);
        let strokes: &[[[f64; 2]; 2]] = match outcome {
            Outcome::Holds => &[[[-7.5, 0.5], [-2.0, 6.0]], [[-2.0, 6.0], [7.5, -5.5]]],
            Outcome::DoesNotHold => &[[[-6.0, -6.0], [6.0, 6.0]], [[-6.0, 6.0], [6.0, -6.0]]],
            Outcome::SaysNothing => &[[[-7.0, 0.0], [7.0, 0.0]]],
            Outcome::Undecided => {
                let words = Words::new([x, y + 8.0], 22.0, mark, "?").bold();
                return self.scene.words(&words.anchored(Anchor::Middle));
            }
        };
        for ends in strokes {
            self.stroke(ends.map(|[right, down]| [x + right, y + down]), mark);
        }
    }

    /// A thick line, as a shape: inks fill.
    fn stroke(&mut self, [[x, y], [to_x, to_y]]: [[f64; 2]; 2], ink: Ink) {
        const HALF: f64 = 1.8;
        let length = (to_x - x).hypot(to_y - y);
        let [along, across] = [(to_x - x) * HALF / length, (to_y - y) * HALF / length];
        let [x, y, to_x, to_y] = [x - along, y - across, to_x + along, to_y + across];
        let corners = [
            [x - across, y + along],
            [to_x - across, to_y + along],
            [to_x + across, to_y - along],
            [x + across, y - along],
        ];
        self.scene.polygon(&corners, ink);
    }
}

fn widest(widths: impl Iterator<Item = f64>) -> f64 {
    widths.fold(0.0, f64::max)
}
