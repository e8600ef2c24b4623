//! What comes behind the window: every checked image is compared with the CPU twin, on the device.

use anyhow::Result;

use super::session::Session;
use crate::cmd::Cmd;
use crate::tracy;

/// What the device counted behind a sample.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counted {
    /// Elements that differ, over all repetitions.
    pub wrong: u64,
    /// Index of the first, in the order check, repetition.
    pub first: Option<u64>,
    /// The repetitions do not have the same number of them.
    pub uneven: bool,
}

impl Session<'_> {
    pub(super) fn verify(&self, cmd: &Cmd<'_>, variant: usize, repetitions: u32) {
        let (Some(flat), Some(counters), Some(seen)) = (self.flat, self.counters, self.seen) else { return };
        cmd.region(format_args!("verify"), || {
            let mut slot = 0;
            for (number, check) in self.checks(variant).enumerate() {
                for repetition in 0..repetitions {
                    cmd.full_barrier();
                    cmd.copy_image_to_buffer(check.images.get(repetition, check.index), flat);
                    cmd.full_barrier();
                    let groups = check.words.div_ceil(128).min(4096);
                    cmd.dispatch(
                        self.compare,
                        &[check.expected, flat, counters],
                        &[check.words, slot],
                        [groups, 1, 1],
                    );
                    if let (Some(maps), 0) = (&self.maps, number) {
                        maps.record(cmd, variant, check.expected, flat);
                    }
                    slot += 1;
                }
            }
            cmd.full_barrier();
            cmd.copy_buffer(counters, seen, 8 * u64::from(slot));
            cmd.host_barrier();
        });
    }

    /// Sum of the counters and index of the first wrong element, in the order check, repetition.
    pub(super) fn counts(&self, variant: usize, repetitions: u32) -> Result<Counted> {
        let Some(seen) = self.seen else { return Ok(Counted::default()) };
        let mut each = vec![0; repetitions as usize];
        let words = self.lab.gpu.read(seen)?;
        let mut slots = words.chunks_exact(2);
        let (mut wrong, mut first, mut before) = (0, None, 0);
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                if let Some(&[count, index]) = slots.next() {
                    wrong += u64::from(count);
                    each[repetition as usize] += u64::from(count);
                    if count > 0 {
                        // Counters start at 0, so the device keeps the complement's maximum.
                        let here =
                            before + u64::from(repetition) * u64::from(check.words) + u64::from(!index);
                        first.get_or_insert(here);
                    }
                }
            }
            before += u64::from(check.words) * u64::from(self.lab.repetitions());
        }
        let uneven = each.iter().any(|n| *n != each[0]);
        Ok(Counted { wrong, first, uneven })
    }

    /// Reads the checked images of the last sample back and counts on the CPU, for comparison with
    /// what the device counted.
    pub fn count_on_cpu(&self, variant: usize, repetitions: u32) -> Result<u64> {
        let _span = tracy::span("check on the CPU");
        let Some(readback) = self.readback else { return Ok(0) };
        let mut wrong = 0;
        for check in self.checks(variant) {
            for repetition in 0..repetitions {
                let image = check.images.get(repetition, check.index);
                self.lab.gpu.run_once("a read-back", |cmd| {
                    cmd.copy_image_to_buffer(image, readback);
                    cmd.host_barrier();
                })?;
                let read = self.lab.gpu.read(readback)?;
                wrong += check.twin.iter().zip(&read).filter(|(a, b)| a != b).count() as u64;
            }
        }
        Ok(wrong)
    }

    /// Elements that are compared in one repetition of a variant.
    pub fn checked_elements(&self, variant: usize) -> u64 {
        self.checks(variant).map(|check| u64::from(check.words)).sum()
    }

    /// Where a counted element lies, in words.
    pub fn place(&self, variant: usize, first: u64) -> String {
        let mut index = first;
        for check in self.checks(variant) {
            let words = u64::from(check.words) * u64::from(self.lab.repetitions());
            if index < words {
                let (repetition, word) = (index / u64::from(check.words), index % u64::from(check.words));
                let (x, y) = (word % u64::from(check.width), word / u64::from(check.width));
                return format!("texel ({x}, {y}) of repetition {repetition}");
            }
            index -= words;
        }
        format!("element {first}")
    }
}
