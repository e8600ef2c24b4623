//! The generated kernels whose SPIR-V is packed: for `samples/examples/pack_shaders.rs`, and for the test that compares.

use anyhow::Result;
use common::vulkan::packer::Module;
use common::vulkan::source::Library;

use crate::changes::CHANGES;
use crate::generator::{glsl, name};
use crate::plan::{LADDER, ORDERS, Plan, SHAPES};

/// All kernels that the sample may run, to be packed.
///
/// # Errors
/// A file that they include cannot be read.
pub fn modules(library: &Library) -> Result<Vec<Module>> {
    let mut plans: Vec<Plan> = LADDER.map(|(_, plan)| plan).into();
    for shape in SHAPES {
        plans.extend(ORDERS.map(|order| Plan { order, ..shape }));
        plans.push(Plan { splits: true, ..shape });
    }
    plans.extend(CHANGES.map(|(_, plan)| plan));
    let mut different: Vec<Plan> = Vec::new();
    plans.into_iter().for_each(|plan| {
        if !different.contains(&plan) {
            different.push(plan);
        }
    });
    let module = |plan: &Plan| {
        let source = library.with_includes(&name(plan), glsl(plan))?;
        Ok(Module { source, defines: Vec::new(), traced: true })
    };
    different.iter().map(module).collect()
}

#[cfg(test)]
mod tests {
    use common::vulkan::packer;

    use super::*;
    use crate::generator::PACK;

    #[test]
    fn every_generated_kernel_is_packed() {
        let library = Library::find();
        let pack = Library::packed(PACK).unwrap();
        packer::check(&library, &modules(&library).unwrap(), pack).unwrap();
    }
}
