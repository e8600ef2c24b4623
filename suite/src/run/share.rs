//! `suite share`: makes one small folder of a run, to be sent to others.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT};
use record::{SENT, fault, read_record, sent};
use report::terminal::{fitted, print, say};
use report::{Destination, quote};

use super::findings;
use super::manifest::{Entry, MANIFEST, Manifest};
use super::options::{ALL, Run};
use super::outcome::exit_code;
use super::page::{PAGE, REPORT, page};
use super::place::{date, slug};
use super::sample::{ALWAYS_TRACED, RECORD, WAVES};
use crate::portable;
use crate::samples::Samples;

/// Most bytes of all files.
const MOST: usize = 300_000;

/// Measure all samples and make a small folder to send
///
/// The folder has a page with what was found, the waves of pipelined_events where the device can note them, and the
/// records with their figures. The samples stay here; each record has their SHA-256, so that yours can be told from
/// others. Paths of this machine are left out; the names of its system, processor and GPU stay, with the GPU's UUID. It
/// takes less than 300 kB.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  suite share                                  measure, about 5 minutes on a GPU
  suite share results/2026-11-26-nvidia-h200   share a run that is there")]
pub struct Share {
    /// Folder of a run that is there [default: measure all samples, into results/DATE-DEVICE]
    #[arg(value_name = "RUN")]
    run: Option<PathBuf>,
    /// Device to measure on: index in the list of --list-devices, part of its name, or UUID
    #[arg(long, value_name = "DEVICE", conflicts_with = "run")]
    device: Option<String>,
    /// Folder to make [default: hot-lap-DATE-DEVICE]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

impl Share {
    /// Runs the command and returns its exit code: that of the run if it measures.
    ///
    /// # Errors
    /// If there is no run, it cannot be measured, or the folder cannot be written.
    pub fn run(&self) -> Result<u8> {
        self.out.as_deref().map_or(Ok(()), ensure_free)?;
        ensure!(self.device.as_deref() != Some(ALL), "--device {ALL}: share the run of one device at a time");
        let (run, manifest, code) = match &self.run {
            Some(run) => (run.clone(), Manifest::read(run)?, EXIT_RIGHT),
            None => self.measured()?,
        };
        print(&fitted(&findings(&manifest)))?;
        if code == EXIT_INTERRUPTED {
            let run = quote(&run.display().to_string());
            print(&format!("To go on:     suite run --resume --out {run}, then suite share {run}"))?;
            return Ok(code);
        }
        let started = humantime::parse_rfc3339(&manifest.started).context("started: is no date")?;
        let name = format!("hot-lap-{}-{}", date(started), slug(&manifest.device));
        let to = self.out.clone().unwrap_or_else(|| name.into());
        ensure_free(&to).with_context(|| format!("sharing the run in {}", run.display()))?;
        let files = files(&run, manifest)?;
        let size: usize = files.iter().map(|(_, content)| content.len()).sum();
        ensure!(
            size <= MOST,
            "the folder would take {} kB, more than {}: share a run of fewer samples (suite run NAMES)",
            size.div_ceil(1000),
            MOST / 1000
        );
        write(&to, &files)?;
        print(&steps(&to, files.len(), size))?;
        Ok(code)
    }

    /// The folder of a new run, its manifest, and its exit code.
    fn measured(&self) -> Result<(PathBuf, Manifest, u8)> {
        let all = Run::of_all(self.device.clone()).measured()?;
        let series = all.first().context("no device was measured")?;
        series.report()?;
        say(&format!("the run, with all samples and {REPORT}, is in {}", series.folder().display()));
        Ok((series.folder().to_owned(), series.manifest().clone(), exit_code(series.states())))
    }
}

/// A file's path in the folder, and its content.
type File = (PathBuf, Vec<u8>);

fn files(run: &Path, mut manifest: Manifest) -> Result<Vec<File>> {
    manifest.simplify(&portable::text);
    // A name that is no sample's could lead out of the folder.
    manifest.samples.iter().try_for_each(|entry| Samples::ensure_known(&entry.sample))?;
    let mut files = Vec::new();
    for entry in manifest.samples.iter().filter(|entry| entry.kept) {
        let folder = run.join(&entry.sample);
        let record = read_record(&folder.join(RECORD))?;
        files.push((Path::new(&entry.sample).join(SENT), sent(&record, &portable::text)?));
    }
    ensure!(!files.is_empty(), "no sample of {} has a record: there is nothing to share", run.display());
    // One picture: those of all samples take more than all records.
    let is_shown = |entry: &Entry| entry.kept && entry.traced && entry.sample == ALWAYS_TRACED;
    manifest.samples.iter_mut().for_each(|entry| entry.traced = is_shown(entry));
    let shown = manifest.samples.iter().find(|entry| entry.traced);
    let shown = shown.map(|entry| Path::new(&entry.sample).join(WAVES));
    if let Some(shown) = shown {
        let path = run.join(&shown);
        let picture = fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        files.push((shown, picture));
    }
    files.push((MANIFEST.into(), manifest.json()?.into()));
    files.push((PAGE.into(), (page(&manifest) + ABOUT).into()));
    Ok(files)
}

const ABOUT: &str = "
`record.json.gz` in the folder of a sample has its figures, rounded to seven digits. The samples behind them stayed with
the sender; their SHA-256 is in the record (`samples_file`). `suite report` makes a page of this folder, alone or with
others.
";

/// Writes all files or none.
fn write(to: &Path, files: &[File]) -> Result<()> {
    let shown = || format!("writing the folder {}", to.display());
    let parent = to.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let draft = fault::write("sharing", || {
        fs::create_dir_all(parent)?;
        tempfile::Builder::new().prefix(".hot-lap-").tempdir_in(parent)
    });
    let draft = draft.with_context(shown)?;
    for (name, content) in files {
        let path = draft.path().join(name);
        path.parent().map_or(Ok(()), fs::create_dir_all).with_context(shown)?;
        Destination::File(path).write(content).with_context(shown)?;
    }
    fs::rename(draft.path(), to).with_context(shown)
}

fn ensure_free(to: &Path) -> Result<()> {
    ensure!(!to.exists(), "{} is there already: name another folder with --out", to.display());
    Ok(())
}

/// What the folder is, and how to send it.
fn steps(to: &Path, count: usize, size: usize) -> String {
    let name = to.file_name().unwrap_or(to.as_os_str()).to_string_lossy();
    // With its whole path, the archive would tell where it was made.
    let parent = to.parent().filter(|parent| *parent != Path::new(""));
    let from =
        parent.map_or_else(String::new, |parent| format!("-C {} ", quote(&parent.display().to_string())));
    format!(
        "To send:      {}, {count} files, {} kB\n\
         \x20 1. Look at what you send: {PAGE} in it has all findings.\n\
         \x20 2. Pack it: tar -czf {} {from}{}\n\
         \x20 3. Attach the file to an issue of the project, or add the folder to results/ in a pull request.",
        to.display(),
        size.div_ceil(1000),
        quote(&format!("{name}.tar.gz")),
        quote(&name),
    )
}
