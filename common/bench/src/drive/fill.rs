//! Preparation before the window: fills every output with a value that no pass writes, or with its seed.

use anyhow::Result;
use vulkan::cmd::CommandBuffer;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Image, Kernel};
use vulkan::{Format, ImageUsage};

use crate::lab::{Lab, Output};

/// Fills 2D images of R32_UINT with a kernel, because `vkCmdClearColorImage` is slow for them: before a sample of
/// `pipelined_events` with twelve images of 4096x4096, clearing took 17 ms on an H200 (driver 580) and the kernel
/// takes 4 ms; other devices were not measured. Other formats and volumes are cleared. A clear may leave an image
/// compressed, which could slow down the first pass that stores to it; that was not measured.
pub(super) struct Filler(Option<Kernel>);

impl Filler {
    /// # Errors
    /// The errors of [`vulkan::kernel::KernelBuilder::build_for_runner`].
    pub fn new(lab: &Lab) -> Result<Self> {
        let first = |output: &Output| output.set.get(0, 0);
        let has_words = lab.outputs.iter().any(|output| sides_of_words(&lab.gpu, first(output)).is_some());
        let build = || lab.kernel("lab/fill.comp").build_for_runner();
        has_words.then(build).transpose().map(Self)
    }

    /// Fills all images or buffers of an output for one repetition.
    pub fn record(&self, gpu: &Gpu, cmd: &CommandBuffer<'_>, output: &Output, repetition: u32) {
        for i in 0..output.set.each() {
            let to = output.set.get(repetition, i);
            let seed = output.seeds.iter().find(|(seeded, _)| *seeded == i).map(|(_, seed)| *seed);
            match (self.0, sides_of_words(gpu, to), seed) {
                (Some(kernel), Some((image, [width, height])), None) => {
                    let groups = [width.div_ceil(16), height.div_ceil(8), 1];
                    cmd.dispatch(kernel, &[image], &output.fill[0], groups);
                }
                _ => cmd.fill(to, seed, output.fill),
            }
        }
    }
}

/// The image and its width and height, if it is a 2D image of R32_UINT.
fn sides_of_words(gpu: &Gpu, output: Binding) -> Option<(Image, [u32; 2])> {
    let Binding::Image(image) = output else { return None };
    let arena = gpu.arena();
    let slot = arena.image(image);
    let [width, height, _] = slot.shape.sides;
    let stores = slot.usage.contains(ImageUsage::STORAGE);
    let is_plane_of_words = !slot.shape.volume && slot.format == Format::R32_UINT;
    (stores && is_plane_of_words).then_some((image, [width, height]))
}

#[cfg(test)]
mod tests {
    use crate::lab::ImageSet;
    use vulkan::cmd::Cmd;
    use vulkan::values::Extent;

    use super::*;
    use crate::drive::session::Session;
    use crate::lab::LabOptions;
    use crate::variant::Rep;

    const SIZE: Extent = Extent { width: 37, height: 19 };

    #[test]
    fn a_sample_leaves_nothing_to_the_next() {
        let unwritten = [0x5EED_CAFE; 4];
        let mut lab = Lab::for_test(true, &LabOptions { repetitions: Some(2), ..LabOptions::default() });
        let kernel = lab.kernel("lab/increment.comp").build();
        let images = lab.output("images", ImageSet::new(2, SIZE, Format::R32_UINT, unwritten)).unwrap();
        let adds = move |cmd: &Cmd, rep: Rep, groups| {
            let [from, to] = [0, 1].map(|index| images.get(rep.index, index));
            cmd.dispatch(kernel, &[from, to], &(), groups);
        };
        let whole = [SIZE.width.div_ceil(8), SIZE.height.div_ceil(8), 1];
        lab.variant("all", move |cmd, rep| adds(cmd, rep, whole));
        lab.variant("a corner", move |cmd, rep| adds(cmd, rep, [1, 1, 1]));
        let texels = SIZE.width * SIZE.height;
        lab.seed(images, 0, move || (0..texels).collect());
        lab.expect(images, 1, move || (1..=texels).collect());
        lab.make().unwrap();
        let mut session = Session::new(&lab).unwrap();
        assert!(session.filler.0.is_some());
        session.dry_run().unwrap();
        // In two repetitions an 8x8 corner is right, and what lies outside it is unwritten.
        let wrong = [0, 1].map(|variant| session.sample(Some(variant), 2).unwrap().wrong);
        assert_eq!(wrong, [0, 2 * u64::from(texels - 64)]);
        let (check, readback) = (session.uses.checks(1)[0], session.readback.unwrap());
        let last = |words: &[u32]| words[(texels - 1) as usize];
        let outside = [0, 1].map(|rep| session.look_at_result(check, rep, readback, last).unwrap());
        assert_eq!(outside, [unwritten[0]; 2]);
        assert_eq!(lab.gpu.take_messages().len(), 0);
    }
}
