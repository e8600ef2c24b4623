//! Lines over a value that was swept, a mark and a colour each.

use report::scale::named;
use report::scene::Anchor;

use super::Svg;
use super::canvas::{Canvas, FAINT, GRID, INK, LINE, MARGIN, WIDTH, drawn};
use super::marks::Mark;
use super::rows::{Head, Track};
use super::scale::{Kind, Scale};

/// Height of the field with the lines.
const FIELD: i32 = 230;
/// Room for the figures at its left.
const LEFT: i32 = 64;

/// Lines over a value.
#[derive(Clone, Debug)]
pub struct XyPlot {
    /// In bold.
    pub title: String,
    /// Below it.
    pub subtitle: String,
    /// What the lower axis holds, with its unit.
    pub x_axis: String,
    /// How it is divided.
    pub x_kind: Kind,
    /// The values to name, as they are called.
    pub x_ticks: Vec<(f64, String)>,
    /// What the other one holds, with its unit.
    pub y_axis: String,
    /// How it is divided.
    pub y_kind: Kind,
    /// At most [`Mark::MOST`].
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// From left to right.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The value that was swept.
    pub x: f64,
    /// What was measured.
    pub y: f64,
    /// Its interval.
    pub interval: Option<[f64; 2]>,
}

impl XyPlot {
    /// The picture.
    pub fn draw(&self) -> Svg {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let legend: Vec<(Track, String)> = (0..)
            .zip(&self.lines)
            .map(|(at, line)| (Track::Point { at: 0.0, interval: None, mark: Mark(at) }, line.name.clone()))
            .collect();
        let head = Head::of(&self.title, &self.subtitle, &legend);
        let top = head.height() + LINE;
        let bottom = top + FIELD;
        let x =
            Scale::over(points().map(|point| point.x), self.x_kind, false, (LEFT + 8, WIDTH - MARGIN - 8));
        let ys = points().flat_map(|point| point.interval.into_iter().flatten().chain([point.y]));
        let y = Scale::over(ys, self.y_kind, true, (bottom, top));
        drawn(bottom + 2 * LINE + 10, |canvas| {
            head.draw(canvas);
            self.x_axis(canvas, &x, [top, bottom]);
            self.y_axis(canvas, &y, [top, bottom]);
            (0..).zip(&self.lines).for_each(|(at, line)| line.draw(canvas, &x, &y, Mark(at)));
        })
    }

    fn x_axis(&self, canvas: &mut Canvas, x: &Scale, [top, bottom]: [i32; 2]) {
        let ticks = self.x_ticks.iter().map(|(value, name)| (x.at(*value), name.clone()));
        canvas.ticks(ticks, [top, bottom]);
        canvas.line(&[[LEFT, bottom], [WIDTH - MARGIN, bottom]], INK, 1.0);
        canvas.text([WIDTH - MARGIN, bottom + LINE + LINE / 2 + 4], Anchor::End, INK, &self.x_axis)
    }

    fn y_axis(&self, canvas: &mut Canvas, y: &Scale, [top, bottom]: [i32; 2]) {
        canvas.text([MARGIN, top - LINE + 2], Anchor::Start, INK, &self.y_axis);
        for tick in y.ticks(7) {
            let at = y.at(tick);
            canvas.line(&[[LEFT, at], [WIDTH - MARGIN, at]], GRID, 1.0);
            canvas.text([LEFT - 6, at], Anchor::End, FAINT, &named(tick));
        }
        canvas.line(&[[LEFT, top], [LEFT, bottom]], INK, 1.0)
    }
}

impl Line {
    fn draw(&self, canvas: &mut Canvas, x: &Scale, y: &Scale, mark: Mark) {
        let at = |point: &Point| [x.at(point.x), y.at(point.y)];
        let path: Vec<[i32; 2]> = self.points.iter().map(at).collect();
        canvas.line(&path, mark.colour(), 1.0);
        for point in &self.points {
            let [across, up] = at(point);
            if let Some(ends) = point.interval {
                let [low, high] = ends.map(|end| y.at(end));
                canvas.line(&[[across, low], [across, high]], INK, 1.0);
            }
            mark.draw(canvas, [across, up]);
        }
    }
}
