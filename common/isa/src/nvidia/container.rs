//! Takes the machine code of a kernel out of a pipeline cache of NVIDIA's driver.
//!
//! ```text
//! Vulkan's header, 32 bytes │ the driver's header │ a zstd frame, to the end
//! the frame: NVDANVVM │ container: NVuc, version, entries, …, size │ table of entries │ machine code │ … │ more
//! ```
//!
//! Only Vulkan's header is documented. The rest is what driver 580.159.04 wrote on an H200.

use std::io::Read;

use anyhow::{Context, Result, ensure};
use ruzstd::decoding::StreamingDecoder;

/// PCI vendor id.
pub(super) const VENDOR: u32 = 0x10de;
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// More bytes than a kernel needs.
const MOST: u64 = 64 << 20;
/// The type of the entry for machine code.
const CODE: u32 = 1;
/// Machine code consists of whole blocks of so many bytes.
const BLOCK: u64 = 128;

/// The machine code in the pipeline cache of one kernel, which the driver says has `size` bytes.
///
/// # Errors
/// The cache has another form, or code of another size.
pub(super) fn machine_code(cache: &[u8], size: u64) -> Result<Vec<u8>> {
    let header = [0, 4, 8].map(|at| word(cache, at));
    ensure!(header == [Some(32), Some(1), Some(VENDOR)], "not NVIDIA's header");
    let rest = cache.get(32..).unwrap_or_default();
    let frame = rest.windows(ZSTD.len()).position(|bytes| bytes == ZSTD).context("no zstd frame")?;
    let mut payload = Vec::new();
    let decoder = StreamingDecoder::new(&rest[frame..]).context("a damaged zstd frame")?;
    decoder.take(MOST).read_to_end(&mut payload).context("a damaged zstd frame")?;
    let container = payload.strip_prefix(b"NVDANVVM").filter(|rest| rest.starts_with(b"NVuc"));
    let container = container.context("no container")?;
    ensure!(word(container, 4) == Some(1), "a container of another version");
    let all = word(container, 0x18).and_then(|size| container.get(..size as usize));
    let all = all.context("a container that is cut off")?;
    let count = word(all, 8).unwrap_or_default() & 0xffff;
    let table = all.get(0x20..0x20 + 32 * count as usize).context("a table that is cut off")?;
    let entry = |entry: &[u8]| Some((word(entry, 0)?, word(entry, 4)?, word(entry, 8)?));
    let mut codes = table.chunks_exact(32).filter_map(entry).filter(|(kind, ..)| *kind == CODE);
    let (Some((_, bytes, from)), None) = (codes.next(), codes.next()) else {
        anyhow::bail!("not one entry of machine code")
    };
    ensure!(u64::from(bytes) == size, "{bytes} bytes of machine code, where the driver reports {size}");
    ensure!(size > 0 && size.is_multiple_of(BLOCK), "machine code that is not in whole blocks");
    let code = all.get(from as usize..).and_then(|rest| rest.get(..bytes as usize));
    Ok(code.context("machine code that is cut off")?.to_vec())
}

/// The 32-bit number at an offset.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().copied().map(u32::from_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pipeline cache that driver 580.159.04 wrote on an H200, with samples/shaders/sgemm/pad.comp.
    const CACHE: &[u8] = include_bytes!("testdata/pad.cache");
    const SIZE: u64 = 896;

    /// A cache whose frame holds the payload of [`CACHE`], changed, without compression.
    fn changed(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let frame = CACHE.windows(4).position(|bytes| bytes == ZSTD).unwrap();
        let mut payload = Vec::new();
        StreamingDecoder::new(&CACHE[frame..]).unwrap().read_to_end(&mut payload).unwrap();
        change(&mut payload);
        // A frame of one segment whose size has four bytes, and one raw block, the last.
        let size = u32::try_from(payload.len()).unwrap();
        let block = (size << 3 | 1).to_le_bytes();
        [&CACHE[..frame], &ZSTD, &[0xa0], &size.to_le_bytes(), &block[..3], &payload].concat()
    }

    fn set(at: usize, word: u32) -> Vec<u8> {
        changed(|payload| payload[at..at + 4].copy_from_slice(&word.to_le_bytes()))
    }

    fn refused(cache: &[u8], size: u64) -> String {
        format!("{:#}", machine_code(cache, size).unwrap_err())
    }

    #[test]
    fn code_is_found() {
        let code = machine_code(CACHE, SIZE).unwrap();
        assert_eq!(code.len(), 896);
        // S2R R4, SR_CTAID.X, and NOP.
        assert_eq!(code[..8], [0x19, 0x79, 4, 0, 0, 0, 0, 0]);
        assert_eq!(code[880..888], [0x18, 0x79, 0, 0, 0, 0, 0, 0]);
        assert_eq!(machine_code(&changed(|_| ()), SIZE).unwrap(), code);
    }

    #[test]
    fn another_form_is_refused() {
        assert!(refused(CACHE, 1024).contains("896 bytes of machine code, where the driver reports 1024"));
        let mut amd = CACHE.to_vec();
        amd[8..12].copy_from_slice(&[0x02, 0x10, 0, 0]);
        assert!(refused(&amd, SIZE).contains("not NVIDIA's header"));
        assert!(refused(&[], SIZE).contains("not NVIDIA's header"));
        assert!(refused(&CACHE[..100], SIZE).contains("no zstd frame"));
        assert!(refused(&changed(|payload| payload[3] = b'?'), SIZE).contains("no container"));
        assert!(refused(&changed(|payload| payload[8] = b'?'), SIZE).contains("no container"));
        assert!(refused(&changed(Vec::clear), SIZE).contains("no container"));
        assert!(refused(&set(8 + 4, 2), SIZE).contains("another version"));
        // The table is from byte 0x28 on; its second entry is the code's.
        for size in [0x30, 20_000, u32::MAX] {
            assert!(refused(&set(8 + 0x18, size), SIZE).contains("cut off"), "{size}");
        }
        // The second ends within the payload, but not within the container.
        for count in [0xffff, 100] {
            assert!(refused(&set(8 + 8, count), SIZE).contains("a table that is cut off"), "{count}");
        }
        for (at, kind) in [(0x48, 2), (0x28, 1)] {
            assert!(refused(&set(at, kind), SIZE).contains("not one entry"), "{at}");
        }
        assert!(refused(&set(0x4c, 900), 900).contains("not in whole blocks"));
        assert!(refused(&set(0x4c, 0), 0).contains("not in whole blocks"));
        assert!(refused(&set(0x4c, 1 << 31), 1 << 31).contains("cut off"));
        for from in [1376 - 895, u32::MAX] {
            assert!(refused(&set(0x50, from), SIZE).contains("machine code that is cut off"), "{from}");
        }
    }

    /// A changed byte may go unnoticed in the code, but its size stays, and nothing panics.
    #[test]
    fn damage_is_refused_or_keeps_the_size() {
        for end in 0..CACHE.len() {
            assert!(machine_code(&CACHE[..end], SIZE).is_err(), "the first {end} bytes");
        }
        let mut cache = CACHE.to_vec();
        for at in 0..cache.len() {
            for bits in [1, 0x80, 0xff] {
                cache[at] ^= bits;
                if let Ok(code) = machine_code(&cache, SIZE) {
                    assert_eq!(code.len(), 896, "byte {at}");
                }
                cache[at] ^= bits;
            }
        }
        for at in 0..0x128 {
            for value in [0, 0x7f, 0xff] {
                let _ = machine_code(&changed(|payload| payload[at] = value), SIZE);
            }
        }
    }
}
