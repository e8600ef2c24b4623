//! Images of one size and the dispatches on them.

use anyhow::Result;
use common::{Cmd, Extent, Format, Image, ImageSet, Images, Kernel, KernelBuilder, Lab, Pass, Rep};
use samples::chain;

use crate::Args;
use crate::verdict::name;

/// The smaller workgroups are, the sooner those of the next dispatch can start. The talk gives no size.
const WORKGROUP: [u32; 3] = [8, 8, 1];

/// The kernel as it is, with coherent stores, with coherent stores and loads, and with the seeded bug.
pub fn kernels(lab: &Lab, radius: u32) -> [Kernel; 4] {
    let kernel = || {
        let kernel = lab.kernel("data_race/race.comp").workgroup(WORKGROUP);
        kernel.constant("RADIUS", radius).constant("MULTIPLIER", chain::MULTIPLIER)
    };
    let stores = || kernel().define("COHERENT_STORES");
    [kernel(), stores(), stores().define("COHERENT_LOADS"), kernel().constant("SEEDED_BUG", 1)]
        .map(KernelBuilder::build)
}

/// The dispatches on images of one size.
#[derive(Clone, Copy)]
pub struct Tester {
    size: Extent,
    /// Dispatches of a repetition.
    pub passes: u32,
    images: Images,
    /// Two images in turn instead of one per pass.
    ping_pong: bool,
}

impl Tester {
    /// Declares the images and what the last of them must hold.
    ///
    /// # Errors
    /// The images do not fit into the memory of the device.
    pub fn new(lab: &mut Lab, args: &Args, size: Extent, ping_pong: bool) -> Result<Self> {
        let &Args { passes, radius, .. } = args;
        let count = if ping_pong { 2 } else { passes + 1 };
        let images =
            lab.output("generation", ImageSet::new(count, size.sides(), Format::R32_UINT, chain::UNWRITTEN))?;
        let tester = Self { size, passes, images, ping_pong };
        lab.seed(images, 0, move || chain::seed(size));
        lab.expect(images, tester.index(passes), move || chain::reference(size, radius, passes));
        Ok(tester)
    }

    /// Name of a variant on these images.
    pub fn name(&self, variant: &str) -> String {
        name(variant, self.size, self.ping_pong)
    }

    /// Reads the image of the pass before and writes that of this pass.
    pub fn dispatch(&self, cmd: &Cmd, kernel: Kernel, pass: Pass) {
        let images = [pass.index, pass.index + 1].map(|generation| self.image(pass.rep, generation));
        cmd.dispatch(kernel, &images, &(), self.groups());
    }

    fn groups(&self) -> [u32; 3] {
        [self.size.width.div_ceil(WORKGROUP[0]), self.size.height.div_ceil(WORKGROUP[1]), 1]
    }

    /// Number of pixels that the seeded bug leaves out: the workgroup in the middle, as far as it lies in the image.
    pub fn left_out(&self) -> u64 {
        let [columns, rows, _] = self.groups();
        let inside = |group: u32, side: u32, length: u32| u64::from(length.min(side - group / 2 * length));
        inside(columns, self.size.width, WORKGROUP[0]) * inside(rows, self.size.height, WORKGROUP[1])
    }

    fn image(&self, rep: Rep, generation: u32) -> Image {
        self.images.get(rep.index, self.index(generation))
    }

    /// Index of the image that holds a generation.
    fn index(&self, generation: u32) -> u32 {
        if self.ping_pong { generation % 2 } else { generation }
    }
}
