//! Measures a sample. If its process dies, it is repeated up to two times.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use record::error::{EXIT_FAILED, EXIT_HUNG, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED};
use record::trace::STORED_WAVES;
use record::{Ended as End, Record, Row, Status, listed, read_record};

use super::options::Settings;
use super::outcome::State;
use super::repeats::{Death, joined};
use crate::child::{Call, Ended, GRACE, How, Phase, Progress};
use crate::stop::Stop;

/// Most repeats of a sample that died, each without the variants at which it died before.
const MOST_REPEATS: usize = 2;

/// File name of the record in a sample's working folder.
pub(super) const RECORD: &str = "record.json";
/// The sample whose waves are always drawn: what the GPU does between passes is what the suite is about.
pub const ALWAYS_TRACED: &str = "pipelined_events";

/// File name of the timeline.
pub(super) const WAVES: &str = "waves.svg";

/// Reason for a sample that the user stopped before it had written its complete record.
const HURRIED: &str = "it ended before it had written its record; what is kept is of up to a second before";

/// A sample to measure.
pub(super) struct Subject<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its binary.
    pub(super) binary: &'a Path,
    /// The value of `--device` for the device.
    pub(super) device: &'a str,
    /// The settings that all samples share.
    pub(super) settings: &'a Settings,
    /// Arguments of this sample alone.
    pub(super) own: Vec<OsString>,
    /// An empty folder to work in.
    pub(super) folder: &'a Path,
    /// Requests of the user to end the run.
    pub(super) stop: &'a Stop,
}

/// The results of a sample.
#[derive(Debug)]
pub(super) struct Measured {
    /// Its state.
    pub(super) state: State,
    /// Why it is not right, if it is not.
    pub(super) reason: Option<String>,
    /// Its record, if it left one.
    pub(super) record: Option<Record>,
    /// The files of its timeline that it left.
    pub(super) waves: Vec<PathBuf>,
    /// Duration, including repeats.
    pub(super) took: Duration,
}

/// Previous attempts, and what the next one leaves out.
#[derive(Default)]
struct History {
    deaths: Vec<Death>,
    untraced: Option<Untraced>,
    took: Duration,
}

/// The reason why the next attempt does not trace.
struct Untraced {
    reason: String,
    /// Whether the process died while tracing; otherwise the device does not support tracing.
    died: bool,
}

impl Subject<'_> {
    /// Measures the sample.
    ///
    /// # Errors
    /// If its process cannot be started.
    pub(super) fn measure(&self, watch: &mut dyn FnMut(&Progress)) -> Result<Measured> {
        let mut history = History::default();
        loop {
            let _ = fs::remove_file(self.folder.join(RECORD));
            let ended = self.attempt(&history, watch)?;
            history.took += ended.took;
            let record = self.record();
            let next = self.next(&ended, record.as_ref(), &history);
            let reason = self.reason(&ended, record.as_ref());
            match next {
                Next::Keep => return Ok(self.kept(&ended, record, history)),
                Next::WithoutTraces => {
                    let died = record.is_some() || ended.how != How::Code(EXIT_SKIPPED.into());
                    history.untraced = Some(Untraced { reason, died });
                }
                Next::Without(variant) => {
                    let hung = hung(&ended);
                    history.deaths.push(Death { variant, reason, hung, checkpoint: record });
                }
            }
        }
    }

    fn attempt(&self, history: &History, watch: &mut dyn FnMut(&Progress)) -> Result<Ended> {
        let mut arguments: Vec<OsString> = vec!["--device".into(), self.device.into()];
        arguments.extend(self.settings.arguments().into_iter().map(OsString::from));
        arguments.extend(self.own.iter().cloned());
        arguments.extend(["--json".into(), self.folder.join(RECORD).into_os_string()]);
        if self.traces(history) {
            for file in [WAVES, STORED_WAVES] {
                arguments.extend(["--trace".into(), self.folder.join(file).into_os_string()]);
            }
            arguments.push("--compact".into());
        }
        if !history.deaths.is_empty() {
            let names: Vec<&str> = history.deaths.iter().map(|death| death.variant.as_str()).collect();
            arguments.extend(["--without".into(), names.join(",").into()]);
        }
        let progress = self.folder.join("progress");
        let limit = self.settings.time_limit();
        let call = Call {
            binary: self.binary,
            arguments,
            progress,
            limit,
            grace: GRACE,
            is_quiet: true,
            stop: self.stop,
        };
        call.run(watch)
    }

    fn traces(&self, history: &History) -> bool {
        (self.settings.trace || self.name == ALWAYS_TRACED) && history.untraced.is_none()
    }

    fn record(&self) -> Option<Record> {
        read_record(&self.folder.join(RECORD)).ok()
    }

    /// Decides what to do after an attempt.
    fn next(&self, ended: &Ended, record: Option<&Record>, history: &History) -> Next {
        // A slow sample would be slow again.
        if self.stop.is_asked() || ended.how == How::TooLong {
            return Next::Keep;
        }
        let traces = self.traces(history);
        let skipped = ended.how == How::Code(EXIT_SKIPPED.into()) && record.is_none();
        if traces && (skipped || (died(ended, record) && ended.progress.phase == Phase::Tracing)) {
            return Next::WithoutTraces;
        }
        let known = |name: &String| history.deaths.iter().any(|death| death.variant == *name);
        match died_with(ended, record) {
            Some(variant) if history.deaths.len() < MOST_REPEATS && !known(&variant) => {
                Next::Without(variant)
            }
            _ => Next::Keep,
        }
    }

    fn kept(&self, ended: &Ended, record: Option<Record>, mut history: History) -> Measured {
        let how = record.as_ref().map(|record| &record.ended);
        let asked = self.stop.is_asked() || ended.how == How::Code(EXIT_INTERRUPTED.into());
        // The sample may have completed before it received the request.
        let interrupted = asked && how != Some(&End::Complete);
        let hurried = interrupted && how == Some(&End::Unfinished);
        let end = (died(ended, record.as_ref()) && !interrupted).then(|| self.reason(ended, record.as_ref()));
        if let (Some(reason), Some(variant), false) =
            (&end, died_with(ended, record.as_ref()), ended.how == How::TooLong)
        {
            let (reason, checkpoint) = (reason.clone(), record.clone());
            history.deaths.push(Death { variant, reason, hung: hung(ended), checkpoint });
        }
        let mut record = joined(record, &history.deaths, end.as_deref());
        if let Some(record) = &mut record {
            let reason = history.untraced.as_ref().map(|untraced| &untraced.reason);
            record.notes.extend(reason.map(|reason| format!("No waves were traced: {reason}.")));
            record.command = plain_command(self.name, &record.command);
            if interrupted {
                record.ended = End::Interrupted;
            }
        }
        let state = match () {
            () if interrupted => State::Interrupted,
            () => state(ended, record.as_ref(), &history),
        };
        let hurried = hurried.then(|| HURRIED.to_owned());
        let reason = why(state, record.as_ref(), &history).or(end).or(hurried);
        let reason = reason.map(|reason| self.plain(&reason).to_owned());
        let waves = [WAVES, STORED_WAVES].map(|file| self.folder.join(file));
        let waves = waves.into_iter().filter(|path| record.is_some() && path.is_file()).collect();
        Measured { state, reason, record, waves, took: history.took }
    }

    /// Describes why a process died.
    fn reason(&self, ended: &Ended, record: Option<&Record>) -> String {
        let own = match record.map(|record| &record.ended) {
            Some(End::Failed { reason }) => Some(reason.as_str()),
            _ => None,
        };
        let said = ended.said.as_deref().filter(|said| !is_introduction(said, record));
        let said = said.map(|said| self.plain(said));
        let limit = self.settings.time_limit_s;
        let what = match &ended.how {
            How::Code(code) if [EXIT_SKIPPED, EXIT_FAILED, EXIT_HUNG].map(i32::from).contains(code) => {
                return own.or(said).unwrap_or("it did not say why").trim_end_matches('.').to_owned();
            }
            How::Code(0) => "it left no whole record".to_owned(),
            How::Code(code) => format!("it ended with exit code {code}"),
            How::Signal(name) => format!("it crashed ({name})"),
            How::TooLong => {
                return format!("it was stopped at its time limit of {limit} s; --time-limit gives it more");
            }
            How::Stopped => "it did not end when it was asked to, and was killed".to_owned(),
            How::Hung => format!("it hung and was killed: no end within {limit} s"),
        };
        said.map_or_else(|| what.clone(), |said| format!("{what}; the last it said: {said}"))
    }

    /// The message of a sample without its name in front.
    fn plain<'t>(&self, said: &'t str) -> &'t str {
        let said = said.strip_prefix(self.name).and_then(|said| said.strip_prefix(": ")).unwrap_or(said);
        said.strip_prefix("cannot run here: ").unwrap_or(said)
    }
}

/// The next step after an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    Keep,
    WithoutTraces,
    Without(String),
}

/// The command line that repeats a sample, without the arguments that only this run needs: output paths and
/// progress.
pub(super) fn plain_command(name: &str, command: &[String]) -> Vec<String> {
    let mut kept = vec![name.to_owned()];
    let mut words = command.iter().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" | "--progress" => _ = words.next(),
            "--trace" => {
                let file = words.next().map(Path::new).and_then(Path::file_name);
                kept.push(word.clone());
                kept.extend(file.map(|file| file.to_string_lossy().into_owned()));
            }
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// Whether the process ended before it had done everything requested.
fn died(ended: &Ended, record: Option<&Record>) -> bool {
    let unfinished = match record.map(|record| &record.ended) {
        Some(End::Complete | End::Interrupted) => false,
        Some(End::Unfinished | End::Failed { .. }) => true,
        // The suite has found the device, so a sample without a record failed: no device is missing.
        None => true,
    };
    let ends = [EXIT_RIGHT, EXIT_SKIPPED, EXIT_FAILED, EXIT_INTERRUPTED].map(i32::from);
    let by_itself = matches!(ended.how, How::Code(code) if ends.contains(&code));
    // The record may have been complete when the user killed the process.
    unfinished || !(by_itself || ended.how == How::Stopped)
}

/// The variant at which the process died. Refused arguments, write errors and crashes after the last sample are not
/// attributed to a variant.
fn died_with(ended: &Ended, record: Option<&Record>) -> Option<String> {
    let refused =
        [EXIT_RIGHT, EXIT_SKIPPED, EXIT_FAILED].map(|code| How::Code(code.into())).contains(&ended.how);
    let during = match record.map(|record| &record.ended) {
        Some(End::Complete) => false,
        Some(End::Failed { .. }) => true,
        _ => !refused,
    };
    let measuring = during && died(ended, record) && ended.progress.phase == Phase::Measuring;
    let variant = &ended.progress.variant;
    (measuring && !variant.is_empty()).then(|| variant.clone())
}

/// Whether a message is part of the sample's introduction, which says nothing about its end.
fn is_introduction(said: &str, record: Option<&Record>) -> bool {
    record.is_some_and(|record| {
        let device = format!("{} on {} (", record.sample, record.device.name);
        record.notes.iter().any(|note| note == said)
            || said == listed(&record.configuration)
            || said.starts_with(&device)
    })
}

fn hung(ended: &Ended) -> bool {
    ended.how == How::Hung || ended.how == How::Code(EXIT_HUNG.into())
}

fn state(ended: &Ended, record: Option<&Record>, history: &History) -> State {
    let trace_died = history.untraced.as_ref().is_some_and(|untraced| untraced.died);
    if hung(ended) || history.deaths.iter().any(|death| death.hung) {
        return State::Hung;
    }
    match record {
        None => State::Failed,
        Some(_) if trace_died || died(ended, record) => State::Failed,
        Some(record) => State::of(record),
    }
}

/// Describes why a sample is in `state`.
fn why(state: State, record: Option<&Record>, history: &History) -> Option<String> {
    if matches!(state, State::Right | State::Interrupted) {
        return None;
    }
    let deaths: Vec<String> =
        history.deaths.iter().map(|death| format!("{}: {}", death.variant, death.reason)).collect();
    if !deaths.is_empty() {
        return Some(deaths.join("; "));
    }
    if let Some(untraced) = history.untraced.as_ref().filter(|untraced| untraced.died) {
        return Some(format!("while its waves were traced: {}", untraced.reason));
    }
    let rows = record.map(|record| record.rows.as_slice()).unwrap_or_default();
    let of_row = |row: &Row| match (&row.status, state) {
        (Status::Error { reason }, State::Failed) => Some(format!("{}: {reason}", row.variant)),
        (Status::Wrong { elements, first }, State::Wrong) => Some(format!(
            "{}: {elements} elements differ from the CPU reference, the first: {first}",
            row.variant
        )),
        (Status::Skipped { reason } | Status::Unsupported { reason }, State::Skipped) => Some(reason.clone()),
        _ => None,
    };
    rows.iter().find_map(of_row)
}

#[cfg(test)]
mod tests;
