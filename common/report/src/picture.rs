//! A picture of where races fall: one panel a variant and size, as PNG.
//!
//! A bin's colour is the share of trials in which a texel of it differed, on a logarithmic scale, since
//! one texel in one trial is worth seeing as well as all of them in all. What was never seen has a
//! colour of its own, and a panel without any race says so in words.

pub(super) mod canvas;

use anyhow::{Context, Result, ensure};
use colorous::PLASMA;
use embedded_graphics::pixelcolor::Rgb888;

use canvas::{Canvas, text_width};

/// One map of races.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What stands at the left of its row.
    pub row: String,
    /// What stands above its column.
    pub column: String,
    /// Texels of the image.
    pub size: [u32; 2],
    /// Columns and rows of bins.
    pub bins: [u32; 2],
    /// How often a texel of each bin differed, row by row.
    pub counts: Vec<u32>,
    /// Images that were compared.
    pub trials: u64,
}

const PANEL: u32 = 128;
const GAP: u32 = 8;
const MARGIN: u32 = 16;
const LINE: u32 = 18;
/// A bin is drawn at least this large, so that one racy texel can be seen.
const BLOCK: u32 = 3;

const PAPER: Rgb888 = Rgb888::new(255, 255, 255);
const INK: Rgb888 = Rgb888::new(20, 20, 24);
const FAINT: Rgb888 = Rgb888::new(110, 112, 120);
/// Where nothing was seen.
const NOTHING: Rgb888 = Rgb888::new(226, 228, 233);

/// Draws the panels as a grid, rows and columns in the order of their first appearance.
///
/// # Errors
/// No panel; a picture that PNG cannot hold.
pub fn picture(title: &str, subtitle: &str, panels: &[Panel]) -> Result<Vec<u8>> {
    ensure!(
        !panels.is_empty(),
        "there is nothing to draw: no variant that is checked has run, or none was right"
    );
    let grid = Grid::of(panels);
    let legend = Legend::of(panels);
    let width =
        grid.width().max(MARGIN * 2 + text_width(title).max(text_width(subtitle))).max(legend.width());
    let mut canvas = Canvas::new([width, grid.height()], PAPER);
    canvas.text([MARGIN, MARGIN], title, INK);
    canvas.text([MARGIN, MARGIN + LINE], subtitle, FAINT);
    legend.draw(&mut canvas, [MARGIN, MARGIN + 2 * LINE + 6]);
    grid.heads(&mut canvas);
    for panel in panels {
        draw(&mut canvas, panel, &legend, grid.corner(panel));
    }
    canvas.png().context("the picture has no form as PNG")
}

fn draw(canvas: &mut Canvas, panel: &Panel, legend: &Legend, [left, top]: [u32; 2]) {
    canvas.rectangle([left, top], [PANEL, PANEL], NOTHING);
    let [columns, rows] = panel.bins;
    let mut seen: Vec<(f64, u32, u32)> = (0..)
        .zip(&panel.counts)
        .filter(|(_, count)| **count > 0)
        .map(|(at, &count)| (share(panel, count), at % columns, at / columns))
        .collect();
    if seen.is_empty() {
        let lines = ["none seen".to_owned(), format!("in {} trials", panel.trials)];
        for (line, y) in lines.iter().zip([top + PANEL / 2 - LINE, top + PANEL / 2 + 2]) {
            canvas.text([left + PANEL.saturating_sub(text_width(line)) / 2, y], line, FAINT);
        }
    }
    // The rare ones first: a block that is larger than its bin must not hide a frequent neighbour.
    seen.sort_by(|a, b| a.0.total_cmp(&b.0));
    for (share, x, y) in seen {
        let [x0, x1] = [x, x + 1].map(|x| x * PANEL / columns);
        let [y0, y1] = [y, y + 1].map(|y| y * PANEL / rows);
        let size = [(x1 - x0).max(BLOCK), (y1 - y0).max(BLOCK)];
        let at = [x0.min(PANEL - size[0]), y0.min(PANEL - size[1])];
        canvas.rectangle([left + at[0], top + at[1]], size, legend.colour(share));
    }
}

/// Of the trials in which a texel of the bin differed, on average over its texels.
fn share(panel: &Panel, count: u32) -> f64 {
    f64::from(count) * least(panel)
}

/// The share that one texel in one trial is.
#[expect(clippy::cast_precision_loss, reason = "a count of trials fits 52 bits")]
fn least(panel: &Panel) -> f64 {
    let texels = |i: usize| f64::from(panel.size[i]) / f64::from(panel.bins[i]);
    1.0 / (texels(0) * texels(1) * panel.trials.max(1) as f64)
}

/// Where the panels stand.
struct Grid<'p> {
    rows: Vec<&'p str>,
    columns: Vec<&'p str>,
    /// Width of the widest row head.
    heads: u32,
}

impl<'p> Grid<'p> {
    fn of(panels: &'p [Panel]) -> Self {
        let mut grid = Self { rows: Vec::new(), columns: Vec::new(), heads: 0 };
        for panel in panels {
            for (known, head) in [(&mut grid.rows, &panel.row), (&mut grid.columns, &panel.column)] {
                if !known.contains(&head.as_str()) {
                    known.push(head);
                }
            }
        }
        grid.heads = grid.rows.iter().map(|head| text_width(head)).max().unwrap_or(0);
        grid
    }

    fn left(&self) -> u32 {
        MARGIN + self.heads + GAP
    }

    fn top() -> u32 {
        MARGIN + 5 * LINE + 12
    }

    fn width(&self) -> u32 {
        self.left() + count(&self.columns) * (PANEL + GAP) + MARGIN
    }

    fn height(&self) -> u32 {
        Self::top() + count(&self.rows) * (PANEL + GAP) + MARGIN
    }

    fn corner(&self, panel: &Panel) -> [u32; 2] {
        let position = |heads: &[&str], head: &str| heads.iter().take_while(|&&h| h != head).count();
        let (column, row) = (position(&self.columns, &panel.column), position(&self.rows, &panel.row));
        [self.left() + number(column) * (PANEL + GAP), Self::top() + number(row) * (PANEL + GAP)]
    }

    fn heads(&self, canvas: &mut Canvas) {
        for (at, head) in (0..).zip(&self.columns) {
            let inset = PANEL.saturating_sub(text_width(head)) / 2;
            canvas.text([self.left() + at * (PANEL + GAP) + inset, Self::top() - LINE], head, INK);
        }
        for (at, head) in (0..).zip(&self.rows) {
            let y = Self::top() + at * (PANEL + GAP) + PANEL / 2 - LINE / 2;
            canvas.text([MARGIN + self.heads - text_width(head), y], head, INK);
        }
    }
}

fn count(heads: &[&str]) -> u32 {
    number(heads.len())
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// The scale of colours.
struct Legend {
    /// Decades from the smallest share that can be seen up to 1.
    decades: u32,
}

const BAR: u32 = 240;
const CAPTION: &str = "share of trials in which a texel differed (grey: none seen; a spot is never drawn smaller than 3 pixels)";

impl Legend {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a handful of decades")]
    fn of(panels: &[Panel]) -> Self {
        let least = panels.iter().map(least).fold(1.0, f64::min);
        Self { decades: (-least.log10()).ceil().clamp(1.0, 12.0) as u32 }
    }

    fn width(&self) -> u32 {
        2 * MARGIN + BAR + 3 * GAP + text_width(CAPTION)
    }

    /// From violet for the rarest to yellow for always; the map's darkest part would pass for ink.
    fn colour(&self, share: f64) -> Rgb888 {
        let place = 1.0 + share.max(1e-12).log10() / f64::from(self.decades);
        let colour = PLASMA.eval_continuous(0.15 + 0.85 * place.clamp(0.0, 1.0));
        Rgb888::new(colour.r, colour.g, colour.b)
    }

    fn draw(&self, canvas: &mut Canvas, [left, top]: [u32; 2]) {
        for x in 0..BAR {
            let decades = f64::from(self.decades) * (f64::from(x) / f64::from(BAR - 1) - 1.0);
            canvas.rectangle([left + x, top], [1, 12], self.colour(10_f64.powf(decades)));
        }
        let rarest = format!("1e-{}", self.decades);
        canvas.text([left, top + 14], &rarest, FAINT);
        canvas.text([left + BAR - text_width("1"), top + 14], "1", FAINT);
        canvas.text([left + BAR + 2 * GAP, top], CAPTION, FAINT);
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn panel(row: &str, column: &str, side: u32, wrong: &[(usize, u32)]) -> Panel {
        let bins = [side.min(128); 2];
        let mut counts = vec![0; (bins[0] * bins[1]) as usize];
        for &(at, count) in wrong {
            counts[at] = count;
        }
        Panel { row: row.into(), column: column.into(), size: [side; 2], bins, counts, trials: 200 }
    }

    /// Width and the pixels, row by row.
    pub(crate) fn decoded(png: &[u8]) -> (usize, Vec<[u8; 3]>) {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        (info.width as usize, bytes.chunks_exact(3).map(|rgb| [rgb[0], rgb[1], rgb[2]]).collect())
    }

    fn rgb(colour: Rgb888) -> [u8; 3] {
        use embedded_graphics::pixelcolor::RgbColor;
        [colour.r(), colour.g(), colour.b()]
    }

    fn pixels_of(panels: &[Panel], which: usize) -> Vec<[u8; 3]> {
        let (width, pixels) = decoded(&picture("title", "subtitle", panels).unwrap());
        let [left, top] = Grid::of(panels).corner(&panels[which]).map(|n| n as usize);
        let side = PANEL as usize;
        (top..top + side).flat_map(|y| pixels[y * width + left..y * width + left + side].to_vec()).collect()
    }

    #[test]
    fn one_racy_texel_in_one_trial_shows() {
        for side in [32, 512, 4096] {
            let panels = [panel("no_barrier", "a", side, &[(700, 1)])];
            let colour = rgb(Legend::of(&panels).colour(least(&panels[0])));
            let seen = pixels_of(&panels, 0).iter().filter(|p| **p == colour).count();
            assert!(seen >= 9, "{seen} pixels at {side}");
            let far = |a: [u8; 3], b: [u8; 3]| (0..3).map(|i| a[i].abs_diff(b[i]) as u32).sum::<u32>();
            assert!(far(colour, rgb(NOTHING)) > 150, "{colour:?} is hardly another colour");
        }
    }

    #[test]
    fn races_stand_where_they_fell() {
        let all: Vec<(usize, u32)> = (0..128 * 64).map(|at| (at, 16 * 200)).collect();
        let pixels = pixels_of(&[panel("r", "c", 512, &all)], 0);
        let always = rgb(Legend { decades: 4 }.colour(1.0));
        assert_eq!((pixels[0], pixels[128 * 63]), (always, always), "the upper half raced always");
        assert_eq!(pixels[128 * 70], rgb(NOTHING));
    }

    #[test]
    fn a_panel_without_a_race_says_so() {
        let panels = [panel("r", "a", 64, &[]), panel("r", "b", 64, &[(0, 1)])];
        let words = |at| pixels_of(&panels, at).iter().filter(|p| **p == rgb(FAINT)).count();
        assert!(words(0) > 100 && words(1) == 0);
    }

    #[test]
    fn heads_of_rows_end_before_the_panels() {
        let long = "coherent_stores, two images in turn and more";
        let panels = [panel(long, "4096x4096", 64, &[(3, 5)]), panel("short", "32x32", 64, &[])];
        let grid = Grid::of(&panels);
        assert!(grid.left() >= MARGIN + text_width(long) + GAP);
        let (width, pixels) = decoded(&picture("t", "s", &panels).unwrap());
        assert_eq!(
            (width, pixels.len() / width),
            (grid.width().max(Legend::of(&panels).width()) as usize, grid.height() as usize)
        );
    }

    #[test]
    fn the_same_panels_give_the_same_picture_and_none_give_none() {
        let panels = [panel("r", "c", 64, &[(5, 7)])];
        assert_eq!(picture("t", "s", &panels).unwrap(), picture("t", "s", &panels).unwrap());
        assert!(picture("t", "s", &[]).is_err());
    }
}
