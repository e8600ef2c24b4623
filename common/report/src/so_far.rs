//! What is on disk while a run is under way.

use std::fs;
use std::path::Path;

use record::fault;

use super::destination::DRAFT;

/// Replaces a file by a text, whole, but without waiting for the disk: what a crash of the process leaves.
pub fn keep_so_far(path: &Path, text: &str) -> std::io::Result<()> {
    let mut name = std::ffi::OsString::from(DRAFT.0);
    name.push(path.file_name().unwrap_or_default());
    name.push(DRAFT.1);
    let draft = path.with_file_name(name);
    fault::write("writing what was measured so far", || fs::write(&draft, text))?;
    fs::rename(draft, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_so_far_replaces_itself() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record.json");
        keep_so_far(&path, "one").unwrap();
        keep_so_far(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
