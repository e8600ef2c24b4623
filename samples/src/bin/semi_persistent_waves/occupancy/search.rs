//! The search for the padding that leaves so many workgroups, by counting them.

use anyhow::Result;

/// Shared memory is granted in steps of so many bytes, or of a part of them (RADV: 512).
const GRANULE: u32 = 512;

/// A padding, and how many workgroups it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    /// Bytes of each workgroup.
    pub padding: u32,
    /// Counted with it.
    pub workgroups: u32,
}

/// The padding of at most `most` bytes that leaves `wanted` workgroups, or as near to it as padding gets; `count` tells
/// how many there are at a time with a padding.
///
/// # Errors
/// Those of counting.
pub fn reach(most: u32, wanted: u32, mut count: impl FnMut(u32) -> Result<u32>) -> Result<Reached> {
    let mut reached = |padding| Ok::<_, anyhow::Error>(Reached { padding, workgroups: count(padding)? });
    let mut more = reached(0)?;
    if more.workgroups <= wanted {
        return Ok(more);
    }
    let mut fewer = reached(most / GRANULE * GRANULE)?;
    if fewer.workgroups >= wanted {
        return Ok(fewer);
    }
    while fewer.padding - more.padding > GRANULE {
        let tried = reached((more.padding + fewer.padding) / 2 / GRANULE * GRANULE)?;
        if tried.workgroups == wanted {
            return Ok(tried);
        }
        if tried.workgroups > wanted {
            more = tried;
        } else {
            fewer = tried;
        }
    }
    let further = |reached: &Reached| reached.workgroups.abs_diff(wanted);
    Ok(if further(&more) < further(&fewer) { more } else { fewer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_padding_is_found() {
        const KIB: u32 = 1024;
        // A multiprocessor of Hopper by its data sheet.
        let hopper = |padding: u32| Ok((228 * KIB / (padding + KIB)).min(32));
        // Below what the largest padding leaves, above what there is room for, and between.
        let found =
            [2, 5, 8, 16, 20, 24, 40].map(|wanted| reach(48 * KIB, wanted, hopper).unwrap().workgroups);
        assert_eq!(found, [4, 5, 8, 16, 20, 24, 32]);
        // Only 1, 2, 4 and 8 are possible.
        let halves = |padding: u32| Ok(8_u32 >> (padding / (4 * KIB)).min(3));
        let found = [1, 3, 5, 7].map(|wanted| reach(16 * KIB, wanted, halves).unwrap().workgroups);
        assert_eq!(found, [1, 2, 4, 8]);
        let unlimited = reach(32 * KIB, 1, |_| Ok(2)).unwrap();
        assert_eq!(unlimited, Reached { padding: 32 * KIB, workgroups: 2 });
    }
}
