//! Filters of neighbourhoods: what does it save to load a tile once into shared memory (LDS), instead of every
//! invocation loading its whole neighbourhood itself?
//!
//! ```text
//!   every invocation its own 9 texels          a workgroup its tile once, and a border of one texel
//!   ┌─┬─┬─┐                                    ░░░░░░░░░░   8x8   36 loads beside 64: +56 %
//!   │ │ │ │  64 invocations, 576 loads         ░▓▓▓▓▓▓▓▓░   16x16                     +27 %
//!   ├─┼─┼─┤  (caches hold most of them)        ░▓▓▓▓▓▓▓▓░   32x32                     +13 %
//!   └─┴─┴─┘                                    ░░░░░░░░░░   then barrier(), then filter from there
//! ```
//!
//! Begin with `shaders/lds_blur/box3x3_tile.comp`, the drawing above as code. `box3x3_half` adds two texels per
//! instruction, as 16-bit floats. The other kernels take any `--filter`, with any `--radius` except for dilate and
//! clamp, whose radius is 1. `sliding` ones cover a column of texels per invocation and keep the rows that the next
//! texel needs again in registers. `volume_*` are a 3x3x3 box: its border is 70 % of all loads with cubes of 4x4x4, and
//! 49 % with 8x8x8.
//!
//! `box3x3_buffer` does without shared memory: an invocation covers 4x8 texels in buffers and loads four of a row at once.
//! That takes 39 µs on an H200, where a copy takes 38. At 16384x16384 both take 0.52 ms.
//!
//! The article has the tiles and cubes with one texel per invocation, and names the filters. `separable`, `sliding`,
//! `box3x3_half`, `box3x3_buffer` and `_conflicts` are ours.
//!
//! The article says "up to 30 %", and not on what that depends. On an H200 tiles of 16x16 save 24 % of a 3x3 box's time
//! (98 against 129 µs), tiles of 32x32 save 12 %, and cubes save 60 % of a 3x3x3 box's (193 against 482). The share of
//! the border does not decide there: 16x16 beats 32x32, and cubes of 4x4x4 take as long as those of 8x8x8 (192).
//! Workgroups of 8x8 take longer than without shared memory (162), because an H200 starts about 1.6 workgroups per ns.
//!
//! Rows of a tile narrower than 32 texels meet in the banks of shared memory unless their pitch keeps them apart, which
//! that of `box3x3_tile_16x16_conflicts` does not (102 µs).
//!
//! Look for, in RGP: VMEM instructions and L1 hit rate of `direct_sampled` against LDS instructions of
//! `shared_32x32`, and waves that wait at the barrier. In Nsight: L1TEX throughput.
//!
//! Source: Sebastian Aaltonen, Optimizing GPU occupancy and resource usage with large thread groups,
//! GPUOpen 2017, "Neighborhood processing".

mod buffers;
mod device;
mod reference;
mod tile;
mod verdict;
mod volume;

use std::process::ExitCode;

use anyhow::Result;
use buffers::box3x3_buffer;
use clap::value_parser;
use common::{Extent, Format, KernelBuilder, Lab, Variant, run, sample};
use device::{Plane, count};
use reference::Filter;
use samples::size;
use tile::Tile;
use verdict::{headline, verdict};
use volume::volume;

/// What does it save to load a tile once into shared memory?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--radius 1..8 # from which radius does shared memory win?\n\
    --filter dilate # the article's other filter")]
struct Args {
    /// Image size [default: 4096x4096, on a CPU 256x256]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Side of the volume that the 3x3x3 box filters [default: 256, on a CPU 32]
    #[arg(long, value_name = "SIDE", value_parser = value_parser!(u32).range(1..=2048))]
    volume: Option<u32>,
    /// What is computed from each neighbourhood
    #[arg(long, value_enum, default_value_t = Filter::Box)]
    filter: Filter,
    /// Reach of the filter in texels; dilate and clamp have 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=8))]
    radius: u32,
}

fn main() -> ExitCode {
    run(sample!(), lds_blur)
}

/// Texels of a tile, and rows per invocation.
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

fn lds_blur(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let size = size(lab, args.size, [4096; 2], [256; 2]);
    let plane = Plane::new(lab, size, args.filter, args.radius)?;
    if plane.is_box3x3() {
        box3x3(lab, plane);
        box3x3_buffer(lab, plane)?;
    }
    any_filter(lab, plane);
    lab.limits(size, Format::R32_SFLOAT)?;
    volume(lab, args.volume)?;
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, size));
    Ok(())
}

/// The plain 3x3 box: every invocation loads its nine texels, or a workgroup loads its tile once.
fn box3x3(lab: &mut Lab, plane: Plane) {
    let kernel = lab.kernel("lds_blur/box3x3_direct.comp").workgroup([16, 16, 1]).build();
    let groups = plane.groups([16, 16]);
    lab.variant("box3x3_direct", move |cmd, rep| {
        let [from, to, _] = plane.bindings(rep.index, false);
        cmd.dispatch(kernel, &[from, to], &(), groups);
    })
    .declares(plane.declared());

    for side in [8, 16, 32] {
        box3x3_tile(lab, plane, &format!("box3x3_tile_{side}x{side}"), Tile::square(side, 1));
    }
    // Two rows of 16 lanes at a pitch of 18 words meet in two banks of shared memory: each read takes two cycles.
    box3x3_tile(lab, plane, "box3x3_tile_16x16_conflicts", Tile { pitch: 18, ..Tile::square(16, 1) });
    let lacks = (!lab.device().float16).then(|| format!("{} has no 16-bit floats", lab.device().name));
    for side in [8, 16, 32] {
        let name = format!("box3x3_half_{side}x{side}");
        box3x3_tile(lab, plane, &name, Tile::of_pairs(side)).skip(lacks.clone());
    }
}

/// The 3x3 box through a tile in shared memory, with one texel per invocation or two.
fn box3x3_tile<'l>(lab: &'l mut Lab, plane: Plane, name: &str, tile: Tile) -> &'l mut Variant {
    let path = if tile.each == [1, 1] { "lds_blur/box3x3_tile.comp" } else { "lds_blur/box3x3_half.comp" };
    let [kernel, counting] =
        [plane.box3x3(lab, path, tile), plane.box3x3(lab, path, tile).define_as("COUNT_LOADS", 2)]
            .map(KernelBuilder::build);
    lab.prove([name], move |lab| count(lab, counting, &plane.bindings(0, false)[..2], &tile.sides, 1));
    let groups = plane.groups(tile.sides);
    lab.variant(name, move |cmd, rep| {
        let [from, to, _] = plane.bindings(rep.index, false);
        cmd.dispatch(kernel, &[from, to], &(), groups);
    })
    .declares(plane.declared_with_border(tile))
}

/// The filter that the arguments name, in the same ways, and with several texels of a column per invocation.
fn any_filter(lab: &mut Lab, plane: Plane) {
    direct(lab, plane, "direct_storage", [16, 16], 1, true);
    direct(lab, plane, "direct_sampled", [16, 16], 1, false);
    direct(lab, plane, "direct_sampled_32x8", [32, 8], 1, false);
    direct(lab, plane, "sliding_32x2x16", [32, 2], 16, false);
    for side in [8, 16, 32] {
        let tile = Tile::square(side, plane.radius);
        shared(lab, plane, &format!("shared_{side}x{side}"), tile, "lds_blur/shared.comp", 0);
        let across = plane.bytes_across(tile);
        shared(lab, plane, &format!("separable_{side}x{side}"), tile, "lds_blur/separable.comp", across);
    }
    for sides @ [width, height, rows] in SLIDING {
        let tile = Tile::of_columns(sides, plane.radius);
        shared(
            lab,
            plane,
            &format!("shared_sliding_{width}x{height}x{rows}"),
            tile,
            "lds_blur/shared.comp",
            0,
        );
    }
}

/// Every invocation loads its whole neighbourhood, for `rows` texels of a column: from a storage image or as texture
/// fetches.
fn direct(lab: &mut Lab, plane: Plane, name: &str, [width, height]: [u32; 2], rows: u32, storage: bool) {
    let kernel = plane.kernel(lab, "lds_blur/direct.comp").constant("ROWS_PER_INVOCATION", rows);
    let kernel = if storage { kernel.define("STORAGE") } else { kernel };
    let kernel = kernel.workgroup([width, height, 1]).build();
    let groups = plane.groups([width, height * rows]);
    lab.variant(name, move |cmd, rep| {
        cmd.dispatch(kernel, &plane.bindings(rep.index, storage), &(), groups);
    })
    .declares(plane.declared());
}

/// The filter of the arguments through a tile in shared memory, by the kernel at `path`, which also keeps `extra_bytes`
/// there.
fn shared(lab: &mut Lab, plane: Plane, name: &str, tile: Tile, path: &str, extra_bytes: u64) {
    let kernel = || plane.tiled(lab, path, tile, extra_bytes);
    let [kernel, counting] = [kernel(), kernel().define_as("COUNT_LOADS", 3)].map(KernelBuilder::build);
    lab.prove([name], move |lab| count(lab, counting, &plane.bindings(0, false), &tile.sides, plane.radius));
    let groups = plane.groups(tile.sides);
    lab.variant(name, move |cmd, rep| cmd.dispatch(kernel, &plane.bindings(rep.index, false), &(), groups))
        .declares(plane.declared_with_border(tile));
}
