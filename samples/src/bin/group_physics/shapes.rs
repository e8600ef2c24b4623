//! Creates islands: particles on a lattice with random offsets, and the pairs that must keep a distance.

use samples::half;

use crate::frame::{Frame, hash};
use crate::island::{Constraint, Island};

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

/// Points on a grid. Points with even and odd coordinates are numbered separately, so that the pairs of one colour
/// are adjacent in memory and in the banks of shared memory.
struct Lattice {
    /// Points per row, and rows per layer.
    sides: [u32; 2],
    /// The coordinates by number.
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

    /// The point at this offset in the same layer, if there is one.
    fn neighbour(&self, number: u16, [right, down]: [i32; 2]) -> Option<u16> {
        let [width, height] = self.sides;
        let [x, y, z] = self.points[usize::from(number)];
        let x = x.checked_add_signed(right).filter(|&x| x < width)?;
        let y = y.checked_add_signed(down).filter(|&y| y < height)?;
        self.numbers.get((x + width * (y + height * z)) as usize).copied()
    }
}

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
                // An offset of up to a quarter of the spacing in both directions, on the grid that frames need.
                let push = (hash([island, i, axis]) % 8192) as f32 / 16384.0 - 0.25;
                on_grid(ORIGIN + self.spacing() * (at as f32 + push))
            };
            let inverse_mass = [0.5, 1.0, 2.0][(hash([island, i, 3]) % 3) as usize];
            [along(0, at[0]), along(1, at[1]), along(2, at[2]), inverse_mass]
        };
        (0..).zip(&lattice.points).map(particle).collect()
    }

    /// The constraints, before colouring.
    fn constraints(self, island: u32, particles: &[[f32; 4]], stiffness: f32) -> Vec<Constraint> {
        match self {
            Self::Blob => contacts(particles, stiffness),
            Self::Chain => self.lengths(island, particles, &[[1, 0], [2, 0]], stiffness),
            Self::Cloth => self.lengths(island, particles, &[[1, 0], [0, 1], [1, 1], [-1, 1]], stiffness),
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
        let lattice = self.lattice(u32::try_from(particles.len()).unwrap_or(u32::MAX));
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

/// Sorts constraints by colour, and by particle within a colour, so that neighbouring threads read neighbouring
/// particles. Returns the start of each colour, and the end. Uses first fit: each constraint takes the first
/// colour that neither of its particles has. No shape has a particle in more than about 14 constraints.
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

/// The island with this number.
pub fn island(shape: Shape, number: u32, particles: u32, stiffness: f32) -> Island {
    let particles = shape.particles(number, particles);
    let mut constraints = shape.constraints(number, &particles, stiffness);
    let bounds = colour(particles.len(), &mut constraints);
    Island { frame: Frame::of(number), particles, constraints, bounds }
}
