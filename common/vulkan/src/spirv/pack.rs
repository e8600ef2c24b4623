//! Packs of precompiled modules: `shaders/NAME.comp.pack` for each `shaders/NAME.comp`.
//!
//! A pack is a brotli stream of entries: the key of the module's inputs (16 bytes), the number of its words (4
//! bytes, little-endian), and its words. The key of a changed source is not in the pack, so an outdated pack is
//! never used. The traced forms come last, so that a run without a trace does not unpack them.

use std::collections::{BTreeMap, HashMap};
use std::io::{BufRead, BufReader, Read};
use std::sync::{LazyLock, Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use brotli_decompressor::Decompressor;

use super::{Key, ensure_module};
use crate::source::Library;

/// The command that updates the packs, for messages.
pub const REPACK: &str = "run cargo run -p samples --example pack_shaders --features shaderc";

/// The embedded module with this key, if there is one.
pub(super) fn find(shader: &str, key: &Key) -> Result<Option<Vec<u32>>> {
    static OPENED: LazyLock<Mutex<BTreeMap<String, Pack<'static>>>> = LazyLock::new(Mutex::default);
    let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
    let pack = opened.entry(shader.to_owned()).or_insert_with(|| {
        // A new shader has no pack yet.
        Library::packed(shader).map_or_else(Pack::empty, Pack::open)
    });
    let found = pack.find(key).with_context(|| format!("the pack of {shader} is damaged: {REPACK}"))?;
    Ok(found.map(<[u32]>::to_vec))
}

/// A pack, unpacked as far as needed.
pub struct Pack<'p> {
    rest: BufReader<Decompressor<&'p [u8]>>,
    pub(crate) modules: HashMap<Key, Vec<u32>>,
}

impl<'p> Pack<'p> {
    pub(crate) fn open(pack: &'p [u8]) -> Self {
        Self { rest: BufReader::new(Decompressor::new(pack, 1 << 16)), modules: HashMap::new() }
    }

    fn empty() -> Self {
        // The shortest brotli stream, which is empty.
        Self::open(&[6])
    }

    pub(crate) fn find(&mut self, key: &Key) -> Result<Option<&[u32]>> {
        while !self.modules.contains_key(key) && self.unpack_one()? {}
        Ok(self.modules.get(key).map(Vec::as_slice))
    }

    /// Unpacks the next module; returns whether there was one.
    pub fn unpack_one(&mut self) -> Result<bool> {
        if self.rest.fill_buf()?.is_empty() {
            return Ok(false);
        }
        let (mut key, mut words): (Key, _) = ([0; 16], [0; 4]);
        self.rest.read_exact(&mut key)?;
        self.rest.read_exact(&mut words)?;
        let bytes = 4 * u64::from(u32::from_le_bytes(words));
        let mut code = Vec::new();
        ensure!(
            (&mut self.rest).take(bytes).read_to_end(&mut code)? as u64 == bytes,
            "a module without an end"
        );
        let words = bytemuck::allocation::pod_collect_to_vec(&code);
        ensure_module(&words)?;
        self.modules.insert(key, words);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpacked(pack: &[u8]) -> Result<usize> {
        let mut pack = Pack::open(pack);
        while pack.unpack_one()? {}
        Ok(pack.modules.len())
    }

    #[test]
    fn a_damaged_pack_is_an_error() {
        let whole = Library::packed("lab/fma.comp").unwrap();
        // One module for timing, and one traced module per lane source.
        assert_eq!(unpacked(whole).unwrap(), 4);
        assert!(unpacked(&whole[..whole.len() / 2]).is_err());
        assert_eq!(Pack::empty().find(&[0; 16]).unwrap(), None);
    }
}
