//! What the device itself can do, measured in the same run and checked like every variant: a kernel
//! that only copies and one that only multiplies and adds.

use anyhow::Result;
use ash::vk;

use crate::cmd::Binding;
use crate::lab::Lab;
use crate::memory::texel_bytes;
use crate::record::{COPY_LIMIT, FMA_LIMIT};
use crate::values::Shape;

/// Chains of an invocation of `lab/fma.comp`.
const CHAINS: u32 = 16;
/// Invocations of a workgroup there.
const LANES: u32 = 128;

impl Lab {
    /// Declares the variants that the table sets the others against: `copy_limit`, which copies an
    /// image of this shape and format, and `fma_limit`. Of volumes the first is called
    /// `copy_limit_3d`. They run wherever a selected variant says what it moves or computes.
    ///
    /// # Errors
    /// A shape that the device or its memory does not allow; a shader that does not compile.
    pub fn limits(&mut self, shape: impl Into<Shape>, format: vk::Format) -> Result<()> {
        self.copy_limit(shape.into(), format)?;
        if self.position(FMA_LIMIT).is_none() { self.fma_limit() } else { Ok(()) }
    }

    fn copy_limit(&mut self, shape: Shape, format: vk::Format) -> Result<()> {
        let bytes = shape.texels() * texel_bytes(format)?;
        let texels = noise(bytes.div_ceil(4), bytes, format);
        let kernel = self.kernel("lab/copy.comp").define_as("FORMAT", qualifier(format));
        let whole = format == vk::Format::R32_UINT;
        let kernel = if whole { kernel.define("WHOLE_NUMBERS") } else { kernel };
        let kernel = if shape.volume { kernel.define("VOLUME") } else { kernel }.build()?;
        let from = self.input_image("copied", shape, format, &texels)?;
        let to = self.output_images("copy", 1, shape, format, [0; 4])?;
        let [width, height, depth] = shape.sides;
        let groups = [width.div_ceil(16), height.div_ceil(64), depth];
        let name = if shape.volume { format!("{COPY_LIMIT}_3d") } else { COPY_LIMIT.to_owned() };
        let of_volumes = shape.volume.then(|| name.clone());
        let variant = self.variant(name, move |cmd, rep| {
            cmd.dispatch(kernel, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
        });
        variant.moves(2 * bytes).on_request();
        variant.declared.limit = of_volumes;
        self.expect(to, 0, texels)
    }

    fn fma_limit(&mut self) -> Result<()> {
        // 0.3 ms on an H200.
        let (groups, steps) = if self.on_cpu() { (64, 256) } else { (8192, 512) };
        let kernel = self.kernel("lab/fma.comp").constant("STEPS", steps).build()?;
        let results = self.output_buffers("sums", 1, groups * LANES, 0)?;
        self.variant(FMA_LIMIT, move |cmd, rep| {
            cmd.dispatch(
                kernel,
                &[Binding::from(results.get(rep.index, 0))],
                &[1.0_f32, 1.0],
                [groups, 1, 1],
            );
        })
        .computes(2 * u64::from(CHAINS) * u64::from(steps) * u64::from(groups * LANES))
        .on_request();
        let sum = |lane: u32| CHAINS * (lane + steps) + (0..CHAINS).sum::<u32>();
        #[expect(clippy::cast_precision_loss, reason = "below 2^24")]
        let twin = (0..groups * LANES).map(|i| (sum(i % LANES) as f32).to_bits()).collect();
        self.expect(results, 0, twin)
    }
}

/// Texels that no memory compression makes smaller. On an H200 (driver 580) images of one value, or of
/// small whole numbers, were copied at 5.2 TB/s, above what its memory can do.
fn noise(words: u64, bytes: u64, format: vk::Format) -> Vec<u32> {
    let (keep, set) = match format {
        // Floats from 1 to 2 of either sign: a copy may change the bits of NaNs and denormals.
        vk::Format::R32_SFLOAT => (0x807f_ffff, 0x3f80_0000),
        vk::Format::R16G16B16A16_SFLOAT => (0x83ff_83ff, 0x3c00_3c00),
        _ => (u32::MAX, 0),
    };
    let mut texels: Vec<u32> = (0..words).map(|at| scrambled(at) & keep | set).collect();
    if let (Some(last), 1..) = (texels.last_mut(), bytes % 4) {
        *last &= (1 << (8 * (bytes % 4))) - 1;
    }
    texels
}

/// The finisher of MurmurHash3, by Austin Appleby, in the public domain: each bit depends on all.
#[expect(clippy::cast_possible_truncation, reason = "a word of the hash is wanted")]
fn scrambled(at: u64) -> u32 {
    let mut x = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (x ^ x >> 33) as u32
}

/// What GLSL calls a format.
fn qualifier(format: vk::Format) -> &'static str {
    match format {
        vk::Format::R8_UNORM => "r8",
        vk::Format::R8G8B8A8_UNORM => "rgba8",
        vk::Format::R16G16B16A16_SFLOAT => "rgba16f",
        vk::Format::R32_UINT => "r32ui",
        _ => "r32f",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_holds_no_nan_and_fills_up_with_zeros() {
        let floats = noise(4096, 4 * 4096, vk::Format::R32_SFLOAT);
        assert!(floats.iter().all(|bits| (1.0..2.0).contains(&f32::from_bits(*bits).abs())));
        assert!(floats.iter().any(|bits| f32::from_bits(*bits) < 0.0));
        let bytes = noise(3, 9, vk::Format::R8_UNORM);
        assert_eq!((bytes.len(), bytes[2] >> 8), (3, 0));
    }
}
