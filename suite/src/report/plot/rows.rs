//! Plots of a row a variant: its name and a figure in words, and below them bars, points or boxes on an
//! axis that all rows share. A name has the whole width, so that a long one is broken but never cut.

use report::scale::named;
use report::scene::Anchor;

use super::Svg;
use super::canvas::{Canvas, FAINT, INK, LINE, MARGIN, PAPER, WIDTH, drawn, lines, width};
use super::marks::{Mark, Shade};
use super::scale::{Kind, Scale};

/// Height of a track.
const TRACK: i32 = 10;
/// Below each row.
const GAP: i32 = 6;
/// Right end of all rows.
const RIGHT: i32 = WIDTH - MARGIN;
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

    fn height(&self) -> i32 {
        if matches!(self, Self::Spread(_)) { TRACK + 4 } else { TRACK }
    }

    /// `y` is its middle.
    fn draw(&self, canvas: &mut Canvas, scale: &Scale, y: i32) {
        match self {
            Self::Bar { to, interval, shade } => {
                shade.draw(canvas, [MARGIN, y - 4], [scale.at(*to).max(MARGIN + 1), y + 4]);
                if let Some(ends) = *interval {
                    whisker(canvas, scale, ends, y);
                }
            }
            Self::Point { at, interval, mark } => {
                if let Some(ends) = *interval {
                    whisker(canvas, scale, ends, y);
                };
                mark.draw(canvas, [scale.at(*at), y])
            }
            Self::Spread(spread) => spread.draw(canvas, scale, y),
        }
    }
}

impl Spread {
    fn draw(&self, canvas: &mut Canvas, scale: &Scale, y: i32) {
        whisker(canvas, scale, self.whiskers, y);
        let [q1, median, q3] = self.quartiles.map(|value| scale.at(value));
        canvas.polygon(&[[q1, y - 5], [q3 + 1, y - 5], [q3 + 1, y + 5], [q1, y + 5]], INK, false);
        canvas.line(&[[median, y - 5], [median, y + 5]], Mark(1).colour(), 3.0);
        // Those that fall on one pixel are one circle; how many there are stands beside the name.
        let mut pixels: Vec<i32> = self.outliers.iter().map(|value| scale.at(*value)).collect();
        pixels.sort_unstable();
        pixels.dedup();
        pixels.into_iter().for_each(|x| canvas.circle([x, y], 3.0, Mark(0).colour(), false));
    }
}

/// `├──┤`
fn whisker(canvas: &mut Canvas, scale: &Scale, ends: [f64; 2], y: i32) {
    let [low, high] = ends.map(|end| scale.at(end));
    if high - low < 3 {
        canvas.line(&[[low, y - 3], [low, y + 3]], INK, 1.0);
        return;
    }
    let path = [[low, y - 3], [low, y + 3], [low, y], [high, y], [high, y - 3], [high, y + 3]];
    canvas.line(&path, INK, 1.0)
}

fn room() -> f64 {
    f64::from(RIGHT - MARGIN)
}

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
        let bottom = top + rows.iter().map(Placed::height).sum::<i32>();
        drawn(bottom + 2 * LINE + 8, |canvas| {
            head.draw(canvas);
            self.axis(canvas, top, bottom);
            let mut y = top;
            for row in &rows {
                if !self.plot.guides.is_empty() {
                    // No line runs through letters.
                    canvas.rectangle([MARGIN + 1, y], [RIGHT, y + row.lines() * LINE - 2], PAPER, true);
                }
                row.draw(canvas, &self.scale, y);
                y += row.height();
            }
        })
    }

    fn axis(&self, canvas: &mut Canvas, top: i32, bottom: i32) {
        let ticks = self.scale.ticks(6).into_iter();
        canvas.ticks(ticks.map(|tick| (self.scale.at(tick), named(tick))), [top, bottom]);
        for guide in &self.plot.guides {
            let x = self.scale.at(guide.at);
            let lines: &[i32] = if guide.double { &[x - 1, x + 1] } else { &[x] };
            lines.iter().for_each(|x| canvas.line(&[[*x, top], [*x, bottom]], FAINT, 1.0));
        }
        canvas.line(&[[MARGIN, bottom], [RIGHT, bottom]], INK, 1.0);
        canvas.text([RIGHT, bottom + LINE + LINE / 2 + 2], Anchor::End, INK, &self.plot.axis)
    }
}

/// Title, subtitle and legend.
pub(super) struct Head<'p> {
    title: Vec<String>,
    subtitle: Vec<String>,
    legend: Vec<(&'p Track, Vec<String>)>,
}

/// Room for the marks of a legend.
const LEGEND: i32 = 34;

impl<'p> Head<'p> {
    pub(super) fn of(title: &str, subtitle: &str, legend: &'p [(Track, String)]) -> Self {
        let beside = |text: &str| lines(text, false, room() - f64::from(LEGEND));
        let legend = legend.iter().map(|(track, text)| (track, beside(text))).collect();
        Self { title: lines(title, true, room()), subtitle: lines(subtitle, false, room()), legend }
    }

    pub(super) fn height(&self) -> i32 {
        let lines = self.title.len()
            + self.subtitle.len()
            + self.legend.iter().map(|(_, lines)| lines.len()).sum::<usize>();
        8 + LINE * i32::try_from(lines).unwrap_or(0) + 6
    }

    pub(super) fn draw(&self, canvas: &mut Canvas) {
        let mut y = 8 + LINE / 2;
        for line in &self.title {
            canvas.bold([MARGIN, y], line);
            y += LINE;
        }
        for line in &self.subtitle {
            canvas.text([MARGIN, y], Anchor::Start, FAINT, line);
            y += LINE;
        }
        for (track, lines) in &self.legend {
            sample_of(track, canvas, y);
            for line in lines {
                canvas.text([MARGIN + LEGEND, y], Anchor::Start, INK, line);
                y += LINE;
            }
        }
    }
}

/// A track as a legend shows it.
fn sample_of(track: &Track, canvas: &mut Canvas, y: i32) {
    let middle = MARGIN + LEGEND / 2 - 5;
    match track {
        Track::Bar { shade, .. } => shade.draw(canvas, [MARGIN, y - 4], [MARGIN + LEGEND - 10, y + 4]),
        Track::Point { mark, .. } => mark.draw(canvas, [middle, y]),
        Track::Spread(_) => {
            let at = |share: i32| MARGIN + share;
            canvas.line(&[[at(0), y], [at(24), y]], INK, 1.0);
            canvas.polygon(&[[at(6), y - 5], [at(18), y - 5], [at(18), y + 5], [at(6), y + 5]], INK, false);
            canvas.line(&[[at(11), y - 5], [at(11), y + 5]], Mark(1).colour(), 3.0)
        }
    }
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
        let name = lines(&row.name, row.strong, room());
        let last = name.last().map_or(0.0, |line| width(line, row.strong));
        let below = last + 12.0 + width(&row.figure, false) > room();
        let mut words = match &row.body {
            Body::Words(words) => lines(words, false, room() - 12.0),
            Body::Tracks(_) => Vec::new(),
        };
        if words.len() > WORDS {
            words.truncate(WORDS);
            words[WORDS - 1] += " …";
        }
        Self { row, name, below, words }
    }

    fn lines(&self) -> i32 {
        let lines = self.name.len().max(1)
            + usize::from(self.below && !self.row.figure.is_empty())
            + self.words.len();
        i32::try_from(lines).unwrap_or(1)
    }

    fn height(&self) -> i32 {
        let tracks = match &self.row.body {
            Body::Words(_) => 0,
            Body::Tracks(tracks) => tracks.iter().map(Track::height).sum(),
        };
        self.lines() * LINE + tracks + GAP
    }

    fn draw(&self, canvas: &mut Canvas, scale: &Scale, top: i32) {
        let mut y = top + LINE / 2;
        for line in &self.name {
            if self.row.strong {
                canvas.bold([MARGIN, y], line);
            } else {
                canvas.text([MARGIN, y], Anchor::Start, INK, line);
            }
            y += LINE;
        }
        if !self.row.figure.is_empty() {
            let at = if self.below { y } else { y - LINE };
            canvas.text([RIGHT, at], Anchor::End, INK, &self.row.figure);
            y = at + LINE;
        }
        for line in &self.words {
            canvas.text([MARGIN + 12, y], Anchor::Start, FAINT, line);
            y += LINE;
        }
        if let Body::Tracks(tracks) = &self.row.body {
            y -= LINE / 2;
            for track in tracks {
                track.draw(canvas, scale, y + track.height() / 2);
                y += track.height();
            }
        }
    }
}
