//! Heat maps: tables whose cells have a colour for a share, and the share as a figure.

use report::scene::{Anchor, Scene};

use super::Svg;
use super::canvas::{GRID, INK, Ink, LINE, MARGIN, WIDTH, area, drawn, lines, outline, text, tint, width};
use super::marks::Mark;
use super::rows::{Head, Key, real};

/// Height of a cell.
const CELL: f64 = 20.0;
/// Most room for the names of rows and of columns.
const NAMES: f64 = 150.0;

/// One of several tables with the same columns.
#[derive(Clone, Debug)]
pub struct Heat {
    /// The line above it.
    pub title: String,
    /// Its rows: a name, and a cell per column.
    pub rows: Vec<(String, Vec<Option<HeatCell>>)>,
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeatCell {
    /// From 0 to 1; `None` where there is no figure.
    pub share: Option<f64>,
    /// Whether it is of a variant that is wrong on purpose.
    pub on_purpose: bool,
}

impl HeatCell {
    /// In per cent. Only none and all are 0 and 100.
    pub fn figure(&self) -> String {
        let figure = match self.share {
            None => "–".to_owned(),
            Some(share) if share > 0.0 && share < 0.01 => "<1".to_owned(),
            Some(share) if share > 0.99 && share < 1.0 => ">99".to_owned(),
            Some(share) => format!("{:.0}", share * 100.0),
        };
        if self.on_purpose { format!("({figure})") } else { figure }
    }

    fn ink(on_purpose: bool) -> Ink {
        Mark(if on_purpose { 7 } else { 6 }).colour()
    }

    fn draw(&self, scene: &mut Scene, [left, top]: [f64; 2], wide: f64) {
        let place = area([left + 1.0, top + 1.0], [left + wide - 1.0, top + CELL - 1.0]);
        scene.area(place, outline(GRID));
        if let Some(share) = self.share.filter(|share| *share > 0.0) {
            scene.area(place, tint(Self::ink(self.on_purpose), 0.15 + 0.55 * share.min(1.0)));
        }
        let figure = self.figure();
        if width(&figure, false) < wide {
            let middle = [left + wide / 2.0, top + CELL / 2.0];
            scene.words(&text(middle, INK, &figure).anchored(Anchor::Middle));
        }
    }
}

/// The first line of a name that has this much room.
fn name(text: &str) -> String {
    lines(text, false, NAMES).into_iter().next().unwrap_or_default()
}

/// Tables one below the other, with the names of their columns above them.
pub fn heat_map(title: &str, subtitle: &str, columns: &[&str], tables: &[Heat]) -> Svg {
    let key = |on_purpose, words: &str| (Key::Cell(HeatCell::ink(on_purpose)), words.to_owned());
    let legend = [
        key(false, "% of the trials in which a pixel was wrong"),
        key(true, "(in parentheses) the same of a variant that is wrong on purpose"),
    ];
    let head = Head::of(title, subtitle, &legend);
    let widest = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|text| width(&name(text), false)).fold(0.0, f64::max).ceil()
    };
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let left = MARGIN + 6.0 + widest(&mut rows().map(|(name, _)| name.as_str()));
    let top = head.height() + widest(&mut columns.iter().copied()) + 6.0;
    let height = top + LINE * real(tables.len()) + CELL * real(rows().count()) + MARGIN;
    let wide = (WIDTH - MARGIN - left) / real(columns.len().max(1));
    drawn(height, |scene| {
        head.draw(scene);
        let mut x = left + wide / 2.0;
        for column in columns {
            scene.words(&text([x + 4.0, top - 8.0], INK, &name(column)).upright());
            x += wide;
        }
        tables.iter().fold(top, |y, table| table.draw(scene, [left, y], wide));
    })
}

impl Heat {
    /// Draws it at this height and returns the height of its end.
    fn draw(&self, scene: &mut Scene, [left, top]: [f64; 2], wide: f64) -> f64 {
        scene.words(&text([MARGIN, top + LINE / 2.0], INK, &name(&self.title)).bold());
        let mut y = top + LINE;
        for (row, cells) in &self.rows {
            scene.words(&text([left - 6.0, y + CELL / 2.0], INK, &name(row)).anchored(Anchor::End));
            let mut x = left;
            for cell in cells {
                if let Some(cell) = cell {
                    cell.draw(scene, [x, y], wide);
                }
                x += wide;
            }
            y += CELL;
        }
        y
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_0_or_100_only_where_none_or_all_were_wrong() {
        let of = |share| HeatCell { share: Some(share), on_purpose: false }.figure();
        assert_eq!([0.0, 0.001, 0.5, 0.995, 1.0].map(of), ["0", "<1", "50", ">99", "100"]);
        assert_eq!(HeatCell { share: Some(1.0), on_purpose: true }.figure(), "(100)");
    }
}
