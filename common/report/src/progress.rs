//! Reports the progress of a run to the process that started it.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Serialize;

/// Length in bytes of the progress line. It is rewritten in place; since it fits into one memory page, a reader
/// never sees a mix of an old and a new line.
const LINE: usize = 2048;

/// The line that `--progress FILE` updates.
#[derive(Debug)]
pub struct Line(RefCell<File>);

impl Line {
    /// Creates the file.
    ///
    /// # Errors
    /// If the path cannot be written to.
    pub fn open(path: &Path) -> Result<Self> {
        let file =
            File::create(path).with_context(|| format!("--progress cannot write {}", path.display()))?;
        Ok(Self(RefCell::new(file)))
    }

    /// Replaces the line by `position` as JSON.
    pub fn write(&self, position: &impl Serialize) {
        let Ok(mut line) = serde_json::to_vec(position) else { return };
        if line.len() < LINE {
            line.resize(LINE - 1, b' ');
            line.push(b'\n');
            let mut file = self.0.borrow_mut();
            // A failed write must not stop the run.
            let _ = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(&line));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_line_is_always_as_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("line");
        let line = Line::open(&path).unwrap();
        for variant in ["events_2", "a", &"n".repeat(150)] {
            let position = serde_json::json!({ "variant": variant });
            line.write(&position);
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!((text.len(), text.ends_with(" \n")), (LINE, true));
            assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), position);
        }
    }
}
