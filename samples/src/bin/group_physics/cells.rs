//! Cells of a cloth: four neighbouring particles with the rows, columns and diagonals between them. A thread projects the
//! constraints of a cell in registers: six in cells of the first two colours, two diagonals in the others. So particles
//! are loaded half as often as with a thread per constraint. `shaders/group_physics/cells.glsl` has the same order.

use crate::island::Island;
use crate::lattice::Lattice;
use crate::packing::length_word;

/// Parts of all colours: rows, columns and diagonals, but no columns of the third and no rows of the fourth colour.
const ALL_PARTS: u32 = 10;

/// Two constraints of a cell that share no particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Rows,
    Columns,
    Diagonals,
}

/// The place of a constraint: the cell that projects it, and where in the cell.
///
/// Rows and columns belong to cells of the first two colours, where rows at even and at odd x lie. What is left are odd
/// rows of the first line and odd columns of the first column, for which no cell of the second colour is there.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// x and y of the cell's first particle.
    cell: [u32; 2],
    part: Part,
    /// Whether it is the second of its part.
    second: bool,
}

impl Slot {
    /// The place of the constraint between two neighbouring particles.
    pub fn of(lattice: &Lattice, pair: [u16; 2]) -> Self {
        let [[ax, ay, _], [bx, by, _]] = pair.map(|number| lattice.points[usize::from(number)]);
        let [x, y] = [ax.min(bx), ay.min(by)];
        /// The even or odd coordinate at or before this one, as `like` is; 0 if there is none.
        fn before(at: u32, like: u32) -> u32 {
            at.saturating_sub((at + like) % 2)
        }
        if ay == by {
            let cell = [x, before(y, x)];
            Self { cell, part: Part::Rows, second: y != cell[1] }
        } else if ax == bx {
            let cell = [before(x, y), y];
            Self { cell, part: Part::Columns, second: x != cell[0] }
        } else {
            Self { cell: [x, y], part: Part::Diagonals, second: (ax < bx) != (ay < by) }
        }
    }

    /// The colour of the cell.
    fn colour_of_cell(self) -> u32 {
        match self.cell.map(|at| at % 2) {
            [0, 0] => 0,
            [1, 1] => 1,
            [1, _] => 2,
            _ => 3,
        }
    }

    /// The colour of the constraint alone, of eight. Projecting colour after colour moves each particle in the same order
    /// as cell after cell.
    pub fn colour(self) -> u32 {
        match (self.colour_of_cell(), self.part) {
            (0, part) => part as u32,
            (1, part) => 3 + part as u32,
            (_, Part::Rows) => 3,
            (_, Part::Columns) => 4,
            (colour, Part::Diagonals) => 4 + colour,
        }
    }

    /// Index of the part among those of all colours.
    fn part_of_all(self) -> u32 {
        match (self.colour_of_cell(), self.part) {
            (colour @ 0..2, part) => 3 * colour + part as u32,
            (2, Part::Rows) => 6,
            (2, _) => 7,
            (_, Part::Columns) => 8,
            _ => 9,
        }
    }
}

/// Cells of a colour: the threads that solve a cloth.
pub fn cells(lattice: &Lattice) -> u32 {
    lattice.sides[0].div_ceil(2).pow(2)
}

/// Rest length and stiffness of the constraints of all cells of an island, two words per part.
pub fn words(lattice: &Lattice, island: &Island) -> Vec<u32> {
    let cells = cells(lattice);
    let mut words = vec![0; (2 * ALL_PARTS * cells) as usize];
    for constraint in &island.constraints {
        let slot = Slot::of(lattice, constraint.pair);
        let [column, row] = slot.cell.map(|at| at / 2);
        let cell = row * lattice.sides[0].div_ceil(2) + column;
        let at = 2 * (slot.part_of_all() * cells + cell) + u32::from(slot.second);
        words[at as usize] = length_word(constraint);
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::shapes::{Shape, island};

    #[test]
    fn each_constraint_has_a_place_and_cells_of_a_colour_share_no_particle() {
        for particles in [2, 5, 9, 64, 77, 1000, 1024] {
            let lattice = Shape::Cloth.lattice(particles);
            let island = island(Shape::Cloth, 3, particles, 1.0);
            let placed = words(&lattice, &island).iter().filter(|&&word| word != 0).count();
            assert_eq!(placed, island.constraints.len(), "{particles} particles");
            let mut owners = BTreeSet::new();
            for constraint in &island.constraints {
                let slot = Slot::of(&lattice, constraint.pair);
                owners.extend(constraint.pair.map(|particle| (slot.colour_of_cell(), particle, slot.cell)));
            }
            let alone: BTreeSet<_> = owners.iter().map(|(colour, particle, _)| (colour, particle)).collect();
            assert_eq!(alone.len(), owners.len(), "{particles} particles");
            for colour in island.bounds.windows(2) {
                let constraints = &island.constraints[colour[0] as usize..colour[1] as usize];
                let moved: BTreeSet<u16> =
                    constraints.iter().flat_map(|constraint| constraint.pair).collect();
                assert_eq!(moved.len(), 2 * constraints.len(), "{particles} particles");
            }
        }
    }
}
