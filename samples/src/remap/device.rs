//! Forms in kernels: how one is told where its lanes stand, and the proof that they stand there.

use anyhow::{Result, bail};
use common::{Binding, KernelBuilder, Lab};

use super::{Form, Lanes};

/// The kernel of `swizzled_remap` in a form and on a grid, which does not yet know what to compute.
pub fn placed<'l>(lab: &'l Lab, form: Form, grid: [u32; 2]) -> KernelBuilder<'l> {
    let kernel = lab.kernel("swizzled_remap/ssao.comp").workgroup(form.workgroup());
    let kernel = kernel.constant("AREA_X", form.area[0]).constant("AREA_Y", form.area[1]);
    let kernel = match form.lanes {
        Lanes::Quads => kernel.constant("REMAPPED", 1).constant("ROW_BITS", form.tiles_a_column().ilog2()),
        Lanes::Rows => kernel,
    };
    match form.columns {
        Some(width) => kernel
            .constant("IN_COLUMNS", 1)
            .constant("COLUMN_GROUPS", width)
            .constant("GRID_X", grid[0])
            .constant("GRID_Y", grid[1]),
        None => kernel,
    }
}

/// Every lane of a few workgroups tells where it stands, which must be where the CPU twin has it: in the
/// image a wrong place does not show as long as some other lane has the pixel.
///
/// # Errors
/// A lane somewhere else; whatever a submit can meet.
pub fn prove(lab: &mut Lab, form: Form) -> Result<()> {
    // Two columns of workgroups and a third that is narrower.
    let grid = [form.columns.map_or(3, |width| 2 * width + width.div_ceil(2)), 3];
    let kernel = placed(lab, form, grid).define("TELL_PLACES").build();
    let expected = form.places(grid);
    let words = u32::try_from(expected.len())?;
    let told = lab.tally("places", words, |cmd, places| {
        cmd.dispatch(kernel, &[Binding::from(places)], &(), [grid[0], grid[1], 1]);
    })?;
    if let Some(at) = (0..words).find(|&at| told[at as usize] != expected[at as usize]) {
        let [lane, group] = [at % form.invocations(), at / form.invocations()];
        bail!("{}: lane {lane} of workgroup {group} is not where the CPU twin has it", form.name());
    }
    Ok(())
}
