//! Plots of a row a variant: its name and a figure in words, and below them bars, points or boxes on an
//! axis that all rows share. A name has the whole width, so that a long one is broken but never cut.

use report::scale::named;
use report::scene::{Anchor, Fill, Scene, Stroke};

use super::Svg;
use super::canvas::{FAINT, INK, LINE, MARGIN, PAPER, WIDTH, area, drawn, line, lines, text, ticks, width};
use super::marks::{Mark, Shade};
use super::scale::{Kind, Scale};

/// Height of a track.
const TRACK: f64 = 10.0;
/// Below each row.
const GAP: f64 = 6.0;
/// Right end of all rows.
const RIGHT: f64 = WIDTH - MARGIN;
/// Rows of one picture: so many fit on a printed page and beside another picture.
const MOST_ROWS: usize = 20;

/// A plot of rows.
#[derive(Clone, Debug)]
pub struct RowPlot {
    /// In bold.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// What the marks mean.
    pub legend: Vec<(Track, String)>,
    /// What the axis holds, with its unit.
    pub axis: String,
    /// How it is divided.
    pub kind: Kind,
    /// Lines across all rows.
    pub guides: Vec<Guide>,
    /// From above.
    pub rows: Vec<PlotRow>,
}

/// A line across all rows.
#[derive(Clone, Debug)]
pub struct Guide {
    /// Where.
    pub at: f64,
    /// Two lines instead of one.
    pub double: bool,
}

/// One row.
#[derive(Clone, Debug)]
pub struct PlotRow {
    /// At its left.
    pub name: String,
    /// The name in bold.
    pub strong: bool,
    /// At its right.
    pub figure: String,
    /// Below both.
    pub body: Body,
}

/// What stands below a row's name.
#[derive(Clone, Debug)]
pub enum Body {
    /// Why there is nothing to draw.
    Words(String),
    /// One below the other.
    Tracks(Vec<Track>),
}

/// One thing on the axis.
#[derive(Clone, Debug)]
pub enum Track {
    /// From the left end of the axis.
    Bar {
        /// Its length.
        to: f64,
        /// The interval at its end.
        interval: Option<[f64; 2]>,
        /// What it stands for.
        shade: Shade,
    },
    /// A mark with its interval.
    Point {
        /// Where.
        at: f64,
        /// Its interval.
        interval: Option<[f64; 2]>,
        /// Which.
        mark: Mark,
    },
    /// A box of quartiles with whiskers, and what lies beyond them.
    Spread(Spread),
}

/// A box with whiskers.
#[derive(Clone, Debug)]
pub struct Spread {
    /// First quartile, median, third quartile.
    pub quartiles: [f64; 3],
    /// Smallest and largest sample within Tukey's fences.
    pub whiskers: [f64; 2],
    /// The samples beyond.
    pub outliers: Vec<f64>,
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

    /// `y` is its middle.
    fn draw(&self, scene: &mut Scene, scale: &Scale, y: f64) {
        match self {
            Self::Bar { to, interval, shade } => {
                shade.draw(scene, [MARGIN, y - 4.0], [scale.at(*to).max(MARGIN + 1.0), y + 4.0]);
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
        // Those that fall on one pixel are one circle; how many there are stands beside the name.
        let mut pixels: Vec<f64> = self.outliers.iter().map(|value| scale.at(*value)).collect();
        pixels.sort_by(f64::total_cmp);
        pixels.dedup();
        pixels.into_iter().for_each(|x| scene.circle([x, y], 3.0, Stroke(Mark(0).colour(), 1.0)));
    }
}

/// The quartiles around the median.
fn boxed(scene: &mut Scene, [left, median, right]: [f64; 3], y: f64) {
    let (from, to) = ([left, y - 5.0], [right, y + 5.0]);
    scene.area(area(from, to), Fill(PAPER));
    scene.area(area(from, to), Stroke(INK, 1.0));
    scene.line(&[[median, y - 5.0], [median, y + 5.0]], Stroke(Mark(1).colour(), 3.0));
}

/// `├──┤`
fn whisker(scene: &mut Scene, scale: &Scale, ends: [f64; 2], y: f64) {
    let [low, high] = ends.map(|end| scale.at(end));
    let path = [[low, y - 3.0], [low, y + 3.0], [low, y], [high, y], [high, y - 3.0], [high, y + 3.0]];
    line(scene, if high - low < 3.0 { &path[..2] } else { &path }, INK);
}

/// From one end of a row to the other.
const ROOM: f64 = RIGHT - MARGIN;

impl RowPlot {
    /// One picture, or more where there are many rows; all on the same axis.
    pub fn draw(&self) -> Vec<Svg> {
        let values = self.rows.iter().filter_map(|row| match &row.body {
            Body::Words(_) => None,
            Body::Tracks(tracks) => Some(tracks.iter().flat_map(Track::values)),
        });
        let guides = self.guides.iter().map(|guide| guide.at);
        let scale = Scale::over(values.flatten().chain(guides), self.kind, true, (MARGIN, RIGHT));
        // Parts of about the same size, so that the last is no stump.
        let parts = self.rows.len().div_ceil(MOST_ROWS).max(1);
        let each = self.rows.len().div_ceil(parts).max(1);
        let parts: Vec<&[PlotRow]> = self.rows.chunks(each).collect();
        let part =
            |(at, rows): (usize, &&[PlotRow])| Part { plot: self, scale, rows, at, of: parts.len() }.draw();
        parts.iter().enumerate().map(part).collect()
    }
}

/// Some rows of a plot.
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
                    // No line runs through letters.
                    scene.area(area([MARGIN + 1.0, y], [RIGHT, y + row.lines() * LINE - 2.0]), Fill(PAPER));
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
            let x = self.scale.at(guide.at);
            let lines: &[f64] = if guide.double { &[x - 1.0, x + 1.0] } else { &[x] };
            lines.iter().for_each(|x| line(scene, &[[*x, top], [*x, bottom]], FAINT));
        }
        line(scene, &[[MARGIN, bottom], [RIGHT, bottom]], INK);
        let axis = text([RIGHT, bottom + 1.5 * LINE + 2.0], INK, &self.plot.axis);
        scene.words(&axis.anchored(Anchor::End));
    }
}

/// Title, subtitle and legend.
pub(super) struct Head<'p> {
    title: Vec<String>,
    subtitle: Vec<String>,
    legend: Vec<(&'p Track, Vec<String>)>,
}

/// Room for the marks of a legend.
const LEGEND: f64 = 34.0;

impl<'p> Head<'p> {
    pub(super) fn of(title: &str, subtitle: &str, legend: &'p [(Track, String)]) -> Self {
        let beside = |text: &str| lines(text, false, ROOM - LEGEND);
        let legend = legend.iter().map(|(track, text)| (track, beside(text))).collect();
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
        for (track, lines) in &self.legend {
            sample_of(track, scene, y);
            for line in lines {
                scene.words(&text([MARGIN + LEGEND, y], INK, line));
                y += LINE;
            }
        }
    }
}

/// A track as a legend shows it.
fn sample_of(track: &Track, scene: &mut Scene, y: f64) {
    let middle = MARGIN + LEGEND / 2.0 - 5.0;
    match track {
        Track::Bar { shade, .. } => {
            shade.draw(scene, [MARGIN, y - 4.0], [MARGIN + LEGEND - 10.0, y + 4.0]);
        }
        Track::Point { mark, .. } => mark.draw(scene, [middle, y]),
        Track::Spread(_) => {
            line(scene, &[[MARGIN, y], [MARGIN + 24.0, y]], INK);
            boxed(scene, [6.0, 11.0, 18.0].map(|across| MARGIN + across), y);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few lines")]
fn real(lines: usize) -> f64 {
    lines as f64
}

/// A row with its lines of text.
struct Placed<'p> {
    row: &'p PlotRow,
    name: Vec<String>,
    /// The figure has a line of its own.
    below: bool,
    words: Vec<String>,
}

/// Lines of a reason; the page has all of it.
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
