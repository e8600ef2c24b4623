//! Fused passes: a workgroup computes several passes of a tile in shared memory without waiting for others.

use common::{KernelBuilder, Lab};

/// Tile sides to try. Larger tiles leave multiprocessors without work.
const SIDES: [u32; 2] = [32, 16];

/// Number of fused passes, and side of the tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fused {
    /// Passes per dispatch.
    pub depth: u32,
    /// Side of the tile in texels.
    pub side: u32,
}

impl Fused {
    /// The best choice that fits into `shared_bytes`. Among the depths that divide `passes`, the one with the
    /// least work per pass and texel; a single pass if none fits.
    pub fn new(shared_bytes: u32, passes: u32, radius: u32) -> Self {
        let depths = (1..=passes).filter(|depth| passes.is_multiple_of(*depth));
        let all = depths.flat_map(|depth| SIDES.map(|side| Self { depth, side }));
        let fits = |fused: &Self| fused.bytes(radius) <= u64::from(shared_bytes);
        let best = all.filter(fits).min_by(|a, b| a.work(radius).total_cmp(&b.work(radius)));
        best.unwrap_or(Self { depth: 1, side: SIDES[SIDES.len() - 1] })
    }

    /// Bytes of two generations of a tile with its border.
    fn bytes(self, radius: u32) -> u64 {
        let side = u64::from(self.side) + 2 * u64::from(self.depth) * u64::from(radius);
        2 * 4 * side * side
    }

    /// Texels loaded and computed per texel of the tile and pass. A load counts as four computations. A deeper
    /// fusion saves barriers and memory accesses but needs a wider border.
    fn work(self, radius: u32) -> f64 {
        let area = |border: u32| f64::from(self.side + 2 * border * radius).powi(2);
        let computed: f64 = (0..self.depth).map(area).sum();
        (4.0 * area(self.depth) + computed) / area(0) / f64::from(self.depth)
    }

    /// The kernel of fused passes.
    pub fn kernel(self, lab: &Lab, radius: u32) -> KernelBuilder<'_> {
        let kernel = lab.kernel("chain/fused.comp").shared_bytes(self.bytes(radius));
        let multiplier = crate::chain::MULTIPLIER;
        kernel.constants([
            ("RADIUS", radius),
            ("DEPTH", self.depth),
            ("SIDE", self.side),
            ("MULTIPLIER", multiplier),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_are_fused_as_far_as_shared_memory_and_the_border_allow() {
        let cases = [(49_152, 2, [4, 32]), (49_152, 8, [2, 32]), (16_384, 2, [3, 32]), (1024, 64, [1, 16])];
        for (bytes, radius, chosen) in cases {
            let Fused { depth, side } = Fused::new(bytes, 12, radius);
            assert_eq!([depth, side], chosen, "{bytes} bytes, radius {radius}");
        }
    }
}
