//! The runner's kernels on images, one per format and shape. Vulkan's clears and copies of images do the same, but some
//! drivers are slow at them: on an H200 (driver 580) `vkCmdCopyImageToBuffer` moves 0.07 TB/s, and `vkCmdClearColorImage`
//! of 4096x4096 texels takes 1.2 ms, where a kernel moves 3 TB/s.

use anyhow::Result;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Kernel};
use vulkan::kernel::KernelBuilder;
use vulkan::values::Shape;
use vulkan::{Format, ImageUsage};

/// Texels per invocation of such a kernel along x and y, and its workgroup size, as `lab/fill.comp` has them.
const EACH: [u32; 2] = [2, 4];
const LANES: [u32; 2] = [8, 16];

/// How shaders see a format.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texel {
    /// The layout qualifier in GLSL.
    pub qualifier: &'static str,
    /// Whether components are integers.
    pub is_whole: bool,
    /// Bits of a component.
    pub bits: u32,
    pub components: u32,
}

impl Texel {
    /// `None` for formats that no kernel can store.
    pub fn of(format: Format) -> Option<Self> {
        let (qualifier, is_whole, bits, components) = match format {
            Format::R8_UNORM => ("r8", false, 8, 1),
            Format::R8G8B8A8_UNORM => ("rgba8", false, 8, 4),
            Format::R16G16B16A16_SFLOAT => ("rgba16f", false, 16, 4),
            Format::R32_SFLOAT => ("r32f", false, 32, 1),
            Format::R32G32B32A32_SFLOAT => ("rgba32f", false, 32, 4),
            Format::R32_UINT => ("r32ui", true, 32, 1),
            Format::R32G32_UINT => ("rg32ui", true, 32, 2),
            Format::R16G16B16A16_UINT => ("rgba16ui", true, 16, 4),
            Format::R32G32B32A32_UINT => ("rgba32ui", true, 32, 4),
            _ => return None,
        };
        Some(Self { qualifier, is_whole, bits, components })
    }

    /// The module of a shader with `lab/texels.glsl` for this format and shape.
    pub fn module<'k>(self, kernel: KernelBuilder<'k>, shape: Shape) -> KernelBuilder<'k> {
        let kernel = kernel.define_as("FORMAT", self.qualifier);
        let kernel = if self.is_whole { kernel.define("WHOLE_NUMBERS") } else { kernel };
        if shape.volume { kernel.define("VOLUME") } else { kernel }
    }
}

/// An image that kernels can load and store.
#[derive(Clone, Copy)]
pub(super) struct Stored {
    pub shape: Shape,
    pub format: Format,
    pub texel: Texel,
}

impl Stored {
    /// `None` for buffers, and for images without STORAGE usage.
    pub fn of(gpu: &Gpu, binding: Binding) -> Option<Self> {
        let Binding::Image(image) = binding else { return None };
        let arena = gpu.arena();
        let slot = arena.image(image);
        let texel = Texel::of(slot.format).filter(|_| slot.usage.contains(ImageUsage::STORAGE))?;
        Some(Self { shape: slot.shape, format: slot.format, texel })
    }
}

/// The kernels of one shader.
#[derive(Default)]
pub(super) struct TexelKernels(Vec<(Format, bool, Kernel)>);

impl TexelKernels {
    /// A kernel for each format and shape among these.
    ///
    /// # Errors
    /// The errors of [`KernelBuilder::draft`].
    pub fn new<'l>(
        images: impl Iterator<Item = Stored>,
        build: impl Fn(Texel) -> KernelBuilder<'l>,
    ) -> Result<Self> {
        let mut kernels = Self::default();
        for image in images {
            if kernels.of(image).is_none() {
                let kernel = image.texel.module(build(image.texel), image.shape).draft()?;
                kernels.0.push((image.format, image.shape.volume, kernel));
            }
        }
        Ok(kernels)
    }

    pub fn of(&self, image: Stored) -> Option<Kernel> {
        let is_its = |(format, volume, _): &&_| *format == image.format && *volume == image.shape.volume;
        self.0.iter().find(is_its).map(|(.., kernel)| *kernel)
    }

    pub fn all(&self) -> impl Iterator<Item = Kernel> {
        self.0.iter().map(|(.., kernel)| *kernel)
    }
}

/// Workgroups for so many columns, rows and layers.
pub(super) fn groups([columns, rows, layers]: [u32; 3]) -> [u32; 3] {
    [columns.div_ceil(EACH[0] * LANES[0]), rows.div_ceil(EACH[1] * LANES[1]), layers]
}
