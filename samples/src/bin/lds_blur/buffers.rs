//! The 3x3 box on texels in buffers, four of a row in one load and one store.

use std::cell::LazyCell;
use std::rc::Rc;

use anyhow::Result;
use common::{Binding, BufferSet, Extent, Lab};

use crate::device::{Plane, UNWRITTEN};
use crate::reference::{Filter, floats, plane as filtered, scene};

/// Invocations of a workgroup along x and y, and rows per invocation: of fifteen shapes the fastest at 16384x16384 on an
/// H200 (driver 580). With 4 rows or fewer it takes about 590 µs there alone, with 8 it takes 522; back to back there
/// is no such difference.
const SHAPE: [u32; 3] = [64, 4, 8];

/// Declares the variant for a plane.
///
/// # Errors
/// The device's memory is too small.
pub fn box3x3_buffer(lab: &mut Lab, plane: Plane) -> Result<()> {
    let size = plane.size;
    // Rows end with whole loads: their last texel is repeated, as a read outside repeats it. So what a row holds beyond
    // the image is filtered and compared like the rest.
    let whole = Extent { width: size.width.next_multiple_of(4), ..size };
    let texels = Rc::new(LazyCell::new(move || -> Vec<u8> {
        let repeated = (whole.width - size.width) as usize;
        let row = |row: &[u8]| [row, &vec![row[row.len() - 1]; repeated]].concat();
        scene(size).chunks(size.width as usize).flat_map(row).collect()
    }));
    let now = Rc::clone(&texels);
    let from = lab.input_buffer("image in a buffer", move || floats(&now));
    let to = lab.output("filtered buffer", BufferSet::new(1, whole.width * whole.height, UNWRITTEN[0]))?;
    let [x, y, rows] = SHAPE;
    let kernel =
        lab.kernel("lds_blur/box3x3_buffer.comp").workgroup([x, y, 1]).constant("ROWS", rows).build();
    let groups = plane.groups([4 * x, y * rows]);
    let last = [whole.width / 4 - 1, whole.height - 1];
    lab.variant("box3x3_buffer", move |cmd, rep| {
        cmd.dispatch(kernel, &[Binding::from(from), to.get(rep.index, 0).into()], &last, groups);
    })
    .declares(plane.declared());
    lab.expect(to, 0, move || filtered(whole, &texels, &[], Filter::Box, 1));
    Ok(())
}
