//! Does a subgroup (a wave on AMD) that blurs several tiles, one after another, beat one workgroup per tile? The talk's
//! 9-tap box blur: neighbouring tiles share taps, and a subgroup that stays is not launched again.
//!
//! ```text
//!                along the filter's reach: what two tiles share is fetched once
//! linear_8x8     ▕tile▏ ▕tile▏ ▕tile▏ ▕tile▏     four workgroups, 10 loads and stores per tile
//! unroll_4       ▕tile│tile│tile│tile▏           one subgroup, 9.25 per tile at radius 4
//! across_4       the same across the reach       nothing is shared: 10 per tile, the control
//! slide_4        each lane blurs 4 adjacent texels: 4 loads and stores per texel
//! shuffle_8      each lane fetches one texel per tile and gets the others from lanes beside it: 2.125 per tile
//! ```
//!
//! The talk measures `linear_8x8`, `unroll_2`, `unroll_4` and `unroll_8`; the other forms are ours. `_x8` puts eight
//! subgroups into a workgroup: a multiprocessor of NVIDIA holds 32 workgroups and 64 subgroups, so workgroups of one
//! subgroup leave half of it empty. `rows_32x8x4` is a shape that is fast for the passes of `pipelined_events` there.
//!
//! A tile of `unroll`, `across` and `slide` has `--tile-lanes` texels, by default as many as a subgroup has lanes: 8x8
//! for the talk's 64, 8x4 for 32. Only with 64 do the talk's figures stand beside the rows. With 32, compare
//! `linear_8x8` with `unroll_2`, which has as many workgroups.
//!
//! Begin with `shaders/semi_persistent_waves/unroll.comp`; `tiles.rs` draws which lane has which texel in each form.
//! The horizontal and the vertical blur have the same result here (`reference.rs` says why).
//!
//! `--waves-per-simd 3,4,5,6`, the talk's limits, or `--occupancy 0.25,0.5` limits how many subgroups a
//! multiprocessor holds, by shared memory that is allocated and not used. The report shows the residency measured.
//!
//! Expect the talk's 1.22 between `linear_8x8` and `unroll_8` on GCN, back to back (pipelined), where fetches are the
//! bottleneck. Fewer loads and stores explain 1.10 of it; the talk takes the rest for cache hits. Alone another may
//! win: with the talk's limits that was `unroll_4`.
//!
//! On an H200 eight tiles per subgroup are 1.02 times as fast as one alone (53.8 against 54.6 µs, `unroll_8_x8` and
//! `unroll_1_x8`) and 1.08 times back to back. `linear_8x8` is no measure of that there, because the launch of its
//! workgroups limits it: `unroll_2` has as many and takes the same 83 µs, `unroll_1` has twice as many and takes 160.
//!
//! `slide` also adds less: 2 additions per texel after a lane's first, where `unroll` has 9. Yet `slide_4_x8` takes 94
//! µs on an H200. Its lanes are 4 texels apart, so that a load spans four times the area; along columns, where the
//! lanes of a subgroup are neighbours, it takes 33. Why 8 texels per lane take less than 4 (71 µs) is not known.
//!
//! `shuffle_8_x4` takes 22 µs back to back on an H200, where a copy takes 16 to 17. A lane fetches 9 texels for 8 tiles,
//! and gets the others by about 9 shuffles per tile (rgba8, radius 4).
//!
//! Look for, in RGP or Nsight: the gap between a wave's end and the next one's first load, and the cache's
//! hit rate.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Semi-Persistent Waves".

mod device;
mod occupancy;
mod paddings;
mod picture;
mod reference;
mod talk;
mod tiles;
mod verdict;

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;

use anyhow::Result;
use clap::value_parser;
use common::record::published;
use common::{Declared, Extent, Kernel, Lab, Variant, run, sample};
use device::{Blur, Loads};
use occupancy::{Limit, Limits};
use paddings::Paddings;
use reference::{Axis, Texels};
use samples::{lanes, size};
use tiles::{Form, forms, shuffling};
use verdict::{headline, verdict};

/// The forms that limits apply to.
const LIMITED: [&str; 9] = [
    "linear_8x8",
    "swizzled_8x8",
    "unroll_2",
    "unroll_4",
    "unroll_8",
    "across_8",
    "unroll_8_x8",
    "slide_4_x8",
    "rows_32x8x4",
];

/// Does a subgroup that blurs several tiles beat one workgroup per tile?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--radius 1,4,8,16 # does the gain grow with the filter?\n\
    --occupancy 0.25,0.5,1 # how many waves must be in flight?")]
struct Args {
    /// Image size [default: 3840x2160, on a CPU 256x256]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// How far the filter reaches to each side, in texels
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = value_parser!(u32).range(1..=16))]
    radius: u32,
    /// Format of the images
    #[arg(long, value_enum, default_value_t = Texels::Rgba8)]
    format: Texels,
    /// How texels are read: as a texture, or from a storage image
    #[arg(long, value_enum, default_value_t = Loads::Sampled)]
    loads: Loads,
    /// Lanes per tile, from 4 to 128 [default: as the device]
    #[arg(long, value_name = "LANES", value_parser = lanes)]
    tile_lanes: Option<u32>,
    #[command(flatten)]
    limits: Limits,
}

fn main() -> ExitCode {
    run(sample!(), semi_persistent_waves)
}

fn semi_persistent_waves(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let limits = args.limits.asked(lab)?;
    let size = size(lab, args.size, [3840, 2160], [256; 2]);
    let blur = Blur::new(lab, size, args.radius, args.format, args.loads)?;
    let lanes = args.tile_lanes.unwrap_or_else(|| lab.device().subgroup_size.clamp(4, 128));
    lab.report.setting("tile_lanes", lanes);

    let [horizontal, vertical] = [Axis::Horizontal, Axis::Vertical].map(|axis| forms(axis, lanes));
    for &form in &horizontal {
        unlimited(lab, blur, form, lanes);
    }
    let device = lab.device();
    let shuffling = shuffling(lanes, args.radius, device.subgroup_size);
    let lacks =
        (!device.shuffle).then(|| format!("{} has no shuffles in subgroups of a known size", device.name));
    for form in shuffling {
        unlimited(lab, blur, form, lanes).skip(lacks.clone());
    }
    for form in vertical {
        unlimited(lab, blur, form, lanes);
    }
    let most = lab.device().max_workgroup_invocations;
    let paddings = Rc::default();
    for form in horizontal {
        if LIMITED.contains(&&*form.name()) && form.invocations() <= most {
            limits.iter().for_each(|&limit| limited(lab, blur, form, limit, lanes, &paddings));
        }
    }
    if !limits.is_empty() {
        lab.report.show_matrix();
    }
    let is_the_talks = blur.is_the_talks(lanes);
    lab.report.headline(move |figures| headline(figures, lanes));
    lab.report.verdict(move |figures| verdict(figures, size, blur.radius, lanes, is_the_talks));
    Ok(())
}

/// The variant of a form: its name and `suffix`, and its one command.
fn variant<'l>(lab: &'l mut Lab, blur: Blur, form: Form, kernel: Kernel, suffix: &str) -> &'l mut Variant {
    let operations = form.memory_operations(blur.radius);
    let groups = form.groups(blur.size);
    let variant = lab.variant(form.name() + suffix, move |cmd, rep| {
        cmd.dispatch(kernel, &blur.images(form, rep.index), &blur.push(), groups);
    });
    variant.declares(Declared::default().bytes(blur.bytes()).predicts("VMEM ops a tile", operations))
}

/// One form, as many subgroups at a time as there is room for.
fn unlimited(lab: &mut Lab, blur: Blur, form: Form, lanes: u32) -> &mut Variant {
    let kernel = blur.kernel(lab, form, 0).build();
    let variant = variant(lab, blur, form, kernel, "");
    publish(variant, blur.is_the_talks(lanes), &format!("blur/{}", form.name()));
    variant
}

/// A form with its resident subgroups limited, by shared memory that its workgroups allocate and do not use.
fn limited(
    lab: &mut Lab,
    blur: Blur,
    form: Form,
    limit: Limit,
    lanes: u32,
    paddings: &Rc<RefCell<Paddings>>,
) {
    let paddings = Rc::clone(paddings);
    let kernel =
        lab.found_kernel(move |lab| Ok(paddings.borrow_mut().kernel(lab, blur, form, limit)?.recipe()));
    let variant = variant(lab, blur, form, kernel, &limit.suffix());
    publish(
        variant,
        blur.is_the_talks(lanes),
        &format!("wave_limit/{}{}/pipelined", form.name(), limit.suffix()),
    );
}

/// The talk's figure, where it has one and the run is comparable.
fn publish(variant: &mut Variant, is_the_talks: bool, key: &str) {
    if is_the_talks {
        variant.published = published::find("lottes2018", key).ok();
    }
}
