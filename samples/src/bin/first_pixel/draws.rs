//! A draw, the dispatch before it, and what is recorded of them.

use anyhow::Result;
use common::{
    Access, Attachment, Buffer, BufferSet, Buffers, Cmd, Counter, Format, Image, ImageLayout, ImageSet,
    ImageUsage, Kernel, Lab, LoadOp, Scope, Stage,
};
use samples::noted::{UNWRITTEN, no_clock};
use samples::{DRAWN, STORES, both};

use crate::timed::Timed;
use crate::triangles::{SIDE, STEP, capacity, drawn, painted};

/// The variant whose target is the picture.
const SHOWN: &str = "pixel_1000_warm";
/// What the last dispatch of a variant adds to its results; others add something else.
const RIGHT: u32 = 1;

/// Timestamps that the shaders of a draw write.
const STAMPED: Scope = (
    Stage::from_raw(Stage::VERTEX_SHADER.as_raw() | Stage::FRAGMENT_SHADER.as_raw()),
    Access::SHADER_STORAGE_WRITE,
);
/// Old pixels that a render pass keeps.
const KEPT: Scope = (Stage::COLOR_ATTACHMENT_OUTPUT, Access::COLOR_ATTACHMENT_READ);
/// A buffer that `vkCmdFillBuffer` fills.
const FILLS: Scope = (Stage::CLEAR, Access::TRANSFER_WRITE);

/// What all variants share.
#[derive(Clone, Copy)]
pub struct Work {
    /// Sides of the target.
    pub width: u32,
    /// Invocations of the dispatch before the draw.
    pub lanes: u32,
    pub loads: u32,
    pub links: Buffer,
    pub filled: Buffer,
}

/// The objects of a draw.
#[derive(Clone, Copy)]
struct Draw {
    kernel: Kernel,
    before: Kernel,
    target: Image,
    stamps: Buffer,
    results: Buffer,
    links: Buffer,
    /// What is filled to empty the caches.
    filled: Option<Buffer>,
    width: u32,
    triangles: u32,
}

impl Work {
    /// A draw, a dispatch, and the draw that is timed.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn draw(self, lab: &mut Lab, timed: Timed, triangles: u32, is_cold: bool) -> Result<()> {
        let Self { width, links, .. } = self;
        let name = format!("{}_{triangles}_{}", timed.name(), state(is_cold));
        let format = Format::R32_UINT;
        let target =
            ImageSet::new(1, [width; 2], format, [UNWRITTEN; 4]).used_for(ImageUsage::COLOR_ATTACHMENT);
        let targets = lab.output(&name, target)?;
        lab.expect(targets, 0, move || drawn(width, triangles));
        if name == SHOWN {
            lab.report.show(targets, 0, [width; 2], "numbers of triangles as colours", painted);
        }
        let words = timed.words(triangles);
        let stamps = lab.output(&format!("timestamps of {name}"), BufferSet::new(1, words, UNWRITTEN))?;
        let results = self.results(lab, &name)?;
        let kernel = lab.kernel("first_pixel/triangles.frag").raster("first_pixel/triangles.vert", &[format]);
        let loads = if timed == Timed::FirstPixelAfterLoads { self.loads } else { 0 };
        let kernel = kernel.constants([("TRIANGLES", triangles), ("WIDTH", width), ("SIDE", SIDE)]);
        let kernel = kernel.constants([("LOADS", loads), ("STEP", STEP)]).build();
        let before = self.dispatched(lab, 2 * triangles);
        let (clock, lacks) = (Counter::of(lab.device()), no_clock(lab.device()));
        let filled = is_cold.then_some(self.filled);
        let variant = lab.variant(name, move |cmd, rep| {
            let target = targets.get(rep.index, 0);
            let [stamps, results] = [stamps, results].map(|set| set.get(rep.index, 0));
            Draw { kernel, before, target, stamps, results, links, filled, width, triangles }.record(cmd);
        });
        variant.skip(lacks).stamped_metric("µs", stamps.get(0, 0), words, move |words, stamps| {
            timed.figure(clock, triangles, words, stamps)
        });
        Ok(())
    }

    /// The same with a dispatch of one wave in place of the draw.
    ///
    /// # Errors
    /// Not enough memory.
    pub fn dispatch(self, lab: &mut Lab, is_cold: bool) -> Result<()> {
        let name = format!("{}_{}", Timed::Dispatch.name(), state(is_cold));
        let words = Timed::Dispatch.words(0);
        let stamps = lab.output(&format!("timestamps of {name}"), BufferSet::new(1, words, UNWRITTEN))?;
        let results = self.results(lab, &name)?;
        let (before, next) = (self.dispatched(lab, 0), self.dispatched(lab, 2));
        let (clock, lacks) = (Counter::of(lab.device()), no_clock(lab.device()));
        let filled = is_cold.then_some(self.filled);
        let variant = lab.variant(name, move |cmd, rep| {
            let bindings = [stamps, results].map(|set| set.get(rep.index, 0));
            cmd.dispatch(next, &bindings, &5_u32, [1, 1, 1]);
            cmd.pipeline_barrier2(STORES, both(FILLS, STORES));
            empty_caches(cmd, filled);
            cmd.dispatch(before, &bindings, &7_u32, [1, 1, 1]);
            cmd.pipeline_barrier2(STORES, STORES);
            cmd.dispatch(next, &bindings, &RIGHT, [1, 1, 1]);
        });
        variant.skip(lacks).stamped_metric("µs", stamps.get(0, 0), words, move |words, stamps| {
            Timed::Dispatch.figure(clock, 0, words, stamps)
        });
        Ok(())
    }

    /// A workgroup that writes timestamps when it begins and ends, from this one on.
    fn dispatched(self, lab: &Lab, at: u32) -> Kernel {
        lab.kernel("first_pixel/mark.comp").workgroup([self.lanes, 1, 1]).constant("AT", at).build()
    }

    fn results(self, lab: &mut Lab, name: &str) -> Result<Buffers> {
        let lanes = self.lanes;
        let results = lab.output(&format!("results of {name}"), BufferSet::new(1, lanes, UNWRITTEN))?;
        lab.expect(results, 0, move || (0..lanes).map(|lane| 3 * lane + RIGHT).collect());
        Ok(results)
    }
}

impl Draw {
    fn record(&self, cmd: &Cmd) {
        let Self { kernel, before, target, stamps, results, links, filled, width, triangles } = *self;
        let layout = ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let draw = |more: u32| {
            cmd.rendering(&[Attachment { image: target, layout, load: LoadOp::Load }], |render| {
                render.draw(kernel, &[stamps, links], &more, [width; 2], 3 * triangles);
            });
        };
        let drawn = both(DRAWN, KEPT);
        cmd.pipeline_barrier2_layouts(&[(target, [ImageLayout::GENERAL, layout])], drawn, drawn);
        // Other numbers, so that a second draw that draws nothing is found.
        draw(capacity(width));
        cmd.pipeline_barrier2(both(DRAWN, STAMPED), both(FILLS, STORES));
        empty_caches(cmd, filled);
        cmd.dispatch(before, &[stamps, results], &RIGHT, [1, 1, 1]);
        cmd.pipeline_barrier2(STORES, both(STAMPED, drawn));
        draw(0);
        cmd.pipeline_barrier2_layouts(&[(target, [layout, ImageLayout::GENERAL])], DRAWN, DRAWN);
    }
}

/// Fills a buffer that is larger than the caches, if there is one.
fn empty_caches(cmd: &Cmd, filled: Option<Buffer>) {
    if let Some(filled) = filled {
        cmd.fill_buffer(filled, 0);
        cmd.pipeline_barrier2(FILLS, STORES);
    }
}

const fn state(is_cold: bool) -> &'static str {
    if is_cold { "cold" } else { "warm" }
}

#[cfg(test)]
mod tests {
    use common::vulkan::cmd::script::Step;

    use super::*;

    #[test]
    fn caches_are_emptied_between_the_draws_alone() {
        for filled in [None, Some(Buffer(3))] {
            let draw = Draw {
                kernel: Kernel(0),
                before: Kernel(1),
                target: Image(0),
                stamps: Buffer(0),
                results: Buffer(1),
                links: Buffer(2),
                filled,
                width: 8,
                triangles: 1,
            };
            let steps = Cmd::steps(|cmd| draw.record(cmd));
            let work = steps.iter().filter_map(|step| match step {
                Step::Rendering(_) => Some("draw"),
                Step::FillBuffer { .. } => Some("fill"),
                Step::Dispatch(_) => Some("dispatch"),
                _ => None,
            });
            let expected: &[&str] = match filled {
                Some(_) => &["draw", "fill", "dispatch", "draw"],
                None => &["draw", "dispatch", "draw"],
            };
            assert_eq!(work.collect::<Vec<_>>(), expected);
        }
    }
}
