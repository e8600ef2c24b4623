//! Islands of particles held together by constraints: what `group_physics` solves.
//!
//! An island's particles are stored in coordinates of its own, and solved in those of the world: a
//! [`Frame`] turns one into the other without rounding, so that the result does not depend on who
//! turns.

use crate::frame::Frame;

/// Particles of an island at most: each has a thread in the largest workgroup that every desktop
/// device allows.
pub const MOST_PARTICLES: u32 = 1024;

/// A pair of particles that must keep a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The two, the smaller index first.
    pub pair: [u16; 2],
    /// The length, in units of the world.
    pub rest: f32,
    /// The part of the error that one projection takes away, above 0 and at most 1.
    pub stiffness: f32,
    /// Two bodies that touch: they may not come closer than `rest`, and may part.
    pub contact: bool,
}

/// A set of particles that no constraint ties to any other.
#[derive(Clone, Debug, PartialEq)]
pub struct Island {
    /// Where it stands in the world.
    pub frame: Frame,
    /// x, y, z in its own coordinates, and the inverse mass: 0 holds a particle in place.
    pub particles: Vec<[f32; 4]>,
    /// Sorted by colour.
    pub constraints: Vec<Constraint>,
    /// Where each colour begins in `constraints`, and the end.
    pub bounds: Vec<u32>,
}

impl Island {
    /// Where its particles are in the world.
    pub fn in_world(&self) -> Vec<[f32; 3]> {
        self.particles.iter().map(|&[x, y, z, _]| self.frame.to_world([x, y, z])).collect()
    }

    /// Holds its highest particle in place, so that it hangs.
    pub fn hang(&mut self) {
        let world = self.in_world();
        let highest = (0..world.len()).max_by(|&a, &b| world[a][1].total_cmp(&world[b][1]));
        if let Some(highest) = highest {
            self.particles[highest][3] = 0.0;
        }
    }
}
