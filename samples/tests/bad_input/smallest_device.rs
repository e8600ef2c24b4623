//! A device that allows as little as Vulkan lets it: what is too large for it is a reason, and the other
//! variants go on.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_RIGHT, EXIT_SKIPPED};
use record::{Status, read_json};

use crate::support::{Call, trial};

struct Case {
    sample: &'static str,
    arguments: &'static str,
    runs: &'static [&'static str],
    /// With what the reason says.
    is_too_large: &'static [(&'static str, &'static str)],
}

const THREADS: &str = "128 invocations";
const BYTES: &str = "of shared memory a workgroup";

const TEXELS: &str = "texel buffers of 65536 texels at most";
const CHAINS: &str = "availability and visibility chains";

const CASES: [Case; 8] = [
    Case {
        sample: "pipelined_events",
        arguments: "--size 65 --variant tile_*",
        runs: &["tile_flags", "tile_flags_strict_staged", "tile_tags_staged"],
        is_too_large: &[("tile_flags_chained", CHAINS), ("tile_flags_chained_staged", CHAINS)],
    },
    Case {
        sample: "bloom",
        arguments: "--size 260 --all",
        runs: &["barriers", "barriers_each_staged", "tile_flags_strict"],
        is_too_large: &[("tile_flags_chained", CHAINS), ("tile_flags", TEXELS), ("barriers_sampled", TEXELS)],
    },
    Case {
        sample: "semi_persistent_waves",
        arguments: "--size 65 --tile-lanes 32",
        runs: &["linear_8x8", "unroll_8"],
        is_too_large: &[("unroll_8_x8", THREADS), ("rows_32x8x4", THREADS)],
    },
    Case {
        sample: "drain_fill",
        arguments: "--size 65 --wave-lanes 32 --all",
        runs: &["barrier_1", "code_cold", "tiles_16", "irregular_4", "launch_4", "apart_simultaneous_use"],
        is_too_large: &[("irregular_8", THREADS), ("regular_8", THREADS), ("launch_8", THREADS)],
    },
    Case {
        sample: "swizzled_remap",
        arguments: "--size 65",
        runs: &["remap_8x8", "row_major_8x8", "remap_8x16"],
        is_too_large: &[("remap_32x16", THREADS), ("linear_8x32", THREADS)],
    },
    Case {
        sample: "lds_blur",
        arguments: "--size 65 --volume 9 --filter gauss --radius 8 --all",
        runs: &["shared_8x8", "separable_8x8", "volume_shared_4x4x4", "shared_half_sliding_16x64x16"],
        is_too_large: &[("shared_32x32", THREADS), ("volume_shared_8x8x8", THREADS)],
    },
    Case {
        sample: "group_physics",
        arguments: "--islands 2 --particles 100",
        runs: &["global_multi_pass"],
        is_too_large: &[("group_1024_lean", THREADS), ("group_256", THREADS)],
    },
    Case {
        sample: "group_physics",
        arguments: "--islands 2 --particles 1024",
        runs: &[],
        is_too_large: &[("global_multi_pass", BYTES), ("group_256", BYTES)],
    },
];

/// With no more storage buffers than Vulkan promises.
const FEWEST_BUFFERS: [Case; 2] = [
    Case {
        sample: "bloom",
        arguments: "--size 9",
        runs: &["barriers", "barriers_each_staged"],
        is_too_large: &[
            ("tile_flags", "binds 5 storage buffers"),
            ("tile_flags_strict", "tiles.comp binds 5 storage buffers"),
        ],
    },
    Case {
        sample: "group_physics",
        arguments: "--islands 2 --particles 100",
        runs: &["group_1024_fat"],
        is_too_large: &[
            ("global_multi_pass", "island.comp binds 7 storage buffers"),
            ("group_1024_lean", "island.comp binds 6 storage buffers"),
        ],
    },
];

pub fn trials() -> Vec<Trial> {
    let of = |limits: &'static str| {
        move |case: Case| {
            let name = format!("{limits}::{} {}", case.sample, case.arguments);
            trial(name.to_lowercase(), move || go_on(limits, &case))
        }
    };
    let smallest = CASES.into_iter().map(of("SMALLEST_DEVICE"));
    smallest.chain(FEWEST_BUFFERS.into_iter().map(of("FEWEST_BUFFERS"))).collect()
}

fn go_on(limits: &str, case: &Case) -> Result<()> {
    let call = Call::new(case.sample)?
        .env(&format!("HOTLAP_{limits}"), "1")
        .words("--samples 1 --repetitions 1 --json -");
    let code = if case.runs.is_empty() { EXIT_SKIPPED } else { EXIT_RIGHT };
    let ended = call.words(case.arguments).run()?.with_code(code.into())?;
    let record = read_json(&ended.stdout)?;
    let status = |name: &str| {
        let row = record.rows.iter().find(|row| row.variant == name);
        row.map(|row| &row.status).with_context(|| format!("no row {name}"))
    };
    for name in case.runs {
        ensure!(*status(name)? == Status::Ok, "{name}: {:?}", status(name)?);
    }
    for (name, says) in case.is_too_large {
        let told = matches!(status(name)?, Status::Skipped { reason } if reason.contains(says));
        ensure!(told, "{name}: {:?}", status(name)?);
    }
    Ok(())
}
