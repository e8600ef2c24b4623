//! Output to the terminal, or to a file that is written completely or not at all.

use std::fmt::{self, Display};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, anyhow, bail};
use tempfile::{Builder, NamedTempFile};

use record::fault;

/// Where a text is written. As a command-line value, `-` is the standard output and anything else a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The standard output.
    Stdout,
    /// A file; an existing one is replaced.
    File(PathBuf),
}

impl Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdout => f.write_str("the standard output"),
            Self::File(path) => path.display().fmt(f),
        }
    }
}

impl FromStr for Destination {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "" => bail!("the name of the file is empty; give a path, or - for the standard output"),
            "-" => Ok(Self::Stdout),
            path => Ok(Self::File(path.into())),
        }
    }
}

impl Destination {
    /// Checks, before anything is measured, that [`Self::write`] can succeed. Leaves no file.
    ///
    /// # Errors
    /// If the path is a folder, or is in a folder that does not exist or cannot be written to.
    pub fn probe(&self) -> Result<()> {
        match self {
            Self::Stdout => Ok(()),
            Self::File(path) => match Place::of(path)? {
                Place::Device => Ok(()),
                Place::File { folder, .. } => {
                    draft(&folder, path).map(drop).map_err(|error| refusal(path, &folder, &error))
                }
            },
        }
    }

    /// The path with symbolic links resolved, if it is a file that can be replaced.
    pub fn file(&self) -> Option<PathBuf> {
        match self {
            Self::File(path) => match Place::of(path) {
                Ok(Place::File { folder, target }) => {
                    Some(fs::canonicalize(folder).ok()?.join(target.file_name()?))
                }
                _ => None,
            },
            Self::Stdout => None,
        }
    }

    /// Whether both are the same file, or both the standard output.
    #[must_use]
    pub fn is_same_place(&self, other: &Self) -> bool {
        let on_stdout = *self == Self::Stdout && *other == Self::Stdout;
        on_stdout || self.file().is_some_and(|path| other.file() == Some(path))
    }

    /// Writes a text or a picture. A file is written completely or not at all. A closed standard output (`| head`)
    /// is not an error.
    ///
    /// # Errors
    /// Those of [`Self::probe`], and if the disk is full or fails.
    pub fn write(&self, data: impl AsRef<[u8]>) -> Result<()> {
        self.stream(|out| Ok(out.write_all(data.as_ref())?))
    }

    /// Like [`Self::write`], for a text that is produced while it is written, so that it need not fit into memory.
    ///
    /// # Errors
    /// Those of [`Self::write`] and of `produce`.
    pub fn stream(&self, produce: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
        let Self::File(path) = self else {
            let refused = |error| anyhow::Error::from(error).context("cannot write to the standard output");
            fault::write("writing to the standard output", || Ok(())).map_err(refused)?;
            return written(io::BufWriter::new(io::stdout().lock()), refused, produce).map(drop);
        };
        match Place::of(path)? {
            Place::Device => {
                let refused =
                    |error| anyhow::Error::from(error).context(format!("cannot write to {}", path.display()));
                let file = fault::write(format_args!("writing to {}", path.display()), || {
                    fs::File::options().write(true).open(path)
                });
                written(file.map_err(refused)?, refused, produce).map(drop)
            }
            Place::File { folder, target } => {
                replace(&folder, &target, |error| refusal(path, &folder, &error), produce)
            }
        }
    }
}

/// Writes all of `produce`'s output. A failed write is `refused`; other errors are those of `produce`, which may read
/// files, too.
fn written<W: Write>(
    to: W,
    refused: impl Fn(io::Error) -> anyhow::Error,
    produce: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<W> {
    let mut out = Listened { to, gone: false, failed: false };
    let produced = produce(&mut out);
    produced.map_err(|error| {
        if out.failed { error.downcast().map_or_else(|error| error, &refused) } else { error }
    })?;
    out.flush().map_err(refused)?;
    Ok(out.to)
}

/// A writer whose reader may close the pipe: later output is then discarded.
struct Listened<W> {
    to: W,
    gone: bool,
    /// A write failed, of a reader that is still there.
    failed: bool,
}

impl<W: Write> Listened<W> {
    fn heard<T>(&mut self, written: io::Result<T>, otherwise: T) -> io::Result<T> {
        self.gone |= matches!(&written, Err(error) if error.kind() == ErrorKind::BrokenPipe);
        if self.gone {
            return Ok(otherwise);
        }
        self.failed |= written.is_err();
        written
    }
}

impl<W: Write> Write for Listened<W> {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.gone {
            return Ok(data.len());
        }
        let written = self.to.write(data);
        self.heard(written, data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.gone {
            return Ok(());
        }
        let flushed = self.to.flush();
        self.heard(flushed, ())
    }
}

/// The kind of file that a path names.
enum Place {
    /// A device or a pipe such as `/dev/null`. It is written directly: a rename would replace it by a file.
    Device,
    /// A file that exists or will be created.
    File {
        /// The folder that holds the file.
        folder: PathBuf,
        /// The path with symbolic links resolved, so that a rename replaces the file, not the link.
        target: PathBuf,
    },
}

impl Place {
    fn of(path: &Path) -> Result<Self> {
        let shown = path.display();
        let is_folder = path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
        if is_folder {
            bail!("cannot write {shown}: it is a folder; name a file in it");
        }
        if fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Ok(Self::Device);
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        if !folder.is_dir() {
            bail!(
                "cannot write {shown}: the folder {} does not exist; create it or choose another path",
                folder.display()
            );
        }
        Ok(Self::File { folder, target })
    }
}

/// Prefix and suffix of the names of drafts.
const DRAFT: (&str, &str) = (".hot-lap-", ".part");
/// Age above which an unlocked draft counts as abandoned: a process locks its draft well within this time.
const LOCKED_WITHIN: Duration = Duration::from_secs(10);

/// Removes the drafts in `folder` whose process was killed.
fn clear_drafts(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        let is_draft = name.starts_with(DRAFT.0.as_bytes()) && name.ends_with(DRAFT.1.as_bytes());
        if is_draft && is_left(&entry).unwrap_or(false) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn is_left(draft: &fs::DirEntry) -> io::Result<bool> {
    let found = draft.metadata()?;
    let is_old = found.modified()?.elapsed().is_ok_and(|age| age > LOCKED_WITHIN);
    Ok(found.is_file() && is_old && fs::File::open(draft.path())?.try_lock().is_ok())
}

/// A file in `folder` that will be renamed to `target`. It is removed when dropped.
pub(super) fn draft(folder: &Path, target: &Path) -> io::Result<NamedTempFile> {
    clear_drafts(folder);
    let mut builder = Builder::new();
    builder.prefix(DRAFT.0).suffix(DRAFT.1);
    #[cfg(unix)]
    {
        // tempfile creates files that only their owner can read; results follow the user's umask instead.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let draft = fault::write(format_args!("creating {}", name(target)), || builder.tempfile_in(folder))?;
    // Some file systems have no locks; abandoned drafts stay there.
    let _ = draft.as_file().try_lock();
    Ok(draft)
}

fn replace(
    folder: &Path,
    target: &Path,
    refused: impl Fn(io::Error) -> anyhow::Error,
    produce: impl FnOnce(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let name = name(target);
    let draft = draft(folder, target).map_err(&refused)?;
    fault::write(format_args!("writing {name}"), || Ok(())).map_err(&refused)?;
    let draft = written(io::BufWriter::new(draft), &refused, produce)?;
    let file = draft.into_inner().map_err(|error| refused(error.into_error()))?;
    // Without it a crash can leave the new name on an empty file.
    fault::write(format_args!("syncing {name}"), || file.as_file().sync_all()).map_err(&refused)?;
    fault::write(format_args!("renaming {name}"), || file.persist(target).map_err(|error| error.error))
        .map(drop)
        .map_err(&refused)
}

/// Replaces a file by a text without waiting for the disk: enough to survive a crash of the process, but not of the
/// system.
pub fn keep_so_far(path: &Path, text: &str) -> io::Result<()> {
    let draft = path.with_file_name(format!("{}{}{}", DRAFT.0, name(path), DRAFT.1));
    fault::write("writing what was measured so far", || fs::write(&draft, text))?;
    fs::rename(draft, path)
}

fn name(path: &Path) -> impl Display {
    path.file_name().unwrap_or_default().display()
}

/// An error message on one line: what failed, where, why, and what to do.
pub(super) fn refusal(path: &Path, folder: &Path, error: &io::Error) -> anyhow::Error {
    let advice = match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space or choose another path",
        ErrorKind::ReadOnlyFilesystem => "choose a path on another file system",
        _ => "check who may write there or choose another path",
    };
    anyhow!("cannot write {} in the folder {}: {error}; {advice}", path.display(), folder.display())
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn two_names_of_one_file_are_one_place() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| Destination::File(dir.path().join(name));
        assert!(at("a").is_same_place(&at("./a")) && !at("a").is_same_place(&at("b")));
        assert!(Destination::Stdout.is_same_place(&Destination::Stdout));
        assert!(!Destination::Stdout.is_same_place(&at("a")));
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn values_of_the_command_line() {
        assert_eq!("-".parse::<Destination>().unwrap(), Destination::Stdout);
        assert_eq!("a/b.json".parse::<Destination>().unwrap(), Destination::File("a/b.json".into()));
        assert!("".parse::<Destination>().unwrap_err().to_string().contains("empty"));
    }

    #[test]
    fn a_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = Destination::File(folder.path().join("a.json"));
        file.probe().unwrap();
        assert!(names(folder.path()).is_empty());
        file.write("old").unwrap();
        file.write("new").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a.json")).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.json"]);
    }

    #[test]
    fn drafts_of_a_killed_process_go_and_others_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let aged = |name: &str| {
            let file = fs::File::create(at(name)).unwrap();
            file.set_modified(std::time::SystemTime::now() - 2 * LOCKED_WITHIN).unwrap();
            file
        };
        for name in [".hot-lap-left.part", ".hot-lap-other", "mine.part"] {
            drop(aged(name));
        }
        let locked = aged(".hot-lap-locked.part");
        locked.try_lock().unwrap();
        fs::write(at(".hot-lap-new.part"), "").unwrap();
        Destination::File(at("a")).write("x").unwrap();
        let left = [".hot-lap-locked.part", ".hot-lap-new.part", ".hot-lap-other", "a", "mine.part"];
        assert_eq!(names(folder.path()), left);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = Destination::File(folder.path().join("absent/a.json"));
        for result in [file.probe(), file.write("x")] {
            let message = result.unwrap_err().to_string();
            assert!(
                message.contains("absent does not exist; create it") && !message.contains('\n'),
                "{message}"
            );
        }
        let slash = Destination::File(folder.path().join("absent/"));
        assert!(slash.probe().unwrap_err().to_string().contains("name a file"));
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_folder_that_cannot_be_written_to_is_found_early() {
        // Even root cannot create a file there.
        let file = Destination::File("/proc/self/a.json".into());
        let message = file.probe().unwrap_err().to_string();
        assert!(message.starts_with("cannot write /proc/self/a.json in the folder"), "{message}");
        assert!(message.contains("choose another path"), "{message}");
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_links_stay_what_they_are() {
        let null = Destination::File("/dev/null".into());
        null.probe().unwrap();
        null.write("x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());

        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Destination::File(link.clone()).write("new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(Destination::File(link).file(), Some(fs::canonicalize(file).unwrap()));
        assert_eq!((null.file(), Destination::Stdout.file()), (None, None));
    }

    #[cfg(unix)]
    #[test]
    fn a_file_is_as_readable_as_any_other() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let mode = |name: &str| fs::metadata(folder.path().join(name)).unwrap().permissions().mode();
        fs::write(folder.path().join("plain"), "").unwrap();
        Destination::File(folder.path().join("ours")).write("").unwrap();
        assert_eq!(mode("ours"), mode("plain"));
    }

    struct Closed(ErrorKind);

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_text_that_is_made_while_it_is_written_is_there_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let to = Destination::File(folder.path().join("a.csv"));
        let broken = to.stream(|out| {
            out.write_all(b"half")?;
            Err(io::Error::from(ErrorKind::UnexpectedEof)).context("reading the rest")
        });
        assert_eq!(broken.unwrap_err().to_string(), "reading the rest", "what fails is not the writing");
        assert!(names(folder.path()).is_empty(), "{:?}", names(folder.path()));
        to.stream(|out| Ok(out.write_all(b"whole")?)).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a.csv")).unwrap(), "whole");
        assert_eq!(names(folder.path()), ["a.csv"]);
        let message = Destination::File(folder.path().into()).stream(|_| Ok(())).unwrap_err().to_string();
        assert!(message.contains("it is a folder"), "{message}");
    }

    #[test]
    fn what_nobody_reads_goes_nowhere() {
        let mut left = Listened { to: Closed(ErrorKind::BrokenPipe), gone: false, failed: false };
        assert!(left.write_all(b"x").is_ok() && left.flush().is_ok() && left.gone && !left.failed);
        let mut full = Listened { to: Closed(ErrorKind::StorageFull), gone: false, failed: false };
        assert!(full.write_all(b"x").is_err() && !full.gone && full.failed);
    }
}
