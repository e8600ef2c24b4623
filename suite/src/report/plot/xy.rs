//! Plots of lines over a swept value, each with its own mark and colour.

use report::scale::named;
use report::scene::{Anchor, Scene};

use super::Svg;
use super::canvas::{FAINT, GRID, INK, LINE, MARGIN, WIDTH, drawn, line, text, ticks};
use super::marks::Mark;
use super::rows::{Head, Key, Track};
use super::scale::{Kind, Scale};

/// Height of the plot area.
const FIELD: f64 = 230.0;
/// Width of the labels on the left.
const LEFT: f64 = 64.0;

/// Lines over a value.
#[derive(Clone, Debug)]
pub struct XyPlot {
    /// The title, in bold.
    pub title: String,
    /// The line below the title.
    pub subtitle: String,
    /// Label of the horizontal axis, with the unit.
    pub x_axis: String,
    /// Scale of the horizontal axis.
    pub x_kind: Kind,
    /// Ticks of the horizontal axis, with their labels.
    pub x_ticks: Vec<(f64, String)>,
    /// Label of the vertical axis, with the unit.
    pub y_axis: String,
    /// Scale of the vertical axis.
    pub y_kind: Kind,
    /// The lines, at most [`Mark::MOST`].
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name.
    pub name: String,
    /// Its points from left to right.
    pub points: Vec<Point>,
}

/// One point of a line.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The swept value.
    pub x: f64,
    /// The measured value.
    pub y: f64,
    /// The interval of the measured value.
    pub interval: Option<[f64; 2]>,
}

impl XyPlot {
    /// Draws the picture.
    pub fn draw(&self) -> Svg {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        let point = |at| Key::Track(Track::Point { at: 0.0, interval: None, mark: Mark(at) });
        let legend: Vec<(Key, String)> =
            (0..).zip(&self.lines).map(|(at, line)| (point(at), line.name.clone())).collect();
        let head = Head::of(&self.title, &self.subtitle, &legend);
        let top = head.height() + LINE;
        let bottom = top + FIELD;
        let x = Scale::over(
            points().map(|point| point.x),
            self.x_kind,
            false,
            (LEFT + 8.0, WIDTH - MARGIN - 8.0),
        );
        let ys = points().flat_map(|point| point.interval.into_iter().flatten().chain([point.y]));
        let y = Scale::over(ys, self.y_kind, true, (bottom, top));
        drawn(bottom + 2.0 * LINE + 10.0, |scene| {
            head.draw(scene);
            self.x_axis(scene, &x, [top, bottom]);
            self.y_axis(scene, &y, [top, bottom]);
            (0..).zip(&self.lines).for_each(|(at, line)| line.draw(scene, &x, &y, Mark(at)));
        })
    }

    fn x_axis(&self, scene: &mut Scene, x: &Scale, [top, bottom]: [f64; 2]) {
        ticks(scene, self.x_ticks.iter().map(|(value, name)| (x.at(*value), name.clone())), [top, bottom]);
        line(scene, &[[LEFT, bottom], [WIDTH - MARGIN, bottom]], INK);
        let name = text([WIDTH - MARGIN, bottom + 1.5 * LINE + 4.0], INK, &self.x_axis);
        scene.words(&name.anchored(Anchor::End));
    }

    fn y_axis(&self, scene: &mut Scene, y: &Scale, [top, bottom]: [f64; 2]) {
        scene.words(&text([MARGIN, top - LINE + 2.0], INK, &self.y_axis));
        for tick in y.ticks(7) {
            let at = y.at(tick);
            line(scene, &[[LEFT, at], [WIDTH - MARGIN, at]], GRID);
            scene.words(&text([LEFT - 6.0, at], FAINT, &named(tick)).anchored(Anchor::End));
        }
        line(scene, &[[LEFT, top], [LEFT, bottom]], INK)
    }
}

impl Line {
    fn draw(&self, scene: &mut Scene, x: &Scale, y: &Scale, mark: Mark) {
        let at = |point: &Point| [x.at(point.x), y.at(point.y)];
        let path: Vec<[f64; 2]> = self.points.iter().map(at).collect();
        line(scene, &path, mark.colour());
        for point in &self.points {
            let [across, up] = at(point);
            if let Some(ends) = point.interval {
                let [low, high] = ends.map(|end| y.at(end));
                line(scene, &[[across, low], [across, high]], INK);
            }
            mark.draw(scene, [across, up]);
        }
    }
}
