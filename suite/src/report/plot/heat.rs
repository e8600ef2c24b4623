//! Heat maps: tables whose cells have a colour for a share, and the share as a figure.

use report::heat::{CrossTable, HeatCell, LEGEND};
use report::scene::{Anchor, Scene};

use super::Svg;
use super::canvas::{GRID, INK, Ink, LINE, MARGIN, WIDTH, area, drawn, lines, outline, text, tint, width};
use super::marks::Mark;
use super::rows::{Head, Key, real};

/// Height of a cell.
const CELL: f64 = 20.0;
/// Most room for the names of rows and of columns.
const NAMES: f64 = 150.0;

/// A table of cells.
type Heat<'c> = CrossTable<'c, HeatCell>;

fn ink(on_purpose: bool) -> Ink {
    Mark(if on_purpose { 7 } else { 6 }).colour()
}

fn draw_cell(cell: HeatCell, scene: &mut Scene, [left, top]: [f64; 2], wide: f64) {
    let place = area([left + 1.0, top + 1.0], [left + wide - 1.0, top + CELL - 1.0]);
    scene.area(place, outline(GRID));
    if cell.cover() > 0.0 {
        scene.area(place, tint(ink(cell.on_purpose), cell.cover()));
    }
    let figure = cell.figure();
    if width(&figure, false) < wide {
        let middle = [left + wide / 2.0, top + CELL / 2.0];
        scene.words(&text(middle, INK, &figure).anchored(Anchor::Middle));
    }
}

/// The first line of a name that has this much room.
fn name(text: &str) -> String {
    lines(text, false, NAMES).into_iter().next().unwrap_or_default()
}

/// Tables one below the other, with the names of their columns above them.
pub fn heat_map(title: &str, subtitle: &str, columns: &[&str], tables: &[Heat<'_>]) -> Svg {
    let key = |on_purpose| (Key::Cell(ink(on_purpose)), LEGEND[usize::from(on_purpose)].to_owned());
    let legend = [false, true].map(key);
    let head = Head::of(title, subtitle, &legend);
    let widest = |names: &mut dyn Iterator<Item = &str>| {
        names.map(|text| width(&name(text), false)).fold(0.0, f64::max).ceil()
    };
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let left = MARGIN + 6.0 + widest(&mut rows().map(|(name, _)| *name));
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
        tables.iter().fold(top, |y, table| draw_table(table, scene, [left, y], wide));
    })
}

/// Draws a table at this height and returns the height of its end.
fn draw_table(table: &Heat<'_>, scene: &mut Scene, [left, top]: [f64; 2], wide: f64) -> f64 {
    scene.words(&text([MARGIN, top + LINE / 2.0], INK, &name(table.title)).bold());
    let mut y = top + LINE;
    for (row, cells) in &table.rows {
        scene.words(&text([left - 6.0, y + CELL / 2.0], INK, &name(row)).anchored(Anchor::End));
        let mut x = left;
        for cell in cells {
            if let Some(cell) = cell {
                draw_cell(*cell, scene, [x, y], wide);
            }
            x += wide;
        }
        y += CELL;
    }
    y
}

#[cfg(test)]
mod tests {
    use report::heat::colour;

    use super::*;
    use crate::report::plot::STYLE;

    #[test]
    fn the_style_sheet_has_the_colours_of_the_window() {
        let (light, dark) = STYLE.split_once("dark").unwrap();
        for (on_purpose, is_dark) in [(false, false), (false, true), (true, false), (true, true)] {
            let [red, green, blue] = colour(on_purpose, is_dark);
            let rule = |hex: &str| format!(".{}{{color:#{hex}}}", ink(on_purpose).0);
            let hex = format!("{red:02x}{green:02x}{blue:02x}");
            let sheet = if is_dark { dark } else { light };
            assert!(sheet.contains(&rule(&hex)) || sheet.contains(&rule(&hex[..3])), "{hex}");
        }
    }
}
