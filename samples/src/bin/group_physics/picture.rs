//! The picture of a result for `--image` and the window: the first islands, with each constraint as a line between
//! its particles.

use crate::island::{Constraint, Island};

/// Side of an island's panel in pixels.
const PANEL: u32 = 320;
/// Panels per row.
const COLUMNS: u32 = 4;
/// Most rows of panels.
const ROWS: u32 = 2;
/// Pixels between an island and the edge of its panel.
const MARGIN: f32 = 12.0;
/// Least length of the shortest constraint in pixels. Of a rope, only the beginning fits.
const SHORTEST: f32 = 8.0;
/// Relative error of a constraint's length at which it has its full colour.
const FULL: f32 = 0.125;

/// The lines of the islands in the picture.
#[derive(Clone, Debug)]
pub struct Picture {
    islands: Vec<Vec<Constraint>>,
    particles: usize,
    /// Position and scale of each island in its panel.
    fits: Vec<Fit>,
}

impl Picture {
    /// A picture of the first islands. The scale is fixed by their initial size, with room around.
    pub fn of(islands: &[Island]) -> Self {
        let drawn = &islands[..islands.len().min((COLUMNS * ROWS) as usize)];
        Self {
            islands: drawn.iter().map(|island| island.constraints.clone()).collect(),
            particles: islands.first().map_or(0, |island| island.particles.len()),
            fits: drawn.iter().map(Fit::of).collect(),
        }
    }

    /// Number of islands in the picture.
    pub fn count(&self) -> usize {
        self.islands.len()
    }

    /// The island at a point of the picture, and the point's x and y in that island; `None` outside all panels.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "points lie inside the picture"
    )]
    pub fn place(&self, at: [f32; 2]) -> Option<(usize, [f32; 2])> {
        let [width, height] = self.size();
        if at[0] < 0.0 || at[1] < 0.0 || at[0] >= width as f32 || at[1] >= height as f32 {
            return None;
        }
        let panel = [at[0] as u32 / PANEL, at[1] as u32 / PANEL];
        let number = (panel[1] * COLUMNS + panel[0]) as usize;
        Some((number, self.in_island(number, at)?))
    }

    /// The x and y in an island of a point in the picture; a point outside its panel is moved to the panel's edge.
    pub fn in_island(&self, number: usize, at: [f32; 2]) -> Option<[f32; 2]> {
        let fit = self.fits.get(number)?;
        let panel = u32::try_from(number).ok()?;
        let corner = [panel % COLUMNS * PANEL, panel / COLUMNS * PANEL];
        let seen = [0, 1].map(|axis| (at[axis] - corner[axis] as f32).clamp(MARGIN, PANEL as f32 - MARGIN));
        Some([0, 1].map(|axis| (seen[axis] - MARGIN) / fit.scale + fit.least[axis]))
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        let panels = u32::try_from(self.islands.len()).unwrap_or(u32::MAX).max(1);
        [PANEL * panels.min(COLUMNS), PANEL * panels.div_ceil(COLUMNS)]
    }

    /// The pixels, row by row. A constraint is grey at its length, red where it is too long, blue where it is too
    /// short. `words` hold four floats per particle.
    pub fn paint(&self, words: &[u32]) -> Vec<[u8; 3]> {
        let [width, height] = self.size();
        let mut pixels = vec![[16; 3]; (width * height) as usize];
        let islands = words.chunks(4 * self.particles.max(1)).zip(&self.islands);
        for (number, (words, constraints)) in (0..).zip(islands) {
            let corner = [number % COLUMNS * PANEL, number / COLUMNS * PANEL];
            let at = positions(words);
            let fit = self.fits[number as usize];
            for constraint in constraints {
                let [a, b] = constraint.pair.map(|i| at[usize::from(i)]);
                let [from, to] = [a, b].map(|end| fit.place(end));
                for [x, y] in line(from, to).filter(|_| [from, to].map(is_in_panel) == [true; 2]) {
                    pixels[((corner[1] + y) * width + corner[0] + x) as usize] = colour(a, b, constraint);
                }
            }
        }
        pixels
    }
}

/// Positions of particles with four floats each.
pub fn positions(words: &[u32]) -> Vec<[f32; 3]> {
    words.chunks_exact(4).map(|p| [0, 1, 2].map(|k| f32::from_bits(p[k]))).collect()
}

/// Maps an island's x and y to its panel, at the largest scale that fits.
#[derive(Clone, Copy, Debug)]
struct Fit {
    least: [f32; 2],
    scale: f32,
}

impl Fit {
    fn of(island: &Island) -> Self {
        let along = |axis: usize| island.particles.iter().map(move |particle| particle[axis]);
        let least = [0, 1].map(|axis| along(axis).fold(f32::INFINITY, f32::min));
        let sides = [0, 1].map(|axis| along(axis).fold(f32::NEG_INFINITY, f32::max) - least[axis]);
        let panel = PANEL as f32 - 2.0 * MARGIN;
        let rests = island.constraints.iter().map(|constraint| constraint.rest);
        let shortest = rests.fold(f32::INFINITY, f32::min);
        let whole = (panel / sides[0].max(sides[1]).max(f32::MIN_POSITIVE)).max(SHORTEST / shortest);
        // A share of the panel stays free around the island as room for movement.
        Self { least: least.map(|least| least - panel / whole / 6.0), scale: 0.75 * whole }
    }

    fn place(&self, at: [f32; 3]) -> [f32; 2] {
        [0, 1].map(|axis| MARGIN + (at[axis] - self.least[axis]) * self.scale)
    }
}

fn is_in_panel(at: [f32; 2]) -> bool {
    at.iter().all(|side| (0.0..PANEL as f32).contains(side))
}

/// The pixels of a line between two points of a panel.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "points lie inside the panel")]
fn line(a: [f32; 2], b: [f32; 2]) -> impl Iterator<Item = [u32; 2]> {
    let steps = (b[0] - a[0]).abs().max((b[1] - a[1]).abs()).ceil().max(1.0) as u32;
    let along = move |i: u32, axis: usize| a[axis] + (b[axis] - a[axis]) * (i as f32 / steps as f32);
    (0..=steps).map(move |i| [0, 1].map(|axis| (along(i, axis) as u32).min(PANEL - 1)))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn colour(a: [f32; 3], b: [f32; 3], constraint: &Constraint) -> [u8; 3] {
    let length = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f32>().sqrt();
    let off = ((length / constraint.rest - 1.0) / FULL).clamp(-1.0, 1.0);
    // A contact longer than `rest` is inactive, not wrong.
    let off = if constraint.contact { off.min(0.0) } else { off };
    let shade = |part: f32| (160.0 + 95.0 * part) as u8;
    let other = (160.0 * (1.0 - off.abs())) as u8;
    if off > 0.0 { [shade(off), other, other] } else { [other, other, shade(-off)] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;
    use crate::island::Island;

    #[test]
    fn lines_have_the_colour_of_their_error() {
        let between = |i, j| Constraint { pair: [i, j], rest: 1.0, stiffness: 1.0, contact: false };
        let island = Island {
            frame: Frame::of(0),
            particles: vec![[8.0, 8.0, 0.0, 1.0], [10.0, 8.0, 0.0, 1.0], [10.0, 8.5, 0.0, 1.0]],
            constraints: vec![between(0, 1), between(1, 2)],
            bounds: vec![0, 1, 2],
        };
        let picture = Picture::of(&[island.clone(), island]);
        assert_eq!(picture.size(), [2 * PANEL, PANEL]);
        // The first pair is twice as far apart as it should be, the second half as far.
        let result: [f32; 12] = [8.0, 8.0, 0.0, 0.0, 10.0, 8.0, 0.0, 0.0, 10.0, 8.5, 0.0, 0.0];
        let words = result.map(f32::to_bits);
        let pixels = picture.paint(&[words, words].concat());
        let at = |x: u32, y: u32| pixels[(y * 2 * PANEL + x) as usize];
        for left in [0, PANEL] {
            assert_eq!(at(left + PANEL / 2, 49), [255, 0, 0]);
            assert_eq!(at(left + 271, 49 + 20), [0, 0, 255]);
            assert_eq!(at(left + PANEL / 2, PANEL / 2), [16; 3]);
        }
    }
}
