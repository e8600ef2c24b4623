//! Islands of particles that are connected by constraints: the input of `group_physics`.
//!
//! Particles are stored in the island's own coordinates and solved in world coordinates. A [`Frame`] converts
//! between them without rounding, so that the result does not depend on where the conversion happens.

use crate::frame::Frame;

/// Most particles per island: each gets one thread of the largest workgroup that every desktop device allows.
pub const MOST_PARTICLES: u32 = 1024;

/// A pair of particles that must keep a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Constraint {
    /// The two particles, the smaller index first.
    pub pair: [u16; 2],
    /// The required distance in world units.
    pub rest: f32,
    /// The fraction of the error that one projection removes, above 0 and at most 1.
    pub stiffness: f32,
    /// The pair are touching bodies: they may move apart, but not closer than `rest`.
    pub contact: bool,
}

/// Particles that no constraint connects to any particle outside.
#[derive(Clone, Debug, PartialEq)]
pub struct Island {
    /// Position and orientation in the world.
    pub frame: Frame,
    /// x, y, z in the island's coordinates, and the inverse mass; 0 fixes a particle in place.
    pub particles: Vec<[f32; 4]>,
    /// The constraints, sorted by colour.
    pub constraints: Vec<Constraint>,
    /// Start of each colour in `constraints`, and the end.
    pub bounds: Vec<u32>,
}

impl Island {
    /// Positions of the particles in the world.
    pub fn in_world(&self) -> Vec<[f32; 3]> {
        self.particles.iter().map(|&[x, y, z, _]| self.frame.to_world([x, y, z])).collect()
    }

    /// Fixes the highest particle in place, so that the island hangs from it.
    pub fn hang(&mut self) {
        let world = self.in_world();
        let highest = (0..world.len()).max_by(|&a, &b| world[a][1].total_cmp(&world[b][1]));
        if let Some(highest) = highest {
            self.particles[highest][3] = 0.0;
        }
    }
}
