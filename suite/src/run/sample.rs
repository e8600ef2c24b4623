//! One sample measured: as often as it takes, three times at the most.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;
use common::error::{EXIT_FAILED, EXIT_HUNG, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED};
use common::record::{Ended as End, Record, Row, Status};
use common::report::read_json;

use super::child::{Call, Ended, How, Phase, Progress};
use super::options::Settings;
use super::outcome::State;
use super::repeats::{Death, joined};

/// A sample that died is run again so often, each time without the variant that it died with.
const MOST_REPEATS: usize = 2;

/// The record in the folder that a sample works in.
const RECORD: &str = "record.json";
/// The drawing of its waves.
pub(super) const WAVES: &str = "waves.svg";

/// Of a sample that the user stopped, and that did not write its record to the end.
const HURRIED: &str = "it ended before it had written its record; what is kept is of up to a second before";

/// A sample that is to be measured.
pub(super) struct Subject<'a> {
    /// Its name.
    pub(super) name: &'a str,
    /// Its binary.
    pub(super) binary: &'a Path,
    /// What `--device` takes for the device.
    pub(super) device: &'a str,
    /// What holds for all samples.
    pub(super) settings: &'a Settings,
    /// An empty folder to work in.
    pub(super) folder: &'a Path,
    /// The user has asked the run to end.
    pub(super) stop: &'a AtomicBool,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Measured {
    /// How it ended.
    pub(super) state: State,
    /// Why it is not right.
    pub(super) reason: Option<String>,
    /// What it left.
    pub(super) record: Option<Record>,
    /// The drawing of its waves.
    pub(super) waves: Option<PathBuf>,
    /// How long it took, repeats included.
    pub(super) took: Duration,
}

/// What the next attempt leaves out, and what became of those before it.
#[derive(Default)]
struct History {
    deaths: Vec<Death>,
    untraced: Option<Untraced>,
    took: Duration,
}

/// Why the next attempt does not trace.
struct Untraced {
    reason: String,
    /// The process died of it; else the device only cannot.
    died: bool,
}

impl Subject<'_> {
    /// Measures it.
    ///
    /// # Errors
    /// A process that cannot be started.
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
        arguments.extend(["--json".into(), self.folder.join(RECORD).into_os_string()]);
        if self.settings.trace && history.untraced.is_none() {
            arguments.extend(["--trace".into(), self.folder.join(WAVES).into_os_string()]);
        }
        if !history.deaths.is_empty() {
            let names: Vec<&str> = history.deaths.iter().map(|death| death.variant.as_str()).collect();
            arguments.extend(["--without".into(), names.join(",").into()]);
        }
        let progress = self.folder.join("progress");
        let limit = self.settings.time_limit();
        Call { binary: self.binary, arguments, progress, limit, stop: self.stop }.run(watch)
    }

    fn record(&self) -> Option<Record> {
        read_json(&fs::read_to_string(self.folder.join(RECORD)).ok()?).ok()
    }

    /// What to do after an attempt.
    fn next(&self, ended: &Ended, record: Option<&Record>, history: &History) -> Next {
        // One that is slow is as slow again.
        if self.stop.load(Ordering::Relaxed) || ended.how == How::TooLong {
            return Next::Keep;
        }
        let traces = self.settings.trace && history.untraced.is_none();
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
        let asked = self.stop.load(Ordering::Relaxed) || ended.how == How::Code(EXIT_INTERRUPTED.into());
        // One may have come to its end before it was heard.
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
            record.command = self.command(&record.command);
            if interrupted {
                record.ended = End::Interrupted;
            }
        }
        let state = match () {
            () if interrupted => State::Interrupted,
            () => state(ended, record.as_ref(), &history),
        };
        let hurried = hurried.then(|| HURRIED.to_owned());
        let reason = why(state, ended, record.as_ref(), &history).or(end).or(hurried);
        let reason = reason.map(|reason| self.plain(&reason).to_owned());
        let waves = Some(self.folder.join(WAVES)).filter(|path| record.is_some() && path.is_file());
        Measured { state, reason, record, waves, took: history.took }
    }

    /// Why a process died, in words.
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
            How::Hung => format!("it hung and was killed: no end within {limit} s"),
        };
        said.map_or_else(|| what.clone(), |said| format!("{what}; the last it said: {said}"))
    }

    /// What a sample said without its name before it.
    fn plain<'t>(&self, said: &'t str) -> &'t str {
        let said = said.strip_prefix(self.name).and_then(|said| said.strip_prefix(": ")).unwrap_or(said);
        said.strip_prefix("skipped: ").unwrap_or(said)
    }

    /// The command line that repeats it, without what only this run needs: where it wrote to, and its progress.
    fn command(&self, command: &[String]) -> Vec<String> {
        let mut kept = vec![self.name.to_owned()];
        let mut words = command.iter().skip(1);
        while let Some(word) = words.next() {
            match word.as_str() {
                "--json" | "--progress" => _ = words.next(),
                "--trace" => {
                    words.next();
                    kept.extend(["--trace".to_owned(), WAVES.to_owned()]);
                }
                _ => kept.push(word.clone()),
            }
        }
        kept
    }
}

/// What follows an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Next {
    Keep,
    WithoutTraces,
    Without(String),
}

/// The process did not come to the end of what it was asked for.
fn died(ended: &Ended, record: Option<&Record>) -> bool {
    let unfinished = match record.map(|record| &record.ended) {
        Some(End::Complete | End::Interrupted) => false,
        Some(End::Unfinished | End::Failed { .. }) => true,
        None => ended.how != How::Code(EXIT_SKIPPED.into()),
    };
    let ends = [EXIT_RIGHT, EXIT_SKIPPED, EXIT_FAILED, EXIT_INTERRUPTED].map(i32::from);
    unfinished || !matches!(ended.how, How::Code(code) if ends.contains(&code))
}

/// The variant that it died with. What is refused, or cannot be written, is no variant's fault, nor is a crash
/// behind the last sample.
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

/// A sample says what it runs on before it runs: that tells nothing of its end.
fn is_introduction(said: &str, record: Option<&Record>) -> bool {
    record.is_some_and(|record| {
        let settings: Vec<String> = record.configuration.iter().map(|(k, v)| format!("{k} {v}")).collect();
        let device = format!("{} on {} (", record.sample, record.device.name);
        record.notes.iter().any(|note| note == said)
            || said == settings.join(", ")
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
        None if ended.how == How::Code(EXIT_SKIPPED.into()) => State::Skipped,
        None => State::Failed,
        Some(_) if trace_died || died(ended, record) => State::Failed,
        Some(record) => State::of(record),
    }
}

/// Why a sample is in `state`, in words.
fn why(state: State, ended: &Ended, record: Option<&Record>, history: &History) -> Option<String> {
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
        (Status::Wrong { elements, first }, State::Wrong) => {
            Some(format!("{}: {elements} elements differ from the CPU twin, the first: {first}", row.variant))
        }
        (Status::Skipped { reason } | Status::Unsupported { reason }, State::Skipped) => Some(reason.clone()),
        _ => None,
    };
    let no_record = || ended.said.clone().filter(|_| record.is_none() && state == State::Skipped);
    rows.iter().find_map(of_row).or_else(no_record)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(ended: End) -> Record {
        let text = include_str!("../../../results/2026-11-21-llvmpipe/lds_blur/record.json");
        Record { ended, ..read_json(text).unwrap() }
    }

    fn ended(how: How, phase: Phase, variant: &str) -> Ended {
        let progress = Progress { phase, variant: variant.to_owned(), spent: 0.5 };
        Ended { how, said: Some("lds_blur: the last word".into()), progress, took: Duration::from_secs(7) }
    }

    /// What a test asks of a sample that traces, or not, and has died with variants before.
    fn with_subject<T>(trace: bool, stop: bool, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
        let stop = AtomicBool::new(stop);
        let settings = Settings::of_a_test(trace);
        let path = Path::new("/absent");
        ask(&Subject {
            name: "lds_blur",
            binary: path,
            device: "0",
            settings: &settings,
            folder: path,
            stop: &stop,
        })
    }

    fn next(ended: &Ended, record: Option<&Record>, before: &[&str]) -> Next {
        let death = |variant: &&str| Death {
            variant: (*variant).to_owned(),
            reason: String::new(),
            hung: false,
            checkpoint: None,
        };
        let history = History { deaths: before.iter().map(death).collect(), ..History::default() };
        with_subject(false, false, |subject| subject.next(ended, record, &history))
    }

    fn crash(phase: Phase, variant: &str) -> Ended {
        ended(How::Signal("SIGABRT".into()), phase, variant)
    }

    #[test]
    fn a_crash_is_repeated_without_its_variant_and_twice_at_most() {
        let (a, unfinished) = (crash(Phase::Measuring, "a"), record(End::Unfinished));
        assert_eq!(next(&a, Some(&unfinished), &[]), Next::Without("a".into()));
        assert_eq!(next(&a, None, &["b"]), Next::Without("a".into()));
        assert_eq!(next(&a, None, &["b", "c"]), Next::Keep);
        assert_eq!(next(&a, None, &["a"]), Next::Keep);
        assert_eq!(next(&crash(Phase::Starting, "a"), None, &[]), Next::Keep);
        assert_eq!(next(&crash(Phase::Measuring, ""), None, &[]), Next::Keep);
        // Behind the last sample, and where the disk is full.
        assert_eq!(next(&a, Some(&record(End::Complete)), &[]), Next::Keep);
        let unwritten = ended(How::Code(EXIT_FAILED.into()), Phase::Measuring, "a");
        assert_eq!(next(&unwritten, Some(&unfinished), &[]), Next::Keep);
    }

    #[test]
    fn a_hang_and_a_lost_device_are_repeated_too() {
        let lost = record(End::Failed { reason: "the device was lost".into() });
        let measuring = |how| ended(how, Phase::Measuring, "a");
        let without = Next::Without("a".into());
        assert_eq!(next(&measuring(How::Hung), None, &[]), without);
        assert_eq!(next(&measuring(How::Code(EXIT_HUNG.into())), Some(&lost), &[]), without);
        assert_eq!(next(&measuring(How::Code(EXIT_FAILED.into())), Some(&lost), &[]), without);
    }

    #[test]
    fn what_came_to_its_end_is_kept() {
        let complete = record(End::Complete);
        for how in [0, 2].map(How::Code).into_iter().chain([How::TooLong]) {
            assert_eq!(next(&ended(how, Phase::Measuring, "a"), Some(&complete), &[]), Next::Keep);
        }
        let history = History::default();
        let a = crash(Phase::Measuring, "a");
        with_subject(false, true, |stopped| assert_eq!(stopped.next(&a, None, &history), Next::Keep));
    }

    #[test]
    fn without_a_clock_for_waves_it_is_measured_all_the_same() {
        let skipped = ended(How::Code(EXIT_SKIPPED.into()), Phase::Starting, "");
        let crashed = crash(Phase::Tracing, "a");
        let (none, mut history) = (History::default(), History::default());
        history.untraced = Some(Untraced { reason: "x".into(), died: false });
        with_subject(true, false, |subject| {
            assert_eq!(subject.next(&skipped, None, &none), Next::WithoutTraces);
            assert_eq!(subject.next(&crashed, Some(&record(End::Unfinished)), &none), Next::WithoutTraces);
            assert_eq!(subject.next(&skipped, None, &history), Next::Keep);
        });
        assert_eq!(next(&skipped, None, &[]), Next::Keep);
    }

    fn kept(ended: &Ended, record: Option<Record>) -> Measured {
        with_subject(false, false, |subject| subject.kept(ended, record, History::default()))
    }

    #[test]
    fn states_and_reasons() {
        let measuring = |how| ended(how, Phase::Measuring, "direct_sampled");
        let of = |how, record| {
            let kept = kept(&measuring(how), record);
            (kept.state, kept.reason.unwrap_or_default())
        };
        let complete = || Some(record(End::Complete));
        assert_eq!(of(How::Code(0), complete()), (State::Right, String::new()));
        assert_eq!(of(How::Code(130), Some(record(End::Interrupted))), (State::Interrupted, String::new()));
        assert_eq!(of(How::Code(130), Some(record(End::Unfinished))), (State::Interrupted, HURRIED.into()));
        assert_eq!(of(How::Code(1), None), (State::Skipped, "the last word".into()));
        let (state, reason) = of(How::TooLong, Some(record(End::Interrupted)));
        assert!(state == State::Failed && reason.contains("time limit of 9 s"), "{reason}");
        let (state, reason) = of(How::Hung, Some(record(End::Unfinished)));
        assert!(
            state == State::Hung
                && reason.contains("hung and was killed: no end within 9 s; the last it said: the last word"),
            "{reason}"
        );
        let (state, reason) = of(How::Signal("SIGSEGV".into()), None);
        assert!(state == State::Failed && reason.contains("SIGSEGV") && reason.contains("the last word"));
        assert!(reason.starts_with("direct_sampled: "), "{reason}");
        let (state, reason) = of(How::Code(101), None);
        assert!(state == State::Failed && reason.contains("exit code 101"), "{reason}");
        assert_eq!(of(How::Code(0), None).0, State::Failed);
    }

    #[test]
    fn what_was_complete_before_the_user_was_heard_is_complete() {
        let ended = ended(How::Code(0), Phase::Measuring, "a");
        let state = |how| {
            let history = History::default();
            with_subject(false, true, |stopped| stopped.kept(&ended, Some(record(how)), history).state)
        };
        assert_eq!(state(End::Complete), State::Right);
        assert_eq!(state(End::Interrupted), State::Interrupted);
    }

    #[test]
    fn an_introduction_is_no_last_word() {
        let record = record(End::Unfinished);
        let settings: Vec<String> = record.configuration.iter().map(|(k, v)| format!("{k} {v}")).collect();
        let device = format!("lds_blur on {} (CPU device, x)", record.device.name);
        for said in [record.notes[0].clone(), settings.join(", "), device] {
            let ended = Ended { said: Some(said), ..crash(Phase::Measuring, "direct_sampled") };
            let reason = kept(&ended, Some(record.clone())).reason.unwrap();
            assert_eq!(reason, "direct_sampled: it crashed (SIGABRT)");
        }
    }

    #[test]
    fn a_wrong_result_is_told_as_such() {
        let mut wrong = record(End::Complete);
        wrong.rows[1].status = Status::Wrong { elements: 3, first: "texel 1, 2".into() };
        let kept = kept(&ended(How::Code(2), Phase::Writing, ""), Some(wrong));
        assert_eq!(kept.state, State::Wrong);
        assert!(kept.reason.unwrap().contains("3 elements differ from the CPU twin, the first: texel 1, 2"));
    }

    #[test]
    fn a_variant_that_died_last_is_an_error_too() {
        let kept = kept(&crash(Phase::Measuring, "direct_sampled"), Some(record(End::Unfinished)));
        let record = kept.record.unwrap();
        let row = record.rows.iter().find(|row| row.variant == "direct_sampled").unwrap();
        assert!(matches!(&row.status, Status::Error { reason } if reason.contains("SIGABRT")), "{row:?}");
        assert!(matches!(record.ended, End::Failed { .. }));
    }

    #[test]
    fn the_command_repeats_it() {
        let command = "/x/lds_blur --device 0 --seed=7 --json /w/record.json --trace /w/waves.svg --without a                        --progress /w/progress";
        let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let kept = with_subject(false, false, |subject| subject.command(&command));
        assert_eq!(kept.join(" "), "lds_blur --device 0 --seed=7 --trace waves.svg --without a");
    }
}
