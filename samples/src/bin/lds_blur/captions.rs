//! Captions of the variants of `lds_blur`.

use crate::device::{Form, Tile};

/// Caption of kernels without shared memory, in which an invocation computes `rows` rows of a column.
pub fn direct([width, height]: [u32; 2], rows: u32, storage: bool) -> String {
    if rows > 1 {
        return format!(
            "An invocation goes down {rows} rows and keeps in registers what the next row needs again."
        );
    }
    let loads = if storage { "from a storage image" } else { "as texture fetches" };
    format!("An invocation loads its whole neighbourhood {loads}, in workgroups of {width}x{height}.")
}

/// Caption of kernels with a tile in shared memory.
pub fn tiled(tile: Tile, form: Form) -> String {
    let Tile { width, height, run } = tile;
    let how = match form {
        Form::Floats => "as 32-bit floats",
        Form::Halves => "as packed halves",
        Form::Separable => "blurred along rows, then columns",
    };
    let filtered = match run {
        1 => "each texel and a border loaded once".into(),
        rows => format!("each invocation goes down {rows} of its rows"),
    };
    format!("A tile of {width}x{height} in shared memory, {how}: {filtered}.")
}

/// Caption of the volume filter, without shared memory or with a cube of side `cube` in it.
pub fn volume(cube: Option<u32>) -> String {
    match cube {
        None => {
            "An invocation loads the 3x3x3 texels around its own in a volume, without shared memory.".into()
        }
        Some(n) => format!("A cube of {n}x{n}x{n} in shared memory: watch how much of the loads is border."),
    }
}
