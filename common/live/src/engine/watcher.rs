//! Which shaders were saved since the last look.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use notify_debouncer_mini::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_mini::{DebounceEventResult, Debouncer, new_debouncer};

use vulkan::source::Library;

/// Editors write a file in several steps; what comes within this time is one.
const QUIET: Duration = Duration::from_millis(40);

/// An editor is done with all its steps by then.
const STEPS: Duration = Duration::from_millis(500);
/// File systems note times no coarser than this (FAT).
const COARSE: Duration = Duration::from_secs(2);

/// Bytes of a file, and when they were written.
type Stamp = (u64, Option<SystemTime>);

/// A file as it was looked at.
struct File {
    stamp: Stamp,
    text: Vec<u8>,
}

/// Watches the shaders of a checkout.
pub(super) struct Watcher {
    root: PathBuf,
    events: Receiver<DebounceEventResult>,
    /// What each file was when it was last looked at: systems report files that were only read, too.
    files: RefCell<BTreeMap<String, File>>,
    /// Files that are missing or empty since then.
    absent: RefCell<BTreeMap<String, Instant>>,
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
        Ok(Some(Self { root, events, files, absent: RefCell::default(), _watching: watching }))
    }

    /// Shaders that were saved, by their paths below `shaders/`.
    /// What is missing or empty for a while has been saved so.
    pub fn saved(&self) -> BTreeSet<String> {
        let events = self.events.try_iter().filter_map(Result::ok).flatten();
        let names: BTreeSet<String> = events.filter_map(|event| name(&self.root, &event.path)).collect();
        let mut saved: BTreeSet<String> = names.into_iter().filter(|name| self.has_changed(name)).collect();
        let mut absent = self.absent.borrow_mut();
        absent.retain(|name, since| {
            let is_over = since.elapsed() > STEPS;
            if is_over && is_absent(&self.root.join(name)) {
                // Whatever comes back is new.
                self.files.borrow_mut().remove(name);
                saved.insert(name.clone());
            }
            !is_over
        });
        saved
    }

    fn has_changed(&self, name: &str) -> bool {
        let (path, mut files) = (self.root.join(name), self.files.borrow_mut());
        // To open a file whose stamp is the last one would be one more event, and so on without an end.
        let last = files.get(name);
        if last.is_some_and(|last| stamp(&path).is_some_and(|stamp| stamp == last.stamp && is_old(&stamp))) {
            return false;
        }
        // Between the two steps of an editor's rename there is none, and nothing in it between those of a write.
        let Some(file) = looked_at(&path).filter(|file| !file.text.is_empty()) else {
            if last.is_some() {
                self.absent.borrow_mut().insert(name.to_owned(), Instant::now());
            }
            return false;
        };
        let is_other = last.is_none_or(|last| last.text != file.text);
        files.insert(name.to_owned(), file);
        is_other
    }
}

fn is_absent(path: &Path) -> bool {
    fs::metadata(path).map_or(true, |about| about.len() == 0)
}

/// Whatever is written from now on gets another one.
fn is_old((_, written): &Stamp) -> bool {
    written.is_some_and(|written| written.elapsed().map_or(true, |age| age > COARSE))
}

fn stamp(path: &Path) -> Option<Stamp> {
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
    fn a_file_that_goes_is_told_and_so_is_the_same_text_that_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let (file, away) = (folder.path().join("a.comp"), folder.path().join("a.away"));
        fs::write(&file, "1").unwrap();
        let watcher = Watcher::of(&Library::Checkout(folder.path().to_owned())).unwrap().unwrap();
        let told = |what: &str| {
            let began = Instant::now();
            while watcher.saved().is_empty() {
                assert!(began.elapsed() < Duration::from_secs(5), "{what} is not told");
                std::thread::sleep(Duration::from_millis(5));
            }
        };
        fs::rename(&file, &away).unwrap();
        told("that it is gone");
        fs::rename(&away, &file).unwrap();
        told("that it is back");
    }

    #[test]
    fn a_file_that_is_looked_at_makes_no_end_of_events() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.comp");
        fs::write(&file, "1").unwrap();
        let an_hour_ago = SystemTime::now() - Duration::from_secs(3600);
        fs::File::options().write(true).open(&file).unwrap().set_modified(an_hour_ago).unwrap();
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
