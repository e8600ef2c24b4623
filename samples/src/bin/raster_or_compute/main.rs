//! Is a full-screen pass faster as a pixel shader or as a compute shader?
//!
//! ```text
//! pixels          draw 1 ║ draw 2 ║ draw 3          each reads what the one before wrote, behind a barrier
//! compute_8x8     dispatch 1 ║ dispatch 2 ║ …       the same with a compute shader that stores to images
//! pixels_apart    draw 1  draw 2  draw 3            the same passes, but each reads the first image: no barrier
//! …_ordered       draw 1 │ draw 2 │ draw 3          an execution barrier: the GPU drains
//! …_flushed       draw 1 ║ draw 2 ║ draw 3          a memory barrier: what was written is made visible, too
//! ```
//!
//! A pass sums a square of texels (3x3 or 9x9), maps one texel as a tone map does, or sums four texels into an image of half the size.
//! `pixels_general` has its images in `GENERAL`, `pixels_storage` declares that they may be stored to. Either can switch compression off.
//! The difference in time between `apart` and `ordered` is the drain, that between `ordered` and `flushed` the flush of caches.
//!
//! Expect compute to win where a pass is short, if what the talk says holds: it needs neither a vertex shader nor an ordered output. It does
//! not help where a compressed attachment saves bandwidth. On an H200 only 4 of 132 multiprocessors run pixel shaders, and compute wins by far.
//!
//! Look for, in RGP or Nsight: the way from the draw to its first pixel wave, and cache flushes at the barriers.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "PS and CS on GCN", "Delta Color Compression (DCC) On/Off" and "When to
//! Use CS and VS+PS". Specification: "Render Passes", "Image Layouts".

mod chain;
mod filter;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{Cmd, Extent, ImageLayout, ImageUsage, Lab, Rep, Scope, run, sample};
use samples::full_screen::{COMPUTE, PIXELS, Texels};
use samples::{DRAWN, STORES, name_of, size};

use chain::{Chain, Reads, Work};
use filter::Filter;
use verdict::{headline, verdict};

/// Is a full-screen pass faster as a pixel shader or as a compute shader?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--size 640x360,1280x720,2560x1440 # does the size decide?\n\
    --format rgba16f --variants blur_1_pixels* # do layout and usage matter?")]
struct Args {
    /// Area that a pass writes [default: 1280x720, on a CPU 48x27]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Format of the images
    #[arg(long, value_enum, default_value_t = Texels::Rgba8)]
    format: Texels,
    /// Passes, each with its own target [default: 4, on a CPU 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(2..=16))]
    passes: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), raster_or_compute)
}

/// Workgroups: one or two waves, and more of them.
const SHAPES: [[u32; 2]; 2] = [[8, 8], [16, 16]];
const SQUARE: [u32; 2] = SHAPES[0];

fn raster_or_compute(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let passes = args.passes.unwrap_or(if lab.device().is_cpu() { 3 } else { 4 });
    let size = size(lab, args.size, [1280, 720], [48, 27]);
    lab.report.setting("format", name_of(&args.format));
    lab.report.setting("passes", passes);
    for filter in Filter::ALL {
        let work = Work { size, texels: args.format, passes, filter };
        if filter.can_chain() {
            let (attachment, general) = (ImageLayout::COLOR_ATTACHMENT_OPTIMAL, ImageLayout::GENERAL);
            pixels(lab, work, "pixels", attachment, ImageUsage::empty())?;
            pixels(lab, work, "pixels_general", general, ImageUsage::empty())?;
            pixels(lab, work, "pixels_storage", attachment, ImageUsage::STORAGE)?;
            for shape in SHAPES {
                compute(lab, work, &format!("compute_{}x{}", shape[0], shape[1]), shape, general)?;
            }
            compute(lab, work, "compute_read_only", SQUARE, ImageLayout::SHADER_READ_ONLY_OPTIMAL)?;
        }
        if filter.is_short() {
            for between in Between::ALL {
                pixels_apart(lab, work, between)?;
                compute_apart(lab, work, between)?;
            }
        }
    }
    lab.limits(size.sides(), args.format.format())?;
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, size, passes));
    Ok(())
}

/// What is between two independent passes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    /// An execution barrier.
    Order,
    /// A memory barrier, which makes everything visible to the next pass.
    Flush,
}

impl Between {
    const ALL: [Self; 3] = [Self::Nothing, Self::Order, Self::Flush];

    fn name(self) -> &'static str {
        match self {
            Self::Nothing => "apart",
            Self::Order => "ordered",
            Self::Flush => "flushed",
        }
    }

    /// The scopes of the barrier, if there is one.
    fn scopes(self, src: Scope, dst: Scope) -> Option<[Scope; 2]> {
        let none = common::Access::NONE;
        match self {
            Self::Nothing => None,
            Self::Order => Some([(src.0, none), (dst.0, none)]),
            Self::Flush => Some([src, dst]),
        }
    }
}

/// Each pass is a full-screen triangle, whose target is an attachment in `drawn_in` and then read.
fn pixels(lab: &mut Lab, work: Work, way: &str, drawn_in: ImageLayout, also: ImageUsage) -> Result<()> {
    let is_general = drawn_in == ImageLayout::GENERAL;
    let read_in = if is_general { drawn_in } else { ImageLayout::SHADER_READ_ONLY_OPTIMAL };
    let chain = Chain::of_pixels(lab, work, way, Reads::TargetBefore(read_in), also)?;
    let variant = lab.variant(work.name(way), move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            let target = (chain.targets.of(pass), [ImageLayout::UNDEFINED, drawn_in]);
            let read = chain.targets.before(pass).map(|before| (before, [drawn_in, read_in]));
            let images: Vec<_> = read.into_iter().chain([target]).collect();
            cmd.pipeline_barrier2_layouts(&images, DRAWN, PIXELS);
            cmd.rendering(&[chain.attachment(pass, drawn_in)], |render| chain.draw(render, pass));
        }
        cmd.pipeline_barrier2_layouts(
            &[(chain.targets.last(rep), [drawn_in, ImageLayout::GENERAL])],
            DRAWN,
            DRAWN,
        );
    });
    variant.declares(work.declared());
    Ok(())
}

/// Each pass is a dispatch of this workgroup, whose target is stored to in `GENERAL` and read in `read_in`.
fn compute(lab: &mut Lab, work: Work, way: &str, shape: [u32; 2], read_in: ImageLayout) -> Result<()> {
    let chain = Chain::of_compute(lab, work, way, Reads::TargetBefore(read_in), shape)?;
    let variant = lab.variant(work.name(way), move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            match chain.targets.before(pass).filter(|_| read_in != ImageLayout::GENERAL) {
                Some(before) => {
                    let read = [(before, [ImageLayout::GENERAL, read_in])];
                    cmd.pipeline_barrier2_layouts(&read, STORES, COMPUTE);
                }
                None if pass.has_previous() => cmd.pipeline_barrier2(STORES, COMPUTE),
                None => {}
            }
            let bindings = [chain.source(pass), chain.targets.of(pass).into()];
            cmd.dispatch(chain.kernel, &bindings, &(), work.groups(shape));
        }
    });
    variant.declares(work.declared());
    Ok(())
}

/// Full-screen triangles that share nothing but the image that they read.
fn pixels_apart(lab: &mut Lab, work: Work, between: Between) -> Result<()> {
    let way = format!("pixels_{}", between.name());
    let chain = Chain::of_pixels(lab, work, &way, Reads::Seed, ImageUsage::empty())?;
    let variant =
        lab.variant(work.name(&way), move |cmd, rep| record_pixels_apart(cmd, rep, &chain, between));
    variant.declares(work.declared());
    Ok(())
}

fn record_pixels_apart(cmd: &Cmd, rep: Rep, chain: &Chain, between: Between) {
    let drawn_in = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let all = |layouts| chain.targets.all(rep).map(|target| (target, layouts)).collect::<Vec<_>>();
    cmd.pipeline_barrier2_layouts(&all([ImageLayout::UNDEFINED, drawn_in]), DRAWN, DRAWN);
    for pass in rep.passes(chain.targets.passes) {
        if let Some([src, dst]) = between.scopes(DRAWN, PIXELS).filter(|_| pass.index > 0) {
            cmd.pipeline_barrier2(src, dst);
        }
        cmd.rendering(&[chain.attachment(pass, drawn_in)], |render| chain.draw(render, pass));
    }
    cmd.pipeline_barrier2_layouts(&all([drawn_in, ImageLayout::GENERAL]), DRAWN, DRAWN);
}

/// Dispatches that share nothing but the image that they read.
fn compute_apart(lab: &mut Lab, work: Work, between: Between) -> Result<()> {
    let way = format!("compute_{}", between.name());
    let chain = Chain::of_compute(lab, work, &way, Reads::Seed, SQUARE)?;
    let groups = work.groups(SQUARE);
    let variant =
        lab.variant(work.name(&way), move |cmd, rep| record_compute_apart(cmd, rep, &chain, between, groups));
    variant.declares(work.declared());
    Ok(())
}

/// It begins and ends with the barriers that pixel shaders need for their layouts.
fn record_compute_apart(cmd: &Cmd, rep: Rep, chain: &Chain, between: Between, groups: [u32; 3]) {
    cmd.pipeline_barrier2(STORES, STORES);
    for pass in rep.passes(chain.targets.passes) {
        if let Some([src, dst]) = between.scopes(STORES, COMPUTE).filter(|_| pass.index > 0) {
            cmd.pipeline_barrier2(src, dst);
        }
        cmd.dispatch(chain.kernel, &[chain.source(pass), chain.targets.of(pass).into()], &(), groups);
    }
    cmd.pipeline_barrier2(STORES, STORES);
}

#[cfg(test)]
mod tests {
    use common::vulkan::cmd::script::Step;
    use common::{Access, Image, Images, Kernel};
    use samples::full_screen::Targets;

    use super::*;

    /// The accesses of the barriers between two of three passes.
    fn between_passes(record: impl Fn(&Cmd, Rep, &Chain)) -> Vec<[Access; 2]> {
        let images = Images { first: Image(1), each: 3, repetitions: 1, wholes: None };
        let targets = Targets { seed: Image(0), images, passes: 3 };
        let size = Extent { width: 8, height: 8 };
        let chain = Chain { kernel: Kernel(0), targets, size, reads: Reads::Seed };
        let steps = Cmd::steps(|cmd| record(cmd, Rep { index: 0, count: 1 }, &chain));
        let barriers = steps[1..steps.len() - 1].iter().filter_map(|step| match step {
            Step::Barrier { src, dst, .. } => Some([src.1, dst.1]),
            _ => None,
        });
        barriers.collect()
    }

    #[test]
    fn passes_that_share_nothing_have_the_barriers_of_their_name() {
        for (between, of_pixels, of_compute) in [
            (Between::Nothing, vec![], vec![]),
            (Between::Order, vec![[Access::NONE; 2]; 2], vec![[Access::NONE; 2]; 2]),
            (Between::Flush, vec![[DRAWN.1, PIXELS.1]; 2], vec![[STORES.1, COMPUTE.1]; 2]),
        ] {
            let found = between_passes(|cmd, rep, chain| record_pixels_apart(cmd, rep, chain, between));
            assert_eq!(found, of_pixels, "{}", between.name());
            let found =
                between_passes(|cmd, rep, chain| record_compute_apart(cmd, rep, chain, between, [1; 3]));
            assert_eq!(found, of_compute, "{}", between.name());
        }
    }
}
