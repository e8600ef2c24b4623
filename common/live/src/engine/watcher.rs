//! Finds shaders that were saved since the last look.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use anyhow::{Context, Result};
use vulkan::source::Library;

/// A file is read once it has not changed for this long, because editors write in several steps. Also the shortest
/// time between two scans of the folder; a scan takes a fraction of a millisecond.
const QUIET: Duration = Duration::from_millis(40);
/// A file that is missing or empty for this long counts as deleted or emptied on purpose.
const STEPS: Duration = Duration::from_millis(500);
/// Coarsest resolution of file times, that of FAT.
const COARSE: Duration = Duration::from_secs(2);

/// Size of a file in bytes, and its modification time.
type Stamp = (u64, Option<SystemTime>);

/// A file as last seen; `stamp` and `text` are `None` if it is missing or empty.
struct File {
    stamp: Option<Stamp>,
    since: Instant,
    /// The text was read after the last change, and a later change cannot have the same stamp.
    is_read: bool,
    text: Option<Vec<u8>>,
}

/// Watches the shaders of a checkout.
pub(super) struct Watcher {
    root: PathBuf,
    next: Cell<Instant>,
    files: RefCell<BTreeMap<String, File>>,
}

impl Watcher {
    /// Starts watching. Returns `None` if the shaders are built into the binary and cannot be edited.
    ///
    /// # Errors
    /// A folder cannot be read.
    pub fn of(shaders: &Library) -> Result<Option<Self>> {
        let Library::Checkout(root) = shaders else { return Ok(None) };
        let (root, since) = (root.clone(), Instant::now());
        let mut stamps = BTreeMap::new();
        list(&root, &root, &mut stamps).with_context(|| format!("reading {}", root.display()))?;
        let begun = stamps.into_iter().map(|(name, stamp)| {
            let text = fs::read(root.join(&name)).ok().filter(|text| !text.is_empty());
            (name, File { stamp: Some(stamp), since, is_read: false, text })
        });
        let files = RefCell::new(begun.collect());
        Ok(Some(Self { root, next: Cell::new(since + QUIET), files }))
    }

    /// Shaders that were saved since the last call, by their paths below `shaders/`.
    pub fn saved(&self) -> BTreeSet<String> {
        let (now, mut saved) = (Instant::now(), BTreeSet::new());
        let mut stamps = BTreeMap::new();
        if now < self.next.get() {
            return saved;
        }
        let read = list(&self.root, &self.root, &mut stamps);
        // Scanning takes at most a fiftieth of the time, also on slow file systems.
        self.next.set(now + QUIET.max(50 * now.elapsed()));
        // A folder that cannot be read is tried again at the next scan.
        if read.is_err() {
            return saved;
        }
        let mut files = self.files.borrow_mut();
        for name in stamps.keys() {
            let unseen = || File { stamp: None, since: now, is_read: true, text: None };
            files.entry(name.clone()).or_insert_with(unseen);
        }
        for (name, file) in &mut *files {
            let stamp = stamps.get(name).copied().filter(|(bytes, _)| *bytes > 0);
            if file.stamp != stamp {
                (file.stamp, file.since, file.is_read) = (stamp, now, false);
            }
            let rest = if stamp.is_some() { QUIET } else { STEPS };
            if file.is_read || now - file.since < rest {
                continue;
            }
            file.is_read = stamp.is_none_or(is_old);
            let text = stamp.and_then(|_| fs::read(self.root.join(name)).ok());
            if file.text != text {
                file.text = text;
                saved.insert(name.clone());
            }
        }
        saved
    }
}

/// Whether a later write is certain to change the modification time.
fn is_old((_, written): Stamp) -> bool {
    written.is_some_and(|written| written.elapsed().map_or(true, |age| age > COARSE))
}

/// The extensions of shaders and of what they include.
const KINDS: [&str; 4] = ["comp", "frag", "vert", "glsl"];

/// Lists all shaders of a folder, by their paths below `root`.
fn list(folder: &Path, root: &Path, stamps: &mut BTreeMap<String, Stamp>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|kind| kind == "pack") {
            continue;
        }
        // A file that is being renamed is found by the next scan.
        let Ok(about) = fs::metadata(&path) else { continue };
        if about.is_dir() {
            list(&path, root, stamps)?;
        } else if path.extension().is_some_and(|kind| KINDS.iter().any(|one| kind == *one)) {
            let below = path.strip_prefix(root).unwrap_or(&path);
            let name = below.to_string_lossy().replace('\\', "/");
            stamps.insert(name, (about.len(), about.modified().ok()));
        }
    }
    Ok(())
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
}
