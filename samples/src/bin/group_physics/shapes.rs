//! Particles on a lattice, pushed about, and the pairs of them that must keep a length.

use samples::half;

use crate::frame::{Frame, hash};
use crate::island::{Constraint, Island};

/// What an island is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Shape {
    /// A square patch; each particle keeps its distance to its eight neighbours
    Cloth,
    /// A rope; each particle keeps its distance to the next two
    Chain,
    /// Stacked spheres that may touch and not overlap
    Blob,
}

/// Every lattice begins here, so that no coordinate of an island comes near 0 and a zero's sign never
/// matters.
const ORIGIN: f32 = 8.0;
/// Bends and shears give way more easily than lengths.
const SOFT: f32 = 0.5;
/// Distance of two stacked spheres' centres, over their diameter: they overlap a little at rest.
const STACKED: f32 = 0.9375;
/// Spheres so far apart may come to touch while the solver runs, in diameters.
const REACH: f32 = 1.125;

/// Points on a grid. Those of even and odd coordinates are numbered apart: the pairs of a colour then
/// lie side by side, in memory and in the banks of shared memory.
struct Lattice {
    /// Points in a row, and rows in a layer.
    sides: [u32; 2],
    /// By number.
    points: Vec<[u32; 3]>,
    /// The numbers, row by row.
    numbers: Vec<u16>,
}

impl Lattice {
    fn new(particles: u32, [width, height]: [u32; 2]) -> Self {
        let at = |place: u32| [place % width, place / width % height, place / (width * height)];
        let mut places: Vec<u32> = (0..particles).collect();
        places.sort_by_cached_key(|&place| {
            let [x, y, z] = at(place);
            (z % 2, y % 2, x % 2, place)
        });
        let mut numbers = vec![0; places.len()];
        for (number, &place) in (0..).zip(&places) {
            numbers[place as usize] = number;
        }
        Self { sides: [width, height], points: places.into_iter().map(at).collect(), numbers }
    }

    /// The point so far away in the same layer, if there is one.
    fn neighbour(&self, number: u16, [right, down]: [i32; 2]) -> Option<u16> {
        let [width, height] = self.sides;
        let [x, y, z] = self.points[usize::from(number)];
        let x = x.checked_add_signed(right).filter(|&x| x < width)?;
        let y = y.checked_add_signed(down).filter(|&y| y < height)?;
        self.numbers.get((x + width * (y + height * z)) as usize).copied()
    }
}

impl Shape {
    /// Distance of two neighbours on the lattice. A rope's links are shorter, so that its coordinates
    /// stay as small as a patch's, and as exact.
    fn spacing(self) -> f32 {
        match self {
            Self::Cloth => 1.0,
            Self::Chain => 1.0 / 16.0,
            Self::Blob => STACKED,
        }
    }

    /// An error of this length or more keeps a constraint on the list of those that are not solved.
    pub fn tolerance(self) -> f32 {
        self.spacing() / 64.0
    }

    /// A line or a square or a cube as nearly full as so many particles allow.
    fn lattice(self, particles: u32) -> Lattice {
        let root = |dimensions: u32| (1..).find(|n: &u32| n.pow(dimensions) >= particles).unwrap_or(1);
        let sides = match self {
            Self::Chain => [particles.max(1), 1],
            Self::Cloth => [root(2), root(2)],
            Self::Blob => [root(3), root(3)],
        };
        Lattice::new(particles, sides)
    }

    /// Positions in the island's coordinates, and inverse masses.
    fn particles(self, island: u32, particles: u32) -> Vec<[f32; 4]> {
        let lattice = self.lattice(particles);
        let particle = |(i, at): (u32, &[u32; 3])| {
            let along = |axis: u32, at: u32| {
                // Up to a quarter of the spacing to either side, on the grid that frames need.
                let push = (hash([island, i, axis]) % 8192) as f32 / 16384.0 - 0.25;
                on_grid(ORIGIN + self.spacing() * (at as f32 + push))
            };
            let inverse_mass = [0.5, 1.0, 2.0][(hash([island, i, 3]) % 3) as usize];
            [along(0, at[0]), along(1, at[1]), along(2, at[2]), inverse_mass]
        };
        (0..).zip(&lattice.points).map(particle).collect()
    }

    /// The pairs, not coloured yet.
    fn constraints(self, island: u32, particles: &[[f32; 4]], stiffness: f32) -> Vec<Constraint> {
        match self {
            Self::Blob => contacts(particles, stiffness),
            Self::Chain => self.lengths(island, particles, &[[1, 0], [2, 0]], stiffness),
            Self::Cloth => self.lengths(island, particles, &[[1, 0], [0, 1], [1, 1], [-1, 1]], stiffness),
        }
    }

    /// Pairs that lie so far apart on the lattice, the first of `steps` or two at full stiffness.
    fn lengths(
        self,
        island: u32,
        particles: &[[f32; 4]],
        steps: &[[i32; 2]],
        stiffness: f32,
    ) -> Vec<Constraint> {
        let lattice = self.lattice(u32::try_from(particles.len()).unwrap_or(u32::MAX));
        let mut constraints = Vec::new();
        for &[x, y] in steps {
            let steps = ((x * x + y * y) as f32).sqrt();
            let stiffness = if steps > 1.0 { SOFT * stiffness } else { stiffness };
            // Greedy colours need fewest where it walks from neighbour to neighbour.
            for &i in &lattice.numbers {
                let Some(j) = lattice.neighbour(i, [x, y]) else { continue };
                // No two islands have the same lengths.
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

/// The nearest multiple of 2^-14: a translation by sixteenths then rounds nothing.
fn on_grid(coordinate: f32) -> f32 {
    (coordinate * 16384.0).round() / 16384.0
}

/// Pairs of spheres that touch or may come to.
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

/// Sorts constraints by colour, and within a colour by particle, so that neighbouring threads read
/// neighbouring particles; returns where each colour begins, and the end. First fit: each constraint
/// takes the first colour that neither of its particles has. No shape has a particle in more than some 14.
fn colour(particles: usize, constraints: &mut Vec<Constraint>) -> Vec<u32> {
    let mut taken = vec![0_u64; particles];
    let mut coloured = Vec::with_capacity(constraints.len());
    for &constraint in constraints.iter() {
        let [i, j] = constraint.pair.map(usize::from);
        let colour = (taken[i] | taken[j]).trailing_ones();
        taken[i] |= 1 << colour;
        taken[j] |= 1 << colour;
        coloured.push((colour, constraint));
    }
    coloured.sort_by_key(|(colour, constraint)| (*colour, constraint.pair));
    let colours = coloured.last().map_or(0, |(colour, _)| colour + 1);
    let begin = |colour| coloured.partition_point(|(other, _)| *other < colour);
    let bounds = (0..=colours).map(|colour| u32::try_from(begin(colour)).unwrap_or(u32::MAX)).collect();
    *constraints = coloured.into_iter().map(|(_, constraint)| constraint).collect();
    bounds
}

/// An island, by its number.
pub fn island(shape: Shape, number: u32, particles: u32, stiffness: f32) -> Island {
    let particles = shape.particles(number, particles);
    let mut constraints = shape.constraints(number, &particles, stiffness);
    let bounds = colour(particles.len(), &mut constraints);
    Island { frame: Frame::of(number), particles, constraints, bounds }
}
