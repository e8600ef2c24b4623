//! The picture of a result for `--image` and the window: the first islands, with each constraint as a line between
//! its particles.

use crate::camera::Camera;
use crate::island::{Constraint, Island};

/// Side of an island's panel in pixels.
pub const PANEL: u32 = 320;
/// Panels per row.
const COLUMNS: u32 = 4;
/// Most rows of panels.
const ROWS: u32 = 2;
/// Relative error of a constraint's length at which it has its full colour.
const FULL: f32 = 0.125;

/// The lines of the islands in the picture.
#[derive(Clone, Debug)]
pub struct Picture {
    islands: Vec<Vec<Constraint>>,
    particles: usize,
    cameras: Vec<Camera>,
}

impl Picture {
    /// A picture of the first islands. The scale is fixed by their initial size, with room around.
    pub fn of(islands: &[Island]) -> Self {
        let drawn = &islands[..islands.len().min((COLUMNS * ROWS) as usize)];
        Self {
            islands: drawn.iter().map(|island| island.constraints.clone()).collect(),
            particles: islands.first().map_or(0, |island| island.particles.len()),
            cameras: drawn.iter().map(Camera::of).collect(),
        }
    }

    /// Number of islands in the picture.
    pub fn count(&self) -> usize {
        self.islands.len()
    }

    /// The island at a point of the picture, and the point in its panel; `None` outside all panels.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "points lie inside the picture"
    )]
    pub fn panel(&self, at: [f32; 2]) -> Option<(usize, [f32; 2])> {
        let [width, height] = self.size();
        if at[0] < 0.0 || at[1] < 0.0 || at[0] >= width as f32 || at[1] >= height as f32 {
            return None;
        }
        let panel = [at[0] as u32 / PANEL, at[1] as u32 / PANEL];
        let number = (panel[1] * COLUMNS + panel[0]) as usize;
        (number < self.count()).then(|| (number, Self::in_panel(number, at)))
    }

    /// A point of the picture in the panel of an island; a point outside is moved to the panel's edge.
    pub fn in_panel(number: usize, at: [f32; 2]) -> [f32; 2] {
        let columns = COLUMNS as usize;
        let corner = [number % columns, number / columns].map(|panel| panel as f32 * PANEL as f32);
        [0, 1].map(|axis| (at[axis] - corner[axis]).clamp(0.0, PANEL as f32))
    }

    /// How an island is seen in its panel.
    pub fn camera(&self, number: usize) -> &Camera {
        &self.cameras[number]
    }

    /// Width and height in pixels.
    pub fn size(&self) -> [u32; 2] {
        let panels = u32::try_from(self.islands.len()).unwrap_or(u32::MAX).max(1);
        [PANEL * panels.min(COLUMNS), PANEL * panels.div_ceil(COLUMNS)]
    }

    /// The pixels, row by row. A constraint is grey at its length, red where it is too long, blue where it is too
    /// short, and darker the farther away it is. `words` hold four floats per particle.
    pub fn paint(&self, words: &[u32]) -> Vec<[u8; 3]> {
        let [width, height] = self.size();
        let mut pixels = vec![[16; 3]; (width * height) as usize];
        let mut nearest = vec![f32::NEG_INFINITY; pixels.len()];
        let islands = words.chunks(4 * self.particles.max(1)).zip(&self.islands);
        for (number, (words, constraints)) in (0..).zip(islands) {
            let corner = [number % COLUMNS * PANEL, number / COLUMNS * PANEL];
            let at = positions(words);
            let camera = &self.cameras[number as usize];
            for constraint in constraints {
                let [a, b] = constraint.pair.map(|i| at[usize::from(i)]);
                let [from, to] = [a, b].map(|end| camera.place(end));
                let depth = 0.5 * (from[2] + to[2]);
                let colour = colour(a, b, constraint, camera.brightness(depth));
                for [x, y] in line(from, to).filter(|_| [from, to].map(is_in_panel) == [true; 2]) {
                    let pixel = ((corner[1] + y) * width + corner[0] + x) as usize;
                    if depth > nearest[pixel] {
                        (nearest[pixel], pixels[pixel]) = (depth, colour);
                    }
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

fn is_in_panel([x, y, _]: [f32; 3]) -> bool {
    [x, y].iter().all(|side| (0.0..PANEL as f32).contains(side))
}

/// The pixels of a line between two points of a panel.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "points lie inside the panel")]
fn line(a: [f32; 3], b: [f32; 3]) -> impl Iterator<Item = [u32; 2]> {
    let steps = (b[0] - a[0]).abs().max((b[1] - a[1]).abs()).ceil().max(1.0) as u32;
    let along = move |i: u32, axis: usize| a[axis] + (b[axis] - a[axis]) * (i as f32 / steps as f32);
    (0..=steps).map(move |i| [0, 1].map(|axis| (along(i, axis) as u32).min(PANEL - 1)))
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 0 to 255")]
fn colour(a: [f32; 3], b: [f32; 3], constraint: &Constraint, brightness: f32) -> [u8; 3] {
    let length = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum::<f32>().sqrt();
    let off = ((length / constraint.rest - 1.0) / FULL).clamp(-1.0, 1.0);
    // A contact longer than `rest` is inactive, not wrong.
    let off = if constraint.contact { off.min(0.0) } else { off };
    let shade = |part: f32| (brightness * (160.0 + 95.0 * part)) as u8;
    let other = (brightness * 160.0 * (1.0 - off.abs())) as u8;
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
        let camera = picture.camera(0);
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "points lie inside the panel"
        )]
        let at = |left: u32, point: [f32; 3]| {
            let [x, y, _] = camera.place(point);
            // A line may be drawn beside the pixel that its middle falls into.
            let near = (0..9).map(|i| [x as u32 + i % 3 - 1, y as u32 + i / 3 - 1]);
            near.map(|[x, y]| pixels[(y * 2 * PANEL + left + x) as usize]).collect::<Vec<_>>()
        };
        for left in [0, PANEL] {
            let red = at(left, [9.0, 8.0, 0.0]);
            assert!(red.iter().any(|&[red, green, blue]| red > 110 && [green, blue] == [0, 0]), "{red:?}");
            let blue = at(left, [10.0, 8.25, 0.0]);
            assert!(blue.iter().any(|&[red, green, blue]| blue > 110 && [red, green] == [0, 0]), "{blue:?}");
            assert_eq!(at(left, [8.5, 8.3, 0.0]), [[16; 3]; 9]);
        }
    }

    #[test]
    fn what_is_near_hides_what_is_far() {
        let between = |i, j| Constraint { pair: [i, j], rest: 1.0, stiffness: 1.0, contact: false };
        let frame = Frame::of(0);
        // Two lines that cross in the picture; the nearer one is drawn first and is too long.
        let mut island = Island { frame, particles: Vec::new(), constraints: Vec::new(), bounds: vec![0, 2] };
        island.particles =
            [[8.0, 8.0, 8.0], [24.0, 8.0, 8.0], [8.0, 24.0, 8.0]].map(|[x, y, z]| [x, y, z, 1.0]).into();
        let camera = Camera::of(&island);
        let ends =
            [[100.0, 160.0, 200.0], [220.0, 160.0, 200.0], [160.0, 100.0, 150.0], [160.0, 220.0, 150.0]];
        island.particles = ends.map(|end| camera.point(end)).map(|[x, y, z]| [x, y, z, 1.0]).into();
        island.constraints = vec![between(0, 1), Constraint { rest: 100.0, ..between(2, 3) }];
        let picture =
            Picture { islands: vec![island.constraints.clone()], particles: 4, cameras: vec![camera] };
        let words: Vec<u32> = island.particles.iter().flatten().map(|x| x.to_bits()).collect();
        let pixels = picture.paint(&words);
        let [red, _, blue] = pixels[(160 * PANEL + 160) as usize];
        assert!(red > blue, "{red} {blue}");
    }
}
