//! The search for the padding that leaves so many workgroups: shared memory is inferred from counting,
//! what is computed from it is counted again.

use std::collections::BTreeMap;

use anyhow::Result;

/// Shared memory is granted in steps of so many bytes, or of a part of them (RADV: 512).
const GRANULE: u32 = 512;
/// PCI vendor id of NVIDIA.
const NVIDIA: u32 = 0x10de;
/// Bytes of shared memory that CUDA takes of each workgroup for itself, from compute capability 8.0 on
/// (CUDA C++ Programming Guide, Technical Specifications).
const NVIDIA_RESERVED: u32 = 1024;

/// Shared memory behind the workgroups that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SharedMemory {
    /// Bytes in all.
    pub bytes: u32,
    /// Bytes that each workgroup takes besides its own.
    pub reserved: u32,
}

impl SharedMemory {
    /// Padding with which so many workgroups still find room.
    pub fn padding(self, workgroups: u32) -> u32 {
        (self.bytes / workgroups.max(1)).saturating_sub(self.reserved) / GRANULE * GRANULE
    }

    /// Workgroups that find room with such a padding.
    pub fn workgroups(self, padding: u32) -> u32 {
        self.bytes / (padding + self.reserved).max(1)
    }
}

/// A padding, and how many workgroups it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Bytes of each workgroup.
    pub padding: u32,
    /// Counted with it.
    pub workgroups: u32,
}

/// Counts workgroups under paddings, each only once.
pub struct Search<F> {
    most: u32,
    count: F,
    known: BTreeMap<u32, u32>,
}

impl<F: FnMut(u32) -> Result<u32>> Search<F> {
    /// `count` runs workgroups with a padding of so many bytes, of which a device allows each `most`, and
    /// says how many were there at a time.
    pub fn new(most: u32, count: F) -> Self {
        Self { most: most / GRANULE * GRANULE, count, known: BTreeMap::new() }
    }

    /// With a padding of so many bytes.
    ///
    /// # Errors
    /// Those of counting.
    pub fn counted(&mut self, padding: u32) -> Result<u32> {
        if let Some(&known) = self.known.get(&padding) {
            return Ok(known);
        }
        let counted = (self.count)(padding)?;
        self.known.insert(padding, counted);
        Ok(counted)
    }

    /// The shared memory, to a workgroup's granule: the largest padding that leaves one workgroup more
    /// than the largest possible padding does. `None` where padding limits nothing.
    ///
    /// # Errors
    /// Those of counting.
    pub fn shared_memory(&mut self, vendor: u32) -> Result<Option<SharedMemory>> {
        let fewest = self.counted(self.most)?;
        if self.counted(0)? <= fewest {
            return Ok(None);
        }
        let (mut fits, mut exceeds) = (0, self.most);
        while exceeds - fits > GRANULE {
            let middle = (fits + exceeds) / 2 / GRANULE * GRANULE;
            if self.counted(middle)? > fewest {
                fits = middle;
            } else {
                exceeds = middle;
            }
        }
        let reserved = if vendor == NVIDIA { NVIDIA_RESERVED } else { 0 };
        let workgroups = self.counted(fits)?;
        Ok(Some(SharedMemory { bytes: workgroups * (fits + reserved), reserved }))
    }

    /// The padding that leaves `wanted` workgroups, or as near to it as padding gets; `guess` is tried
    /// first.
    ///
    /// # Errors
    /// Those of counting.
    pub fn reach(&mut self, wanted: u32, guess: u32) -> Result<Reached> {
        let (mut more, mut fewer) = (self.reached(0)?, self.reached(self.most)?);
        if more.workgroups <= wanted {
            return Ok(more);
        }
        if fewer.workgroups >= wanted {
            return Ok(fewer);
        }
        let mut padding = guess.clamp(GRANULE, self.most - GRANULE);
        while fewer.padding - more.padding > GRANULE {
            let tried = self.reached(padding)?;
            if tried.workgroups == wanted {
                return Ok(tried);
            }
            if tried.workgroups > wanted {
                more = tried;
            } else {
                fewer = tried;
            }
            padding = (more.padding + fewer.padding) / 2 / GRANULE * GRANULE;
        }
        let further = |reached: &Reached| reached.workgroups.abs_diff(wanted);
        Ok(if further(&more) < further(&fewer) { more } else { fewer })
    }

    fn reached(&mut self, padding: u32) -> Result<Reached> {
        Ok(Reached { padding, workgroups: self.counted(padding)? })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::{Limit, Unit};
    use super::*;

    const KIB: u32 = 1024;

    /// A multiprocessor by its data sheet, and how often it was asked.
    pub fn counting(bytes: u32, reserved: u32, most: u32, asked: &mut u32) -> impl FnMut(u32) -> Result<u32> {
        move |padding| {
            *asked += 1;
            Ok((bytes / (padding + reserved).max(1)).min(most))
        }
    }

    #[test]
    fn gcn() {
        let mut asked = 0;
        // Four SIMDs of ten waves, each a workgroup.
        let mut search = Search::new(32 * KIB, counting(64 * KIB, 0, 40, &mut asked));
        let memory = search.shared_memory(0x1002).unwrap().unwrap();
        assert!((63 * KIB..=64 * KIB).contains(&memory.bytes), "{memory:?}");
        for waves in [3, 4, 5, 6] {
            let wanted = Limit::WavesPerSimd(waves).workgroups(40, Unit { count: 1, simds: 4, subgroups: 1 });
            let reached = search.reach(wanted, memory.padding(wanted)).unwrap();
            // 64 KiB in steps of 512 bytes: 12, 16, 21 in place of 20, and 25 in place of 24.
            assert!(reached.workgroups.abs_diff(4 * waves) <= 1, "{waves}: {reached:?}");
        }
        drop(search);
        assert!(asked < 30, "{asked} counts");
    }

    #[test]
    fn hopper() {
        let mut asked = 0;
        let mut search = Search::new(48 * KIB, counting(228 * KIB, KIB, 32, &mut asked));
        let memory = search.shared_memory(NVIDIA).unwrap().unwrap();
        assert!((225 * KIB..=228 * KIB).contains(&memory.bytes), "{memory:?}");
        for wanted in [5, 8, 12, 16, 20, 24] {
            assert_eq!(search.reach(wanted, memory.padding(wanted)).unwrap().workgroups, wanted);
        }
        // Below what the largest padding leaves, and above what there is room for.
        assert_eq!(search.reach(2, memory.padding(2)).unwrap(), Reached { padding: 48 * KIB, workgroups: 4 });
        assert_eq!(search.reach(40, memory.padding(40)).unwrap(), Reached { padding: 0, workgroups: 32 });
    }

    #[test]
    fn a_wrong_guess_costs_time_only() {
        let mut asked = 0;
        let mut search = Search::new(48 * KIB, counting(228 * KIB, KIB, 32, &mut asked));
        for guess in [0, 512, 47 * KIB, u32::MAX] {
            assert_eq!(search.reach(9, guess).unwrap().workgroups, 9);
        }
    }

    #[test]
    fn the_nearest_is_taken() {
        // Only 1, 2, 4 and 8 are possible.
        let count = |padding: u32| Ok(8_u32 >> (padding / (4 * KIB)).min(3));
        let mut search = Search::new(16 * KIB, count);
        assert_eq!([1, 3, 5, 7].map(|wanted| search.reach(wanted, KIB).unwrap().workgroups), [1, 2, 4, 8]);
    }

    #[test]
    fn padding_may_limit_nothing() {
        let mut search = Search::new(32 * KIB, |_| Ok(2));
        assert_eq!(search.shared_memory(0).unwrap(), None);
        assert_eq!(search.reach(1, 0).unwrap(), Reached { padding: 32 * KIB, workgroups: 2 });
        assert_eq!(search.reach(2, 0).unwrap(), Reached { padding: 0, workgroups: 2 });
    }
}
