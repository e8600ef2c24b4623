//! Lines over a value that was swept, a mark and a colour each.

use report::scale::named;
use report::scene::{Anchor, Scene};

use super::Svg;
use super::canvas::{FAINT, GRID, INK, LINE, MARGIN, WIDTH, drawn, line, text, ticks};
use super::marks::Mark;
use super::rows::{Head, Track};
use super::scale::{Kind, Scale};

/// Height of the field with the lines.
const FIELD: f64 = 230.0;
/// Room for the figures at its left.
const LEFT: f64 = 64.0;

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
