//! Filters of neighbourhoods: what it saves to load a tile once into shared memory (LDS), instead of
//! every invocation loading its whole neighbourhood itself.
//!
//! ```text
//!   every invocation its own 9 texels          a workgroup its tile once, and a border of one texel
//!   ┌─┬─┬─┐                                    ░░░░░░░░░░   8x8   36 loads beside 64: +56 %
//!   │ │ │ │  64 invocations, 576 loads         ░▓▓▓▓▓▓▓▓░   16x16                     +27 %
//!   ├─┼─┼─┤  (caches hold most of them)        ░▓▓▓▓▓▓▓▓░   32x32                     +13 %
//!   └─┴─┴─┘                                    ░░░░░░░░░░   then barrier(), then filter from there
//! ```
//!
//! Expect the article's "up to 30 %" where the texture path is the limit: with a large radius, or where
//! it is narrow. It does not help where the caches already deliver, where tiles are so small that the
//! border eats the gain, or where a workgroup holds one texel an invocation and the GPU launches
//! workgroups more slowly than they run: an H200 starts about 1.6 workgroups a nanosecond, so that 8x8
//! workgroups take the same time there whatever they do. The `sliding` forms cover a column of texels
//! an invocation and keep the rows that the next texel needs again in registers.
//!
//! Look for, in RGP: VMEM instructions and L1 hit rate of `direct_sampled` against LDS instructions of
//! `shared_32x32`, and waves that wait at the barrier. In Nsight: L1TEX throughput.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups,
//! GPUOpen 2017, "Neighborhood processing".

mod captions;
mod device;
mod reference;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::record::COPY_LIMIT_3D;
use common::{Declared, Extent, Figures, Format, ImageSet, Lab, Shape, Shows, Time, run, sample};
use device::{Form, Plane, Tile, UNWRITTEN, count};
use reference::Filter;
use samples::{by_default, size};

/// What does it save to load a tile once into shared memory?
#[derive(clap::Args, Clone, Debug)]
struct Args {
    /// Image size [default: 4096x4096, on a CPU device 256x256]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Side of the volume that the 3x3x3 box filters [default: 256, on a CPU device 32]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=2048))]
    volume: Option<u32>,
    /// What is computed from each neighbourhood
    #[arg(long, value_enum, default_value_t = Filter::Box)]
    filter: Filter,
    /// Reach of the filter in texels; dilate and clamp have 1
    #[arg(long, default_value_t = 1, value_parser = value_parser!(u32).range(1..=8))]
    radius: u32,
}

fn main() -> ExitCode {
    run(sample!(), lds_blur)
}

const SOURCE: &str = "Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups, \
                      GPUOpen 2017, \"Neighborhood processing\"";
const BASELINE: &str = "direct_sampled";
/// What is measured unless asked for otherwise: thirteen rows and the limits.
const BY_DEFAULT: &str = "\
    direct_storage direct_sampled sliding_32x2x16 shared_8x8 shared_16x16 shared_32x32 \
    shared_half_32x32 separable_32x32 shared_sliding_32x32x8 shared_sliding_32x48x16 volume_direct \
    volume_shared_4x4x4 volume_shared_8x8x8";
/// Texels of a tile, and rows of an invocation.
const SLIDING: [[u32; 3]; 8] = [
    [32, 32, 4],
    [32, 32, 8],
    [32, 32, 16],
    [32, 48, 16],
    [32, 64, 16],
    [64, 32, 16],
    [16, 32, 8],
    [16, 64, 16],
];
/// The shape that the article takes without shared memory: 256 invocations.
const UNSHARED: [u32; 3] = [8, 8, 4];
/// Of the volume, with the side of the tile in shared memory.
const VOLUMES: [(&str, Option<u32>); 3] =
    [("volume_direct", None), ("volume_shared_4x4x4", Some(4)), ("volume_shared_8x8x8", Some(8))];
const BORDER: &str = "border %";

fn lds_blur(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.report.source(SOURCE);
    lab.report.baseline([BASELINE]);
    let size = size(lab, args.size, [4096; 2], [256; 2]);
    let plane = Plane::new(lab, size, args.filter, args.radius)?;

    // Every invocation its own neighbourhood: one texel each, then a column of texels each.
    direct(lab, plane, "direct_storage", [16, 16], 1);
    direct(lab, plane, BASELINE, [16, 16], 1);
    direct(lab, plane, "direct_sampled_32x8", [32, 8], 1);
    direct(lab, plane, "sliding_32x2x16", [32, 2], 16);

    // The tile in shared memory, one texel an invocation.
    for side in [8, 16, 32] {
        for (kind, form) in
            [("shared", Form::Floats), ("shared_half", Form::Halves), ("separable", Form::Separable)]
        {
            shared(lab, plane, &format!("{kind}_{side}x{side}"), Tile::square(side), form);
        }
    }
    // Fewer invocations a tile, each down a column.
    for [width, height, run] in SLIDING {
        for (kind, form) in [("shared", Form::Floats), ("shared_half", Form::Halves)] {
            let name = format!("{kind}_sliding_{width}x{height}x{run}");
            shared(lab, plane, &name, Tile { width, height, run }, form);
        }
    }
    lab.limits(size, Format::R32_SFLOAT)?;
    volume(lab, args)?;
    by_default(lab, |name| BY_DEFAULT.split(' ').any(|other| other == name));
    lab.report.matrix("µs", Shows::Times);
    lab.report.verdict(verdict);
    Ok(())
}

/// Every invocation loads its whole neighbourhood, for `rows` texels of a column.
fn direct(lab: &mut Lab, plane: Plane, name: &str, threads: [u32; 2], rows: u32) {
    let [width, height] = threads;
    let storage = name == "direct_storage";
    let kernel = plane.kernel(lab, "lds_blur/direct.comp").constant("RUN", rows);
    let kernel = if storage { kernel.define("STORAGE") } else { kernel };
    let kernel = kernel.workgroup([width, height, 1]).build();
    let groups = plane.groups([width, height * rows]);
    lab.variant(name, move |cmd, rep| {
        cmd.dispatch(kernel, &plane.bindings(rep.index, storage), &(), groups);
    })
    .caption(&captions::direct(threads, rows, storage))
    .cell("Without shared memory", name, &format!("{width}x{height} invocations"))
    .declares(Declared::default().bytes(plane.bytes()));
}

/// The tile through shared memory.
fn shared(lab: &mut Lab, plane: Plane, name: &str, tile: Tile, form: Form) {
    let kernel = plane.tiled(lab, tile, form).build();
    let counting = plane.tiled(lab, tile, form).define("COUNT_LOADS").build();
    lab.prove([name], move |lab| {
        count(lab, counting, &plane.bindings(0, false), &tile.sides(), plane.radius)
    });
    let [extra, _] = reference::overheads(&tile.sides(), plane.radius);
    let row =
        if tile.run > 1 { format!("{form}, {} rows an invocation", tile.run) } else { form.to_string() };
    let groups = plane.groups(tile.sides());
    let variant = lab
        .variant(name, move |cmd, rep| cmd.dispatch(kernel, &plane.bindings(rep.index, false), &(), groups))
        .caption(&captions::tiled(tile, form))
        .cell("Through shared memory", &row, &format!("{}x{}", tile.width, tile.height))
        .declares(Declared::default().bytes(plane.bytes()).predicts(BORDER, (100.0 * extra).round()));
    if name == "shared_32x32" {
        variant.published("aaltonen2017", "lds/saves");
    }
}

/// The mean of 3x3x3 texels of a volume, directly and through shared memory.
fn volume(lab: &mut Lab, args: &Args) -> Result<()> {
    let side = args.volume.unwrap_or(if lab.device().is_cpu() { 32 } else { 256 });
    let sides = [side; 3];
    lab.report.setting("volume", Shape::from(sides));
    let to = lab.output("filtered volume", ImageSet::new(1, sides, Format::R32_SFLOAT, UNWRITTEN))?;
    let texels = move || reference::scene(Extent { width: side, height: side * side });
    let from = lab.input_image("volume", sides, Format::R32_SFLOAT, move || reference::floats(&texels()));
    for (name, cube) in VOLUMES {
        let kernel = || {
            let kernel = lab.kernel("lds_blur/volume.comp");
            let kernel = kernel.constant("SCALE", reference::volume_scale().to_bits());
            match cube {
                Some(cube) => {
                    let bytes = 4 * u64::from(cube + 2).pow(3);
                    kernel.define("SHARED").workgroup([cube; 3]).shared_bytes(bytes)
                }
                None => kernel.workgroup(UNSHARED),
            }
        };
        let (built, counting) = (kernel().build(), kernel().define("COUNT_LOADS").build());
        if let Some(cube) = cube {
            let images = [from.sampled(), to.get(0, 0).into()];
            lab.prove([name], move |lab| count(lab, counting, &images, &[cube; 3], 1));
        }
        let groups = cube.map_or(UNSHARED, |cube| [cube; 3]).map(|n| side.div_ceil(n));
        let variant = lab.variant(name, move |cmd, rep| {
            cmd.dispatch(built, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
        });
        variant.caption(&captions::volume(cube));
        let declared = Declared::default().bytes(8 * u64::from(side).pow(3)).against(COPY_LIMIT_3D);
        let border = cube.map(|cube| (100.0 * reference::overheads(&[cube; 3], 1)[1]).floor());
        variant.declares(match border {
            Some(border) => declared.predicts(BORDER, border),
            None => declared,
        });
    }
    lab.report.note("Border: loads beyond the tile in % of the tile's texels, for volumes in % of all loads, as the article \
              counts them; a counting build of each kernel was run here and agrees with the formula.");
    lab.limits(sides, Format::R32_SFLOAT)?;
    lab.expect(to, 0, move || reference::volume(sides, &texels()));
    Ok(())
}

/// The article's claim on this device, like against like: a texel an invocation, columns of them, volumes.
fn verdict(figures: &Figures<'_>) -> Option<String> {
    let kinds = [
        ("With a texel an invocation", "", false),
        ("with a column of them", "", true),
        ("in 3D", "volume_", false),
    ];
    let answers = kinds.into_iter().filter_map(|(what, plane, slides)| {
        let saved = |time| {
            let fastest = |families: [&str; 2]| {
                figures.fastest(time, |name| {
                    let family =
                        |start: &str| name.strip_prefix(plane).is_some_and(|rest| rest.starts_with(start));
                    name.contains("sliding") == slides && families.into_iter().any(family)
                })
            };
            let (shared, ours) = fastest(["shared", "separable"])?;
            let (direct, theirs) = fastest(["direct", "sliding"])?;
            Some(format!("{:.0} % ({shared} against {direct})", 100.0 * (1.0 - ours / theirs)))
        };
        let pipelined = saved(Time::Pipelined).map_or_else(String::new, |text| format!(", pipelined {text}"));
        Some(format!("{what} it saves {}{pipelined}", saved(Time::Isolated)?))
    });
    let answers: Vec<String> = answers.collect();
    (!answers.is_empty())
        .then(|| format!("The article says that shared memory saves up to 30 %. {}.", answers.join("; ")))
}

samples::test_verdict!("lds_blur");
