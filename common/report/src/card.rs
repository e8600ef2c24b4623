//! The finding of a record as a picture for a slide or a post.

mod bars;
mod plot;

use anyhow::{Context, Result};
use record::{Headline, Record, Value, listed};

use self::bars::Bars;
use super::answer::{capital, claim};
use super::caveats::warnings;
use super::facts;
use super::scene::{Area, Scene, Words, broken, png};
use super::timeline::Theme;
use super::timeline::colours::Ink;
use super::timeline::svg::svg;

const WIDTH: f64 = 880.0;
const HEIGHT: f64 = 420.0;
const EDGE: f64 = 36.0;
/// Font sizes: of the finding, of what explains it and of labels, of everything else.
const FINDING: f64 = 28.0;
const LARGE: f64 = 16.0;
const SMALL: f64 = 13.0;
/// Radius of the outcome's sign, and the left edge of the text beside it.
const SIGN: f64 = 17.0;
const BESIDE: f64 = EDGE + 2.0 * SIGN + 14.0;
/// Factors of all font sizes, of which the largest that fits is taken.
const SIZES: [f64; 6] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5];

/// The card as SVG, 880 units wide and 420 high.
///
/// # Errors
/// If the record has no headline, or its texts are too long for the picture.
pub fn card_svg(record: &Record, theme: Theme) -> Result<String> {
    let headline = record.headline.as_ref();
    let headline = headline.context("has no headline: it is of an earlier version; measure it again")?;
    let bars = bars::of(record);
    let drawn = |size| Card { scene: Scene::default(), size }.drawn(record, headline, &bars);
    let scene = SIZES.into_iter().find_map(drawn);
    let scene = scene.context("has names or settings that are too long for a card")?;
    let title = format!("{} {}", headline.outcome.sign(), finding(headline));
    Ok(svg(&scene, [WIDTH, HEIGHT], theme, &title))
}

/// The card as PNG, with two pixels per unit.
///
/// # Errors
/// Those of [`card_svg`].
pub fn card_png(record: &Record, theme: Theme) -> Result<Vec<u8>> {
    let theme = if theme == Theme::Auto { Theme::Light } else { theme };
    png(&card_svg(record, theme)?, 2.0)
}

fn finding(headline: &Headline) -> String {
    capital(&headline.finding) + "."
}

/// A card under way. Texts are laid out from the top and from the bottom; bars take what is left.
struct Card {
    scene: Scene,
    /// Factor of all font sizes.
    size: f64,
}

impl Card {
    /// `None` if the texts do not fit.
    fn drawn(mut self, record: &Record, headline: &Headline, bars: &Bars) -> Option<Scene> {
        let head = self.head(record, headline);
        let foot = self.foot(record);
        let caption = self.caption(head + 12.0, bars);
        self.bars([caption + 6.0, foot - 6.0], &bars.bars)?;
        Some(self.scene)
    }

    /// Sample, finding and claim; returns where they end.
    fn head(&mut self, record: &Record, headline: &Headline) -> f64 {
        let name = format!("Hot Lap · {}", record.sample);
        let y = self.paragraph([EDGE, 18.0], SMALL, Ink::Faint, &name);
        // A sign stands in the middle of the first line's capitals.
        self.sign([EDGE + SIGN, y + 2.0 + (1.3 - 0.36) * FINDING * self.size], headline.outcome);
        let y = self.paragraph([BESIDE, y + 2.0], FINDING, Ink::Text, &finding(headline));
        let interval = headline.value.as_ref().and_then(Value::interval_apart);
        let interval = interval.map_or_else(String::new, |text| format!("95 % interval: {text}"));
        let y = self.paragraph([BESIDE, y + 8.0], LARGE, Ink::Text, &interval);
        self.paragraph([BESIDE, y], LARGE, Ink::Text, &claim(headline))
    }

    /// Warnings, then device, program, day and settings; returns where they begin.
    fn foot(&mut self, record: &Record) -> f64 {
        let device = facts::device(&record.device);
        let facts = [&device, &facts::tool_in_short(&record.tool), facts::day(record)].join(" · ");
        let texts = [(Ink::Warning, warnings(record).join(" ")), (Ink::Faint, facts)];
        let settings = (Ink::Faint, listed(&record.configuration));
        let (size, room) = (SMALL * self.size, WIDTH - 2.0 * EDGE);
        let mut y = HEIGHT - 18.0;
        for (ink, text) in texts.into_iter().chain([settings]).rev() {
            for line in balanced(&text, size, false, room).into_iter().rev() {
                self.scene.words(&Words::new([EDGE, y], size, ink, line));
                y -= 1.4 * size;
            }
        }
        let rule = Area { left: EDGE, top: y - 2.0, width: room, height: 1.0 };
        self.scene.area(rule, Ink::Grid);
        rule.top
    }

    /// Writes lines below `y` and returns where the last one stands.
    fn paragraph(&mut self, [left, mut y]: [f64; 2], size: f64, ink: Ink, text: &str) -> f64 {
        let is_bold = size == FINDING;
        let size = size * self.size;
        for line in balanced(text, size, is_bold, WIDTH - EDGE - left) {
            y += 1.3 * size;
            let words = Words::new([left, y], size, ink, line);
            self.scene.words(&if is_bold { words.bold() } else { words });
        }
        y
    }
}

/// Like [`broken`], with lines of similar width, so that no word stands alone on the last.
fn balanced(text: &str, size: f64, is_bold: bool, room: f64) -> Vec<String> {
    let lines = broken(text, size, is_bold, room);
    let narrower = (1..20).map(|part| broken(text, size, is_bold, room * (1.0 - 0.05 * f64::from(part))));
    narrower.take_while(|narrower| narrower.len() == lines.len()).last().unwrap_or(lines)
}
