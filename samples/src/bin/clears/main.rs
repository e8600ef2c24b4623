//! What does it cost to clear an image that the next pass overwrites?
//!
//! ```text
//! uncleared      | pass 1 | pass 2 | pass 3 |                 each pass writes a target of its own
//! load_op        |c pass 1|c pass 2|c pass 3|                 cleared as its render pass begins
//! clear_image    |clear| pass 1 |clear| pass 2 |clear| pass 3 |    vkCmdClearColorImage, and a barrier
//! images_first   |clear clear clear| pass 1 | pass 2 | pass 3 |    the same clears before the first pass
//! ```
//!
//! A pass reads what the pass before it wrote and overwrites its target: as a pixel shader behind a full-screen triangle, or as a
//! compute shader. The talk asks to leave out clears of such targets. It names 0.0 and 1.0 as what compressed images are cheaply
//! cleared to. All but `pixels_uncleared` leave the last row alone: the check finds the clear's colour there, or what was there before.
//!
//! Expect a load operation to cost little on tilers and where clears are fast ones, and `vkCmdClearColorImage` up to a pass of its own. On
//! an H200 no clear is fast, a kernel clears faster than all of them, and 0 and 1 are colours like any other. A clear that the pass needs,
//! because it does not cover all, is not measured.
//!
//! Look for, in RGP or Nsight: the time between two passes, and whether a clear is a fast one.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "Avoid Slow Clears". Specification: "Render Pass Load Operations",
//! "Clear Commands".

mod chain;
mod reference;
mod verdict;

use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::value_parser;
use common::{Access, Extent, ImageLayout, ImageUsage, Lab, LoadOp, Scope, Stage, run, sample};
use samples::full_screen::{COMPUTE, PIXELS, Texels};
use samples::{DRAWN, STORES, both, name_of, size};

use chain::{Chain, Colour, LastRow, Work};
use verdict::{headline, verdict};

/// What does it cost to clear an image that the next pass overwrites?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--size 640x360,1280x720,2560x1440 # from which size on does it matter?\n\
    --format rgba16f --trace waves.svg # where the GPU idles")]
struct Args {
    /// Area of a pass [default: 1920x1080, on a CPU 48x27]
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Extent>,
    /// Format of the images
    #[arg(long, value_enum, default_value_t = Texels::Rgba8)]
    format: Texels,
    /// Passes, each with its own target [default: 8, on a CPU 3]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=32))]
    passes: Option<u32>,
}

fn main() -> ExitCode {
    run(sample!(), clears)
}

/// Texels that `vkCmdClearColorImage` wrote.
const CLEARED: Scope = (Stage::CLEAR, Access::TRANSFER_WRITE);
/// A pixel shader that reads, draws, and needs what was in its attachment before.
const PIXELS_AND_OLD: Scope = both(PIXELS, (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_READ));

/// What a compute shader's target is cleared by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clear {
    Nothing,
    Image(Colour),
    ImagesFirst,
    Kernel,
}

fn clears(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    let passes = args.passes.unwrap_or(if lab.device().is_cpu() { 3 } else { 8 });
    let work = Work { size: size(lab, args.size, [1920, 1080], [48, 27]), texels: args.format, passes };
    ensure!(
        work.size.height > 1,
        "--size: at least two rows, because passes leave the last one to the clear"
    );
    lab.report.setting("format", name_of(&args.format));
    lab.report.setting("passes", passes);
    by_load_op(lab, work, "pixels_uncleared", LoadOp::DontCare, LastRow::Overwritten)?;
    by_load_op(lab, work, "pixels_loaded", LoadOp::Load, LastRow::Kept)?;
    for colour in Colour::ALL {
        let name = format!("pixels_load_op_{}", colour.name());
        by_load_op(lab, work, &name, LoadOp::Clear(colour.words()), LastRow::Cleared(colour))?;
    }
    by_clear_attachments(lab, work)?;
    for colour in Colour::ALL {
        by_clear_color_image(lab, work, &format!("pixels_clear_image_{}", colour.name()), colour, false)?;
    }
    by_clear_color_image(lab, work, "pixels_images_first_0", Colour::Zero, true)?;
    by_kernel(lab, work)?;
    compute(lab, work, "compute_uncleared", Clear::Nothing)?;
    for colour in Colour::ALL {
        compute(lab, work, &format!("compute_clear_image_{}", colour.name()), Clear::Image(colour))?;
    }
    compute(lab, work, "compute_images_first_0", Clear::ImagesFirst)?;
    compute(lab, work, "compute_clear_kernel_0", Clear::Kernel)?;
    lab.limits(work.size.sides(), args.format.format())?;
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, work));
    Ok(())
}

/// The render pass clears its attachment as it begins, keeps what is there, or gives it up.
fn by_load_op(lab: &mut Lab, work: Work, name: &str, load: LoadOp, last_row: LastRow) -> Result<()> {
    let chain = Chain::of_pixels(lab, work, name, last_row, ImageUsage::empty())?;
    let keeps = load == LoadOp::Load;
    let old = if keeps { ImageLayout::GENERAL } else { ImageLayout::UNDEFINED };
    let variant = lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            let dst = if keeps { PIXELS_AND_OLD } else { PIXELS };
            cmd.pipeline_barrier2_layouts(&chain.read_and_attached(pass, old), DRAWN, dst);
            cmd.rendering(&[chain.attachment(pass, load)], |render| chain.draw(render, pass));
        }
        cmd.pipeline_barrier2_layouts(&[chain.drawn_result(rep)], DRAWN, DRAWN);
    });
    variant.declares(work.declared());
    Ok(())
}

/// The first command of the render pass clears its attachment.
fn by_clear_attachments(lab: &mut Lab, work: Work) -> Result<()> {
    let (name, colour) = ("pixels_attachments_0", Colour::Zero);
    let chain = Chain::of_pixels(lab, work, name, LastRow::Cleared(colour), ImageUsage::empty())?;
    let variant = lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            cmd.pipeline_barrier2_layouts(
                &chain.read_and_attached(pass, ImageLayout::UNDEFINED),
                DRAWN,
                PIXELS,
            );
            cmd.rendering(&[chain.attachment(pass, LoadOp::DontCare)], |render| {
                render.clear_attachments(0, colour.words());
                chain.draw(render, pass);
            });
        }
        cmd.pipeline_barrier2_layouts(&[chain.drawn_result(rep)], DRAWN, DRAWN);
    });
    variant.declares(work.declared());
    Ok(())
}

/// A command clears each target before its pass, or all of them before the first pass. Clears wait for nothing but clears.
fn by_clear_color_image(
    lab: &mut Lab,
    work: Work,
    name: &str,
    colour: Colour,
    all_first: bool,
) -> Result<()> {
    let cleared = ImageLayout::TRANSFER_DST_OPTIMAL;
    let chain = Chain::of_pixels(lab, work, name, LastRow::Cleared(colour), ImageUsage::empty())?;
    let variant = lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            let targets = chain.cleared_before(pass, all_first);
            if !targets.is_empty() {
                let emptied = targets.iter().map(|&target| (target, [ImageLayout::UNDEFINED, cleared]));
                cmd.pipeline_barrier2_layouts(&emptied.collect::<Vec<_>>(), CLEARED, CLEARED);
            }
            for target in targets {
                cmd.clear_color_image(target, cleared, colour.words());
            }
            let images = chain.read_and_attached(pass, cleared);
            cmd.pipeline_barrier2_layouts(&images, both(DRAWN, CLEARED), PIXELS_AND_OLD);
            cmd.rendering(&[chain.attachment(pass, LoadOp::Load)], |render| chain.draw(render, pass));
        }
        cmd.pipeline_barrier2_layouts(&[chain.drawn_result(rep)], DRAWN, DRAWN);
    });
    variant.declares(work.declared());
    Ok(())
}

/// A dispatch clears each target before its pass.
fn by_kernel(lab: &mut Lab, work: Work) -> Result<()> {
    let (name, general) = ("pixels_clear_kernel_0", ImageLayout::GENERAL);
    let chain = Chain::of_pixels(lab, work, name, LastRow::Cleared(Colour::Zero), ImageUsage::STORAGE)?;
    let clear = work.dispatched(lab, "clears/clear.comp").build();
    let variant = lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            let target = chain.targets.of(pass);
            cmd.pipeline_barrier2_layouts(&[(target, [ImageLayout::UNDEFINED, general])], STORES, STORES);
            cmd.dispatch(clear, &[target], &work.size.sides(), work.groups());
            let images = chain.read_and_attached(pass, general);
            cmd.pipeline_barrier2_layouts(&images, both(DRAWN, STORES), PIXELS_AND_OLD);
            cmd.rendering(&[chain.attachment(pass, LoadOp::Load)], |render| chain.draw(render, pass));
        }
        cmd.pipeline_barrier2_layouts(&[chain.drawn_result(rep)], DRAWN, DRAWN);
    });
    variant.declares(work.declared());
    Ok(())
}

/// Each pass is a dispatch that stores to its target, and so may be the clear.
fn compute(lab: &mut Lab, work: Work, name: &str, clear: Clear) -> Result<()> {
    let colour = if let Clear::Image(colour) = clear { colour } else { Colour::Zero };
    let last_row = if clear == Clear::Nothing { LastRow::Kept } else { LastRow::Cleared(colour) };
    let chain = Chain::of_compute(lab, work, name, last_row)?;
    let clear_kernel = work.dispatched(lab, "clears/clear.comp").build();
    let written =
        if matches!(clear, Clear::Image(_) | Clear::ImagesFirst) { both(STORES, CLEARED) } else { STORES };
    let variant = lab.variant(name, move |cmd, rep| {
        for pass in rep.passes(work.passes) {
            match clear {
                Clear::Nothing => {}
                Clear::Kernel => {
                    cmd.dispatch(clear_kernel, &[chain.targets.of(pass)], &work.size.sides(), work.groups());
                }
                Clear::Image(_) | Clear::ImagesFirst => {
                    for target in chain.cleared_before(pass, clear == Clear::ImagesFirst) {
                        cmd.clear_color_image(target, ImageLayout::GENERAL, colour.words());
                    }
                }
            }
            cmd.pipeline_barrier2(written, COMPUTE);
            let bindings = [chain.source(pass), chain.targets.of(pass).into()];
            cmd.dispatch(chain.kernel, &bindings, &chain.written, work.groups());
        }
    });
    variant.declares(work.declared());
    Ok(())
}
