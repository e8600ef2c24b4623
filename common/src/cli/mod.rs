//! The command line that all samples share, from the arguments to the exit code.

mod about;
mod args;
mod code;
mod code_diff;
mod follow;
mod help;
mod listing;
#[cfg(feature = "window")]
mod live;
mod output;
mod self_test;
mod sweep;
mod trace;

pub use args::NoArgs;

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fmt::Debug;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};
use clap::Args;
use record::error::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED, exit_code, one_line};
use record::hooks::hooks;
use record::self_test::Certificate;
use record::trace::Trace;
use record::{Ended, Kind, Record, Row, SCHEMA, Shows, Status, Traced, fault, is_limit};
use report::{Destination, Detail, Folder};
use vulkan::gpu::{Gpu, OpenOptions, list_devices};

use bench::drive::timing::{self, BenchOptions, Measured, SoFar, Step};
use bench::drive::tour::Tour;
use bench::drive::{check, profile};
use bench::host::{self, Sample};
use bench::lab::{Experiment, Lab, LabOptions, Selection, fastest};
use bench::mutate::Break;

use args::{Common, Effort, parse};
use follow::{Follow, Keep};
use report::terminal::{self, fitted, leave_at_once, on_interrupt, print, say};
use trace::TraceFile;

/// The `main` of a sample. Parses the arguments, opens the device, lets `declare` fill the lab, and runs the mode
/// that the command line selects. Exit codes: 0 correct, 1 nothing could run here, 2 wrong or failed, 3 hung, 130
/// stopped by the user.
pub fn run<A: Args + Clone + Debug + 'static>(
    sample: Sample,
    declare: fn(&mut Lab, &A) -> Result<()>,
) -> ExitCode {
    let began = Instant::now();
    terminal::bear_the_file_limit();
    let given: Vec<OsString> = std::env::args_os().skip(1).collect();
    if vulkan::code::is_child(&given) {
        return code::serve(&sample);
    }
    let arguments = match sweep::run(&sample, &help::command::<A>(&sample), &args::own::<A>(), given) {
        Ok(sweep::Asked::Run(arguments)) => arguments,
        Ok(sweep::Asked::Swept(code)) => return ExitCode::from(code),
        Err(error) => {
            say(&format!("{}: {}", sample.name, one_line(&error)));
            return ExitCode::from(exit_code(&error));
        }
    };
    let (own, shared) = divided(&args::own::<A>(), &arguments);
    let cli = parse::<A>(&sample, arguments);
    let run = Run { sample, common: cli.common, began, stop: OnceCell::new(), self_test: OnceCell::new() };
    let name = run.sample.name;
    let ended = if run.common.mode.live && !run.common.mode.about {
        run.live::<A>(own, shared, declare)
    } else {
        run.all(&cli.sample, declare)
    };
    let code = ended.unwrap_or_else(|error| {
        say(&format!("{name}: {}", one_line(&error)));
        exit_code(&error)
    });
    if code != EXIT_RIGHT {
        leave_at_once(code);
    }
    ExitCode::SUCCESS
}

/// Splits the arguments into the sample's own and the shared ones. Each carries its value after `=`.
fn divided(own: &[String], arguments: &[OsString]) -> (Vec<String>, Vec<String>) {
    let is_own = |argument: &String| {
        let name = argument.strip_prefix("--").and_then(|rest| rest.split('=').next());
        name.is_some_and(|name| own.iter().any(|own| own == name))
    };
    arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).partition(is_own)
}

#[cfg(not(feature = "window"))]
impl Run {
    fn live<A>(self, _: Vec<String>, _: Vec<String>, _: fn(&mut Lab, &A) -> Result<()>) -> Result<u8> {
        anyhow::bail!("this build has no window: build it with the feature 'window', which is a default one")
    }
}

struct Run {
    sample: Sample,
    common: Common,
    began: Instant,
    stop: OnceCell<Arc<AtomicBool>>,
    self_test: OnceCell<Certificate>,
}

impl Run {
    fn all<A: Args>(&self, arguments: &A, declare: fn(&mut Lab, &A) -> Result<()>) -> Result<u8> {
        fault::arm()?;
        // Start before the first Vulkan call, because a driver may hang in any call.
        if self.common.output.progress.is_some() {
            follow::end_with_the_parent();
        }
        if self.common.help.printed.print(help::command::<A>(&self.sample))? {
            return Ok(EXIT_RIGHT);
        }
        if self.common.mode.about {
            return self.about::<A>();
        }
        if self.common.mode.self_test {
            return self.only_test_the_device();
        }
        if self.common.mode.list_devices {
            return print(&list_devices()?).map(|()| EXIT_RIGHT);
        }
        if let Some(code) = self.code_diff_of_files()? {
            return Ok(code);
        }
        let gpu = Gpu::open(&self.open_options())?;
        let Some(gpu) = self.certify(gpu)? else { return Ok(EXIT_INTERRUPTED) };
        let options = self.lab_options(self.only_checks_answers(gpu.facts.kind));
        let mut lab = Experiment::new(gpu, &options);
        if !self.common.output.trace.is_empty() {
            lab.trace_waves()?;
        }
        self.with_lab(&mut lab, arguments, declare)
    }

    fn open_options(&self) -> OpenOptions {
        OpenOptions {
            device: self.common.place.device.clone(),
            validate: self.common.mode.check,
            timeout: self.common.place.timeout,
            queue: self.common.place.queue,
            all_queues: self.sample.all_queues,
            // Without chips that are named, the code is that of the device in use.
            statistics: self
                .common
                .mode
                .code
                .as_ref()
                .map_or(self.common.mode.code_diff.is_some(), Option::is_none),
        }
    }

    fn lab_options(&self, only_checks_answers: bool) -> LabOptions {
        let selection = Selection {
            names: self.common.mode.code_diff.as_ref().unwrap_or(&self.common.which.variants).clone(),
            without: self.common.which.without.clone(),
            all: self.common.which.all || self.common.mode.list_variants,
            matrix: self.common.which.matrix,
        };
        let few = match self.runs_once() {
            // In a capture, repetitions show nothing more.
            true => Some(1),
            false => only_checks_answers.then_some(CPU_REPETITIONS),
        };
        let repetitions = self.common.effort.repetitions.or(few);
        let maps_races = self.common.output.image.is_some();
        // The list tells what is skipped.
        let runs_nothing = self.only_declares() && !self.common.mode.list_variants;
        LabOptions { repetitions, selection, maps_races, runs_nothing, cold: self.common.effort.cold }
    }

    /// Runs the self-test before measuring, if it is needed; returns `None` if the user interrupted it.
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>> {
        let takes_times = !(self.common.mode.check || self.common.mode.profile || self.only_declares());
        let left_out = self.common.effort.no_self_test || hooks().no_self_test;
        if left_out || !takes_times {
            return Ok(Some(gpu));
        }
        let stop = self.stop()?;
        let certified = bench::self_test::certify(gpu, &|| stop.load(Ordering::Relaxed))?;
        if certified.interrupted {
            return Ok(None);
        }
        self.self_test.get_or_init(|| certified.certificate);
        Ok(Some(certified.gpu))
    }

    /// Whether the mode only examines kernels or variants and runs nothing.
    fn only_declares(&self) -> bool {
        self.common.mode.code.is_some()
            || self.common.mode.code_diff.is_some()
            || self.common.mode.print_kernel
            || self.common.mode.list_variants
    }

    /// Whether the mode needs only one repetition.
    fn runs_once(&self) -> bool {
        self.common.mode.profile || self.common.mode.list_variants
    }

    /// A flag that Ctrl-C sets; the first call installs the handler.
    fn stop(&self) -> Result<&AtomicBool> {
        if self.stop.get().is_none() {
            let stop = on_interrupt()?;
            self.stop.get_or_init(|| stop);
        }
        self.stop.get().map(Arc::as_ref).context("listening for Ctrl-C")
    }

    /// Checks before measuring that the results can be written, and creates their folder.
    fn destinations(&self) -> Result<Option<Folder>> {
        self.probe_destinations()?;
        self.common.output.out.as_deref().map(Folder::create).transpose()
    }

    /// Checks that the output files can be written and that no two are the same.
    fn probe_destinations(&self) -> Result<()> {
        let files = [
            ("--json", &self.common.output.json),
            ("--csv", &self.common.output.csv),
            ("--image", &self.common.output.image),
            ("--screenshot", &self.common.window.screenshot),
        ];
        let given = files.into_iter().filter_map(|(flag, to)| Some((flag, to.as_ref()?)));
        let traces = self.common.output.trace.iter().map(|file| ("--trace", &file.destination));
        let given: Vec<_> = given.chain(traces).collect();
        for (at, (flag, destination)) in given.iter().enumerate() {
            for (other, place) in &given[..at] {
                ensure!(
                    !destination.is_same_place(place),
                    "{other} and {flag} name the same place: one would be lost or both mixed"
                );
            }
            destination.probe()?;
        }
        Ok(())
    }

    fn with_lab<A: Args>(
        &self,
        lab: &mut Experiment,
        arguments: &A,
        declare: fn(&mut Lab, &A) -> Result<()>,
    ) -> Result<u8> {
        if self.common.place.queue.is_some() {
            let family = lab.device().queue_family.clone();
            lab.report.setting("queue family", family);
        }
        let compared = self.code_diff_sides();
        lab.declare(|lab| declare(lab, arguments))?;
        lab.select().map_err(|error| match compared {
            Some(_) => error.context("--code-diff takes two variants or two files"),
            None => error,
        })?;
        if self.common.mode.list_variants {
            return self.list_variants(lab);
        }
        lab.make()?;
        if self.common.mode.check {
            return self.check(lab);
        }
        if let Some(names) = compared {
            return self.code_diff_of_variants(lab, names);
        }
        if let Some(target) = &self.common.mode.code {
            return self.code(lab, target.as_ref());
        }
        if self.common.mode.print_kernel {
            return code::print_kernels(lab);
        }
        if let Some(broken) = self.common.mode.broken {
            ensure!(broken == Break::Endless, "--break needs --check: what is broken on purpose has no time");
            lab.broken = Some(broken);
            lab.report
                .note("Recorded without its sets, so that its waits never end: nothing here is a result.");
        }
        if self.common.mode.profile {
            return self.profile(lab);
        }
        // Create the folder only here, so that a run refused earlier leaves nothing.
        let folder = self.destinations()?;
        self.bench(lab, folder.as_ref())
    }

    fn check(&self, lab: &Lab) -> Result<u8> {
        let stop = self.stop()?;
        let checked = check::check(lab, self.common.mode.broken, &|| stop.load(Ordering::Relaxed))?;
        let report = format!("{} on {}\n{}", self.sample.name, lab.device().name, checked.report);
        Ok(self.conclude(print(&fitted(&report)), &checked))
    }

    fn profile(&self, lab: &Lab) -> Result<u8> {
        let recipe = report::capture_instructions(lab.device(), std::env::consts::OS, &command());
        print(&fitted(&format!("{} on {}\n{recipe}", self.sample.name, lab.device().name)))?;
        if lab.gpu.debug.is_none() {
            say("Vulkan has no VK_EXT_debug_utils here: a capture will show no regions and no frames.");
        }
        let stop = self.stop()?;
        let profiled = profile::profile(lab, &|| stop.load(Ordering::Relaxed))?;
        Ok(self.conclude(print(&format!("\n{}", fitted(&profiled.report))), &profiled))
    }

    /// The exit code of a mode that takes no times, once its report was `shown`.
    fn conclude(&self, shown: Result<()>, tour: &Tour) -> u8 {
        tour.errors.iter().for_each(|error| self.complain(error));
        let shown = shown.inspect_err(|error| self.complain(error));
        // Only the last error can be a hang: nothing runs after one.
        match tour.errors.last() {
            _ if tour.interrupted => EXIT_INTERRUPTED,
            Some(error) => exit_code(error),
            None if tour.failed > 0 || shown.is_err() => EXIT_FAILED,
            None => EXIT_RIGHT,
        }
    }

    fn bench(&self, lab: &mut Lab, folder: Option<&Folder>) -> Result<u8> {
        let started = SystemTime::now();
        let options = BenchOptions {
            samples: self.samples(lab),
            budget: self.common.effort.budget,
            thorough: self.common.effort.thorough,
            seed: self.common.effort.seed.unwrap_or_else(clock_seed),
            waking: None,
            newest: None,
        };
        if lab.device().kind == Kind::Cpu {
            lab.report.notes.insert(0, cpu_note(lab).to_owned());
        }
        let stop = self.stop()?;
        let keep = self.so_far(lab, folder, started);
        let mut follow = Follow::new(self.common.output.progress.as_ref(), keep)?;
        let watch = &mut |step: &Step<'_>| follow.step(step, stop.load(Ordering::Relaxed));
        let measured = timing::measure(lab, &options, watch, None);
        follow.end();
        drop(follow);
        let mut measured = measured?;
        self.miss_timelines(&mut measured);
        if self.common.output.verbose {
            verbose(&measured.rows);
        }
        let code = code(&measured);
        let Measured { method, rows, notes, verdict, ended, .. } = measured;
        let so_far = SoFar { method, rows, notes };
        let record = Record { verdict, ..self.record(lab, so_far, ended, started) };
        let mut unwritten =
            self.write(&record, &measured.maps, measured.painting.as_ref(), &measured.traces, folder);
        if record.ended == Ended::Interrupted && !self.common.output.trace.is_empty() {
            say("stopped before all waves were traced: no timeline is written");
        }
        if record.ended == Ended::Complete {
            unwritten.extend(self.draw(&record, &measured.traces));
        }
        measured.error.iter().chain(&unwritten).for_each(|error| self.complain(error));
        // A run that failed keeps its own exit code, even if writing its output failed too.
        Ok(if code == EXIT_RIGHT && !unwritten.is_empty() { EXIT_FAILED } else { code })
    }

    /// Draws the timelines, says what is in them, and returns the errors.
    fn draw(&self, record: &Record, traces: &[(String, Trace)]) -> Vec<anyhow::Error> {
        let traced = record.rows.iter().filter(|row| matches!(row.trace, Some(Traced::Ok { .. }))).count();
        let others = if traced > traces.len() { "; --variants chooses others" } else { "" };
        let detail = if self.common.output.compact { Detail::Compact } else { Detail::Whole };
        let draw = |file: &TraceFile| {
            file.write(record, traces, (self.common.output.theme, detail))?;
            let (to, count, device) = (&file.destination, traces.len(), &record.device.name);
            say(&format!("{to}: waves of {count} of {traced} variants on {device}{others}"));
            Ok(())
        };
        self.common.output.trace.iter().map(draw).filter_map(Result::err).collect()
    }

    /// Marks the run and its record as failed if it was to draw timelines and has times, but traced nothing.
    fn miss_timelines(&self, measured: &mut Measured) {
        let asked = !self.common.output.trace.is_empty() && measured.ended == Ended::Complete;
        let could = measured.rows.iter().any(|row| row.isolated_us.is_some());
        if asked && could && measured.traces.is_empty() {
            let error = report::nothing_traced(&measured.rows);
            measured.ended = Ended::Failed { reason: one_line(&error) };
            measured.error = Some(error);
        }
    }

    /// Returns a callback that writes a checkpoint of the record wherever the final record will be, so that a
    /// crash leaves it behind.
    fn so_far<'k>(
        &'k self,
        lab: &'k Lab,
        folder: Option<&'k Folder>,
        started: SystemTime,
    ) -> Option<Box<Keep<'k>>> {
        let json = self.common.output.json.as_ref().and_then(Destination::file);
        if json.is_none() && folder.is_none() {
            return None;
        }
        Some(Box::new(move |so_far| {
            let record = self.record(lab, so_far, Ended::Unfinished, started);
            let Ok(text) = record::json(&record) else { return };
            let kept = json.iter().map(|file| report::keep_so_far(file, &text));
            // Ignore errors here: a disk that is full now may have room at the end, and the final write reports
            // errors.
            kept.chain(folder.map(|folder| folder.keep_so_far(&text))).for_each(drop);
        }))
    }

    /// The number of samples per variant, if it is fixed: a CPU device takes few, unless its times are wanted.
    fn samples(&self, lab: &Lab) -> Option<usize> {
        let few = self.only_checks_answers(lab.device().kind).then_some(CPU_SAMPLES);
        self.common.effort.samples.map(|n| n as usize).or(few)
    }

    /// Whether the device is a CPU, whose times nobody asked for.
    fn only_checks_answers(&self, kind: Kind) -> bool {
        let Effort { budget, thorough, cpu_times, .. } = &self.common.effort;
        kind == Kind::Cpu && !(*cpu_times || *thorough || budget.is_some())
    }

    fn complain(&self, error: &anyhow::Error) {
        say(&format!("{}: {}", self.sample.name, one_line(error)));
    }

    /// The record of what was measured, with its headline and without further conclusions.
    fn record(&self, lab: &Lab, so_far: SoFar, ended: Ended, started: SystemTime) -> Record {
        let SoFar { method, rows, notes } = so_far;
        let headline = Some(timing::headline(lab, &rows));
        let time = |name: &str| Some(rows.iter().find(|row| row.variant == name)?.isolated_us?.median);
        let [bound, baseline] =
            [&lab.report.bound, &lab.report.baseline].map(|names| fastest(names, time).map(str::to_owned));
        Record {
            schema: SCHEMA,
            tool: host::tool(&self.sample, &lab.shaders),
            sample: self.sample.name.to_owned(),
            command: command(),
            started: humantime::format_rfc3339_seconds(started).to_string(),
            seconds: self.began.elapsed().as_secs_f64(),
            configuration: lab.report.settings.clone(),
            device: lab.gpu.facts.clone(),
            host: host::host(),
            method,
            self_test: self.self_test.get().cloned(),
            kernels: lab.gpu.kernel_facts(),
            notes: lab.report.notes.iter().cloned().chain(notes).collect(),
            bound,
            baseline,
            matrix: lab.report.shown_matrix().cloned(),
            headline,
            verdict: None,
            samples_file: None,
            rows,
            ended,
        }
    }
}

/// Prints the CPU time of each variant for recording and submitting.
fn verbose(rows: &[Row]) {
    for row in rows {
        if let (Some(record), Some(submit)) = (row.record_us, row.submit_us) {
            say(&format!(
                "{}: CPU time to record {:.1} µs, to submit {:.1} µs (medians of {})",
                row.variant, record.median, submit.median, record.n
            ));
        }
    }
}

/// Samples per variant that check the answers of a CPU device.
const CPU_SAMPLES: usize = 3;
/// Repetitions in the long submits of these samples: the second one shows what the first left behind.
const CPU_REPETITIONS: u32 = 2;

/// Printed whenever a CPU device was measured, so that its times are not taken for evidence.
const CPU_NOTE: &str = "CPU device: dispatches never overlap here and a barrier costs next to nothing; the answers \
     are checked, the times say nothing about a GPU.";

/// The same note for a run that counts races.
const CPU_RACES_NOTE: &str = "CPU device: dispatches run one after the other here, so that no race can show and \
     \"none seen\" means nothing; --check runs them in other orders, in which a missing barrier shows.";

fn cpu_note(lab: &Lab) -> &'static str {
    let races = lab.report.shown_matrix().is_some_and(|matrix| matrix.shows == Shows::Races);
    if races { CPU_RACES_NOTE } else { CPU_NOTE }
}

fn code(measured: &Measured) -> u8 {
    if let Some(error) = &measured.error {
        return exit_code(error);
    }
    match code_of(&measured.rows) {
        EXIT_FAILED => EXIT_FAILED,
        _ if measured.ended == Ended::Interrupted => EXIT_INTERRUPTED,
        code => code,
    }
}

/// The exit code that follows from the rows.
fn code_of(rows: &[Row]) -> u8 {
    if rows.iter().any(|row| matches!(row.status, Status::Wrong { .. } | Status::Error { .. })) {
        return EXIT_FAILED;
    }
    let mut own = rows.iter().filter(|row| !is_limit(&row.variant));
    if rows.is_empty() || own.any(|row| !matches!(row.status, Status::Skipped { .. })) {
        EXIT_RIGHT
    } else {
        EXIT_SKIPPED
    }
}

/// The program and its arguments, as the user typed them. Records are sent to others: where the program lies on this
/// machine is left out.
fn command() -> Vec<String> {
    let mut words = as_given(std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()));
    if let Some(program) = words.first_mut() {
        *program = without_folder(program);
    }
    words
}

fn without_folder(program: &str) -> String {
    let path = std::path::Path::new(program);
    let name = path.file_name().filter(|_| path.is_absolute());
    name.map_or_else(|| program.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Removes the arguments that only a parent process adds.
fn as_given(mut words: impl Iterator<Item = String>) -> Vec<String> {
    let mut given = Vec::new();
    while let Some(word) = words.next() {
        if word == "--progress" {
            words.next();
        } else if !word.starts_with("--progress=") {
            given.push(word);
        }
    }
    given
}

/// A seed from the clock, used if the user gives none.
fn clock_seed() -> u64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::from(now.subsec_nanos()) ^ (now.as_secs() << 20)
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_the_user_did_not_give_is_not_recorded() {
        let words = ["./codegen", "--size=64", "--progress", "/tmp/x", "--cold", "--progress=/tmp/x"]
            .map(String::from);
        assert_eq!(super::as_given(words.into_iter()), ["./codegen", "--size=64", "--cold"]);
        let named = ["/home/me/hot-lap/target/release/codegen", "./codegen", "codegen"];
        assert_eq!(named.map(super::without_folder), ["codegen", "./codegen", "codegen"]);
    }
}
