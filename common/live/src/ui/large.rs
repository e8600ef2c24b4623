//! Figures in large letters and the sentence on them: of two variants while they are compared, else of the shown one
//! in presenter mode, or if the sample counts trials.

use egui::{Align2, Color32, Painter, Pos2, Rect, pos2};
use record::figures::Figures;
use record::{Headline, Kind, Outcome, Value};
use report::format;

use super::look::Look;
use super::matrix;
use super::paint::{lines, put, whole};
use super::rows::{change, row, said_of, spread, status_colour};
use crate::messages::Snapshot;

/// Draws the figures and the sentence, and returns the bottom edge.
pub(super) fn large(painter: &Painter, look: &Look, inside: Rect, snapshot: &Snapshot) -> f32 {
    let ink = &look.ink;
    let mut page = Page { painter, look, inside };
    if snapshot.has_matrix() {
        page.trials(snapshot, snapshot.current, ink.current);
        if let Some(other) = snapshot.other {
            page.trials(snapshot, other, ink.rival);
        }
    } else if let Some(other) = snapshot.other {
        let (left, right) = inside.split_left_right_at_fraction(0.5);
        let halves = [(left, snapshot.current, ink.current), (right, other, ink.rival)];
        let below = halves.map(|(half, at, colour)| page.name(half, snapshot, at, colour));
        let top = below[0].max(below[1]);
        let below = halves.map(|(half, at, colour)| page.number(half.with_min_y(top), snapshot, at, colour));
        page.inside.min.y = below[0].max(below[1]);
        if let Some(text) = sentence(snapshot, other) {
            page.words(&text, 1.1, ink.text, 3);
        }
    } else if look.presenter {
        let top = page.name(inside, snapshot, snapshot.current, ink.current);
        page.inside.min.y = page.number(inside.with_min_y(top), snapshot, snapshot.current, ink.current);
        if let Some(text) = change(snapshot, snapshot.current) {
            page.words(&text, 1.2, ink.text, 2);
        }
    } else {
        return inside.top();
    }
    let is_alone = snapshot.other.is_none() && (look.presenter || snapshot.has_matrix());
    let record = snapshot.figures.record.as_ref().filter(|_| is_alone);
    if let Some(headline) = record.and_then(|record| record.headline.as_ref()) {
        let [finding, claim] = finding_and_claim(headline);
        page.words(&finding, 1.2, ink.text, 4);
        page.words(&claim, 0.9, ink.faint, 3);
    }
    page.inside.top() + 0.6 * look.unit
}

/// What is still free of the panel.
struct Page<'p> {
    painter: &'p Painter,
    look: &'p Look,
    inside: Rect,
}

impl Page<'_> {
    /// Draws a variant's label; returns the bottom edge.
    fn name(&self, place: Rect, snapshot: &Snapshot, at: usize, colour: Color32) -> f32 {
        let Some(entry) = snapshot.variants.get(at) else { return place.top() };
        let room = (place.width() - self.look.unit, 2);
        let name = lines(self.painter, &entry.label, self.look.bold(1.2), colour, room);
        put(self.painter, place.min, Align2::LEFT_TOP, name).bottom()
    }

    /// Draws a variant's time or its status; returns the bottom edge.
    fn number(&self, place: Rect, snapshot: &Snapshot, at: usize, colour: Color32) -> f32 {
        let (painter, look) = (self.painter, self.look);
        let put_below = |at: Pos2, galley| put(painter, at, Align2::LEFT_TOP, galley);
        let room = place.width() - look.unit;
        let row = row(snapshot, at);
        if let Some((row, text)) = row.and_then(|row| Some((row, said_of(row)?))) {
            let text = lines(painter, &text, look.bold(1.1), status_colour(row, look), (room, 3));
            return put_below(place.min, text).bottom();
        }
        let time = row.and_then(|row| row.isolated_us.as_ref());
        let median = time.map_or_else(|| "–".to_owned(), |time| format::significant(time.median));
        let size = if snapshot.other.is_some() { 2.4 } else { 3.2 };
        let median = painter.layout_no_wrap(median, look.bold(size), colour);
        let at = pos2(place.left(), place.top() - 0.1 * size * look.unit);
        let median = put_below(at, median);
        let base = median.bottom() - 0.24 * size * look.unit;
        let unit = painter.layout_no_wrap("µs".into(), look.bold(1.2), look.ink.faint);
        let unit = put(painter, pos2(median.right() + 0.4 * look.unit, base), Align2::LEFT_BOTTOM, unit);
        let error = time.and_then(|time| spread(snapshot, time)).unwrap_or_default();
        let error = painter.layout_no_wrap(error, look.small(), look.ink.faint);
        if error.size().x <= place.right() - unit.right() - look.unit {
            put(painter, pos2(unit.right() + 0.5 * look.unit, base), Align2::LEFT_BOTTOM, error);
        }
        median.bottom() - 0.1 * size * look.unit
    }

    /// Draws a variant's label, and below it in how many trials it was wrong.
    fn trials(&mut self, snapshot: &Snapshot, at: usize, colour: Color32) {
        let Some(entry) = snapshot.variants.get(at) else { return };
        let row = row(snapshot, at);
        let status = row.map_or(self.look.ink.faint, |row| status_colour(row, self.look));
        let size = if snapshot.other.is_some() { 1.0 } else { 1.2 };
        // The caption has the label of a single variant, in large letters.
        if snapshot.other.is_some() || !self.look.presenter {
            self.words(&entry.label, size, colour, 2);
        }
        self.words(&matrix::told(row), size, status, 2);
        self.inside.min.y += 0.4 * self.look.unit;
    }

    /// Draws a sentence in at most `rows` lines, as far as there is room for them.
    fn words(&mut self, text: &str, size: f32, colour: Color32, rows: usize) {
        let size = self.look.bold((size * self.look.unit).max(self.look.small) / self.look.unit);
        let rows = rows.min(whole(self.inside.height() / (1.3 * size.size)));
        if rows == 0 {
            return;
        }
        let text = lines(self.painter, text, size, colour, (self.inside.width(), rows));
        self.inside.min.y = put(self.painter, self.inside.min, Align2::LEFT_TOP, text).bottom();
    }
}

/// `events 63.3 µs, barrier 48.8 µs: 1.29x as long`; `None` until both have times.
fn sentence(snapshot: &Snapshot, other: usize) -> Option<String> {
    let told = |at: usize| {
        let time = Value::of(row(snapshot, at)?.isolated_us.as_ref()?, 1.0, "µs");
        Some(format!("{} {}", snapshot.variants.get(at)?.label, time.text()))
    };
    let [one, two] = [snapshot.current, other].map(|at| snapshot.variants.get(at));
    let ratio = Figures::new(snapshot.figures.rows()).ratio(&one?.name, &two?.name)?;
    // With few samples, or around 1, which of the two takes longer is not known.
    let apart = ratio.median_95.filter(|interval| interval.low > 1.0 || interval.high < 1.0);
    let is = apart.map_or_else(
        || "no difference shown".to_owned(),
        |interval| format!("{:.*}x as long", format::decimals(interval, 2), ratio.median),
    );
    let cpu = if snapshot.device.kind == Kind::Cpu { ". On a CPU this says nothing about a GPU" } else { "" };
    Some(format!("{}, {}: {is}{cpu}.", told(snapshot.current)?, told(other)?))
}

/// The finding of a run, and the claim that it tests, as `--bench` prints them.
pub fn finding_and_claim(headline: &Headline) -> [String; 2] {
    let published = headline.published.as_ref().map_or_else(String::new, |figure| format!(", {figure}"));
    let outcome = match headline.outcome {
        Outcome::SaysNothing => "a CPU device says nothing about it".to_owned(),
        outcome => format!("{} here", outcome.words()),
    };
    let interval = headline.value.as_ref().and_then(Value::interval_text);
    let interval = interval.map_or_else(String::new, |interval| format!(" ({interval})"));
    [format!("{}{interval}.", headline.finding), format!("Claim: {}{published}: {outcome}.", headline.claim)]
}
