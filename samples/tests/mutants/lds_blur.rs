//! Filters that compute something else.

use anyhow::ensure;
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use super::results::{self, Mutant};
use crate::support::{Checkout, trial};

const DIRECT: &str = "lds_blur/direct.comp";
const SHARED: &str = "lds_blur/shared.comp";
const VOLUME: &str = "lds_blur/volume.comp";
const FILTER: &str = "include/filter.glsl";

/// Sides that no tile divides. One variant of each kind: each mutant compiles all of them.
const SMALL: &str = "--size 83x59 --volume 11 --filter gauss --radius 3 --variant direct_sampled,sliding_*,shared_8x8,\
     shared_half_8x8,separable_16x16,shared_sliding_32x32x4,volume_direct,volume_shared_4x4x4";

const MUTANTS: [Mutant; 11] = [
    ("barrier_left_out", SHARED, ["fill(corner, last);\n    barrier();", "fill(corner, last);"], of_planes),
    ("second_barrier_left_out", SHARED, ["    }\n    barrier();\n#endif", "    }\n#endif"], separable),
    ("barrier_of_volumes_left_out", VOLUME, ["    barrier();", ""], volumes_by_cubes),
    ("border_too_early", SHARED, ["clamp(at, ivec2(0), last)", "clamp(at, ivec2(0), last - 1)"], of_planes),
    ("border_too_late", SHARED, ["clamp(at, ivec2(0), last)", "clamp(at, ivec2(-1), last)"], of_planes),
    ("direct_border_too_early", DIRECT, ["clamp(at, ivec2(0), last)", "clamp(at, ivec2(1), last)"], direct),
    (
        "volume_border_too_early",
        VOLUME,
        ["clamp(at, ivec3(0), last)", "clamp(at, ivec3(0), last - 1)"],
        volumes,
    ),
    ("halves_swapped", SHARED, ["(x & 1) == 0", "(x & 1) == 1"], halves),
    (
        "weights_one_on",
        FILTER,
        ["taken.x + weight(i) * texel", "taken.x + weight(max(i - 1, 0)) * texel"],
        planes,
    ),
    ("rows_stand_still", SHARED, ["rows[i] = rows[i + 1];", ""], sliding),
    ("last_column_not_stored", SHARED, ["at.x <= last.x", "at.x < last.x"], of_planes),
];

fn volumes(name: &str) -> bool {
    name.starts_with("volume_")
}

fn volumes_by_cubes(name: &str) -> bool {
    name.starts_with("volume_shared")
}

fn planes(name: &str) -> bool {
    !volumes(name)
}

fn direct(name: &str) -> bool {
    name.starts_with("direct_") || name.starts_with("sliding_")
}

fn separable(name: &str) -> bool {
    name.starts_with("separable_")
}

/// Through shared memory.
fn of_planes(name: &str) -> bool {
    planes(name) && !direct(name)
}

fn halves(name: &str) -> bool {
    name.starts_with("shared_half_")
}

fn sliding(name: &str) -> bool {
    name.starts_with("shared_") && name.contains("sliding")
}

/// The other filters, in every kind of kernel.
static OTHERS: [(&str, &str, [Mutant; 1]); 4] = [
    (
        "lds_blur::box",
        "--filter box --radius 6 --size 3x90 --variant direct_*,shared_8x8,shared_half_8x8,separable_8x8,shared_sliding_16x32x8",
        [("not_scaled", FILTER, ["    return taken.x * scale;", "    return taken.x;"], planes)],
    ),
    (
        "lds_blur::dilate",
        "--filter dilate --size 33 --variant direct_*,shared_8x8,shared_half_8x8,separable_8x8,shared_sliding_16x32x8",
        [("last_row_alone", FILTER, ["vec2(max(taken.x, row.x), 0.0)", "vec2(row.x, 0.0)"], planes)],
    ),
    (
        "lds_blur::clamp",
        "--filter clamp --size 65x31 --variant direct_*,shared_8x8,shared_half_8x8,separable_8x8,shared_sliding_16x32x8",
        [("open_above", FILTER, ["clamp(old, taken.x, taken.y)", "max(old, taken.x)"], planes)],
    ),
    (
        "lds_blur::unsharp",
        "--filter unsharp --radius 8 --size 40 --variant direct_*,shared_8x8,shared_half_8x8,separable_8x8,shared_sliding_16x32x8",
        [("half_as_sharp", FILTER, ["centre + 0.5 * ", "centre + 0.25 * "], planes)],
    ),
];

/// Loads that are left out, or done twice: the counting build of the kernel tells before anything runs.
const COUNTED: [(&str, &str, [&str; 2]); 2] = [
    (
        "halo_one_column_short",
        SHARED,
        ["i < 2 * RADIUS * HEIGHT;", "i < 2 * RADIUS * (HEIGHT - TILE_HEIGHT);"],
    ),
    ("volume_last_texel_left_out", VOLUME, ["i < REACH * REACH * REACH;", "i < REACH * REACH * REACH - 1;"]),
];

pub fn trials() -> Vec<Trial> {
    let counted = COUNTED.into_iter().map(|(name, shader, [old, new])| {
        trial(format!("lds_blur::counted::{name}"), move || {
            let checkout = Checkout::copy()?;
            checkout.replace(shader, old, new)?;
            let ended = checkout.call("lds_blur")?.words(SMALL).run()?.with_code(EXIT_FAILED.into())?;
            ensure!(ended.stderr.contains("texels where the formula says"), "{ended}");
            Ok(())
        })
    });
    let others = OTHERS
        .iter()
        .flat_map(|(name, words, mutants)| results::trials_called(name, "lds_blur", words, mutants));
    results::trials("lds_blur", SMALL, &MUTANTS).into_iter().chain(others).chain(counted).collect()
}
