//! A variant's panel: its text, a bar per dispatch, the plot of waves in flight, and the map of multiprocessors.

use anyhow::Result;
use record::trace::{Lanes, Phases, TimeStamp};

use super::axes::{EDGE, LEFT, LINE, PLOT, TEXT, WIDTH, real, short_us, ticks, us, whole};
use super::bins::{Binned, Grid};
use super::colours::{Ink, PARTS};
use super::lane::Lane;
use super::words::{Alike, alike, cautions, figures};
use super::{head, spans, svg};
use crate::dispatch_parts;
use crate::scene::{Anchor, Area, Scene, Words, broken, text_width};

/// Height of a bar if few dispatches overlap.
const BAR: f64 = 13.0;
/// Approximate height of all bars.
const BARS: f64 = 72.0;
/// Approximate height of the map of multiprocessors.
const MAP: f64 = 140.0;

/// The scales that all panels share, so that they can be compared by eye.
pub(super) struct Frame {
    pub grid: Grid,
    /// Waves in flight at the top of the plot.
    pub top: f64,
    /// Left edge, width and height of a plot.
    pub left: f64,
    pub width: f64,
    pub height: f64,
}

impl Frame {
    pub fn x(&self, us: f64) -> f64 {
        self.left + self.width * us / self.grid.range_us
    }

    /// The area between two times.
    fn area(&self, (from, to): (f64, f64), top: f64, height: f64) -> Area {
        let left = self.x(from);
        Area { left, top, width: self.x(to) - left, height }
    }
}

/// Draws the panel from `y` on and returns the y coordinate of its end.
pub(super) fn draw(
    scene: &mut Scene,
    y: f64,
    lane: &Lane<'_>,
    binned: &Binned,
    frame: &Frame,
    full: f64,
) -> Result<f64> {
    let y = words(scene, y, lane);
    let y = bars(scene, y, lane, frame);
    let base = y + 18.0 + frame.height;
    plot(scene, base, lane, binned, frame);
    let bottom = map(scene, base + 18.0, lane, binned, full)?;
    Ok(time_axis(scene, &[base, bottom], frame))
}

/// Draws the name, the cautions, the figures and the legend.
fn words(scene: &mut Scene, y: f64, lane: &Lane<'_>) -> f64 {
    let mut y = name(scene, [EDGE, y + 18.0], lane, 18.0, WIDTH - EDGE) + 3.0;
    for text in broken(&figures(lane), TEXT, false, WIDTH - 2.0 * EDGE) {
        y += LINE;
        scene.words(&Words::new([EDGE, y], TEXT, Ink::Text, text));
    }
    legend(scene, y + LINE, lane)
}

/// Draws the label, and right of it the cautions as far as `right`; returns the y coordinate of the last line.
pub(super) fn name(scene: &mut Scene, [left, y]: [f64; 2], lane: &Lane<'_>, size: f64, right: f64) -> f64 {
    scene.words(&Words::new([left, y], size, Ink::Text, lane.row.label()).bold());
    let left = left + text_width(lane.row.label(), size, true) + 18.0;
    let mut end = y;
    for (at, text) in (0_u32..).zip(broken(&cautions(lane).join("; "), TEXT, false, right - left)) {
        end = y + LINE * f64::from(at);
        scene.words(&Words::new([left, end], TEXT, Ink::Warning, text));
    }
    end
}

/// Draws the legend: the colours of the dispatches.
fn legend(scene: &mut Scene, mut y: f64, lane: &Lane<'_>) -> f64 {
    let (kinds, more) = alike(&lane.trace.dispatches);
    let mut left = EDGE;
    let mut place = |swatches: usize, text: &str| {
        let wide = 12.0 * real(swatches) + 6.0 + text_width(text, TEXT, false);
        if left > EDGE && left + wide > WIDTH - EDGE {
            (left, y) = (EDGE, y + LINE);
        }
        let at = [left, y];
        left += wide + 22.0;
        at
    };
    let mut drawn = Vec::new();
    for Alike { which, text } in &kinds {
        let mut parts: Vec<usize> = which.iter().map(|at| at % PARTS).collect();
        parts.truncate(PARTS);
        let room = WIDTH - 2.0 * EDGE - 12.0 * real(parts.len()) - 6.0;
        for line in broken(text, TEXT, false, room) {
            let own = std::mem::take(&mut parts);
            drawn.push((place(own.len(), &line), own, line));
        }
    }
    if more > 0 {
        let text = format!("and {more} more kinds of dispatches");
        drawn.push((place(0, &text), Vec::new(), text));
    }
    for ([x, y], parts, text) in drawn {
        for (at, part) in parts.iter().enumerate() {
            let area = Area { left: x + 12.0 * real(at), top: y - 9.5, width: 10.0, height: 10.0 };
            scene.area(area, Ink::Part(*part));
        }
        let x = x + 12.0 * real(parts.len()) + if parts.is_empty() { 0.0 } else { 6.0 };
        scene.words(&Words::new([x, y], TEXT, Ink::Faint, text));
    }
    y + 10.0
}

/// Draws a bar per dispatch; bars that overlap in time are drawn below each other.
fn bars(scene: &mut Scene, y: f64, lane: &Lane<'_>, frame: &Frame) -> f64 {
    let phases: Vec<Phases> = lane.figures.dispatches.iter().map(|d| d.phases).collect();
    let spans: Vec<(f64, f64)> = phases.iter().map(|p| (p.begin_us, p.end_us())).collect();
    let rows = spans::rows(&spans);
    let count = rows.iter().max().map_or(1, |most| most + 1);
    let pitch = (BARS / real(count)).clamp(3.0, BAR + 2.0);
    let height = pitch - if pitch > 6.0 { 2.0 } else { 0.5 };
    for (at, (phases, row)) in phases.iter().zip(rows).enumerate() {
        let area = frame.area(spans[at], y + pitch * real(row), height);
        let span = phases.span_us();
        head::bar(scene, area, [phases.fill_us / span, phases.drain_us / span], at);
        let number = (at + 1).to_string();
        if height >= 10.0 && text_width(&number, 10.0, true) + 6.0 < area.width {
            number_on(scene, area, at, number);
        }
    }
    let middle = y + 0.5 * pitch * real(count) + 4.0;
    let called = dispatch_parts::called(lane.figures.dispatches.iter().map(|d| d.part.as_ref()));
    scene.words(&Words::new([LEFT - 10.0, middle], TEXT, Ink::Faint, called).anchored(Anchor::End));
    y + pitch * real(count)
}

/// Writes the number on a patch of the plain colour, since stripes run through the bar.
fn number_on(scene: &mut Scene, bar: Area, at: usize, number: String) {
    let wide = text_width(&number, 10.0, true) + 4.0;
    let middle = bar.left + 0.5 * bar.width;
    scene.area(Area { left: middle - 0.5 * wide, width: wide, ..bar }, Ink::Part(at));
    let words = Words::new([middle, bar.bottom() - 2.0], 10.0, Ink::OnPart(at), number);
    scene.words(&words.bold().anchored(Anchor::Middle));
}

/// Draws the waves in flight as stacked areas, with marks for idle slots.
fn plot(scene: &mut Scene, base: f64, lane: &Lane<'_>, binned: &Binned, frame: &Frame) {
    let unit = frame.height / frame.top;
    for (at, text) in ticks(frame.top, 5) {
        let y = base - at * unit;
        scene.area(Area { left: LEFT, top: y - 0.5, width: PLOT, height: 1.0 }, Ink::Grid);
        scene.words(&Words::new([LEFT - 10.0, y + 4.0], TEXT, Ink::Faint, text).anchored(Anchor::End));
    }
    waves(scene, base, lane, binned, frame);
    let whole = &lane.figures.whole;
    let from = [frame.x(whole.begin_us), base - whole.peak * unit];
    svg::dashes(scene, from, frame.x(whole.end_us()) - from[0], Ink::Text);
    let middle = [LEFT - 62.0, base - 0.5 * frame.height];
    scene.words(&Words::new(middle, TEXT, Ink::Faint, "waves in flight").upright().anchored(Anchor::Middle));
}

/// Draws the areas of the dispatches above the line at `base`, where the GPU fills and drains behind them, gaps and timestamps.
pub(super) fn waves(scene: &mut Scene, base: f64, lane: &Lane<'_>, binned: &Binned, frame: &Frame) {
    let unit = frame.height / frame.top;
    let high = lane.figures.whole.peak * unit;
    let phases: Vec<Phases> = lane.figures.dispatches.iter().map(|d| d.phases).collect();
    for stretch in spans::alone(&phases) {
        head::band(scene, frame.area(stretch, base - high, high));
    }
    stacks(scene, base, unit, binned, frame);
    gaps(scene, base, base - high, lane, frame);
    time_stamps(scene, [base, base - high - 16.0], lane, frame);
    scene.area(Area { left: frame.left, top: base - 0.5, width: frame.width, height: 1.0 }, Ink::Faint);
}

/// Draws the areas of the dispatches, each on top of the earlier ones, and the waiting waves on top of all. Areas
/// are drawn in reverse order and reach down to the axis, since earlier ones cover the rest: this halves the
/// outlines.
fn stacks(scene: &mut Scene, base: f64, unit: f64, binned: &Binned, frame: &Frame) {
    let step = frame.width / real(binned.columns);
    let mut below = vec![0.0; binned.columns];
    let mut area = |first: usize, waves: &mut dyn ExactSizeIterator<Item = f64>, ink: Ink| {
        let sums = &mut below[first..][..waves.len()];
        sums.iter_mut().zip(waves).for_each(|(sum, waves)| *sum += waves);
        let heights: Vec<u32> = sums.iter().map(|waves| half_pixels(waves * unit)).collect();
        (frame.left + step * real(first), heights, ink)
    };
    let mut areas = Vec::new();
    for (at, stack) in binned.stacks.iter().enumerate() {
        let waiting = |column: usize| stack.waiting.get(column).copied().unwrap_or(0.0);
        let mut at_work = stack.means.iter().enumerate().map(|(column, all)| all - waiting(column));
        areas.push(area(stack.first, &mut at_work, Ink::Part(at)));
    }
    for (at, stack) in binned.stacks.iter().enumerate().filter(|(_, stack)| !stack.waiting.is_empty()) {
        areas.push(area(stack.first, &mut stack.waiting.iter().copied(), Ink::Waiting(at)));
    }
    for (left, heights, ink) in areas.iter().rev() {
        svg::steps(scene, [*left, base], step, heights, *ink);
    }
}

fn half_pixels(height: f64) -> u32 {
    u32::try_from(whole((2.0 * height).round())).unwrap_or(u32::MAX)
}

/// Draws brackets over stretches without waves, with their lengths where there is room.
fn gaps(scene: &mut Scene, base: f64, peak: f64, lane: &Lane<'_>, frame: &Frame) {
    let top = peak.min(base - 24.0);
    let mut free = frame.left;
    for &[from, to] in &lane.figures.gaps {
        let area = frame.area((from, to), top - 6.0, 9.0);
        if area.width < 0.25 {
            continue;
        }
        head::gap(scene, area);
        let text = short_us(to - from);
        let (middle, wide) = (area.left + 0.5 * area.width, text_width(&text, TEXT, false));
        if middle - 0.5 * wide >= free {
            let words = Words::new([middle, top - 10.0], TEXT, Ink::Gap, text);
            scene.words(&words.anchored(Anchor::Middle));
            free = middle + 0.5 * wide + 5.0;
        }
    }
}

/// Draws a line at each timestamp of the variant, from the axis up to `top`, with its stage.
fn time_stamps(scene: &mut Scene, [base, top]: [f64; 2], lane: &Lane<'_>, frame: &Frame) {
    for (at, TimeStamp { stage, at_us }) in lane.trace.time_stamps.iter().enumerate() {
        // One before the first wave, or behind the last, has its line at the edge.
        let x = frame.x(at_us.clamp(0.0, frame.grid.range_us));
        scene.area(Area { left: x - 0.75, top, width: 1.5, height: base - top }, Ink::Text);
        let text = format!("timestamp {stage} at {}", us(*at_us));
        let width = text_width(&text, TEXT, false) + 8.0;
        let left = if x < frame.left + 0.5 * frame.width { x + 3.0 } else { x - 3.0 - width };
        // On a patch of paper, since waves run behind it.
        let y = base - 10.0 - LINE * real(at);
        scene.area(Area { left, top: y - 14.0, width, height: 18.0 }, Ink::Paper);
        scene.words(&Words::new([left + 4.0, y], TEXT, Ink::Text, text));
    }
}

/// Draws the map, one row per multiprocessor; returns the y coordinate of its end.
fn map(scene: &mut Scene, top: f64, lane: &Lane<'_>, binned: &Binned, full: f64) -> Result<f64> {
    let rows = real(binned.rows());
    let row = (MAP / rows).floor().clamp(1.0, 14.0);
    let area = Area { left: LEFT, top, width: PLOT, height: row * rows };
    scene.area(Area { top: top - 1.0, height: area.height + 2.0, ..area }, Ink::Grid);
    scene.area(area, Ink::Paper);
    svg::map(scene, area, &binned.map(full))?;
    let what = match lane.trace.lanes {
        Lanes::Multiprocessors(_) => "multiprocessor",
        Lanes::Packed(_) => "lane",
    };
    let unit = area.height / real(binned.lanes);
    for (at, _) in ticks(real(binned.lanes), 5).into_iter().filter(|(at, _)| *at < real(binned.lanes)) {
        // In the middle of the lane that the number names.
        let y = top + (at + 0.5) * unit + 4.0;
        if at.fract() == 0.0 {
            let number = format!("{at:.0}");
            scene.words(&Words::new([LEFT - 10.0, y], TEXT, Ink::Faint, number).anchored(Anchor::End));
        }
    }
    let middle = [LEFT - 62.0, top + 0.5 * area.height];
    scene.words(&Words::new(middle, TEXT, Ink::Faint, what).upright().anchored(Anchor::Middle));
    Ok(area.bottom())
}

/// Draws the time axis below the last of these lines, with ticks on all; returns the y coordinate of its end.
pub(super) fn time_axis(scene: &mut Scene, lines: &[f64], frame: &Frame) -> f64 {
    let bottom = lines.last().copied().unwrap_or_default();
    for (at, text) in ticks(frame.grid.range_us, 12) {
        let x = frame.x(at);
        for top in lines {
            scene.area(Area { left: x - 0.5, top: *top, width: 1.0, height: 6.0 }, Ink::Faint);
        }
        let words = Words::new([x, bottom + 20.0], TEXT, Ink::Faint, text);
        scene.words(&words.anchored(Anchor::Middle));
    }
    let middle = [frame.left + 0.5 * frame.width, bottom + 38.0];
    let words = Words::new(middle, TEXT, Ink::Faint, "time from the variant’s first wave (µs)");
    scene.words(&words.anchored(Anchor::Middle));
    bottom + 48.0
}
