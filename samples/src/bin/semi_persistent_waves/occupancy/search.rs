//! Searches for the shared-memory padding that leaves a wanted number of workgroups resident.

use std::cmp::Ordering;

use anyhow::Result;

/// Drivers allocate shared memory in steps of this many bytes, or of a divisor of it (RADV: 512).
const GRANULE: u32 = 512;

/// Finds the padding of at most `most` bytes with `wanted` resident workgroups, or the nearest number that padding
/// can reach. `count` counts the workgroups with a padding. Returns the padding and its count.
///
/// # Errors
/// `count` failed.
pub fn reach(most: u32, wanted: u32, mut count: impl FnMut(u32) -> Result<u32>) -> Result<(u32, u32)> {
    let mut counted = |padding| Ok::<_, anyhow::Error>((padding, count(padding)?));
    let mut more = counted(0)?;
    if more.1 <= wanted {
        return Ok(more);
    }
    let mut fewer = counted(most / GRANULE * GRANULE)?;
    if fewer.1 >= wanted {
        return Ok(fewer);
    }
    while fewer.0 - more.0 > GRANULE {
        let tried = counted((more.0 + fewer.0) / 2 / GRANULE * GRANULE)?;
        match tried.1.cmp(&wanted) {
            Ordering::Equal => return Ok(tried),
            Ordering::Greater => more = tried,
            Ordering::Less => fewer = tried,
        }
    }
    Ok(if more.1 - wanted < wanted - fewer.1 { more } else { fewer })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_padding_is_found() {
        const KIB: u32 = 1024;
        // A Hopper multiprocessor, according to its data sheet.
        let hopper = |padding: u32| Ok((228 * KIB / (padding + KIB)).min(32));
        // Counts below the reach of the largest padding, above the possible maximum, and between them.
        let found = [2, 5, 8, 16, 20, 24, 40].map(|wanted| reach(48 * KIB, wanted, hopper).unwrap().1);
        assert_eq!(found, [4, 5, 8, 16, 20, 24, 32]);
        // Only the counts 1, 2, 4 and 8 are possible.
        let halves = |padding: u32| Ok(8_u32 >> (padding / (4 * KIB)).min(3));
        let found = [1, 3, 5, 7].map(|wanted| reach(16 * KIB, wanted, halves).unwrap().1);
        assert_eq!(found, [1, 2, 4, 8]);
        assert_eq!(reach(32 * KIB, 1, |_| Ok(2)).unwrap(), (32 * KIB, 2));
    }
}
