//! Which shaders were saved since the last look.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use notify_debouncer_mini::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_mini::{DebounceEventResult, Debouncer, new_debouncer};

use crate::source::Library;

/// Editors write a file in several steps; what comes within this time is one.
const QUIET: Duration = Duration::from_millis(40);

/// A file as it was looked at.
struct File {
    /// Bytes, and when they were written.
    stamp: (u64, Option<SystemTime>),
    text: Vec<u8>,
}

/// Watches the shaders of a checkout.
pub(super) struct Watcher {
    root: PathBuf,
    events: Receiver<DebounceEventResult>,
    /// What each file was when it was last looked at: systems report files that were only read, too.
    files: RefCell<BTreeMap<String, File>>,
    _watching: Debouncer<RecommendedWatcher>,
}

impl Watcher {
    /// Nothing where the shaders are those of the binary, which nobody can edit.
    ///
    /// # Errors
    /// A system that lets nobody watch.
    pub fn of(shaders: &Library) -> Result<Option<Self>> {
        let Library::Checkout(root) = shaders else { return Ok(None) };
        let root = root.canonicalize().with_context(|| format!("finding {}", root.display()))?;
        let (sender, events) = channel();
        let mut watching = new_debouncer(QUIET, move |event| {
            // Nobody listens any more when the window was closed.
            let _ = sender.send(event);
        })
        .context("watching files")?;
        // The folder, not its files: editors save under another name and rename.
        let watched = watching.watcher().watch(&root, RecursiveMode::Recursive);
        watched.with_context(|| format!("watching {}", root.display()))?;
        let files = RefCell::new(files_below(&root, &root)?);
        Ok(Some(Self { root, events, files, _watching: watching }))
    }

    /// Shaders that were saved, by their paths below `shaders/`.
    pub fn saved(&self) -> BTreeSet<String> {
        let events = self.events.try_iter().filter_map(Result::ok).flatten();
        let names: BTreeSet<String> = events.filter_map(|event| name(&self.root, &event.path)).collect();
        names.into_iter().filter(|name| self.has_changed(name)).collect()
    }

    fn has_changed(&self, name: &str) -> bool {
        let (path, mut files) = (self.root.join(name), self.files.borrow_mut());
        // To open a file whose stamp is the last one would be one more event, and so on without an end.
        let last = files.get(name);
        if last.is_some_and(|last| stamp(&path).is_some_and(|stamp| stamp == last.stamp)) {
            return false;
        }
        // Between the two steps of an editor's rename there is none, and nothing in it between those of a write.
        let Some(file) = looked_at(&path).filter(|file| !file.text.is_empty()) else { return false };
        let is_other = last.is_none_or(|last| last.text != file.text);
        files.insert(name.to_owned(), file);
        is_other
    }
}

fn stamp(path: &Path) -> Option<(u64, Option<SystemTime>)> {
    let about = fs::metadata(path).ok()?;
    Some((about.len(), about.modified().ok()))
}

fn looked_at(path: &Path) -> Option<File> {
    // Before the text: what is written meanwhile has another one.
    let stamp = stamp(path)?;
    Some(File { stamp, text: fs::read(path).ok()? })
}

fn files_below(dir: &Path, root: &Path) -> Result<BTreeMap<String, File>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            files.append(&mut files_below(&path, root)?);
        } else if let (Some(name), Some(file)) = (name(root, &path), looked_at(&path)) {
            files.insert(name, file);
        }
    }
    Ok(files)
}

fn name(root: &Path, path: &Path) -> Option<String> {
    let is_shader = path.extension().is_some_and(|kind| kind == "comp" || kind == "glsl");
    let below = path.strip_prefix(root).ok().filter(|_| is_shader)?;
    Some(below.to_string_lossy().replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn a_file_that_is_renamed_into_place_was_saved() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("include")).unwrap();
        let file = folder.path().join("include/a.glsl");
        fs::write(&file, "1").unwrap();
        let watcher = Watcher::of(&Library::Checkout(folder.path().to_owned())).unwrap().unwrap();
        let draft = folder.path().join("include/.a.glsl.swp");
        fs::write(&draft, "2").unwrap();
        fs::rename(&draft, &file).unwrap();
        let began = Instant::now();
        let mut saved = BTreeSet::new();
        while saved.is_empty() && began.elapsed() < Duration::from_secs(5) {
            saved = watcher.saved();
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(saved, BTreeSet::from(["include/a.glsl".to_owned()]));
    }

    #[test]
    fn a_file_that_is_looked_at_makes_no_end_of_events() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.comp");
        fs::write(&file, "1").unwrap();
        let watcher = Watcher::of(&Library::Checkout(folder.path().to_owned())).unwrap().unwrap();
        fs::read(&file).unwrap();
        let (began, mut last) = (Instant::now(), Instant::now());
        while began.elapsed() < Duration::from_secs(5) && last.elapsed() < 6 * QUIET {
            let events = watcher.events.try_iter().filter_map(Result::ok).flatten().count();
            if events > 0 {
                last = Instant::now();
                assert!(!watcher.has_changed("a.comp"));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(began.elapsed() < Duration::from_secs(5), "events go on");
    }
}
