//! The words that kernels read, and what they refuse.

use anyhow::{Context, Result, ensure};
use rayon::prelude::*;
use samples::half;

use crate::island::{Constraint, Island};

/// Coordinates beyond it have too few bits left behind the point for the stated bounds.
const FARTHEST: f32 = 112.0;

/// Islands as the kernels' input buffers hold them.
#[derive(Clone, Debug)]
pub struct Packed {
    /// x, y, z and inverse mass of each particle, island after island.
    pub particles: Vec<u32>,
    /// Two words each: the indices, and rest length and stiffness as 16-bit floats, the first of them
    /// negative for a contact.
    pub constraints: Vec<u32>,
    /// For each island where its colours begin in `constraints`, and its end. An island with fewer
    /// colours than another has empty ones.
    pub bounds: Vec<u32>,
    /// For each island the rows of a 4x4 matrix.
    pub frames: Vec<u32>,
    /// Of the island that has most.
    pub colours: u32,
    /// Constraints of the largest colour of all islands.
    pub widest: u32,
}

impl Packed {
    /// Packs islands of equal size.
    ///
    /// # Errors
    /// What kernels cannot be right with: a coordinate or mass that is infinite or no number, a length
    /// that no 16-bit float is, an index that no particle has.
    pub fn new(islands: &[Island]) -> Result<Self> {
        islands
            .par_iter()
            .enumerate()
            .try_for_each(|(number, island)| check(island).with_context(|| format!("island {number}")))?;
        let colours = islands.iter().map(|island| island.bounds.len() - 1).max().unwrap_or(0);
        let mut bounds = Vec::new();
        let mut first = 0;
        for island in islands {
            let end = island.bounds[island.bounds.len() - 1];
            bounds.extend((0..=colours).map(|c| first + island.bounds.get(c).copied().unwrap_or(end)));
            first += end;
        }
        let widths = islands.iter().flat_map(|island| island.bounds.windows(2).map(|b| b[1] - b[0]));
        let all = islands.par_iter();
        let particles = all.clone().flat_map_iter(|island| island.particles.as_flattened());
        let constraints = all.flat_map_iter(|island| island.constraints.iter().flat_map(words_of));
        Ok(Self {
            particles: particles.map(|x| x.to_bits()).collect(),
            constraints: constraints.collect(),
            frames: islands.iter().flat_map(|island| island.frame.words()).collect(),
            colours: u32::try_from(colours)?,
            widest: widths.max().unwrap_or(0),
            bounds,
        })
    }
}

fn words_of(constraint: &Constraint) -> [u32; 2] {
    let (i, j) = (u32::from(constraint.pair[0]), u32::from(constraint.pair[1]));
    let bits = |x| half::bits(x).unwrap_or(0);
    let (rest, stiffness) = (bits(constraint.rest), bits(constraint.stiffness));
    [i | j << 16, rest | u32::from(constraint.contact) << 15 | stiffness << 16]
}

fn check(island: &Island) -> Result<()> {
    for (i, particle) in island.particles.iter().enumerate() {
        let [x, y, z, inverse_mass] = *particle;
        for value in [x, y, z] {
            ensure!(value.is_finite(), "particle {i} is at {x}, {y}, {z}: coordinates must be finite");
            ensure!(value.abs() <= FARTHEST, "particle {i} is at {x}, {y}, {z}: beyond {FARTHEST}");
        }
        ensure!(
            inverse_mass == 0.0 || (1e-3..=1e3).contains(&inverse_mass),
            "particle {i} has an inverse mass of {inverse_mass}: 0 or 0.001 to 1000 are possible"
        );
    }
    for constraint in &island.constraints {
        let Constraint { pair: [i, j], rest, stiffness, .. } = *constraint;
        let known = i < j && usize::from(j) < island.particles.len();
        ensure!(known, "a constraint between particles {i} and {j} of {}", island.particles.len());
        ensure!(half::bits(rest).is_some(), "a length of {rest} is no 16-bit float above 0");
        ensure!(stiffness <= 1.0 && half::bits(stiffness).is_some(), "a stiffness of {stiffness}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Frame;

    fn island() -> Island {
        let contact = Constraint { pair: [0, 2], rest: 1.5, stiffness: 0.25, contact: true };
        Island {
            frame: Frame::of(0),
            particles: vec![[8.0, 9.0, 10.0, 0.5]; 3],
            constraints: vec![Constraint { pair: [1, 2], contact: false, ..contact }, contact],
            bounds: vec![0, 1, 2],
        }
    }

    #[test]
    fn words_by_hand() {
        let mut one = island();
        one.bounds = vec![0, 2];
        let packed = Packed::new(&[island(), one]).unwrap();
        assert_eq!(packed.constraints[..4], [0x0002_0001, 0x3400_3E00, 0x0002_0000, 0x3400_BE00]);
        assert_eq!(packed.bounds, [0, 1, 2, 2, 4, 4]);
        assert_eq!((packed.colours, packed.widest), (2, 2));
        assert_eq!(packed.particles[..4], [8.0_f32, 9.0, 10.0, 0.5].map(f32::to_bits));
        assert_eq!((packed.particles.len(), packed.frames.len()), (24, 32));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for (bad, says) in [
            (f32::NAN, "must be finite"),
            (f32::INFINITY, "must be finite"),
            (f32::NEG_INFINITY, "must be finite"),
            (1e6, "beyond 112"),
        ] {
            for axis in 0..3 {
                let mut one = island();
                one.particles[1][axis] = bad;
                let error = format!("{:#}", Packed::new(&[island(), one]).unwrap_err());
                assert!(error.contains(says) && error.starts_with("island 1: particle 1"), "{error}");
            }
        }
        for bad in [f32::NAN, f32::INFINITY, -1.0, 1e-6] {
            let mut one = island();
            one.particles[2][3] = bad;
            assert!(format!("{:#}", Packed::new(&[one]).unwrap_err()).contains("inverse mass"));
            let mut one = island();
            one.constraints[0].rest = bad;
            assert!(format!("{:#}", Packed::new(&[one]).unwrap_err()).contains("16-bit float"));
            let mut one = island();
            one.constraints[0].stiffness = bad;
            assert!(format!("{:#}", Packed::new(&[one]).unwrap_err()).contains("stiffness"));
        }
        let mut one = island();
        one.constraints[0].pair = [1, 3];
        assert!(format!("{:#}", Packed::new(&[one]).unwrap_err()).contains("particles 1 and 3 of 3"));
    }
}
