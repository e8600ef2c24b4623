//! Creates islands: particles on a lattice with random offsets, and the pairs that must keep a distance.

use samples::half;

use crate::cells::Slot;
use crate::frame::{Frame, hash};
use crate::island::{Constraint, Island};
use crate::lattice::Lattice;

/// The shape of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// A square patch; each particle keeps its distance to its eight neighbours
    Cloth,
    /// A rope; each particle keeps its distance to the next two
    Chain,
    /// Stacked spheres that may touch and not overlap
    Blob,
}

/// Start of every lattice. It keeps coordinates away from 0, so that the sign of a zero never matters.
const ORIGIN: f32 = 8.0;
/// Factor on the stiffness of bends and shears, which give way more easily than lengths.
const SOFT: f32 = 0.5;
/// Distance between the centres of stacked spheres over their diameter: they overlap a little at rest.
const STACKED: f32 = 0.9375;
/// Distance in diameters within which spheres may come to touch while the solver runs.
const REACH: f32 = 1.125;

impl Shape {
    /// Distance between neighbours on the lattice. A rope's links are shorter, so that its coordinates stay as
    /// small, and as exact, as those of a patch.
    fn spacing(self) -> f32 {
        match self {
            Self::Cloth => 1.0,
            Self::Chain => 1.0 / 16.0,
            Self::Blob => STACKED,
        }
    }

    /// Length of an error from which a constraint counts as open.
    pub fn tolerance(self) -> f32 {
        self.spacing() / 64.0
    }

    /// The smallest line, square or cube with room for `particles` particles.
    pub fn lattice(self, particles: u32) -> Lattice {
        let root = |dimensions: u32| (1..).find(|n: &u32| n.pow(dimensions) >= particles).unwrap_or(1);
        let sides = match self {
            Self::Chain => [particles.max(1), 1],
            Self::Cloth => [root(2), root(2)],
            Self::Blob => [root(3), root(3)],
        };
        Lattice::new(particles, sides)
    }

    fn lattice_of(self, particles: &[[f32; 4]]) -> Lattice {
        self.lattice(u32::try_from(particles.len()).unwrap_or(u32::MAX))
    }

    /// Positions in the island's coordinates, and inverse masses.
    fn particles(self, island: u32, particles: u32) -> Vec<[f32; 4]> {
        let lattice = self.lattice(particles);
        let particle = |(i, at): (u32, &[u32; 3])| {
            let along = |axis: u32, at: u32| {
                // An offset of up to a quarter of the spacing in both directions, on the grid that frames need.
                let push = (hash([island, i, axis]) % 8192) as f32 / 16384.0 - 0.25;
                on_grid(ORIGIN + self.spacing() * (at as f32 + push))
            };
            let inverse_mass = [0.5, 1.0, 2.0][(hash([island, i, 3]) % 3) as usize];
            [along(0, at[0]), along(1, at[1]), along(2, at[2]), inverse_mass]
        };
        (0..).zip(&lattice.points).map(particle).collect()
    }

    /// The constraints, each behind its colour.
    fn constraints(self, island: u32, particles: &[[f32; 4]], stiffness: f32) -> Vec<(u32, Constraint)> {
        let lengths = |steps: &[[i32; 2]]| self.lengths(island, particles, steps, stiffness);
        match self {
            Self::Blob => few_colours(particles.len(), contacts(particles, stiffness)),
            Self::Chain => few_colours(particles.len(), lengths(&[[1, 0], [2, 0]])),
            Self::Cloth => {
                let lattice = self.lattice_of(particles);
                let colour = |length: &Constraint| Slot::of(&lattice, length.pair).colour();
                let lengths = lengths(&[[1, 0], [0, 1], [1, 1], [-1, 1]]);
                lengths.into_iter().map(|length| (colour(&length), length)).collect()
            }
        }
    }

    /// Constraints between all pairs with these offsets on the lattice. Offsets of one step have full stiffness,
    /// longer ones are soft.
    fn lengths(
        self,
        island: u32,
        particles: &[[f32; 4]],
        steps: &[[i32; 2]],
        stiffness: f32,
    ) -> Vec<Constraint> {
        let lattice = self.lattice_of(particles);
        let mut constraints = Vec::new();
        for &[x, y] in steps {
            let steps = ((x * x + y * y) as f32).sqrt();
            let stiffness = if steps > 1.0 { SOFT * stiffness } else { stiffness };
            // Greedy colouring needs the fewest colours if it visits neighbours in order.
            for &i in &lattice.numbers {
                let Some(j) = lattice.neighbour(i, [x, y]) else { continue };
                // Vary the lengths between islands.
                let varied = 1.0 + (hash([island, i.into(), j.into()]) % 64) as f32 / 2048.0;
                let rest = half::round(self.spacing() * steps * varied);
                let pair = [i.min(j), i.max(j)];
                constraints.push(Constraint {
                    pair,
                    rest,
                    stiffness: half::round(stiffness),
                    contact: false,
                });
            }
        }
        constraints
    }
}

/// Rounds to a multiple of 2^-14, so that translations by sixteenths are exact.
fn on_grid(coordinate: f32) -> f32 {
    (coordinate * 16384.0).round() / 16384.0
}

/// Pairs of spheres that touch or may come to touch.
fn contacts(particles: &[[f32; 4]], stiffness: f32) -> Vec<Constraint> {
    let stiffness = half::round(stiffness);
    let mut constraints = Vec::new();
    for (j, b) in (0_u16..).zip(particles) {
        for (i, a) in (0..j).zip(particles) {
            let squared: f32 = (0..3).map(|k| (a[k] - b[k]) * (a[k] - b[k])).sum();
            if squared < REACH * REACH {
                constraints.push(Constraint { pair: [i, j], rest: 1.0, stiffness, contact: true });
            }
        }
    }
    constraints
}

/// Gives each constraint the first colour that neither of its particles has, and moves constraints from large colours to
/// small ones. A particle is in far fewer than the 32 constraints whose colours 64 bits have room for.
fn few_colours(particles: usize, constraints: Vec<Constraint>) -> Vec<(u32, Constraint)> {
    let mut taken = vec![0_u64; particles];
    let mut counts = Vec::new();
    let mut coloured = Vec::with_capacity(constraints.len());
    for constraint in constraints {
        let [i, j] = constraint.pair.map(usize::from);
        let colour = (taken[i] | taken[j]).trailing_ones();
        taken[i] |= 1 << colour;
        taken[j] |= 1 << colour;
        counts.resize(counts.len().max(colour as usize + 1), 0);
        counts[colour as usize] += 1;
        coloured.push((colour, constraint));
    }
    for (colour, constraint) in &mut coloured {
        let [i, j] = constraint.pair.map(usize::from);
        let free = (0_u32..).zip(&counts).filter(|(other, _)| (taken[i] | taken[j]) >> other & 1 == 0);
        let Some((smallest, &count)) = free.min_by_key(|(_, count)| **count) else { continue };
        if count + 1 < counts[*colour as usize] {
            let moved = 1 << *colour | 1 << smallest;
            (taken[i], taken[j]) = (taken[i] ^ moved, taken[j] ^ moved);
            counts[*colour as usize] -= 1;
            counts[smallest as usize] += 1;
            *colour = smallest;
        }
    }
    coloured
}

/// Sorts constraints by colour, and by particle within a colour, so that neighbouring threads read neighbouring
/// particles. Returns them with the start of each colour, and the end.
fn sorted(mut coloured: Vec<(u32, Constraint)>) -> (Vec<Constraint>, Vec<u32>) {
    coloured.sort_by_key(|(colour, constraint)| (*colour, constraint.pair));
    let colours = coloured.last().map_or(0, |(colour, _)| colour + 1);
    let begin = |colour| coloured.partition_point(|(other, _)| *other < colour);
    let bounds = (0..=colours).map(|colour| u32::try_from(begin(colour)).unwrap_or(u32::MAX)).collect();
    (coloured.into_iter().map(|(_, constraint)| constraint).collect(), bounds)
}

/// The island with this number.
pub fn island(shape: Shape, number: u32, particles: u32, stiffness: f32) -> Island {
    let particles = shape.particles(number, particles);
    let (constraints, bounds) = sorted(shape.constraints(number, &particles, stiffness));
    Island { frame: Frame::of(number), particles, constraints, bounds }
}
