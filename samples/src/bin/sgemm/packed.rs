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
    // Changes are not traced: their traced forms would take half of the pack.
    let plans = plans.into_iter().map(|plan| (plan, true)).chain(CHANGES.map(|(_, plan)| (plan, false)));
    let mut different: Vec<(Plan, bool)> = Vec::new();
    plans.for_each(|(plan, traced)| {
        if different.iter().all(|(known, _)| *known != plan) {
            different.push((plan, traced));
        }
    });
    let module = |(plan, traced): &(Plan, bool)| {
        let source = library.with_includes(&name(plan), glsl(plan))?;
        Ok(Module { source, defines: Vec::new(), traced: *traced })
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
