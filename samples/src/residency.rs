//! How much unused shared memory limits the workgroups of a multiprocessor to how many.
//!
//! Vulkan tells neither the shared memory of a multiprocessor nor what a driver makes of it, so both are
//! inferred from counting: a kernel whose workgroups count how many of them are there at a time. What is
//! computed from that is counted again.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use anyhow::Result;
use common::facts::{DeviceFacts, Multiprocessors};

/// Shared memory is granted in steps of so many bytes, or of a part of them (RADV: 512).
const GRANULE: u32 = 512;
/// PCI vendor id of NVIDIA.
const NVIDIA: u32 = 0x10de;
/// Bytes of shared memory that CUDA takes of each workgroup for itself, from compute capability 8.0 on
/// (CUDA C++ Programming Guide, Technical Specifications).
const NVIDIA_RESERVED: u32 = 1024;

/// How many subgroups a user wants at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// So many on each unit that issues instructions.
    WavesPerSimd(u32),
    /// So many thousandths of what there is room for.
    Occupancy(u32),
}

impl Limit {
    /// What it adds to a variant's name.
    #[must_use]
    pub fn suffix(self) -> String {
        match self {
            Self::WavesPerSimd(waves) => format!("_w{waves}"),
            Self::Occupancy(thousandths) => format!("_o{}", Percent(thousandths)),
        }
    }

    /// Workgroups at a time where there is room for `most`.
    #[must_use]
    pub fn workgroups(self, most: u32, unit: Unit) -> u32 {
        let rounded = |a: u32, b: u32| (a + b / 2) / b.max(1);
        let wanted = match self {
            Self::WavesPerSimd(waves) => rounded(waves * unit.simds, unit.subgroups),
            Self::Occupancy(thousandths) => rounded(most * thousandths, 1000),
        };
        wanted.max(1)
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WavesPerSimd(waves) => write!(f, "{waves} a SIMD"),
            Self::Occupancy(thousandths) => write!(f, "{} %", Percent(*thousandths)),
        }
    }
}

/// Thousandths as percents, `50` or `12.5`.
struct Percent(u32);

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", f64::from(self.0) / 10.0)
    }
}

/// A share of the subgroups that a device has room for, above 0, up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share(pub u32);

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = "an occupancy is a share from 0.001 to 1, such as 0.5";
        let share: f64 = text.trim().parse().map_err(|_| format!("'{text}' is no number; {wanted}"))?;
        let thousandths = (1..=1000).find(|&n| (share * 1000.0 - f64::from(n)).abs() <= 0.5);
        thousandths.map(Self).ok_or_else(|| format!("'{text}' is out of range; {wanted}"))
    }
}

/// What is counted: the workgroups of one multiprocessor, or of the whole device where it does not say
/// how many multiprocessors it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// How many of them the device has.
    pub count: u32,
    /// Units in each that issue instructions.
    pub simds: u32,
    /// Subgroups of a workgroup.
    pub subgroups: u32,
}

impl Unit {
    /// For workgroups of so many invocations.
    #[must_use]
    pub fn new(device: &DeviceFacts, invocations: u32) -> Self {
        let subgroups = invocations.div_ceil(device.subgroup_size.max(1));
        match device.multiprocessors {
            Some(Multiprocessors { count, simds, .. }) => {
                Self { count: count.max(1), simds: simds.max(1), subgroups }
            }
            None => Self { count: 1, simds: 1, subgroups },
        }
    }

    /// Workgroups of each, of so many on the whole device: what most of them have.
    #[must_use]
    pub fn share(self, workgroups: u32) -> u32 {
        (workgroups + self.count / 2) / self.count
    }
}

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
    #[must_use]
    pub fn padding(self, workgroups: u32) -> u32 {
        (self.bytes / workgroups.max(1)).saturating_sub(self.reserved) / GRANULE * GRANULE
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

impl<F> fmt::Debug for Search<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Search").field("known", &self.known).finish_non_exhaustive()
    }
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
mod tests {
    use super::*;

    const KIB: u32 = 1024;

    /// A multiprocessor by its data sheet, and how often it was asked.
    fn counting(bytes: u32, reserved: u32, most: u32, asked: &mut u32) -> impl FnMut(u32) -> Result<u32> {
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

    #[test]
    fn limits_in_workgroups() {
        let unit = Unit { count: 132, simds: 4, subgroups: 2 };
        assert_eq!([1, 3, 5].map(|waves| Limit::WavesPerSimd(waves).workgroups(32, unit)), [2, 6, 10]);
        assert_eq!([1, 250, 1000].map(|share| Limit::Occupancy(share).workgroups(32, unit)), [1, 8, 32]);
        let large = Unit { subgroups: 32, ..unit };
        assert_eq!(Limit::WavesPerSimd(1).workgroups(2, large), 1);
        // All but one of 132 hold 32.
        assert_eq!(unit.share(132 * 32 - 7), 32);
    }

    #[test]
    fn shares() {
        assert_eq!(["0.25", "1", "0.001", " 0.5"].map(|text| text.parse()), [250, 1000, 1, 500].map(|n| Ok(Share(n))));
        for bad in ["0", "1.5", "-0.5", "nan", "inf", "1e9", "half", "", "0.0001"] {
            let error = bad.parse::<Share>().unwrap_err();
            assert!(error.contains("0.001 to 1"), "{bad}: {error}");
        }
    }

    #[test]
    fn names() {
        let suffixes = [Limit::WavesPerSimd(5), Limit::Occupancy(500), Limit::Occupancy(125)].map(Limit::suffix);
        assert_eq!(suffixes, ["_w5", "_o50", "_o12.5"]);
    }
}
