//! `suite run`: measures samples, each in its own process, keeps their results, and reports on them.

mod anchors;
mod folder;
mod manifest;
mod options;
mod outcome;
mod page;
mod place;
mod repeats;
mod resume;
mod sample;
mod scoreboard;
mod series;
mod share;
mod show;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::{Result, bail};
use console::Term;
use record::{About, Usable};
use report::terminal::{fitted, print, width_of};
use report::{ANSWER_WIDTH, Charset, quote};

use crate::samples::{Samples, about};
use crate::stop::Stop;
use folder::Place;
use manifest::{MANIFEST, Manifest};
pub use options::Run;
use outcome::exit_code;
pub use sample::ALWAYS_TRACED;
use series::Series;
pub use share::Share;
use show::Total;

impl Run {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If the run cannot be started or resumed, or its results cannot be written.
    pub fn run(&self) -> Result<u8> {
        let all = self.measured()?;
        let reports: Vec<Result<Option<PathBuf>>> = all.iter().map(Series::report).collect();
        for (series, report) in all.iter().zip(&reports) {
            let report = report.as_ref().ok().and_then(Option::as_deref);
            print(&fitted(&conclusion(series, report)))?;
        }
        reports.into_iter().try_for_each(|report| report.map(drop))?;
        Ok(exit_code(all.iter().flat_map(Series::states)))
    }

    /// Measures what is requested, one series per device.
    fn measured(&self) -> Result<Vec<Series>> {
        let names = self.sample_names()?;
        let samples = Samples::ready()?;
        let mut all = if self.resume { self.resumed(&samples)? } else { self.begun(&names, &samples)? };
        let stop = Stop::on_interrupt()?;
        let mut total = Total::new(all.iter().map(Series::open).sum());
        let run = all.iter_mut().try_for_each(|series| series.run(&samples, &stop, &mut total));
        total.finish();
        run?;
        Ok(all)
    }

    /// The requested samples, each once.
    fn sample_names(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        for name in &self.names {
            Samples::ensure_known(name)?;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        if names.is_empty() {
            names.extend(Samples::names().map(str::to_owned));
        }
        Ok(names)
    }

    /// Begins new runs, one per device.
    fn begun(&self, names: &[String], samples: &Samples) -> Result<Vec<Series>> {
        // Checked before a folder is created.
        names.iter().try_for_each(|name| samples.binary(name).map(drop))?;
        let About { tool, host, devices, .. } = about(&samples.any()?, self.wish())?;
        let devices = if self.on_all_devices() { devices } else { devices.into_iter().take(1).collect() };
        if self.anchors {
            let vendors = devices.iter().map(|device| device.facts.vendor_id);
            anchors::build(Path::new("nvcc"), samples.folder(), names, vendors)?;
        }
        let now = SystemTime::now();
        let settings = self.settings(seed(now));
        let begin = |(device, path): (Usable, PathBuf)| {
            let place = Place::create(&path, names)?;
            let started = humantime::format_rfc3339_seconds(now).to_string();
            let manifest =
                Manifest::new(started, (tool.clone(), host.clone()), device.facts, settings.clone(), names);
            Series::begin(place, manifest, device.wish)
        };
        let folders = self.folders(&devices, now);
        devices.into_iter().zip(folders).map(begin).collect()
    }

    /// Resumes runs.
    fn resumed(&self, samples: &Samples) -> Result<Vec<Series>> {
        let About { tool, devices, .. } = about(&samples.any()?, self.wish())?;
        let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        let resume = |path: PathBuf| {
            let mut manifest = Manifest::read(&path)?;
            manifest.ensure_tool(&tool, &path)?;
            let device = manifest.device_of(&devices, &path)?.wish.clone();
            self.change(&mut manifest.settings);
            let names: Vec<String> = manifest.samples.iter().map(|entry| entry.sample.clone()).collect();
            names.iter().try_for_each(|name| samples.binary(name).map(drop))?;
            if manifest.settings.anchors {
                let vendor = manifest.device.vendor_id;
                anchors::build(Path::new("nvcc"), samples.folder(), &names, [vendor])?;
            }
            let place = Place::reopen(&path)?;
            Series::resume(place, manifest, device, &now)
        };
        self.begun_before(&devices)?.into_iter().map(resume).collect()
    }

    /// The folders of runs that can be resumed.
    fn begun_before(&self, devices: &[Usable]) -> Result<Vec<PathBuf>> {
        let holds = |path: &PathBuf| path.join(MANIFEST).exists();
        let Some(out) = &self.out else {
            // Without `--device`, the run was on the best device.
            let devices = if self.device.is_some() { devices } else { &devices[..1] };
            let folders = self.folders(devices, SystemTime::now());
            let found: Vec<PathBuf> = folders.iter().filter(|path| holds(path)).cloned().collect();
            let shown: Vec<String> = folders.iter().map(|path| path.display().to_string()).collect();
            return if found.is_empty() { bail!(nothing_in(&shown.join(", "))) } else { Ok(found) };
        };
        if holds(out) {
            return Ok(vec![out.clone()]);
        }
        let mut below: Vec<PathBuf> = match std::fs::read_dir(out) {
            Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).filter(holds).collect(),
            Err(_) => Vec::new(),
        };
        below.sort();
        if below.is_empty() { bail!(nothing_in(&out.display().to_string())) } else { Ok(below) }
    }

    /// The requested device; `None` for the best one or for all.
    fn wish(&self) -> Option<&str> {
        self.device.as_deref().filter(|_| !self.on_all_devices())
    }

    fn folders(&self, devices: &[Usable], now: SystemTime) -> Vec<PathBuf> {
        let facts = devices.iter().map(|device| &device.facts);
        place::folders(facts, self.out.as_deref(), self.on_all_devices(), now)
    }
}

fn nothing_in(shown: &str) -> String {
    format!(
        "there is no run to go on with in {shown} ({MANIFEST} is missing): leave --resume out to begin one"
    )
}

/// A seed from the clock.
fn seed(now: SystemTime) -> u64 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::from(since.subsec_nanos()) ^ (since.as_secs() << 20)
}

/// The scoreboard.
fn findings(manifest: &Manifest) -> String {
    let room = width_of(&Term::stdout()).min(ANSWER_WIDTH);
    format!("\n{}\n", scoreboard::text(manifest, Charset::of_terminal(), room))
}

/// The scoreboard, the path of the report, and the next commands.
fn conclusion(series: &Series, report: Option<&Path>) -> String {
    let shown = quote(&series.folder().display().to_string());
    let program = quote(&std::env::args().next().unwrap_or_else(|| "suite".into()));
    let mut text = findings(series.manifest());
    if let Some(report) = report {
        text += &format!("Report:       {}\n", report.display());
    }
    if series.open() > 0 {
        text += &format!("Complete it:  {program} run --resume --out {shown}\n");
    } else {
        text += &format!("With others:  {program} report {shown} OTHER\n");
        text += &format!("Share it:     {program} share {shown}\n");
    }
    text
}
