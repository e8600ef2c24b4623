//! Device limits, measured in the same run and checked like every variant: a kernel that only copies, and one that
//! only multiplies and adds.

use anyhow::{Context, Result};
use ash::vk;
use rayon::prelude::*;
use record::{COPY_LIMIT, COPY_LIMIT_3D, COPY_LIMIT_BUFFER, Declared, FMA_LIMIT};
use vulkan::handles::Binding;
use vulkan::memory::texel_bytes;
use vulkan::values::Shape;

use crate::chains::{CHAINS, FACTORS, LANES, sums};
use crate::drive::texels::Texel;
use crate::lab::{BufferSet, ImageSet, Lab};

/// Workgroup size of the copy, and texels per invocation. With all loads ahead of the stores, this is the fastest
/// of thirty shapes on an H200 (driver 580): 4.2 TB/s at 8192x8192 r32f. Workgroups of 32x8 with one texel per
/// invocation reach 2.3 TB/s and 8x8 reach 1.7 TB/s, because the workgroup launch rate limits them.
const COPIERS: [u32; 2] = [8, 16];
const TEXELS: [u32; 2] = [2, 4];
/// Workgroup size of the copy of a buffer, and words of 128 bits per invocation: of nine shapes the fastest alone at
/// 16384x16384 r32f on an H200 (driver 580), where it reaches 4.1 TB/s.
const BUFFER_COPIERS: u32 = 256;
const EACH: u32 = 4;
/// Most workgroups along x; Vulkan allows 65,535 at the least.
const MOST_GROUPS: u32 = 1 << 15;

impl Lab {
    /// Declares the variants that other variants are compared with: `copy_limit`, which copies an image of this
    /// shape and format, `copy_limit_buffer`, which copies a buffer of as many bytes, and `fma_limit`. A volume has
    /// only `copy_limit_3d`. They run if a selected variant declares the bytes that it moves or the operations that it
    /// computes.
    ///
    /// # Errors
    /// A shape that exceeds the limits or the memory of the device.
    pub fn limits(&mut self, shape: impl Into<Shape>, format: vk::Format) -> Result<()> {
        let shape = shape.into();
        self.copy_limit(shape, format)?;
        if !shape.volume {
            self.buffer_copy_limit(shape, format)?;
        }
        if self.position(FMA_LIMIT).is_none() { self.fma_limit() } else { Ok(()) }
    }

    fn copy_limit(&mut self, shape: Shape, format: vk::Format) -> Result<()> {
        let texels = move || noise(shape, format);
        let ([lanes_x, lanes_y], [columns, rows]) = (COPIERS, TEXELS);
        let kernel = self
            .kernel("lab/copy.comp")
            .workgroup([lanes_x, lanes_y, 1])
            .constant("COLUMNS", columns)
            .constant("ROWS", rows);
        let texel = Texel::of(format).with_context(|| format!("no kernel copies {format:?}"))?;
        let kernel = texel.module(kernel, shape).build();
        let from = self.input_image("copied", shape, format, texels);
        let to = self.output("copy", ImageSet::new(1, shape, format, [0; 4]))?;
        let [width, height, depth] = shape.sides;
        let groups = [width.div_ceil(lanes_x * columns), height.div_ceil(lanes_y * rows), depth];
        let name = if shape.volume { COPY_LIMIT_3D } else { COPY_LIMIT };
        let variant = self.variant(name, move |cmd, rep| {
            cmd.dispatch(kernel, &[from.sampled(), to.get(rep.index, 0).into()], &(), groups);
        });
        let copied = if shape.volume { "a volume" } else { "an image" };
        variant.label = format!("copy of {copied}");
        variant.caption =
            format!("A kernel that only copies {copied}: others are set against the fastest copy.");
        let declared = Declared::default().bytes(2 * bytes(shape, format));
        variant.declares(if shape.volume { declared.against(name) } else { declared }).on_request();
        self.expect(to, 0, texels);
        Ok(())
    }

    fn buffer_copy_limit(&mut self, shape: Shape, format: vk::Format) -> Result<()> {
        let words = bytes(shape, format).div_ceil(16) * 4;
        let count = u32::try_from(words)
            .context("the copied buffer has more words than 32 bits count: use a smaller size")?;
        let padded = move || {
            let mut words = noise(shape, format);
            words.resize(count as usize, 0);
            words
        };
        let copiers = BUFFER_COPIERS.min(self.device().max_workgroup_invocations);
        let kernel = self.kernel("lab/copy_buffer.comp").workgroup([copiers, 1, 1]);
        let kernel = kernel.constant("EACH", EACH).build();
        let from = self.input_buffer("copied buffer", padded);
        let to = self.output("copy of the buffer", BufferSet::new(1, count, 0))?;
        let all = count.div_ceil(4 * EACH * copiers);
        let groups = [all.clamp(1, MOST_GROUPS), all.div_ceil(MOST_GROUPS), 1];
        let variant = self.variant(COPY_LIMIT_BUFFER, move |cmd, rep| {
            cmd.dispatch(kernel, &[Binding::from(from), to.get(rep.index, 0).into()], &(), groups);
        });
        variant.label = "copy of a buffer".into();
        variant.caption =
            "A kernel that only copies a buffer of as many bytes: others are set against the fastest copy."
                .into();
        variant.declares(Declared::default().bytes(2 * bytes(shape, format))).on_request();
        self.expect(to, 0, padded);
        Ok(())
    }

    fn fma_limit(&mut self) -> Result<()> {
        // Takes 0.3 ms on an H200.
        let (groups, steps) = if self.device().is_cpu() { (64, 256) } else { (8192, 512) };
        let kernel = self.kernel("lab/fma.comp").constant("STEPS", steps).workgroup([LANES, 1, 1]);
        let kernel = kernel.build();
        let results = self.output("sums", BufferSet::new(1, groups * LANES, 0))?;
        let variant = self.variant(FMA_LIMIT, move |cmd, rep| {
            let results = Binding::from(results.get(rep.index, 0));
            cmd.dispatch(kernel, &[results], &FACTORS, [groups, 1, 1]);
        });
        variant.label = "multiply-add alone".into();
        variant.caption =
            "A kernel that only multiplies and adds: the arithmetic rate that others are set against.".into();
        let flops = 2 * u64::from(CHAINS) * u64::from(steps) * u64::from(groups * LANES);
        variant.declares(Declared::default().flops(flops)).on_request();
        self.expect(results, 0, move || sums(groups, steps));
        Ok(())
    }
}

/// Bytes of an image; 0 for an unsupported format, which is reported when the image is made.
fn bytes(shape: Shape, format: vk::Format) -> u64 {
    shape.texels() * texel_bytes(format).unwrap_or(0)
}

/// Texels that memory compression cannot shrink. On an H200 (driver 580) images of one value or of small integers
/// were copied at 5.2 TB/s, faster than its memory.
fn noise(shape: Shape, format: vk::Format) -> Vec<u32> {
    let bytes = bytes(shape, format);
    let (keep, set) = match format {
        // Floats from 1 to 2 of either sign, because a copy may change the bits of NaNs and denormals.
        vk::Format::R32_SFLOAT | vk::Format::R32G32B32A32_SFLOAT => (0x807f_ffff, 0x3f80_0000),
        vk::Format::R16G16B16A16_SFLOAT => (0x83ff_83ff, 0x3c00_3c00),
        _ => (u32::MAX, 0),
    };
    let mut texels: Vec<u32> =
        (0..bytes.div_ceil(4)).into_par_iter().map(|at| scrambled(at) & keep | set).collect();
    if let (Some(last), 1..) = (texels.last_mut(), bytes % 4) {
        *last &= (1 << (8 * (bytes % 4))) - 1;
    }
    texels
}

/// The finalizer of MurmurHash3, by Austin Appleby, in the public domain: every output bit depends on all input
/// bits.
#[expect(clippy::cast_possible_truncation, reason = "a word of the hash is wanted")]
fn scrambled(at: u64) -> u32 {
    let mut x = at.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    (x ^ x >> 33) as u32
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use record::Status;

    use super::*;
    use crate::drive::timing::{self, BenchOptions};
    use crate::lab::LabOptions;

    /// Rows of a lab with both limits for such images, sampled once and checked.
    fn measured(plane: [u32; 2], volume: [u32; 3], format: vk::Format) -> Vec<record::Row> {
        let mut lab = Lab::for_test(false, &LabOptions { repetitions: Some(2), ..LabOptions::default() });
        lab.limits(plane, format).unwrap();
        lab.limits(volume, format).unwrap();
        lab.validate().unwrap();
        lab.make().unwrap();
        let options = BenchOptions { samples: Some(1), ..BenchOptions::default() };
        let measured = timing::measure(&lab, &options, &mut |_| ControlFlow::Continue(()), None).unwrap();
        assert!(measured.error.is_none(), "{format:?}: {:?}", measured.error);
        measured.rows
    }

    #[test]
    fn limits_of_every_format_are_right_at_odd_sizes() {
        let formats = [
            vk::Format::R8_UNORM,
            vk::Format::R8G8B8A8_UNORM,
            vk::Format::R16G16B16A16_SFLOAT,
            vk::Format::R32_SFLOAT,
            vk::Format::R32G32B32A32_SFLOAT,
            vk::Format::R32_UINT,
            vk::Format::R32G32_UINT,
            vk::Format::R16G16B16A16_UINT,
            vk::Format::R32G32B32A32_UINT,
        ];
        for format in formats {
            let rows = measured([77, 131], [19, 66, 3], format);
            let ran: Vec<_> = rows.iter().map(|row| (row.variant.as_str(), &row.status)).collect();
            let expected =
                [COPY_LIMIT, COPY_LIMIT_BUFFER, FMA_LIMIT, COPY_LIMIT_3D].map(|name| (name, &Status::Ok));
            assert_eq!(ran, expected, "{format:?}");
            let texels: Vec<u64> = rows.iter().map(|row| row.racy.unwrap().of).collect();
            assert_eq!([texels[0], texels[3]], [77 * 131, 19 * 66 * 3], "{format:?}");
        }
    }

    #[test]
    fn noise_holds_no_nan_and_fills_up_with_zeros() {
        let floats = noise([64, 64].into(), vk::Format::R32_SFLOAT);
        assert!(floats.iter().all(|bits| (1.0..2.0).contains(&f32::from_bits(*bits).abs())));
        assert!(floats.iter().any(|bits| f32::from_bits(*bits) < 0.0));
        let bytes = noise([3, 3].into(), vk::Format::R8_UNORM);
        assert_eq!((bytes.len(), bytes[2] >> 8), (3, 0));
    }
}
