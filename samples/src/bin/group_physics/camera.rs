//! How the picture shows an island: in the world, with gravity down, from the side and from above. A flat cloth lies in
//! a plane of two of the world's axes, and none of the three planes is seen from its edge.

use crate::arithmetic::{difference, squared};
use crate::frame::Frame;
use crate::island::Island;
use crate::picture::PANEL;
use crate::reference::FLOOR;

/// Rows: to the right, down and towards the viewer, in the world. The camera is turned by 37° and raised by 28°.
const VIEW: [[f32; 3]; 3] = [
    [0.8, 0.0, -0.6],
    [8.0 / 17.0 * 0.6, -15.0 / 17.0, 8.0 / 17.0 * 0.8],
    [15.0 / 17.0 * 0.6, 8.0 / 17.0, 15.0 / 17.0 * 0.8],
];
/// Part of a panel that an island covers. The rest is room for movement.
const COVERED: f32 = 0.8;
/// Brightness of the farthest lines. The nearest have 1.
const FAR: f32 = 0.45;

/// Maps an island to its panel, at the largest scale that fits.
#[derive(Clone, Copy, Debug)]
pub struct Camera {
    frame: Frame,
    /// What is in the middle of the panel, and in the middle of all depths.
    centre: [f32; 3],
    /// Pixels per unit.
    scale: f32,
    /// The island's extent towards the viewer.
    depth: f32,
}

impl Camera {
    /// A camera that looks at an island where it is at first, and where it falls if one of its particles is fixed.
    pub fn of(island: &Island) -> Self {
        let mut points = island.in_world();
        if let Some(fixed) = island.particles.iter().position(|particle| particle[3] == 0.0) {
            let top = points[fixed];
            let lowest = if island.constraints.iter().any(|constraint| constraint.contact) {
                FLOOR
            } else {
                let distance = |at: &[f32; 3]| squared(difference(*at, top)).sqrt();
                FLOOR.max(top[1] - points.iter().map(distance).fold(0.0, f32::max))
            };
            let fallen: Vec<_> = points.iter().map(|&[x, _, z]| [x, lowest, z]).collect();
            // The floor lifts what begins below it.
            points.iter_mut().for_each(|at| at[1] = at[1].max(FLOOR));
            points.extend(fallen);
        }
        let along = |axis: usize| points.iter().map(move |&at| seen(at)[axis]);
        let least = [0, 1, 2].map(|axis| along(axis).fold(f32::INFINITY, f32::min));
        let sides = [0, 1, 2].map(|axis| along(axis).fold(f32::NEG_INFINITY, f32::max) - least[axis]);
        Self {
            frame: island.frame,
            centre: [0, 1, 2].map(|axis| least[axis] + 0.5 * sides[axis]),
            scale: COVERED * PANEL as f32 / sides[0].max(sides[1]).max(f32::MIN_POSITIVE),
            depth: sides[2].max(f32::MIN_POSITIVE),
        }
    }

    /// Pixel of the panel that shows a point of the island, and the distance towards the viewer, in pixels too.
    pub fn place(&self, at: [f32; 3]) -> [f32; 3] {
        let seen = seen(self.frame.to_world(at));
        [0, 1, 2].map(|axis| 0.5 * PANEL as f32 + (seen[axis] - self.centre[axis]) * self.scale)
    }

    /// The point of the island that [`Self::place`] maps to this.
    pub fn point(&self, place: [f32; 3]) -> [f32; 3] {
        let seen = [0, 1, 2].map(|axis| (place[axis] - 0.5 * PANEL as f32) / self.scale + self.centre[axis]);
        // The inverse of a rotation is its transpose.
        self.frame.to_local([0, 1, 2].map(|axis| (0..3).map(|row| VIEW[row][axis] * seen[row]).sum()))
    }

    /// The brightness of what is at this distance towards the viewer.
    pub fn brightness(&self, depth: f32) -> f32 {
        let part = 0.5 + (depth - 0.5 * PANEL as f32) / (self.scale * self.depth);
        FAR + (1.0 - FAR) * part.clamp(0.0, 1.0)
    }
}

/// A point of the world as the camera sees it: to the right, down, and towards the viewer.
fn seen(world: [f32; 3]) -> [f32; 3] {
    VIEW.map(|row| (0..3).map(|axis| row[axis] * world[axis]).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::{Shape, island};

    /// The area that the panel shows of the square of a cloth, in pixels.
    fn area(camera: &Camera) -> f32 {
        let [corner, right, down] =
            [[8.0, 8.0, 8.0], [15.0, 8.0, 8.0], [8.0, 15.0, 8.0]].map(|at| camera.place(at));
        let side = |to: [f32; 3]| [0, 1].map(|axis| to[axis] - corner[axis]);
        let ([a, b], [c, d]) = (side(right), side(down));
        (a * d - b * c).abs()
    }

    #[test]
    fn no_cloth_is_seen_from_its_edge_and_down_is_down() {
        for number in 0..48 {
            let mut island = island(Shape::Cloth, number, 64, 1.0);
            for hangs in [false, true] {
                if hangs {
                    island.hang();
                }
                let camera = Camera::of(&island);
                assert!(area(&camera) > 0.03 * (PANEL * PANEL) as f32, "{number}: {}", area(&camera));
                let at = [9.0, 10.0, 8.0];
                let mut lower = island.frame.to_world(at);
                lower[1] -= 1.0;
                let [from, to] = [at, island.frame.to_local(lower)].map(|at| camera.place(at));
                assert!((to[0] - from[0]).abs() < 1e-3 && to[1] > from[1], "{from:?} {to:?}");
                let back = camera.point(from);
                assert!((0..3).all(|k| (back[k] - at[k]).abs() < 1e-4), "{back:?}");
            }
        }
    }
}
