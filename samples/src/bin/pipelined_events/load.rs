//! Kernels of a pass in its own dispatch: how it loads the texels of a cross, and which workgroup shapes to try.

use common::{Binding, Image, KernelBuilder, Lab, Workgroup};
use samples::chain::MULTIPLIER;
use samples::load::{Load, shape};
use samples::tile_flags::{cut, staged_bytes};

/// Shapes to try. On an H200, for each size from 512x512 to 4096x4096, the fastest unsynchronized one is among
/// them.
const SHAPES: [Workgroup; 10] = [
    shape(8, 8, 1),
    shape(8, 8, 2),
    shape(8, 8, 4),
    shape(16, 16, 1),
    shape(16, 16, 2),
    shape(16, 16, 4),
    shape(32, 8, 1),
    shape(32, 8, 2),
    shape(32, 8, 4),
    shape(32, 4, 4),
];
/// Shapes for loads through shared memory, chosen with barriers and without.
const STAGED: [Workgroup; 6] =
    [shape(32, 8, 2), shape(32, 4, 4), shape(32, 4, 8), shape(32, 8, 4), shape(64, 4, 4), shape(64, 8, 4)];

/// Workgroup shapes to try.
pub fn shapes(load: Load) -> &'static [Workgroup] {
    if load == Load::Staged { &STAGED } else { &SHAPES }
}

/// Names for captions and cross tables.
pub fn words(load: Load) -> &'static str {
    match load {
        Load::Stored => "storage image",
        Load::Sampled => "sampled view",
        Load::Staged => "shared memory",
    }
}

/// The kernel of one pass.
pub fn kernel(lab: &Lab, load: Load, workgroup: Workgroup, radius: u32) -> KernelBuilder<'_> {
    let path = if load == Load::Staged { "chain/staged.comp" } else { "chain/step.comp" };
    let kernel = cut(lab.kernel(path), workgroup, radius).constant("MULTIPLIER", MULTIPLIER);
    match load {
        Load::Stored => kernel,
        Load::Sampled => kernel.define("SAMPLED"),
        Load::Staged => kernel.shared_bytes(staged_bytes(workgroup, radius)),
    }
}

/// The binding through which the kernel reads an image.
pub fn binding(load: Load, image: Image) -> Binding {
    if load == Load::Sampled { image.sampled() } else { image.into() }
}
