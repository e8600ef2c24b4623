//! Verification after the window: compares every checked result with the CPU reference on the device.

use anyhow::Result;
use vulkan::cmd::CommandBuffer;
use vulkan::gpu::Gpu;
use vulkan::handles::{Binding, Buffer, Kernel};
use vulkan::memory::Place;

use super::texels::{Stored, TexelKernels, groups};
use crate::lab::{Check, Lab};

/// The counts of wrong elements after a sample.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Elements that differ, over all repetitions.
    pub wrong: u64,
    /// Index of the first wrong element, ordered by check, then repetition.
    pub first: Option<u64>,
    /// Whether the number of wrong elements differs between repetitions.
    pub uneven: bool,
}

/// Compares results with what is expected.
pub(super) struct Verifier {
    kernel: Kernel,
    /// Copy images to a buffer.
    copies: TexelKernels,
    /// `None` if the lab checks nothing.
    buffers: Option<Buffers>,
}

#[derive(Clone, Copy)]
struct Buffers {
    /// Buffer for the rows of an image during the comparison.
    flat: Buffer,
    /// Two words per checked result: the number of wrong elements, and the index of the first.
    counters: Buffer,
    seen: Buffer,
}

/// Columns, rows and number of the parts of an image that `lab/lay_out.comp` copies: texels, or words of smaller texels.
fn parts(Stored { shape, texel, .. }: &Stored) -> [u32; 3] {
    /// Columns where a word of texels may lie in two rows of the image.
    const MANY: u32 = 4096;
    let [width, height, depth] = shape.sides;
    let in_word = (32 / (texel.bits * texel.components)).max(1);
    let parts = (width * height * depth).div_ceil(in_word);
    let columns = if width % in_word == 0 { width / in_word } else { parts.min(MANY) };
    [columns, parts.div_ceil(columns), parts]
}

/// Size in bytes of the largest checked result.
pub(super) fn largest(lab: &Lab) -> Option<u64> {
    lab.checks.iter().map(|check| size_of_val(&*check.reference) as u64).max()
}

impl Verifier {
    pub fn new(lab: &Lab) -> Result<Self> {
        let kernel = lab.kernel("lab/compare.comp").draft()?;
        let images =
            lab.checks.iter().filter_map(|check| Stored::of(&lab.gpu, check.set.get(0, check.index)));
        let copies = TexelKernels::new(images, |texel| {
            let kernel = lab.kernel("lab/lay_out.comp").constant("BITS", texel.bits);
            kernel.constant("COMPONENTS", texel.components)
        })?;
        let Some(bytes) = largest(lab) else { return Ok(Self { kernel, copies, buffers: None }) };
        let counters = 8 * u64::from(lab.repetitions()) * lab.checks.len() as u64;
        let buffers = Buffers {
            flat: lab.gpu.buffer("result in rows", bytes, Place::Device)?,
            counters: lab.gpu.buffer("counters", counters, Place::Device)?,
            seen: lab.gpu.buffer("counters (CPU)", counters, Place::Readback)?,
        };
        Ok(Self { kernel, copies, buffers: Some(buffers) })
    }

    /// The kernels, whose pipelines are still to be made.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel> {
        [self.kernel].into_iter().chain(self.copies.all())
    }

    /// Sets the counters to zero.
    pub fn prepare(&self, cmd: &CommandBuffer<'_>) {
        if let Some(Buffers { counters, .. }) = self.buffers {
            cmd.fill_buffer(counters, 0);
        }
    }

    /// The buffer with a result, row by row: its own buffer, or for an image a buffer that it is copied to.
    pub fn lay_out(
        &self,
        gpu: &Gpu,
        cmd: &CommandBuffer<'_>,
        check: &Check,
        repetition: u32,
    ) -> Option<Buffer> {
        let Buffers { flat, .. } = self.buffers?;
        let result = check.set.get(repetition, check.index);
        match result {
            Binding::Image(image) => {
                let stored = Stored::of(gpu, result);
                match stored.and_then(|stored| Some((stored, self.copies.of(stored)?))) {
                    Some((stored, kernel)) => {
                        let [columns, rows, parts] = parts(&stored);
                        let to = Binding::from(flat);
                        cmd.dispatch(kernel, &[result, to], &[columns, parts], groups([columns, rows, 1]));
                    }
                    None => cmd.copy_image_to_buffer(image, flat),
                }
                cmd.full_barrier();
                Some(flat)
            }
            Binding::Buffer(buffer) => Some(buffer),
            Binding::Sampled(..) | Binding::Texels(_) | Binding::Uniform(_) | Binding::Part(..) => None,
        }
    }

    /// Counts the wrong elements of each result; `also` is called with each result.
    pub fn record(
        &self,
        gpu: &Gpu,
        cmd: &CommandBuffer<'_>,
        checks: &[&Check],
        repetitions: u32,
        also: impl Fn(&Check, Buffer),
    ) {
        let Some(Buffers { counters, seen, .. }) = self.buffers else { return };
        cmd.region(format_args!("verify"), || {
            let mut slot = 0;
            for check in checks {
                for repetition in 0..repetitions {
                    cmd.full_barrier();
                    let Some(actual) = self.lay_out(gpu, cmd, check, repetition) else { continue };
                    let groups = check.element.quads(check.elements).div_ceil(128).min(4096);
                    let push = check.element.push(check.elements, slot);
                    cmd.dispatch(self.kernel, &[check.expected, actual, counters], &push, [groups, 1, 1]);
                    also(check, actual);
                    slot += 1;
                }
            }
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, 8 * u64::from(slot));
            cmd.host_barrier();
        });
    }

    /// Sum of the counters, and index of the first wrong element, ordered by check, then repetition. The resources
    /// were made for `most` repetitions.
    pub fn counted(&self, gpu: &Gpu, checks: &[&Check], repetitions: u32, most: u32) -> Result<Counted> {
        let Some(Buffers { seen, .. }) = self.buffers else { return Ok(Counted::default()) };
        let mut each = vec![0; repetitions as usize];
        let words = gpu.read(seen)?;
        let mut slots = words.chunks_exact(2);
        let (mut wrong, mut first, mut before) = (0, None, 0);
        for check in checks {
            for repetition in 0..repetitions {
                if let Some(&[count, index]) = slots.next() {
                    wrong += u64::from(count);
                    each[repetition as usize] += u64::from(count);
                    if count > 0 {
                        // The counters start at 0, so the device stores the maximum of the complemented index.
                        let here =
                            before + u64::from(repetition) * u64::from(check.elements) + u64::from(!index);
                        first.get_or_insert(here);
                    }
                }
            }
            before += u64::from(check.elements) * u64::from(most);
        }
        let uneven = each.iter().any(|n| *n != each[0]);
        Ok(Counted { wrong, first, uneven })
    }
}
