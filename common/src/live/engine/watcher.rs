//! Which shaders were saved since the last look.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use anyhow::{Context, Result};
use notify_debouncer_mini::notify::{RecommendedWatcher, RecursiveMode};
use notify_debouncer_mini::{DebounceEventResult, Debouncer, new_debouncer};

use crate::source::Library;

/// Editors write a file in several steps; what comes within this time is one.
const QUIET: Duration = Duration::from_millis(40);

/// Watches the shaders of a checkout.
pub(super) struct Watcher {
    root: PathBuf,
    events: Receiver<DebounceEventResult>,
    /// What each file held when it was last looked at: systems report files that were only read, too.
    texts: RefCell<BTreeMap<String, Vec<u8>>>,
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
        let texts = RefCell::new(texts_below(&root, &root)?);
        Ok(Some(Self { root, events, texts, _watching: watching }))
    }

    /// Shaders that were saved, by their paths below `shaders/`.
    pub fn saved(&self) -> BTreeSet<String> {
        let events = self.events.try_iter().filter_map(Result::ok).flatten();
        let names: BTreeSet<String> = events.filter_map(|event| name(&self.root, &event.path)).collect();
        names.into_iter().filter(|name| self.has_changed(name)).collect()
    }

    fn has_changed(&self, name: &str) -> bool {
        // Between the two steps of an editor's rename there is none, and nothing in it between those of a write.
        let Ok(text) = fs::read(self.root.join(name)) else { return false };
        if text.is_empty() {
            return false;
        }
        let last = self.texts.borrow_mut().insert(name.to_owned(), text.clone());
        last.is_none_or(|last| last != text)
    }
}

fn texts_below(dir: &Path, root: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut texts = BTreeMap::new();
    for entry in fs::read_dir(dir).with_context(|| format!("reading {}", dir.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            texts.append(&mut texts_below(&path, root)?);
        } else if let (Some(name), Ok(text)) = (name(root, &path), fs::read(&path)) {
            texts.insert(name, text);
        }
    }
    Ok(texts)
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
}
