//! Plots with one row per variant: its name and a figure as text, and below them bars, points or boxes on an axis
//! that all rows share. A name may take the whole width, so that a long one is broken but never cut.

use report::scale::named;
use report::scene::{Anchor, Scene};

use super::Svg;
use super::canvas::{
    FAINT, INK, Ink, LINE, MARGIN, PAPER, WIDTH, area, drawn, line, lines, outline, text, ticks, tint, width,
};
use super::marks::{Mark, Shade};
use super::scale::{Kind, Scale};

/// Height of a track.
const TRACK: f64 = 10.0;
/// Space below each row.
const GAP: f64 = 6.0;
/// Right end of all rows.
const RIGHT: f64 = WIDTH - MARGIN;
/// Most rows of a picture, so that it fits on a printed page or next to another picture.
const MOST_ROWS: usize = 20;

/// A plot of rows.
#[derive(Clone, Debug)]
pub struct RowPlot {
    /// The title, in bold.
    pub title: String,
    /// The line below the title.
    pub subtitle: String,
    /// Explanations of the marks.
    pub legend: Vec<(Key, String)>,
    /// Label of the axis, with the unit.
    pub axis: String,
    /// Scale of the axis.
    pub kind: Kind,
    /// Lines across all rows.
    pub guides: Vec<Guide>,
    /// From top to bottom.
    pub rows: Vec<PlotRow>,
}

/// A line across all rows.
#[derive(Clone, Debug)]
pub struct Guide {
    /// Its value on the axis.
    pub at: f64,
    /// Whether to draw two lines instead of one.
    pub double: bool,
}

/// One row.
#[derive(Clone, Debug)]
pub struct PlotRow {
    /// Text on the left.
    pub name: String,
    /// Whether the name is bold.
    pub strong: bool,
    /// Text on the right.
    pub figure: String,
    /// The content below the text.
    pub body: Body,
}

/// The content below a row's name.
#[derive(Clone, Debug)]
pub enum Body {
    /// A reason why nothing is drawn.
    Words(String),
    /// Tracks, one below the other.
    Tracks(Vec<Track>),
}

/// A shape on the axis.
#[derive(Clone, Debug)]
pub enum Track {
    /// A bar from the left end of the axis.
    Bar {
        /// The value at its end.
        to: f64,
        /// The interval of that value.
        interval: Option<[f64; 2]>,
        /// Its style.
        shade: Shade,
    },
    /// A mark with its interval.
    Point {
        /// Its value.
        at: f64,
        /// Its interval.
        interval: Option<[f64; 2]>,
        /// Its mark.
        mark: Mark,
    },
    /// A box of quartiles with whiskers and outliers.
    Spread(Spread),
}

/// A box with whiskers.
#[derive(Clone, Debug)]
pub struct Spread {
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
    /// Smallest and largest sample within Tukey's fences.
    pub whiskers: [f64; 2],
    /// The samples outside of the whiskers.
    pub outliers: Vec<f64>,
}

/// What a line of the legend explains.
#[derive(Clone, Debug)]
pub enum Key {
    /// A shape on the axis; its values do not count.
    Track(Track),
    /// A line across all rows.
    Guide {
        /// Whether it is two lines.
        double: bool,
    },
    /// The colour of a cell.
    Cell(Ink),
}

impl Track {
    fn values(&self) -> Vec<f64> {
        match self {
            Self::Bar { to: at, interval, .. } | Self::Point { at, interval, .. } => {
                interval.iter().flatten().chain([at]).copied().collect()
            }
            Self::Spread(spread) => spread.whiskers.iter().chain(&spread.outliers).copied().collect(),
        }
    }

    fn height(&self) -> f64 {
        if matches!(self, Self::Spread(_)) { TRACK + 4.0 } else { TRACK }
    }

    /// Draws the track with its centre at height `y`.
    fn draw(&self, scene: &mut Scene, scale: &Scale, y: f64) {
        match self {
            Self::Bar { to, interval, shade } => {
                shade.draw(scene, [MARGIN, scale.at(*to).max(MARGIN + 1.0)], y);
                if let Some(ends) = *interval {
                    whisker(scene, scale, ends, y);
                }
            }
            Self::Point { at, interval, mark } => {
                if let Some(ends) = *interval {
                    whisker(scene, scale, ends, y);
                };
                mark.draw(scene, [scale.at(*at), y])
            }
            Self::Spread(spread) => spread.draw(scene, scale, y),
        }
    }
}

impl Spread {
    fn draw(&self, scene: &mut Scene, scale: &Scale, y: f64) {
        whisker(scene, scale, self.whiskers, y);
        let [q1, median, q3] = self.quartiles.map(|value| scale.at(value));
        boxed(scene, [q1, median, q3 + 1.0], y);
        // Outliers on the same pixel are drawn once; the text next to the name has their number.
        let mut pixels: Vec<f64> = self.outliers.iter().map(|value| scale.at(*value)).collect();
        pixels.sort_by(f64::total_cmp);
        pixels.dedup();
        pixels.into_iter().for_each(|x| scene.circle([x, y], 3.0, outline(Mark(0).colour())));
    }
}

/// The box of the quartiles, with a line at the median.
fn boxed(scene: &mut Scene, [left, median, right]: [f64; 3], y: f64) {
    let (from, to) = ([left, y - 5.0], [right, y + 5.0]);
    scene.area(area(from, to), PAPER);
    scene.area(area(from, to), outline(INK));
    scene.area(area([median - 1.5, y - 5.0], [median + 1.5, y + 5.0]), Mark(6).colour());
}

/// An interval: `├──┤`.
fn whisker(scene: &mut Scene, scale: &Scale, ends: [f64; 2], y: f64) {
    let [low, high] = ends.map(|end| scale.at(end));
    let path = [[low, y - 3.0], [low, y + 3.0], [low, y], [high, y], [high, y - 3.0], [high, y + 3.0]];
    line(scene, if high - low < 3.0 { &path[..2] } else { &path }, INK);
}

/// Width of a row.
const ROOM: f64 = RIGHT - MARGIN;

impl RowPlot {
    /// One picture, or several with the same axis if there are many rows.
    pub fn draw(&self) -> Vec<Svg> {
        let values = self.rows.iter().filter_map(|row| match &row.body {
            Body::Words(_) => None,
            Body::Tracks(tracks) => Some(tracks.iter().flat_map(Track::values)),
        });
        let guides = self.guides.iter().map(|guide| guide.at);
        let scale = Scale::over(values.flatten().chain(guides), self.kind, true, (MARGIN, RIGHT));
        // Parts of about equal size, so that the last one is not much smaller.
        let parts = self.rows.len().div_ceil(MOST_ROWS).max(1);
        let each = self.rows.len().div_ceil(parts).max(1);
        let parts: Vec<&[PlotRow]> = self.rows.chunks(each).collect();
        let part =
            |(at, rows): (usize, &&[PlotRow])| Part { plot: self, scale, rows, at, of: parts.len() }.draw();
        parts.iter().enumerate().map(part).collect()
    }
}

/// The rows of a plot that are in one picture.
struct Part<'p> {
    plot: &'p RowPlot,
    scale: Scale,
    rows: &'p [PlotRow],
    at: usize,
    of: usize,
}

impl Part<'_> {
    fn draw(&self) -> Svg {
        let title = match self.of {
            1 => self.plot.title.clone(),
            of => format!("{} ({} of {of})", self.plot.title, self.at + 1),
        };
        let rows: Vec<Placed<'_>> = self.rows.iter().map(Placed::of).collect();
        let head = Head::of(&title, &self.plot.subtitle, &self.plot.legend);
        let top = head.height();
        let bottom = top + rows.iter().map(Placed::height).sum::<f64>();
        drawn(bottom + 2.0 * LINE + 8.0, |scene| {
            head.draw(scene);
            self.axis(scene, top, bottom);
            let mut y = top;
            for row in &rows {
                if !self.plot.guides.is_empty() {
                    // Clears the background, so that guides do not cross the text.
                    scene.area(area([MARGIN + 1.0, y], [RIGHT, y + row.lines() * LINE - 2.0]), PAPER);
                }
                row.draw(scene, &self.scale, y);
                y += row.height();
            }
        })
    }

    fn axis(&self, scene: &mut Scene, top: f64, bottom: f64) {
        let named = self.scale.ticks(6).into_iter().map(|tick| (self.scale.at(tick), named(tick)));
        ticks(scene, named, [top, bottom]);
        for guide in &self.plot.guides {
            across(scene, self.scale.at(guide.at), guide.double, [top, bottom]);
        }
        line(scene, &[[MARGIN, bottom], [RIGHT, bottom]], INK);
        let axis = text([RIGHT, bottom + 1.5 * LINE + 2.0], INK, &self.plot.axis);
        scene.words(&axis.anchored(Anchor::End));
    }
}

/// One or two lines from top to bottom.
fn across(scene: &mut Scene, x: f64, double: bool, [top, bottom]: [f64; 2]) {
    let lines: &[f64] = if double { &[x - 1.0, x + 1.0] } else { &[x] };
    lines.iter().for_each(|x| line(scene, &[[*x, top], [*x, bottom]], FAINT));
}

/// Title, subtitle and legend.
pub(super) struct Head<'p> {
    title: Vec<String>,
    subtitle: Vec<String>,
    legend: Vec<(&'p Key, Vec<String>)>,
}

/// Width of the marks in the legend.
const LEGEND: f64 = 34.0;

impl<'p> Head<'p> {
    pub(super) fn of(title: &str, subtitle: &str, legend: &'p [(Key, String)]) -> Self {
        let beside = |text: &str| lines(text, false, ROOM - LEGEND);
        let legend = legend.iter().map(|(key, text)| (key, beside(text))).collect();
        Self { title: lines(title, true, ROOM), subtitle: lines(subtitle, false, ROOM), legend }
    }

    pub(super) fn height(&self) -> f64 {
        let lines = self.title.len()
            + self.subtitle.len()
            + self.legend.iter().map(|(_, lines)| lines.len()).sum::<usize>();
        8.0 + LINE * real(lines) + 6.0
    }

    pub(super) fn draw(&self, scene: &mut Scene) {
        let mut y = 8.0 + LINE / 2.0;
        for line in &self.title {
            scene.words(&text([MARGIN, y], INK, line).bold());
            y += LINE;
        }
        for line in &self.subtitle {
            scene.words(&text([MARGIN, y], FAINT, line));
            y += LINE;
        }
        for (key, lines) in &self.legend {
            sample_of(key, scene, y);
            for line in lines {
                scene.words(&text([MARGIN + LEGEND, y], INK, line));
                y += LINE;
            }
        }
    }
}

/// Draws what a line of the legend explains.
fn sample_of(key: &Key, scene: &mut Scene, y: f64) {
    let middle = MARGIN + LEGEND / 2.0 - 5.0;
    match key {
        Key::Track(Track::Bar { shade, .. }) => shade.draw(scene, [MARGIN, MARGIN + LEGEND - 10.0], y),
        Key::Track(Track::Point { mark, .. }) => mark.draw(scene, [middle, y]),
        Key::Track(Track::Spread(_)) => {
            line(scene, &[[MARGIN, y], [MARGIN + 24.0, y]], INK);
            boxed(scene, [6.0, 11.0, 18.0].map(|across| MARGIN + across), y);
        }
        Key::Guide { double } => across(scene, middle, *double, [y - 6.0, y + 6.0]),
        Key::Cell(ink) => {
            scene.area(area([MARGIN, y - 6.0], [MARGIN + LEGEND - 10.0, y + 6.0]), tint(*ink, 0.7));
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few lines")]
pub(super) fn real(lines: usize) -> f64 {
    lines as f64
}

/// A row with its text broken into lines.
struct Placed<'p> {
    row: &'p PlotRow,
    name: Vec<String>,
    /// Whether the figure is on a line of its own.
    below: bool,
    words: Vec<String>,
}

/// Most lines of a reason; the table of the page has the whole text.
const WORDS: usize = 3;

impl<'p> Placed<'p> {
    fn of(row: &'p PlotRow) -> Self {
        let name = lines(&row.name, row.strong, ROOM);
        let last = name.last().map_or(0.0, |line| width(line, row.strong));
        let below = last + 12.0 + width(&row.figure, false) > ROOM;
        let mut words = match &row.body {
            Body::Words(words) => lines(words, false, ROOM - 12.0),
            Body::Tracks(_) => Vec::new(),
        };
        if words.len() > WORDS {
            words.truncate(WORDS);
            words[WORDS - 1] += " …";
        }
        Self { row, name, below, words }
    }

    fn lines(&self) -> f64 {
        let lines = self.name.len().max(1)
            + usize::from(self.below && !self.row.figure.is_empty())
            + self.words.len();
        real(lines)
    }

    fn height(&self) -> f64 {
        let tracks = match &self.row.body {
            Body::Words(_) => 0.0,
            Body::Tracks(tracks) => tracks.iter().map(Track::height).sum(),
        };
        self.lines() * LINE + tracks + GAP
    }

    fn draw(&self, scene: &mut Scene, scale: &Scale, top: f64) {
        let mut y = top + LINE / 2.0;
        for line in &self.name {
            if self.row.strong {
                scene.words(&text([MARGIN, y], INK, line).bold());
            } else {
                scene.words(&text([MARGIN, y], INK, line));
            }
            y += LINE;
        }
        if !self.row.figure.is_empty() {
            let at = if self.below { y } else { y - LINE };
            scene.words(&text([RIGHT, at], INK, &self.row.figure).anchored(Anchor::End));
            y = at + LINE;
        }
        for line in &self.words {
            scene.words(&text([MARGIN + 12.0, y], FAINT, line));
            y += LINE;
        }
        if let Body::Tracks(tracks) = &self.row.body {
            y -= LINE / 2.0;
            for track in tracks {
                track.draw(scene, scale, y + track.height() / 2.0);
                y += track.height();
            }
        }
    }
}
