//! Measures the samples of a run on one device, one after the other.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use report::Destination;

use super::anchors;
use super::folder::Place;
use super::manifest::{Entry, MANIFEST, Manifest};
use super::outcome::State;
use super::page::{PAGE, REPORT, page};
use super::resume;
use super::sample::{Measured, RECORD, Subject, WAVES};
use super::show::Total;
use crate::samples::Samples;
use crate::stop::Stop;

const ENDS_HERE: &str = "the run ends here; with --resume it goes on";

/// A run on one device.
pub(super) struct Series {
    place: Place,
    manifest: Manifest,
    /// The value of `--device` for the device.
    device: String,
}

impl Series {
    /// Begins a run and writes its manifest and page.
    ///
    /// # Errors
    /// If they cannot be written.
    pub(super) fn begin(place: Place, manifest: Manifest, device: String) -> Result<Self> {
        let series = Self { place, manifest, device };
        series.write()?;
        Ok(series)
    }

    /// Resumes a run at the time `now`, if samples are left to measure.
    ///
    /// # Errors
    /// Those of [`Self::begin`], and if the results of a killed run cannot be kept or removed.
    pub(super) fn resume(place: Place, manifest: Manifest, device: String, now: &str) -> Result<Self> {
        let mut series = Self { place, manifest, device };
        resume::take_stock(&series.place, &mut series.manifest)?;
        series.place.clean()?;
        if series.open() > 0 {
            series.manifest.resumed.push(now.to_owned());
        }
        series.write()?;
        Ok(series)
    }

    pub(super) fn folder(&self) -> &Path {
        self.place.path()
    }

    pub(super) fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Number of samples that are not complete.
    pub(super) fn open(&self) -> usize {
        self.manifest.samples.iter().filter(|entry| !entry.state.is_complete()).count()
    }

    pub(super) fn states(&self) -> impl Iterator<Item = State> {
        self.manifest.samples.iter().map(|entry| entry.state)
    }

    /// Measures the samples that are not complete.
    ///
    /// # Errors
    /// If results cannot be written. A failure of a sample is not an error.
    pub(super) fn run(&mut self, samples: &Samples, stop: &Stop, total: &mut Total) -> Result<()> {
        for at in 0..self.manifest.samples.len() {
            if stop.is_asked() {
                break;
            }
            if self.manifest.samples[at].state.is_complete() {
                continue;
            }
            self.measure(at, samples, stop, total).context(ENDS_HERE)?;
            self.write()?;
            total.sample_done(&self.manifest.samples[at]);
        }
        Ok(())
    }

    /// Writes the report of all records and returns its path; `None` if there is no record.
    ///
    /// # Errors
    /// If a record cannot be read or the report cannot be written.
    pub(super) fn report(&self) -> Result<Option<PathBuf>> {
        let kept = self.manifest.samples.iter().filter(|entry| entry.kept);
        let records: Vec<PathBuf> =
            kept.map(|entry| self.folder().join(&entry.sample).join(RECORD)).collect();
        if records.is_empty() {
            return Ok(None);
        }
        let path = self.folder().join(REPORT);
        crate::report::write(&records, &path)?;
        Ok(Some(path))
    }

    fn measure(&mut self, at: usize, samples: &Samples, stop: &Stop, total: &mut Total) -> Result<()> {
        let name = self.manifest.samples[at].sample.clone();
        let (binary, work) = (samples.binary(&name)?, self.place.workplace()?);
        let vendor = Some(self.manifest.device.vendor_id).filter(|_| self.manifest.settings.anchors);
        let own =
            vendor.map(|vendor| anchors::arguments(samples.folder(), &name, vendor)).unwrap_or_default();
        let subject = Subject {
            name: &name,
            binary: &binary,
            device: &self.device,
            settings: &self.manifest.settings,
            own,
            folder: work.path(),
            stop,
        };
        let measured = subject.measure(&mut |progress| total.show(&name, progress, stop))?;
        if let Some(record) = &measured.record {
            self.place.keep(&name, work.path(), record, &measured.waves)?;
        }
        note(&mut self.manifest.samples[at], &measured);
        Ok(())
    }

    fn write(&self) -> Result<()> {
        let folder = self.place.path();
        let written = self.manifest.write(folder);
        let written = written.and_then(|()| Destination::File(folder.join(PAGE)).write(page(&self.manifest)));
        // A run that has not begun cannot be resumed.
        if folder.join(MANIFEST).exists() { written.context(ENDS_HERE) } else { written }
    }
}

/// Updates the entry of a sample. If it left no record this time, an earlier one and its rows are kept.
fn note(entry: &mut Entry, measured: &Measured) {
    entry.state = measured.state;
    entry.reason.clone_from(&measured.reason);
    entry.seconds = measured.took.as_secs_f64();
    if let Some(record) = &measured.record {
        entry.keep(record, measured.waves.iter().any(|file| file.ends_with(WAVES)));
    }
}
