//! Code that several samples share. Each sample is a folder in `src/bin`.

use std::path::Path;

use anyhow::{Context, Result};
use clap::ValueEnum;
use common::record::{Record, read_record};
use common::{Access, Extent, Lab, Scope, Stage};

pub mod bands;
pub mod chain;
pub mod full_screen;
pub mod half;
pub mod library;
pub mod lines;
pub mod machine;
pub mod noted;
pub mod plateaus;
pub mod residency;
pub mod spin;
pub mod steps;
pub mod waits;
pub mod words;

/// Scope of the pixels that a render pass wrote to its attachments.
pub const DRAWN: Scope = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_WRITE);
/// Scope of a pixel shader's reads through the texture units.
pub const READ_BY_PIXELS: Scope = (Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ);
/// Scope of a compute shader's reads through the texture units.
pub const READ_BY_COMPUTE: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_SAMPLED_READ);
/// Scope of the stores of a pass.
pub const STORES: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_WRITE);
/// Scope of the loads of the next pass.
pub const LOADS: Scope = (Stage::COMPUTE_SHADER, Access::SHADER_STORAGE_READ);
/// Scope of a pass that stores to the buffer or image that it loads from.
pub const LOADS_AND_STORES: Scope = (
    Stage::COMPUTE_SHADER,
    Access::from_raw(Access::SHADER_STORAGE_READ.as_raw() | Access::SHADER_STORAGE_WRITE.as_raw()),
);
/// An execution dependency only: nothing is made available or visible.
pub const NO_ACCESS: Scope = (Stage::COMPUTE_SHADER, Access::NONE);

/// Both scopes in one.
#[must_use]
pub const fn both(a: Scope, b: Scope) -> Scope {
    let stages = a.0.as_raw() | b.0.as_raw();
    (Stage::from_raw(stages), Access::from_raw(a.1.as_raw() | b.1.as_raw()))
}

/// Grey pixels of numbers, the largest white.
#[must_use]
pub fn shades(numbers: &[u32]) -> Vec<[u8; 3]> {
    let most = u64::from(numbers.iter().copied().max().unwrap_or_default().max(1));
    let shade = |number: &u32| u8::try_from(u64::from(*number) * 255 / most).unwrap_or(u8::MAX);
    numbers.iter().map(|number| [shade(number); 3]).collect()
}

/// The record of a committed run, such as `2026-11-30-nvidia-h200/tiles-512`. Verdicts are tested on it.
///
/// # Errors
/// The record cannot be read.
pub fn recorded(run: &str) -> Result<Record> {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    read_record(&results.join(run).join("record.json"))
}

/// Number of workgroups along one side of a dispatch that every device supports.
const MOST_IN_A_ROW: u32 = 65_535;

/// The requested size, or the default for this kind of device. Also put into the record.
pub fn size(lab: &mut Lab, asked: Option<Extent>, on_gpu: [u32; 2], on_cpu: [u32; 2]) -> Extent {
    let [width, height] = if lab.device().is_cpu() { on_cpu } else { on_gpu };
    let size = asked.unwrap_or(Extent { width, height });
    lab.report.setting("size", size);
    size
}

/// Number of items in an area with one item per texel.
///
/// # Errors
/// The area has more than 2^30 items.
pub fn items(size: Extent) -> Result<u32> {
    let items = size.width.checked_mul(size.height).filter(|&items| items <= 1 << 30);
    items.with_context(|| format!("an area of {size} is too large: 2^30 items are the most"))
}

/// The command-line name of an option's value.
pub fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Parses a subgroup size.
///
/// # Errors
/// The text is not a power of two from 4 to 128.
pub fn lanes(text: &str) -> Result<u32, String> {
    let lanes = text.parse().ok().filter(|lanes: &u32| lanes.is_power_of_two() && (4..=128).contains(lanes));
    lanes.ok_or_else(|| format!("'{text}' is no size of a wave: a power of two from 4 to 128 is, such as 32"))
}

/// A grid of at least `workgroups` workgroups in rows of equal length. It exceeds the count by less than its
/// number of rows.
pub fn in_rows(workgroups: u32) -> [u32; 3] {
    let rows = workgroups.div_ceil(MOST_IN_A_ROW).max(1);
    [workgroups.div_ceil(rows), rows, 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_hold_all_and_hardly_more() {
        assert_eq!(in_rows(1), [1, 1, 1]);
        assert_eq!(in_rows(65_535), [65_535, 1, 1]);
        assert_eq!(in_rows(65_536), [32_768, 2, 1]);
        for workgroups in [2, 57_600, 115_201, 1 << 20, u32::MAX / 8] {
            let [x, y, _] = in_rows(workgroups);
            let held = u64::from(x) * u64::from(y);
            assert!(
                x <= MOST_IN_A_ROW && held >= workgroups.into() && held - u64::from(workgroups) < y.into()
            );
        }
    }
}
