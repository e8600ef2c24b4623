//! The matrix of a sample that counts trials: a heat map per table, with the shares, colours and words of the report.

use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

use egui::epaint::TextShape;
use egui::text::{LayoutJob, TextFormat};
use egui::{Align, Align2, Color32, Galley, Pos2, Rect, Sense, Stroke, StrokeKind, Vec2, pos2, vec2};
use record::{Cell, Row, Status};
use report::heat::{self, CrossTable, HeatCell, LEGEND, cross_tables};

use super::look::Look;
use super::numbers::promised;
use super::paint::{line, number, put, share};
use super::rows::{row, said_of, status_colour};
use super::stepped;
use crate::messages::{Entry, Snapshot};

/// Draws all tables and the legend, and returns the variant whose cell was clicked.
pub(super) fn draw(ui: &egui::Ui, look: &Look, inside: Rect, snapshot: &Snapshot) -> Option<usize> {
    let (columns, tables) = cross_tables(&placed(snapshot));
    let shown = snapshot.variants.get(snapshot.current).and_then(|entry| entry.cell.as_ref());
    let matrix = Matrix { ui, look, snapshot, shown, columns, tables };
    let legend = 2.6 * look.small;
    let mut grid = matrix.grid(inside.size() - vec2(0.0, legend + 0.3 * look.unit));
    // If there is no room for both, the figures are worth more than the legend.
    if has_room(grid.cell.y - 2.0, look.small) {
        matrix.legend(inside.split_top_bottom_at_y(inside.bottom() - legend).1);
    } else {
        grid = matrix.grid(inside.size());
    }
    let mut clicked = None;
    for at in 0..matrix.tables.len() {
        clicked = matrix.table(&grid, inside.min, at).or(clicked);
    }
    clicked
}

/// Whether a figure fits into a cell of this height.
fn has_room(height: f32, font: f32) -> bool {
    height + 0.5 >= font
}

/// The variants that have a cell, by their positions.
fn placed(snapshot: &Snapshot) -> Vec<(&Cell, usize)> {
    let variants = snapshot.variants.iter().enumerate();
    variants.filter_map(|(at, entry)| Some((entry.cell.as_ref()?, at))).collect()
}

/// The variant in the column of the shown one, `by` rows further down in all tables.
pub(super) fn down(snapshot: &Snapshot, by: isize) -> Option<usize> {
    let (_, tables) = cross_tables(&placed(snapshot));
    let rows: Vec<&Vec<_>> = tables.iter().flat_map(|table| &table.rows).map(|(_, row)| row).collect();
    let column = |row: &&Vec<_>| row.iter().position(|variant| *variant == Some(snapshot.current));
    let (at, column) = rows.iter().enumerate().find_map(|(at, row)| Some((at, column(row)?)))?;
    rows[stepped(at, by, rows.len())][column]
}

/// What is known of the trials of a row. Before the first one nothing is claimed.
pub(super) fn told(row: Option<&Row>) -> String {
    let Some(row) = row.filter(|row| !row.is_pending()) else { return "no trial yet".to_owned() };
    let counted = || row.racy.map_or_else(|| "not checked".to_owned(), heat::trials);
    said_of(row).unwrap_or_else(counted)
}

/// What is drawn.
struct Matrix<'m> {
    ui: &'m egui::Ui,
    look: &'m Look,
    snapshot: &'m Snapshot,
    /// The cell of the shown variant.
    shown: Option<&'m Cell>,
    columns: Vec<&'m str>,
    /// The positions of the variants.
    tables: Vec<CrossTable<'m, usize>>,
}

/// The sizes of the parts, in points.
struct Grid {
    /// The tables are one below the other, and the first one has the heads of all columns; else they are side by side.
    is_stacked: bool,
    /// From one table to the next where they are side by side.
    width: f32,
    title: f32,
    /// The heads of the columns are read from below, because a word is wider than a cell.
    is_upright: bool,
    /// Width of the heads of rows, and height of those of columns.
    heads: Vec2,
    cell: Vec2,
}

impl Matrix<'_> {
    /// The arrangement in which the figures have more room.
    fn grid(&self, size: Vec2) -> Grid {
        let [stacked, beside] = [true, false].map(|is_stacked| self.arranged(size, is_stacked));
        let room = |grid: &Grid| grid.cell.y.min(grid.cell.x / 3.0);
        if room(&beside) > room(&stacked) { beside } else { stacked }
    }

    fn arranged(&self, size: Vec2, is_stacked: bool) -> Grid {
        let unit = self.look.unit;
        let count = self.tables.len().max(1);
        let rows = self.tables.iter().map(|table| table.rows.len());
        let (across, titles, rows) =
            if is_stacked { (1, count, rows.sum()) } else { (count, 1, rows.max().unwrap_or(0)) };
        let widest = |names: &mut dyn Iterator<Item = &str>| {
            names.map(|name| self.head(name, false, (f32::INFINITY, 1)).size().x).fold(0.0, f32::max)
        };
        let mut names = self.tables.iter().flat_map(|table| &table.rows).map(|(name, _)| *name);
        let left = widest(&mut names) + unit;
        let width = size.x / number(across);
        let each = ((width - left) / number(self.columns.len().max(1))).floor().max(0.0);
        let is_upright = widest(&mut self.columns.iter().flat_map(|name| name.split(' '))) > each;
        let heights = self.columns.iter().map(|name| self.head(name, false, (each, 3)).size().y);
        let heights = heights.fold(0.0, f32::max);
        let wide = widest(&mut self.columns.iter().copied()).min(0.4 * size.y);
        let top = 0.3 * unit + if is_upright { wide } else { heights };
        // Tables stand apart where that costs no figures.
        let title = if size.y > 2.2 * unit * number(rows) { 2.0 } else { 1.45 } * unit;
        let height = (size.y - title * number(titles) - top) / number(rows.max(1));
        let height = height.clamp(0.0, 4.5 * unit).floor();
        Grid { is_stacked, width, title, is_upright, heads: vec2(left, top), cell: vec2(each, height) }
    }

    /// Draws a table, and returns the variant whose cell was clicked.
    fn table(&self, grid: &Grid, all: Pos2, at: usize) -> Option<usize> {
        let painter = self.ui.painter();
        let table = &self.tables[at];
        let above: usize = self.tables[..at].iter().map(|table| table.rows.len()).sum();
        let has_heads = at == 0 || !grid.is_stacked;
        let corner = if grid.is_stacked {
            let heads = if has_heads { 0.0 } else { grid.heads.y };
            all + vec2(0.0, heads + grid.title * number(at) + grid.cell.y * number(above))
        } else {
            all + vec2(grid.width * number(at), 0.0)
        };
        let title = line(painter, table.title, self.look.bold(1.0), self.look.ink.text, grid.width);
        let mut left = corner + vec2(grid.heads.x, grid.title);
        put(painter, pos2(corner.x, left.y), Align2::LEFT_BOTTOM, title);
        if has_heads {
            left.y += grid.heads.y;
            self.column_heads(grid, left);
        }
        let mut clicked = None;
        for (name, variants) in &table.rows {
            let is_shown = self.shown.is_some_and(|cell| (&*cell.table, &*cell.row) == (table.title, *name));
            // Where the names of all rows would overlap, that of the shown variant is legible.
            if is_shown || grid.cell.y >= 0.8 * self.look.small {
                let name = self.head(name, is_shown, (f32::INFINITY, 1));
                let corner = vec2(0.5 * self.look.unit, 0.0) + 0.5 * name.size();
                painter.galley(left + vec2(0.0, 0.5 * grid.cell.y) - corner, name, self.look.ink.faint);
            }
            for (column, variant) in variants.iter().enumerate() {
                let Some(variant) = *variant else { continue };
                let place = Rect::from_min_size(left + vec2(grid.cell.x * number(column), 0.0), grid.cell);
                clicked = self.cell(place, variant).then_some(variant).or(clicked);
            }
            left.y += grid.cell.y;
        }
        clicked
    }

    /// Draws the heads of the columns above the cells that begin at `left`.
    fn column_heads(&self, grid: &Grid, left: Pos2) {
        for (column, name) in self.columns.iter().enumerate() {
            let is_shown = self.shown.is_some_and(|cell| cell.column == *name);
            let room = if grid.is_upright { (grid.heads.y, 1) } else { (grid.cell.x, 3) };
            let name = self.head(name, is_shown, room);
            let middle = left + vec2(grid.cell.x * (number(column) + 0.5), -0.2 * self.look.unit);
            let (size, ink) = (name.size(), self.look.ink.faint);
            self.ui.painter().add(if grid.is_upright {
                TextShape::new(middle - 0.5 * vec2(size.y, size.x), name, ink).with_angle(-FRAC_PI_2)
            } else {
                TextShape::new(middle - vec2(0.0, size.y), name, ink)
            });
        }
    }

    /// The name of a row or a column in lines of a width, centred on its position. That of the shown variant has
    /// another colour.
    fn head(&self, name: &str, is_shown: bool, (width, lines): (f32, usize)) -> Arc<Galley> {
        let ink = &self.look.ink;
        let colour = if is_shown { ink.current } else { ink.faint };
        let mut job =
            LayoutJob::single_section(name.to_owned(), TextFormat::simple(self.look.small(), colour));
        job.wrap.max_width = width.max(1.0);
        job.wrap.max_rows = lines;
        job.halign = Align::Center;
        self.ui.painter().layout_job(job)
    }

    /// Draws a cell, and returns whether it was clicked.
    fn cell(&self, place: Rect, variant: usize) -> bool {
        let (look, snapshot) = (self.look, self.snapshot);
        if !place.is_positive() {
            return false;
        }
        let row = row(snapshot, variant);
        let response = self.ui.interact(place, self.ui.id().with(("cell", variant)), Sense::click());
        let place = place.shrink(1.0);
        let strong = (0.14 * look.unit).clamp(2.0, 4.0);
        let stroke = match variant {
            at if at == snapshot.current => Stroke::new(strong, look.ink.current),
            at if snapshot.other == Some(at) => Stroke::new(strong, look.ink.rival),
            _ if response.hovered() => Stroke::new(1.0, look.ink.text),
            _ => Stroke::new(1.0, look.ink.line),
        };
        let measured = row.filter(|row| !row.is_pending());
        let colour = measured.map_or(Color32::TRANSPARENT, |row| tint(look, &HeatCell::of(row)));
        self.ui.painter().rect(place, 0.0, colour, stroke, StrokeKind::Inside);
        if let Some(row) = measured {
            self.figure(place, row);
        }
        response.on_hover_ui(|ui| hover(ui, &snapshot.variants[variant], row)).clicked()
    }

    /// Draws the figure of a row; one that failed has its status instead.
    fn figure(&self, place: Rect, row: &Row) {
        let (look, painter) = (self.look, self.ui.painter());
        let (text, colour) = match row.status {
            Status::Wrong { .. } | Status::Error { .. } => {
                (row.status.word().to_owned(), status_colour(row, look))
            }
            _ => (HeatCell::of(row).figure(), look.ink.text),
        };
        let font = if has_room(place.height(), 1.25 * look.unit) { look.plain() } else { look.small() };
        if !has_room(place.height(), font.size) {
            return;
        }
        let text = painter.layout_no_wrap(text, font, colour);
        if text.size().x <= place.width() {
            put(painter, place.center(), Align2::CENTER_CENTER, text);
        }
    }

    /// Draws what the two colours stand for, one below the other.
    fn legend(&self, place: Rect) {
        let (look, painter) = (self.look, self.ui.painter());
        let (top, bottom) = place.split_top_bottom_at_fraction(0.5);
        for (on_purpose, words, place) in [(false, LEGEND[0], top), (true, LEGEND[1], bottom)] {
            let size = vec2(2.0, 0.9) * look.small;
            let sample = Align2::LEFT_CENTER.align_size_within_rect(size, place);
            painter.rect_filled(sample, 0.0, tint(look, &HeatCell { share: Some(1.0), on_purpose }));
            let left = sample.right() + 0.5 * look.unit;
            let words = line(painter, words, look.small(), look.ink.faint, place.right() - left);
            put(painter, pos2(left, place.center().y), Align2::LEFT_CENTER, words);
        }
    }
}

/// The colour of a cell, through which the panel is seen.
fn tint(look: &Look, cell: &HeatCell) -> Color32 {
    let [red, green, blue] = heat::colour(cell.on_purpose, look.is_dark);
    Color32::from_rgb(red, green, blue).gamma_multiply(share(cell.cover()))
}

/// What a cell has no room for.
fn hover(ui: &mut egui::Ui, entry: &Entry, row: Option<&Row>) {
    ui.strong(&entry.label);
    if let Some(promise) = promised(&entry.promise) {
        ui.label(promise);
    }
    ui.label(told(row));
}
