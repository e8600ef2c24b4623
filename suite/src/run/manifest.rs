//! The manifest of a run, `suite.json`: its settings and progress.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use record::self_test::Certificate;
use record::{DeviceFacts, Headline, Host, Record, Tool, Usable};
use report::Destination;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::options::Settings;
use super::outcome::{Counts, State};
use crate::portable::word;

/// File name of the manifest.
pub(super) const MANIFEST: &str = "suite.json";

/// Version of the layout of [`Manifest`].
const SCHEMA: u32 = 1;

/// A run of the suite on one device.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    /// The value of [`SCHEMA`] when it was written.
    schema: u32,
    /// The command line, program name first.
    pub(super) command: Vec<String>,
    /// When the run began, RFC 3339, UTC.
    pub(super) started: String,
    /// The times when it was resumed.
    pub(super) resumed: Vec<String>,
    /// The program.
    pub(super) tool: Tool,
    /// The device.
    pub(super) device: DeviceFacts,
    /// The machine of the device.
    pub(super) host: Host,
    /// The settings that all samples share.
    pub(super) settings: Settings,
    /// One per sample.
    pub(super) samples: Vec<Entry>,
}

/// The progress of a sample.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Its name, which is also that of its folder.
    pub(super) sample: String,
    /// Its state.
    pub(super) state: State,
    /// Why it is not right, if it is not.
    pub(super) reason: Option<String>,
    /// Whether its folder has a record.
    pub(super) kept: bool,
    /// Whether its folder has a timeline of its waves.
    pub(super) traced: bool,
    /// Duration in seconds, including repeats.
    pub(super) seconds: f64,
    /// Number of rows per status.
    pub(super) rows: Counts,
    /// The headline of its record.
    #[serde(default)]
    pub(super) headline: Option<Headline>,
    /// Whether the self-test passed; `None` if there was none.
    #[serde(default)]
    pub(super) self_test: Option<bool>,
}

impl Entry {
    /// The entry of a sample that is not measured yet.
    pub(super) fn missing(sample: &str) -> Self {
        Self { sample: sample.to_owned(), ..Self::default() }
    }

    /// Notes that a record of the sample was kept.
    pub(super) fn keep(&mut self, record: &Record, traced: bool) {
        (self.kept, self.traced, self.rows) = (true, traced, Counts::of(&record.rows));
        self.headline.clone_from(&record.headline);
        self.self_test = record.self_test.as_ref().map(Certificate::passed);
    }

    /// Takes over a record that an earlier run kept but did not note.
    pub(super) fn adopt(&mut self, record: &Record, traced: bool) {
        (self.state, self.reason, self.seconds) = (State::of(record), None, record.seconds);
        self.keep(record, traced);
    }

    /// State, duration and rows: `lds_blur failed in 3.1 s (12 ok, 1 error)`.
    pub(super) fn account(&self) -> String {
        let Self { sample, state, seconds, rows, .. } = self;
        let rows = if *rows == Counts::default() { String::new() } else { format!(" ({rows})") };
        format!("{sample} {state} in {seconds:.1} s{rows}")
    }

    /// Whether something kept the sample, or rows of it, from being measured, or a result was wrong.
    pub(super) fn has_trouble(&self) -> bool {
        match self.state {
            State::Missing => false,
            State::Right => self.rows.throttled > 0,
            _ => true,
        }
    }
}

impl Manifest {
    /// The manifest of a new run.
    pub(super) fn new(
        now: String,
        (tool, host): (Tool, Host),
        device: DeviceFacts,
        settings: Settings,
        names: &[String],
    ) -> Self {
        Self {
            schema: SCHEMA,
            command: std::env::args_os().map(|arg| word(&arg.to_string_lossy())).collect(),
            started: now,
            resumed: Vec::new(),
            tool,
            device,
            host,
            settings,
            samples: names.iter().map(|name| Entry::missing(name)).collect(),
        }
    }

    #[cfg(test)]
    pub(super) fn of_a_test(names: &[&str]) -> Self {
        let record = crate::scripted::measured();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Self::new(
            record.started,
            (record.tool, record.host),
            record.device,
            Settings::of_a_test(true),
            &names,
        )
    }

    /// Reads the manifest in a folder.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path).with_context(|| {
            format!("reading {}: it is of a run of the suite (suite run)", path.display())
        })?;
        Self::parse(&text).with_context(|| format!("reading {}", path.display()))
    }

    fn parse(text: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(text).context("not a whole JSON document")?;
        let schema = &value["schema"];
        ensure!(
            schema == SCHEMA,
            "the manifest has schema version {schema}, this program reads {SCHEMA}: use the version of Hot Lap \
             that wrote it, or begin in another folder"
        );
        serde_json::from_str(text).context("not a manifest of the suite")
    }

    /// Writes the file completely or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        Destination::File(folder.join(MANIFEST)).write(self.json()?)
    }

    /// The content of the file.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub(super) fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self).context("the manifest has no form in JSON")? + "\n")
    }

    /// Passes the command and all reasons through `plain`.
    pub(super) fn simplify(&mut self, plain: &dyn Fn(&str) -> String) {
        let reasons = self.samples.iter_mut().filter_map(|entry| entry.reason.as_mut());
        self.command.iter_mut().chain(reasons).for_each(|text| *text = plain(text));
    }

    /// Checks that the run was begun by the same build: otherwise one table would mix figures of two programs.
    ///
    /// # Errors
    /// If version, commit or build differ.
    pub(super) fn ensure_tool(&self, tool: &Tool, folder: &Path) -> Result<()> {
        let (then, now) = (report::tool(&self.tool), report::tool(tool));
        let shown = folder.display();
        ensure!(
            then == now,
            "the run in {shown} was begun by {then}, this is {now}: begin another with --out"
        );
        Ok(())
    }

    /// The device among `devices` on which the run was begun.
    ///
    /// # Errors
    /// If none matches: the device or its driver has changed.
    pub(super) fn device_of<'d>(&self, devices: &'d [Usable], folder: &Path) -> Result<&'d Usable> {
        let same = |device: &&Usable| identity(&device.facts) == identity(&self.device);
        if let Some(device) = devices.iter().find(same) {
            return Ok(device);
        }
        let here: Vec<String> = devices.iter().map(|device| name(&device.facts)).collect();
        bail!(
            "the run in {} was begun on {}, here is {}: begin another with --out",
            folder.display(),
            name(&self.device),
            here.join(", ")
        )
    }
}

/// The facts that must be equal for figures in one table.
fn identity(device: &DeviceFacts) -> (&str, &str, i32, u32, &str, &str) {
    let DeviceFacts { name, uuid, driver_id, driver_version, driver_info, api_version, .. } = device;
    (name, uuid, *driver_id, *driver_version, driver_info, api_version)
}

fn name(device: &DeviceFacts) -> String {
    format!("{} ({}, UUID {})", device.name, device.driver(), device.uuid)
}
