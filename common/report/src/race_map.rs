//! Draws where races occur: one panel per variant and size, as PNG.
//!
//! The colour of a bin is the share of trials in which one of its pixels differed. The scale is logarithmic, so that
//! one texel in one trial is visible as well as all texels in all trials. Bins without a race have their own colour,
//! and a panel without any race says so in words.

use anyhow::{Result, ensure};
use colorous::PLASMA;
use record::{RaceMap, Record, Row, Shows};

use super::names::distinct;
use super::scene::{Anchor, Area, Fill, Pixels, Rgb, Scene, Words, png, text_width};

/// The race map of a variant at one size.
#[derive(Clone, Debug)]
struct Panel {
    /// The text to the left of its row.
    row: String,
    /// The text above its column.
    column: String,
    map: RaceMap,
}

/// Width and height of a panel in pixels.
const PANEL: u32 = 128;
const SIDE: f64 = 128.0;
const GAP: f64 = 8.0;
const MARGIN: f64 = 16.0;
const LINE: f64 = 18.0;
const SIZE: f64 = 13.0;
/// Smallest size of a drawn bin in pixels, so that a single wrong texel is visible.
const BLOCK: u32 = 3;

const PAPER: Fill = Fill([255, 255, 255]);
const INK: Fill = Fill([20, 20, 24]);
const FAINT: Fill = Fill([110, 112, 120]);
/// The colour of bins without a race.
const NOTHING: Rgb = [226, 228, 233];

/// The picture of where pixels differed, as PNG: sizes next to each other if the sample's cross tables have them,
/// otherwise one panel below the other.
///
/// # Errors
/// If there is nothing to draw, or the picture cannot be encoded.
pub fn picture_of(record: &Record, maps: &[RaceMap]) -> Result<Vec<u8>> {
    let row = |variant: &str| record.rows.iter().find(|row| row.variant == variant);
    let panels: Vec<Panel> = maps.iter().map(|map| panel(record, row(&map.variant), map)).collect();
    let device = &record.device;
    let title = format!("{}: where pixels differed from the CPU reference's", record.sample);
    let subtitle = format!("{}, {}", device.name, device.driver());
    picture(&title, &subtitle, &panels)
}

fn panel(record: &Record, row: Option<&Row>, map: &RaceMap) -> Panel {
    let size = format!("{}x{}", map.size[0], map.size[1]);
    let races = record.matrix.as_ref().is_some_and(|matrix| matrix.shows == Shows::Races);
    let place = row.and_then(|row| row.cell.as_ref()).filter(|_| races);
    let (row, column) = match place {
        Some(cell) => (format!("{}, {}", cell.column, cell.table.to_lowercase()), cell.row.clone()),
        None => (map.variant.clone(), size),
    };
    Panel { row, column, map: map.clone() }
}

/// Draws the panels as a grid, rows and columns in the order of their first appearance.
fn picture(title: &str, subtitle: &str, panels: &[Panel]) -> Result<Vec<u8>> {
    ensure!(
        !panels.is_empty(),
        "there is nothing to draw: no variant that is checked has run, or none was right"
    );
    let (grid, legend) = (Grid::of(panels), Legend::of(panels));
    let size = grid.size(title, subtitle);
    let mut scene = Scene::default();
    scene.area(Area { left: 0.0, top: 0.0, width: size[0], height: size[1] }, PAPER);
    scene.words(&Words::new([MARGIN, MARGIN + SIZE], SIZE, INK, title));
    scene.words(&Words::new([MARGIN, MARGIN + LINE + SIZE], SIZE, FAINT, subtitle));
    legend.draw(&mut scene, [MARGIN, MARGIN + 2.0 * LINE + 6.0])?;
    grid.heads(&mut scene);
    for panel in panels {
        draw(&mut scene, &panel.map, &legend, grid.corner(panel))?;
    }
    png(&scene.svg(size, "", ""), 1.0)
}

fn draw(scene: &mut Scene, map: &RaceMap, legend: &Legend, [left, top]: [f64; 2]) -> Result<()> {
    let [columns, rows] = map.bins;
    let mut seen: Vec<(f64, u32, u32)> = (0..)
        .zip(&map.counts)
        .filter(|(_, count)| **count > 0)
        .map(|(at, &count)| (f64::from(count) * least(map), at % columns, at / columns))
        .collect();
    // Rare races are drawn first: a block that is larger than its bin must not hide a frequent neighbour.
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut colours = vec![NOTHING; (PANEL * PANEL) as usize];
    for (share, x, y) in &seen {
        let side = |at: u32, bins: u32| {
            let [from, to] = [at, at + 1].map(|at| at * PANEL / bins);
            let size = (to - from).max(BLOCK);
            let from = from.min(PANEL - size);
            from..from + size
        };
        for y in side(*y, rows) {
            for x in side(*x, columns) {
                colours[(y * PANEL + x) as usize] = legend.colour(*share);
            }
        }
    }
    scene.image(Area { left, top, width: SIDE, height: SIDE }, &Pixels::of([PANEL; 2], &colours))?;
    if seen.is_empty() {
        let lines = ["none seen".to_owned(), format!("in {} trials", map.trials)];
        for (line, y) in lines.into_iter().zip([-4.0, LINE - 4.0]) {
            let at = [left + SIDE / 2.0, top + SIDE / 2.0 + y];
            scene.words(&Words::new(at, SIZE, FAINT, line).anchored(Anchor::Middle));
        }
    }
    Ok(())
}

/// The smallest share that can occur: one texel that differs in one trial, averaged over the texels of a bin.
#[expect(clippy::cast_precision_loss, reason = "a count of trials fits 52 bits")]
fn least(map: &RaceMap) -> f64 {
    let texels = |i: usize| f64::from(map.size[i]) / f64::from(map.bins[i]);
    1.0 / (texels(0) * texels(1) * map.trials.max(1) as f64)
}

/// The positions of the panels.
struct Grid<'p> {
    rows: Vec<&'p str>,
    columns: Vec<&'p str>,
    /// Right edge of the row headings.
    heads: f64,
}

impl<'p> Grid<'p> {
    fn of(panels: &'p [Panel]) -> Self {
        let rows = distinct(panels.iter().map(|panel| panel.row.as_str()));
        let columns = distinct(panels.iter().map(|panel| panel.column.as_str()));
        let heads = MARGIN + rows.iter().map(|head| wide(head)).fold(0.0, f64::max).ceil();
        Self { rows, columns, heads }
    }

    /// Upper left corner of the panel in this column and row.
    fn at(&self, column: usize, row: usize) -> [f64; 2] {
        let pitch = |at: usize| f64::from(u32::try_from(at).unwrap_or(u32::MAX)) * (SIDE + GAP);
        [self.heads + GAP + pitch(column), MARGIN + 5.0 * LINE + 12.0 + pitch(row)]
    }

    fn size(&self, title: &str, subtitle: &str) -> [f64; 2] {
        let [right, bottom] = self.at(self.columns.len(), self.rows.len());
        let words = wide(title).max(wide(subtitle)).max(BAR + 2.0 * GAP + wide(CAPTION));
        [(right + MARGIN).max(2.0 * MARGIN + words).ceil(), bottom + MARGIN]
    }

    fn corner(&self, panel: &Panel) -> [f64; 2] {
        let position = |heads: &[&str], head: &str| heads.iter().take_while(|&&h| h != head).count();
        self.at(position(&self.columns, &panel.column), position(&self.rows, &panel.row))
    }

    fn heads(&self, scene: &mut Scene) {
        for (at, head) in self.columns.iter().enumerate() {
            let [left, top] = self.at(at, 0);
            let words = Words::new([left + SIDE / 2.0, top - 5.0], SIZE, INK, *head);
            scene.words(&words.anchored(Anchor::Middle));
        }
        for (at, head) in self.rows.iter().enumerate() {
            let [_, top] = self.at(0, at);
            let words = Words::new([self.heads, top + SIDE / 2.0 + 4.0], SIZE, INK, *head);
            scene.words(&words.anchored(Anchor::End));
        }
    }
}

fn wide(text: &str) -> f64 {
    text_width(text, SIZE, false)
}

/// The colour scale.
struct Legend {
    /// Decades from the smallest possible share up to 1.
    decades: f64,
}

const BAR: f64 = 240.0;
const CAPTION: &str = "share of trials in which a texel differed (grey: none seen; a spot is never drawn smaller than 3 pixels)";

impl Legend {
    fn of(panels: &[Panel]) -> Self {
        let least = panels.iter().map(|panel| least(&panel.map)).fold(1.0, f64::min);
        Self { decades: (-least.log10()).ceil().clamp(1.0, 12.0) }
    }

    /// From violet for the rarest to yellow for 1. The darkest part of the colour map is not used, since it could be
    /// mistaken for text.
    fn colour(&self, share: f64) -> Rgb {
        let place = 1.0 + share.max(1e-12).log10() / self.decades;
        let colour = PLASMA.eval_continuous(0.15 + 0.85 * place.clamp(0.0, 1.0));
        [colour.r, colour.g, colour.b]
    }

    fn draw(&self, scene: &mut Scene, [left, top]: [f64; 2]) -> Result<()> {
        const STEPS: u32 = 240;
        let share = |at: u32| 10_f64.powf(self.decades * (f64::from(at) / f64::from(STEPS - 1) - 1.0));
        let colours: Vec<Rgb> = (0..STEPS).map(|at| self.colour(share(at))).collect();
        scene.image(Area { left, top, width: BAR, height: 12.0 }, &Pixels::of([STEPS, 1], &colours))?;
        let mut words = |[x, y]: [f64; 2], text: String, anchor| {
            scene.words(&Words::new([left + x, top + y], SIZE, FAINT, text).anchored(anchor));
        };
        words([0.0, 26.0], format!("1e-{:.0}", self.decades), Anchor::Start);
        words([BAR, 26.0], "1".into(), Anchor::End);
        words([BAR + 2.0 * GAP, 11.0], CAPTION.into(), Anchor::Start);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::tests::decoded;

    fn panel(row: &str, column: &str, side: u32, wrong: &[(usize, u32)]) -> Panel {
        let bins = [side.min(128); 2];
        let mut counts = vec![0; (bins[0] * bins[1]) as usize];
        for &(at, count) in wrong {
            counts[at] = count;
        }
        let map = RaceMap { variant: String::new(), size: [side; 2], bins, counts, trials: 200 };
        Panel { row: row.into(), column: column.into(), map }
    }

    fn whole(value: f64) -> usize {
        value.to_string().parse().unwrap()
    }

    fn pixels_of(panels: &[Panel], which: usize) -> Vec<[u8; 3]> {
        let (width, pixels) = decoded(&picture("title", "subtitle", panels).unwrap());
        let [left, top] = Grid::of(panels).corner(&panels[which]).map(whole);
        let side = PANEL as usize;
        (top..top + side).flat_map(|y| pixels[y * width + left..y * width + left + side].to_vec()).collect()
    }

    #[test]
    fn one_racy_texel_in_one_trial_shows() {
        for side in [32, 512, 4096] {
            let panels = [panel("no_barrier", "a", side, &[(700, 1)])];
            let colour = Legend::of(&panels).colour(least(&panels[0].map));
            let seen = pixels_of(&panels, 0).iter().filter(|p| **p == colour).count();
            assert!(seen >= 9, "{seen} pixels at {side}");
            let far = |a: [u8; 3], b: [u8; 3]| (0..3).map(|i| a[i].abs_diff(b[i]) as u32).sum::<u32>();
            assert!(far(colour, NOTHING) > 150, "{colour:?} is hardly another colour");
        }
    }

    #[test]
    fn races_stand_where_they_fell() {
        let all: Vec<(usize, u32)> = (0..128 * 64).map(|at| (at, 16 * 200)).collect();
        let pixels = pixels_of(&[panel("r", "c", 512, &all)], 0);
        let always = Legend { decades: 4.0 }.colour(1.0);
        assert_eq!((pixels[0], pixels[128 * 63]), (always, always), "the upper half raced always");
        assert_eq!(pixels[128 * 70], NOTHING);
    }

    #[test]
    fn a_panel_without_a_race_says_so() {
        let panels = [panel("r", "a", 64, &[]), panel("r", "b", 64, &[(0, 1)])];
        let words = |at| pixels_of(&panels, at).iter().filter(|p| p[0] < 200).count();
        assert!(words(0) > 100 && words(1) < 10);
    }

    #[test]
    fn heads_of_rows_end_before_the_panels() {
        let long = "coherent_stores, two images in turn and more";
        let panels = [panel(long, "4096x4096", 64, &[(3, 5)]), panel("short", "32x32", 64, &[])];
        let grid = Grid::of(&panels);
        assert!(grid.at(0, 0)[0] >= MARGIN + wide(long) + GAP);
        let (width, pixels) = decoded(&picture("t", "s", &panels).unwrap());
        assert_eq!([width, pixels.len() / width], grid.size("t", "s").map(whole));
    }

    #[test]
    fn no_panels_give_no_picture() {
        assert!(picture("t", "s", &[]).is_err());
    }
}
