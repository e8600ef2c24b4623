//! How long does a draw take to its first pixel?
//!
//! ```text
//! █ ║····▒▒▒▒········▓▓▓▓                      a wave before, a barrier, the draw's vertex shader, its pixel shader
//!   ├───┤                  vertex              to the first wave of the vertex shader
//!   ├───────────────┤      pixel, fetched      to the first wave of the pixel shader
//!   ├──────────────────┤   last                to the last wave of the pixel shader
//! █ ║·····████
//!   ├────┤                 compute             to the wave of a dispatch
//! ```
//!
//! 1 to 100,000 triangles of six pixels are drawn twice. What counts is the second draw, which finds its code in the caches; before
//! `…_cold` a large buffer is filled in between. A wave of a dispatch notes the time before it, and first vertices and pixels note when
//! they begin. In `fetched_…` each vertex first follows a chain of loads.
//!
//! Expect the first pixel microseconds behind the first vertex, and more triangles to take no longer at first: few of them do not fill a
//! GPU. Larger triangles and vertex buffers are not measured.
//!
//! Look for, in RGP or Nsight: the time from the draw to its first pixel wave.
//!
//! Source: Timothy Lottes, Engine Optimization Hot Lap, GDC 2018, "PS and CS on GCN", "Examples of being idle bound – slide 2".
//! Specification: "Fixed-Function Vertex Post-Processing", "Rasterization".

mod begins;
mod triangles;
mod verdict;

use std::process::ExitCode;

use anyhow::Result;
use clap::value_parser;
use common::{
    Access, Attachment, Buffer, BufferSet, Buffers, Counter, Format, ImageLayout, ImageSet, ImageUsage,
    Kernel, Lab, LoadOp, Scope, Stage, run, sample,
};
use samples::noted::UNWRITTEN;
use samples::{DRAWN, STORES, both};

use begins::Begins;
use triangles::{SIDE, STEP, capacity, drawn, links, painted};
use verdict::{headline, verdict};

/// How long does a draw take to its first pixel?
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "--loads 64 --variants fetched_1_* # a longer chain of loads\n\
    --variants *_1_warm,compute_warm --trace waves.svg # one triangle, wave by wave")]
struct Args {
    /// Loads in a row of each vertex of `fetched_…`
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=64), default_value_t = 8)]
    loads: u32,
}

fn main() -> ExitCode {
    run(sample!(), first_pixel)
}

/// Triangles of a draw.
const TRIANGLES: [u32; 6] = [1, 10, 100, 1_000, 10_000, 100_000];
/// The variant whose target is the picture.
const SHOWN: &str = "pixel_1000_warm";
/// Bytes that are filled to empty the caches, more than the largest ones; less on a CPU, where times mean nothing.
const FILLED: u64 = 512 << 20;
const FILLED_ON_CPU: u64 = 1 << 20;

/// What the last wave of a variant adds to its results; others add something else.
const RIGHT: u32 = 1;

/// What the shaders of a draw note.
const NOTED: Scope = (
    Stage::from_raw(Stage::VERTEX_SHADER.as_raw() | Stage::FRAGMENT_SHADER.as_raw()),
    Access::SHADER_STORAGE_WRITE,
);
/// Old pixels that a render pass keeps.
const KEPT: Scope = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_READ);
/// A buffer that `vkCmdFillBuffer` fills.
const FILLS: Scope = (Stage::CLEAR, Access::TRANSFER_WRITE);

/// What all variants share.
#[derive(Clone, Copy)]
struct Work {
    /// Sides of the target.
    width: u32,
    /// Invocations of the wave before the draw.
    lanes: u32,
    loads: u32,
    links: Buffer,
    filled: Buffer,
}

fn first_pixel(lab: &mut Lab, args: &Args) -> Result<()> {
    lab.describe(include_str!("variants.toml"))?;
    lab.alone();
    lab.report.trace_waves();
    let (device, loads) = (lab.device(), args.loads);
    let is_small = device.is_cpu() && !lab.runs_nothing;
    let (width, lanes) = (if is_small { 128 } else { 1024 }, device.subgroup_size);
    let bytes = if is_small { FILLED_ON_CPU } else { FILLED.min(device.device_memory / 16) };
    lab.report.setting("loads", loads);
    let links = lab.input_buffer("links", move || links(loads));
    let filled = lab.made_buffer("filled", bytes / 4, |cmd, filled| cmd.fill_buffer(filled, 0));
    let work = Work { width, lanes, loads, links, filled };
    for is_cold in [false, true] {
        for triangles in TRIANGLES.into_iter().filter(|count| *count <= capacity(width)) {
            for begins in Begins::OF_DRAWS {
                work.draws(lab, begins, triangles, is_cold)?;
            }
        }
        work.dispatches(lab, is_cold)?;
    }
    lab.report.show_matrix();
    lab.report.headline(headline);
    lab.report.verdict(move |figures| verdict(figures, loads));
    Ok(())
}

/// Why nothing is measured on this device, if it is not.
fn no_clock(lab: &Lab) -> Option<String> {
    let has_clock = lab.device().device_clock;
    (!has_clock).then(|| "the device has no clock that shaders can read (VK_KHR_shader_clock)".into())
}

const fn state(is_cold: bool) -> &'static str {
    if is_cold { "cold" } else { "warm" }
}

impl Work {
    /// A draw, the wave before the next, and that.
    fn draws(self, lab: &mut Lab, begins: Begins, triangles: u32, is_cold: bool) -> Result<()> {
        let Self { width, loads, links, filled, .. } = self;
        let name = format!("{}_{triangles}_{}", begins.name(), state(is_cold));
        let format = Format::R32_UINT;
        let target =
            ImageSet::new(1, [width; 2], format, [UNWRITTEN; 4]).used_for(ImageUsage::COLOR_ATTACHMENT);
        let targets = lab.output(&name, target)?;
        lab.expect(targets, 0, move || drawn(width, triangles));
        if name == SHOWN {
            lab.report.show(targets, 0, [width; 2], "numbers of triangles as colours", painted);
        }
        let words = begins.words(triangles);
        let notes = lab.output(&format!("notes of {name}"), BufferSet::new(1, words, UNWRITTEN))?;
        let kernel = lab.kernel("first_pixel/triangles.frag").raster("first_pixel/triangles.vert", &[format]);
        let loads = if begins == Begins::Fetched { loads } else { 0 };
        let kernel = kernel.constants([("TRIANGLES", triangles), ("WIDTH", width), ("SIDE", SIDE)]);
        let kernel = kernel.constants([("LOADS", loads), ("STEP", STEP)]).build();
        let (mark, results) = self.mark(lab, &name, 2 * triangles)?;
        let (clock, lacks) = (Counter::of(lab.device()), no_clock(lab));
        let variant = lab.variant(name, move |cmd, rep| {
            let target = targets.get(rep.index, 0);
            let [notes, results] = [notes, results].map(|set| set.get(rep.index, 0));
            let layout = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
            let draw = |more: u32| {
                cmd.rendering(&[Attachment { image: target, layout, load: LoadOp::Load }], |render| {
                    render.draw(kernel, &[notes, links], &more, [width; 2], 3 * triangles);
                });
            };
            let drawn = both(DRAWN, KEPT);
            cmd.pipeline_barrier2_layouts(&[(target, [ImageLayout::GENERAL, layout])], drawn, drawn);
            // Other numbers, so that a second draw that draws nothing is found.
            draw(capacity(width));
            cmd.pipeline_barrier2(both(DRAWN, NOTED), both(FILLS, STORES));
            if is_cold {
                cmd.fill_buffer(filled, 0);
                cmd.pipeline_barrier2(FILLS, STORES);
            }
            cmd.dispatch(mark, &[notes, results], &RIGHT, [1, 1, 1]);
            cmd.pipeline_barrier2(STORES, both(NOTED, drawn));
            draw(0);
            cmd.pipeline_barrier2_layouts(&[(target, [layout, ImageLayout::GENERAL])], DRAWN, DRAWN);
        });
        variant.skip(lacks).stamped_metric("µs", notes.get(0, 0), words, move |words, stamps| {
            begins.figure(clock, triangles, words, stamps)
        });
        Ok(())
    }

    /// The same with a dispatch of one wave in place of the draw.
    fn dispatches(self, lab: &mut Lab, is_cold: bool) -> Result<()> {
        let filled = self.filled;
        let name = format!("{}_{}", Begins::Compute.name(), state(is_cold));
        let words = Begins::Compute.words(0);
        let notes = lab.output(&format!("notes of {name}"), BufferSet::new(1, words, UNWRITTEN))?;
        let (before, _) = self.mark(lab, &name, 0)?;
        let (mark, results) = self.mark(lab, &format!("{name}, next"), 2)?;
        let (clock, lacks) = (Counter::of(lab.device()), no_clock(lab));
        let variant = lab.variant(name, move |cmd, rep| {
            let [notes, results] = [notes, results].map(|set| set.get(rep.index, 0));
            let dispatch = |kernel, more: u32| cmd.dispatch(kernel, &[notes, results], &more, [1, 1, 1]);
            dispatch(mark, 5);
            cmd.pipeline_barrier2(STORES, both(FILLS, STORES));
            if is_cold {
                cmd.fill_buffer(filled, 0);
                cmd.pipeline_barrier2(FILLS, STORES);
            }
            dispatch(before, 7);
            cmd.pipeline_barrier2(STORES, STORES);
            dispatch(mark, RIGHT);
        });
        variant.skip(lacks).stamped_metric("µs", notes.get(0, 0), words, move |words, stamps| {
            Begins::Compute.figure(clock, 0, words, stamps)
        });
        Ok(())
    }

    /// A wave that notes when it begins and ends, from this note on, and what it writes beside.
    fn mark(self, lab: &mut Lab, name: &str, at: u32) -> Result<(Kernel, Buffers)> {
        let lanes = self.lanes;
        let results = lab.output(&format!("results of {name}"), BufferSet::new(1, lanes, UNWRITTEN))?;
        lab.expect(results, 0, move || (0..lanes).map(|lane| 3 * lane + RIGHT).collect());
        let kernel = lab.kernel("first_pixel/mark.comp").workgroup([lanes, 1, 1]);
        Ok((kernel.constant("AT", at).build(), results))
    }
}
