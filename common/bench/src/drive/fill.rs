//! Preparation before the window: fills every output with a value that no pass writes, or with its seed.

use anyhow::Result;
use vulkan::Format;
use vulkan::cmd::CommandBuffer;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Kernel};

use super::texels::{Stored, TexelKernels, groups};
use crate::lab::{Lab, Output};

/// Fills images with kernels where they can store to them. A clear may also leave an image compressed, which could slow
/// down the first pass that stores to it; that was not measured.
#[derive(Default)]
pub(super) struct Filler {
    fills: TexelKernels,
    /// For seeds of R32_UINT images, the only ones that samples have.
    seeds: TexelKernels,
}

impl Filler {
    /// # Errors
    /// The errors of [`vulkan::kernel::KernelBuilder::draft`].
    pub fn new(lab: &Lab) -> Result<Self> {
        let kernel = || lab.kernel("lab/fill.comp");
        let images = || lab.outputs.iter().filter_map(|output| Some((output, stored(&lab.gpu, output)?)));
        let words = |(output, image): (&Output, Stored)| {
            let is_seeded = !output.seeds.is_empty() && !image.shape.volume;
            (is_seeded && image.format == Format::R32_UINT).then_some(image)
        };
        let fills = TexelKernels::new(images().map(|(_, image)| image), |_| kernel())?;
        let seeds = TexelKernels::new(images().filter_map(words), |_| kernel().define("SEEDED"))?;
        Ok(Self { fills, seeds })
    }

    /// The kernels, whose pipelines are still to be made.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        self.fills.all().chain(self.seeds.all())
    }

    /// Fills all images or buffers of an output for one repetition.
    pub fn record(&self, gpu: &Gpu, cmd: &CommandBuffer<'_>, output: &Output, repetition: u32) {
        for i in 0..output.set.each() {
            let to = output.set.get(repetition, i);
            let seed = output.seeds.iter().find(|(seeded, _)| *seeded == i).map(|(_, seed)| *seed);
            let kernels = if seed.is_some() { &self.seeds } else { &self.fills };
            let stored = Stored::of(gpu, to);
            let Some((image, kernel)) = stored.and_then(|image| Some((image, kernels.of(image)?))) else {
                cmd.fill(to, seed, output.fill);
                continue;
            };
            let bindings: Vec<Binding> = [to].into_iter().chain(seed.map(Binding::from)).collect();
            cmd.dispatch(kernel, &bindings, &output.fill, groups(image.shape.sides));
        }
    }
}

fn stored(gpu: &Gpu, output: &Output) -> Option<Stored> {
    Stored::of(gpu, output.set.get(0, 0))
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
        assert_eq!(session.filler.kernels().count(), 2);
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
