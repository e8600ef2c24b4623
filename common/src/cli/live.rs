//! `--live`: runs the engine on a thread of its own and the display on this one, because some systems require
//! windows on the main thread.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, anyhow, bail};
use bench::drive::timing::{self, SoFar};
use bench::lab::{Experiment, Lab};
use clap::Args;
use live::display::{Display, Next, Script, Talk, own_folder};
use live::engine::{Engine, Program, Replay, Timing, Wanted};
use live::handoff::Handoff;
use live::knobs::knobs;
use live::messages::{Command, State};
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED, Halt};
use record::{Ended, Record, Row, Status, Stop, fault, is_limit};
use report::Folder;
use report::terminal::{become_program, leave_at_once};
use vulkan::gpu::Gpu;

use super::args::own;
use super::help::command;
use super::{Run, as_given, clock_seed, code_of, cpu_note};

/// Time that the engine has for ending, in addition to the longest submit: freeing a sample's objects takes a
/// while.
const PARTING: Duration = Duration::from_secs(5);
/// The layer that is active with `--check`; times taken with it are not valid.
const LAYER: &str = "VK_LAYER_KHRONOS_validation";
/// How long to wait for kernels or references that are still being built when the window closes.
const IMPATIENT: Duration = Duration::from_millis(500);

/// A live run: its options, its sample, and the shared arguments.
struct Live<A> {
    run: Run,
    declare: fn(&mut Lab, &A) -> Result<()>,
    /// The arguments that are not the sample's own, as they were given.
    shared: Vec<String>,
}

impl Run {
    /// Shows the sample until the window is closed.
    pub(super) fn live<A: Args + 'static>(
        self,
        arguments: Vec<String>,
        shared: Vec<String>,
        declare: fn(&mut Lab, &A) -> Result<()>,
    ) -> Result<u8> {
        fault::arm()?;
        self.stop()?;
        let wanted = Wanted {
            sample: self.sample,
            open: self.open_options(),
            lab: self.lab_options(false),
            arguments,
            seed: self.common.effort.seed.unwrap_or_else(clock_seed),
            in_step: self.common.window.frames.is_some(),
        };
        let script = self.script::<A>(&wanted.arguments)?;
        if let Some(talk) = script.talk.as_ref().filter(|_| self.common.window.step.is_none()) {
            let mut next = talk.program(&own_folder()?)?;
            next.arguments.extend(script.arguments(next.replay.as_deref()));
            return replace(&next, &shared);
        }
        let replay = self.common.window.replay.as_deref();
        let replay = replay.map(|path| Replay::read(path, self.sample.name)).transpose()?;
        if script.progress.is_some() {
            super::follow::end_with_the_parent();
        }
        self.probe_destinations()?;
        // Open the display first: without one nothing needs compiling.
        let display = Display::open(script)?;
        let handoff = Arc::new(Handoff::default());
        // If the run must leave files, wait even for kernels that are still being built.
        let leaves = self.common.output.json.is_some() || self.common.window.frames.is_some();
        let live = Live { run: self, declare, shared: shared.clone() };
        let ended = engine(Arc::clone(&handoff), move |handoff| match replay {
            Some(replay) => {
                replay.play(handoff);
                Ok(EXIT_RIGHT)
            }
            None => Engine::run(handoff, &live, &wanted),
        })?;
        let shown = display.run(&handoff);
        handoff.send(Command::Quit);
        let next = shown.as_ref().ok().and_then(|shown| shown.next.clone());
        let (code, is_abandoned) = parted(&handoff, &ended, shown.map(|shown| shown.code), leaves)?;
        match next {
            // What was wrong is the exit code, even if it came to light after the key.
            Some(next) if matches!(code, EXIT_RIGHT | EXIT_SKIPPED) => replace(&next, &shared),
            _ if is_abandoned => leave_at_once(code),
            _ => Ok(code),
        }
    }

    /// What the command line asks of the display.
    fn script<A: Args>(&self, arguments: &[String]) -> Result<Script> {
        let samples: Vec<&str> = self.sample.samples.iter().flat_map(|names| names.split(',')).collect();
        let window = &self.common.window;
        let talk = window.script.as_deref();
        let command = command::<A>(&self.sample);
        let own = own::<A>();
        let is_shared = |name: &str| {
            command.get_arguments().any(|argument| argument.get_long() == Some(name))
                && !own.iter().any(|own| own == name)
        };
        let first = window.step.unwrap_or(1);
        let talk = talk.map(|path| Talk::read(path, first, &samples, is_shared)).transpose()?;
        let knobs = match window.replay {
            Some(_) => Vec::new(),
            None => knobs(&command, &own, arguments),
        };
        Ok(Script {
            frames: window.frames,
            is_headless: window.headless,
            screenshot: window.screenshot.clone(),
            size: window.window.map_or([1280, 720], vulkan::values::Extent::sides),
            demo: window.demo,
            press: window.press.clone(),
            theme: self.common.output.theme,
            presenter: window.presenter,
            full_screen: window.full_screen,
            at: window.at,
            replay: window.replay.as_deref().map(std::path::absolute).transpose()?,
            talk,
            samples,
            knobs,
            progress: self.common.output.progress.clone(),
            sample: self.sample.name,
            stop: self.stop.get().cloned().context("listening for Ctrl-C")?,
        })
    }
}

/// Shared arguments that another sample does not get: they name what only this one has or writes, or come from the window
/// as it is now.
const NOT_HANDED_OVER: [&str; 15] = [
    "variants",
    "variant",
    "without",
    "json",
    "out",
    "demo",
    "window",
    "press",
    "frames",
    "theme",
    "presenter",
    "full-screen",
    "at",
    "step",
    "replay",
];

/// Runs another sample in place of this one.
fn replace(next: &Next, shared: &[String]) -> Result<u8> {
    let is_kept = |argument: &&String| {
        let name = argument.trim_start_matches('-').split('=').next();
        name.is_none_or(|name| !NOT_HANDED_OVER.contains(&name))
    };
    let mut command = std::process::Command::new(&next.program);
    command.args(shared.iter().filter(is_kept)).args(&next.arguments);
    become_program(&mut command)
}

/// The exit code of the program, after the display has ended and the engine was told to end; and whether the engine's
/// thread was left in the middle of a driver's compiler.
fn parted(
    handoff: &Handoff,
    ended: &mpsc::Receiver<Result<u8>>,
    shown: Result<u8>,
    leaves: bool,
) -> Result<(u8, bool)> {
    let (number, snapshot) = handoff.snapshot();
    let is_building = number == 0 || matches!(snapshot.state, State::Building(_));
    let patience = if is_building && !leaves { IMPATIENT } else { handoff.timeout() + PARTING };
    match ended.recv_timeout(patience) {
        Ok(Ok(code)) => shown.map(|shown| (weightier(shown, code), false)),
        // An engine error is the reason why the display had nothing to show.
        Ok(Err(error)) => Err(error),
        Err(mpsc::RecvTimeoutError::Timeout) if is_building && !leaves => Ok((shown?, true)),
        Err(mpsc::RecvTimeoutError::Timeout) => {
            shown?;
            let what = if is_building { "what is being built" } else { "the sample under way" };
            Err(Halt::Hung { what: what.into(), seconds: patience.as_secs_f64() }.into())
        }
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            shown.and_then(|_| bail!("the engine has failed: see the lines above"))
        }
    }
}

/// The more important of two exit codes for a script: a failure comes before an interruption.
fn weightier(a: u8, b: u8) -> u8 {
    let weight = |code: &u8| match *code {
        EXIT_RIGHT => 0,
        EXIT_SKIPPED => 1,
        EXIT_INTERRUPTED => 2,
        _ => 3,
    };
    if weight(&b) > weight(&a) { b } else { a }
}

/// Tells the display that the engine's thread has ended, also after a panic.
struct Closing(Arc<Handoff>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Starts what publishes snapshots; the channel receives its exit code or error.
fn engine(
    handoff: Arc<Handoff>,
    play: impl FnOnce(&Arc<Handoff>) -> Result<u8> + Send + 'static,
) -> Result<mpsc::Receiver<Result<u8>>> {
    let (sender, ended) = mpsc::channel();
    let run = move || {
        // The display must not wait for the thread, however it ends.
        let closing = Closing(handoff);
        let code = play(&closing.0);
        // Sending fails if the display has stopped waiting.
        let _ = sender.send(code);
    };
    thread::Builder::new().name("engine".into()).spawn(run).context("starting the engine's thread")?;
    Ok(ended)
}

impl<A: Args> Program for Live<A> {
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>> {
        self.run.certify(gpu)
    }

    fn declare(&self, lab: &mut Experiment, arguments: &[String]) -> Result<()> {
        let words = std::iter::once(self.run.sample.name).chain(arguments.iter().map(String::as_str));
        let command = A::augment_args(clap::Command::new(self.run.sample.name).allow_negative_numbers(true));
        let parsed = command.try_get_matches_from(words).and_then(|matches| A::from_arg_matches(&matches));
        let parsed = parsed.map_err(|error| anyhow!(report::arguments::in_one_line(&error)))?;
        if self.run.common.place.queue.is_some() {
            let family = lab.device().queue_family.clone();
            lab.report.setting("queue family", family);
        }
        lab.declare(|lab| (self.declare)(lab, &parsed))?;
        lab.select()?;
        lab.make()?;
        // Put these notes before the sample's own: if room is short, the last ones are cut.
        if self.run.common.mode.check {
            lab.report.notes.insert(0, "The validation layer listens: these times are no times.".to_owned());
        }
        if lab.device().is_cpu() {
            let note = cpu_note(lab);
            lab.report.notes.insert(0, note.to_owned());
        }
        Ok(())
    }

    fn record(&self, lab: &Experiment, arguments: &[String], mut so_far: SoFar, taken: Timing) -> Record {
        let seconds = taken.measured.as_secs_f64();
        so_far.method.budget_s = seconds;
        if self.run.common.mode.check {
            so_far.method.tools.push(LAYER.to_owned());
        }
        for row in so_far.rows.iter_mut().filter(|row| row.isolated_us.is_some()) {
            row.stop = Some(Stop::Interrupted);
        }
        so_far.notes.push(format!(
            "Taken from a window after {seconds:.1} s of samples; each row keeps its newest pairs."
        ));
        let verdict = timing::verdict(lab, &so_far.rows);
        let record = self.run.record(lab, so_far, Ended::Interrupted, taken.began);
        Record { command: self.command(arguments), seconds, verdict, ..record }
    }

    fn write(&self, record: &Record) -> Result<String> {
        let path = new_folder(self.run.common.output.out.as_deref(), self.run.sample.name)?;
        let folder = Folder::create(&path)?;
        folder.write(record, &report::answer(record, report::Form::FILE), None, &[])?;
        let own = record.rows.iter().filter(|row| !is_limit(&row.variant)).count();
        Ok(format!("record of {own} variants written to {}", path.display()))
    }

    fn leave(&self, record: Option<&Record>) -> Result<u8> {
        let rows = record.map_or(&[][..], |record| &record.rows);
        rows.iter()
            .filter_map(wrong)
            .for_each(|text| report::terminal::say(&format!("{}: {text}", self.run.sample.name)));
        if let Some(json) = &self.run.common.output.json {
            let record =
                record.context("nothing was measured that --json could hold: give it more --frames")?;
            json.write(record::json(record)?)?;
        }
        Ok(code_of(rows))
    }
}

impl<A> Live<A> {
    /// The command line that reproduces what the window shows.
    fn command(&self, arguments: &[String]) -> Vec<String> {
        let name = || self.run.sample.name.to_owned();
        let program =
            std::env::args_os().next().map_or_else(name, |word| word.to_string_lossy().into_owned());
        let words = std::iter::once(program).chain(arguments.iter().chain(&self.shared).cloned());
        as_given(words)
    }
}

/// The error of a variant in the last figures, if it has one.
fn wrong(row: &Row) -> Option<String> {
    let is_wrong = matches!(row.status, Status::Wrong { .. } | Status::Error { .. });
    is_wrong.then(|| format!("{}: {}", row.variant, row.status.reason().unwrap_or_default()))
}

/// A path for a folder that does not exist yet.
fn new_folder(asked: Option<&Path>, sample: &str) -> Result<PathBuf> {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let named = || PathBuf::from(format!("{sample}-{}", now.replace(':', "-")));
    let first = asked.map_or_else(named, Path::to_owned);
    let more = (2..1000).map(|n| PathBuf::from(format!("{}-{n}", first.display())));
    let free = std::iter::once(first.clone()).chain(more).find(|path| !path.exists());
    free.with_context(|| format!("{} and its like are all taken: choose another folder", first.display()))
}

#[cfg(test)]
mod tests {
    use record::error::EXIT_FAILED;

    use super::*;

    #[test]
    fn what_was_wrong_goes_before_who_ended_it() {
        let ascending = [EXIT_RIGHT, EXIT_SKIPPED, EXIT_INTERRUPTED, EXIT_FAILED];
        for (at, &less) in ascending.iter().enumerate() {
            for &more in &ascending[at..] {
                assert_eq!([weightier(less, more), weightier(more, less)], [more; 2]);
            }
        }
    }
}
