//! The folder of a saved run: record, raw samples, table, and a page that explains them.

use std::cell::Cell;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use record::trace::{STORED_WAVES, Trace, waves};
use record::{Record, SAMPLES, fault, json, parted};

use super::destination::{Destination, draft, keep_so_far, refusal};
use super::facts::{command, facts};

const RECORD: &str = "record.json";

/// A folder that takes one run. Folders that were created for it are removed if nothing is written.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// The folders that did not exist, the innermost first.
    created: Vec<PathBuf>,
    /// Keeps other runs out. The folder itself is locked: a process that is killed would leave a lock file behind.
    _lock: Option<File>,
    /// Whether the existing record is an interim one of this run.
    has_begun: Cell<bool>,
}

impl Folder {
    /// Creates `dir` and its parents where they are missing, and checks, before anything is measured, that files can
    /// be written there.
    ///
    /// # Errors
    /// If `dir` cannot be created or written to, if it already holds a record, or if another run uses it. Runs are
    /// never overwritten.
    pub fn create(dir: &Path) -> Result<Self> {
        let shown = dir.display();
        let missing = dir.ancestors().take_while(|dir| !dir.as_os_str().is_empty() && !dir.exists());
        let created = missing.map(Path::to_owned).collect();
        let mut folder = Self { path: dir.to_owned(), created, _lock: None, has_begun: Cell::new(false) };
        fault::write("creating the folder", || fs::create_dir_all(dir))
            .map_err(|error| anyhow!("cannot create the folder {shown}: {error}; choose another folder"))?;
        folder.lock()?;
        folder.ensure_new()?;
        let record = dir.join(RECORD);
        draft(dir, &record).map_err(|error| refusal(&record, dir, &error))?;
        Ok(folder)
    }

    /// Writes `samples.csv.gz`, `record.json`, `table.txt`, `README.md` and, for a traced run, `waves.txt` and
    /// `waves.json.gz`. Each file is written completely or not at all, and a failure does not prevent the next file.
    /// `table` is the text of [`super::table()`], `told` that of `traced`.
    ///
    /// # Errors
    /// The first error of a file.
    pub fn write(
        &self,
        record: &Record,
        table: &str,
        told: Option<&str>,
        traces: &[(String, Trace)],
    ) -> Result<()> {
        self.ensure_new()?;
        let shown = told.map_or_else(|| table.to_owned(), |waves| format!("{table}\n{waves}"));
        let (bare, samples) = parted(record)?;
        // Samples come first, so that a record never names a file that is missing: if they cannot be written, the
        // record holds them itself.
        let samples = self.put(SAMPLES, &samples);
        let mut files = vec![
            (RECORD, json(if samples.is_ok() { &bare } else { record })?.into()),
            ("table.txt", table.into()),
            ("README.md", readme(record, &shown).into()),
        ];
        files.extend(told.map(|waves| ("waves.txt", waves.into())));
        if !traces.is_empty() {
            files.push((STORED_WAVES, waves(traces)?));
        }
        // Collected so that all files are tried even after one fails.
        let written: Vec<Result<()>> = files.iter().map(|(name, content)| self.put(name, content)).collect();
        self.has_begun.set(false);
        std::iter::once(samples).chain(written).collect()
    }

    /// Writes an interim record, which [`Folder::write`] replaces by the complete one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep_so_far(&self, text: &str) -> std::io::Result<()> {
        self.has_begun.set(true);
        keep_so_far(&self.path.join(RECORD), text)
    }

    fn lock(&mut self) -> Result<()> {
        // Not every system opens folders and not every file system locks them. `ensure_new` still checks before
        // writing.
        let Ok(folder) = File::open(&self.path) else { return Ok(()) };
        if let Err(TryLockError::WouldBlock) = folder.try_lock() {
            // The other run uses the folder, so this one must not remove it.
            self.created.clear();
            bail!("another run is at work in the folder {}; choose another folder", self.path.display());
        }
        self._lock = Some(folder);
        Ok(())
    }

    fn ensure_new(&self) -> Result<()> {
        let taken = !self.has_begun.get() && fs::symlink_metadata(self.path.join(RECORD)).is_ok();
        ensure!(!taken, "the folder {} already holds a {RECORD}; choose another folder", self.path.display());
        Ok(())
    }

    fn put(&self, name: &str, content: &[u8]) -> Result<()> {
        Destination::File(self.path.join(name)).write(content).context("the run cannot be kept")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for folder in &self.created {
            // This removes only empty folders.
            let _ = fs::remove_dir(folder);
        }
    }
}

fn readme(record: &Record, table: &str) -> String {
    let facts: String = facts(record).iter().map(|(what, how)| format!("- {what}: {how}\n")).collect();
    format!(
        "# {} on {}\n\n{facts}\n\
         ```sh\n{}\n```\n\n\
         ```text\n{}\n```\n\n\
         `samples.csv.gz` (gzip) holds every kept sample: times of the GPU (`one_us`, `many_us`) and of the CPU \
         (`record_us`, `submit_us`) in microseconds, the device's clock in MHz, the number of wrong elements, \
         what a repetition has to move, to compute and to get done, and whether a short submit is an outlier \
         of its variant (1.5 interquartile ranges beyond the quartiles).\n",
        record.sample,
        record.device.name,
        command(record),
        table.trim_end(),
    )
}

#[cfg(test)]
mod tests {
    use record::{fixture, read_record};

    use super::*;

    #[test]
    fn a_run_is_kept() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("a/b");
        let folder = Folder::create(&dir).unwrap();
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
        folder.write(&fixture::record(), "the table\n", Some("the waves\n"), &[]).unwrap();
        let again = folder.write(&fixture::record(), "another\n", None, &[]).unwrap_err().to_string();
        assert!(again.contains("already holds a record.json"), "{again}");
        let mut names: Vec<_> = fs::read_dir(&dir).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["README.md", "record.json", "samples.csv.gz", "table.txt", "waves.txt"]);
        let read = read_record(&dir.join("record.json")).unwrap();
        assert_eq!(json(&read).unwrap(), json(&fixture::record()).unwrap());
        assert_eq!(fs::read_to_string(dir.join("table.txt")).unwrap(), "the table\n");

        drop(folder);
        let message = Folder::create(&dir).unwrap_err().to_string();
        assert!(message.ends_with("already holds a record.json; choose another folder"), "{message}");
    }

    #[test]
    fn nothing_is_left_of_a_run_that_wrote_nothing() {
        let top = tempfile::tempdir().unwrap();
        drop(Folder::create(&top.path().join("a/b")).unwrap());
        assert_eq!(fs::read_dir(top.path()).unwrap().count(), 0);
        // Files that existed before stay.
        fs::create_dir(top.path().join("mine")).unwrap();
        drop(Folder::create(&top.path().join("mine")).unwrap());
        assert!(top.path().join("mine").exists());
    }

    #[cfg(unix)]
    #[test]
    fn two_runs_do_not_share_a_folder() {
        let top = tempfile::tempdir().unwrap();
        let dir = top.path().join("run");
        let first = Folder::create(&dir).unwrap();
        let message = Folder::create(&dir).unwrap_err().to_string();
        assert!(message.starts_with("another run is at work in the folder"), "{message}");
        assert!(dir.exists(), "the second took the first one's folder away");
        drop(first);
        assert!(!dir.exists());
        Folder::create(&dir).unwrap();
    }

    #[test]
    fn a_folder_that_cannot_be_is_refused_on_one_line() {
        let top = tempfile::tempdir().unwrap();
        let file = top.path().join("file");
        fs::write(&file, "").unwrap();
        let message = format!("{:#}", Folder::create(&file.join("x")).unwrap_err());
        assert!(message.contains("choose another folder") && !message.contains('\n'), "{message}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_written_to_is_refused() {
        let message = Folder::create(Path::new("/proc/self")).unwrap_err().to_string();
        assert!(message.contains("cannot write /proc/self/record.json"), "{message}");
    }

    #[test]
    fn the_page_of_a_run() {
        insta::assert_snapshot!(readme(&fixture::record(), "the table\n"));
    }

    #[test]
    fn a_command_without_arguments_has_no_dashes() {
        let mut record = fixture::record();
        record.command.truncate(1);
        assert_eq!(command(&record), "cargo run --release --bin pipelined_events");
    }
}
