//! Captions of the variants, and their places in the cross tables.

use crate::occupancy::Limit;
use crate::reference::Axis;
use crate::tiles::{Family, Form};

fn counted(tiles: u32) -> String {
    if tiles == 1 { "1 tile".into() } else { format!("{tiles} tiles") }
}

/// Place of a form in the cross tables: title, row and column.
pub fn place(form: &Form) -> [String; 3] {
    let table = match form.axis {
        Axis::Horizontal => "Horizontal blur",
        Axis::Vertical => "Vertical blur",
    };
    let several = |family| match form.subgroups {
        1 => format!("{family}, 1 subgroup a workgroup"),
        n => format!("{family}, {n} subgroups a workgroup"),
    };
    let row = match form.family {
        Family::Linear => "linear_8x8".into(),
        Family::Swizzled => "swizzled_8x8".into(),
        Family::Unroll => several("unroll"),
        Family::Across => several("across"),
        Family::Slide => several("slide"),
        Family::Rows => "rows_32x8".into(),
    };
    [table.into(), row, counted(form.tiles)]
}

/// Caption of a form for a filter of this radius.
pub fn unlimited(form: &Form, radius: u32) -> String {
    let axis = match form.axis {
        Axis::Horizontal => "Horizontal",
        Axis::Vertical => "Vertical",
    };
    let ([width, height], tiles) = (form.lanes, counted(form.tiles));
    let dealt = match form.family {
        Family::Linear => format!("a workgroup of {width}x{height} lanes a tile"),
        Family::Swizzled => format!("a workgroup of {width}x{height} lanes in 2x2 quads a tile"),
        Family::Unroll => format!("{tiles} a subgroup along the filter"),
        Family::Across => format!("{tiles} a subgroup across the filter"),
        Family::Slide => format!("{} neighbouring texels a lane", form.tiles),
        Family::Rows => format!("workgroups of 32x8 lanes that go down {tiles}"),
    };
    let subgroups = match form.subgroups {
        1 => String::new(),
        several => format!(", {several} subgroups a workgroup"),
    };
    // Whether a lane needs texels again for its next result that it has already fetched.
    let shares = form.tiles > 1 && form.fresh(radius) < 2 * radius + 1;
    let watch = if shares { "fetched texels serve again" } else { "no fetch is shared" };
    format!("{axis} blur, {dealt}{subgroups}: {watch}.")
}

/// Caption of a form with a limit on the resident subgroups.
pub fn limited(form: &Form, limit: Limit) -> String {
    format!("{} with its subgroups limited to {limit}: watch how many it needs to hide latency.", form.name())
}
