//! A cache of compiled modules: one file per module, named after the hash of its inputs.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use record::fault;
use sha2::{Digest, Sha256};

use super::{Key, compiler, ensure_module, hex};

/// The module with this key, if its file is complete.
pub(super) fn read(key: &Key) -> Option<Vec<u32>> {
    checked(key, &std::fs::read(file(key)?).ok()?)
}

/// Stores a module. Errors are ignored: without a cache only the next start is slower.
pub(super) fn write(key: &Key, words: &[u32]) {
    let _ = file(key).map(|path| write_file(&path, key, words));
}

/// The folder of what is kept from run to run: that of the user's caches, or `HOTLAP_CACHE_DIR`.
#[must_use]
pub fn folder() -> Option<PathBuf> {
    match std::env::var_os("HOTLAP_CACHE_DIR").filter(|dir| !dir.is_empty()) {
        Some(dir) => Some(PathBuf::from(dir)),
        None => Some(dirs::cache_dir()?.join("hot-lap")),
    }
}

fn file(key: &Key) -> Option<PathBuf> {
    Some(folder()?.join(format!("{}-{}.spv", hex(key), compiler::NAME)))
}

/// SHA-256 of key and code, stored at the end of a file. A damaged or renamed file is ignored, because its code
/// could crash a driver.
fn checksum(key: &Key, code: &[u8]) -> [u8; 32] {
    Sha256::new().chain_update(key).chain_update(code).finalize().into()
}

fn checked(key: &Key, file: &[u8]) -> Option<Vec<u32>> {
    let (code, found) = file.split_last_chunk::<32>()?;
    if *found != checksum(key, code) || !code.len().is_multiple_of(4) {
        return None;
    }
    let words = bytemuck::allocation::pod_collect_to_vec(code);
    ensure_module(&words).is_ok().then_some(words)
}

fn write_file(path: &Path, key: &Key, words: &[u32]) -> Result<()> {
    let dir = path.parent().context("a cache file has a folder")?;
    let code: &[u8] = bytemuck::cast_slice(words);
    fault::write("creating the folder of the SPIR-V cache", || std::fs::create_dir_all(dir))?;
    let mut file = fault::write("creating a SPIR-V cache file", || tempfile::NamedTempFile::new_in(dir))?;
    fault::write("writing a SPIR-V cache file", || {
        file.write_all(code)?;
        file.write_all(&checksum(key, code))
    })?;
    fault::write("renaming a SPIR-V cache file", || file.persist(path).map_err(|error| error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: [u32; 7] = [spirv::MAGIC_NUMBER, 0x0001_0600, 0, 1, 0, 0x0002_0011, 1];

    #[test]
    fn a_damaged_file_is_not_used_nor_that_of_another_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("sub/a.spv");
        write_file(&path, &[1; 16], &MODULE).unwrap();
        let mut file = std::fs::read(&path).unwrap();
        assert_eq!(checked(&[1; 16], &file).as_deref(), Some(&MODULE[..]));
        assert_eq!(checked(&[2; 16], &file), None);
        file[5] ^= 1;
        assert_eq!(checked(&[1; 16], &file), None);
        assert_eq!(checked(&[1; 16], &file[..20]), None);
    }

    #[test]
    fn what_is_no_module_is_not_used_though_its_checksum_is_right() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.spv");
        write_file(&path, &[1; 16], &MODULE[..6]).unwrap();
        assert_eq!(checked(&[1; 16], &std::fs::read(&path).unwrap()), None);
    }
}
