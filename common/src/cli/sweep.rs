//! Sweeps. An argument of a sample that is given a range (`--size 64..4096*2`) or a list (`--radius 1,2,4`) runs
//! the sample once per value. Each run is a process of its own, so that one that hangs or loses the device ends
//! only itself.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, bail, ensure};
use record::Record;
use record::error::{EXIT_INTERRUPTED, EXIT_RIGHT};
use report::arguments::refuse;
use report::terminal::{on_interrupt, print, say, width_of};
use report::{ANSWER_WIDTH, Charset, Destination};
use vulkan::gpu::usable_devices;

use bench::host::Sample;

/// Most runs of a sweep; more are taken for a mistake.
const MOST_POINTS: usize = 256;

/// One run of a sweep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Point {
    /// The values that distinguish this run: `size=64`, `radius=2`.
    values: Vec<(String, String)>,
    /// Arguments of the run, without the program.
    arguments: Vec<String>,
}

impl Point {
    fn name(&self, gap: &str) -> String {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        values.join(gap)
    }
}

/// What a command line asks for.
pub(super) enum Asked {
    /// One run with these arguments.
    Run(Vec<OsString>),
    /// A sweep, which has run and ended with this code.
    Swept(u8),
}

/// Runs the sweep that `arguments` ask for, if they ask for one. `command` tells which arguments accept lists
/// themselves, `own` which belong to the sample.
///
/// # Errors
/// An invalid range, too many runs, or flags that a sweep does not support.
pub(super) fn run(
    sample: &Sample,
    command: &clap::Command,
    own: &[String],
    arguments: Vec<OsString>,
) -> Result<Asked> {
    let Some(texts) = arguments.iter().map(|a| a.to_str()).collect::<Option<Vec<_>>>() else {
        return Ok(Asked::Run(arguments));
    };
    let points = points(command, own, &texts, &every_device)?;
    if let [point] = &points[..] {
        return Ok(Asked::Run(point.arguments.iter().map(Into::into).collect()));
    }
    ensure!(
        !texts.contains(&"--live"),
        "a window shows one run: give each argument one value, and turn it there"
    );
    // Parse all runs first: a mistake in the last one must not cost the time of the others.
    for point in &points {
        let words = std::iter::once(sample.name).chain(point.arguments.iter().map(String::as_str));
        command.clone().try_get_matches_from(words).unwrap_or_else(|error| refuse(sample.name, &error));
    }
    let has = |flag: &str| texts.iter().any(|a| *a == flag || a.starts_with(&format!("{flag}=")));
    for flag in ["--json", "--csv", "--image", "--trace"] {
        ensure!(!has(flag), "a sweep has many records: leave {flag} out and give it a folder with --out");
    }
    let measures = !["--check", "--profile", "--code", "--code-diff", "--list-variants"].into_iter().any(has);
    let output = Output { measures, times: has("--times"), folder: out(&texts) };
    run_points(&points, &output).map(Asked::Swept)
}

/// What a sweep prints and keeps.
struct Output {
    /// Whether its runs leave records.
    measures: bool,
    /// Whether times of a CPU device are shown.
    times: bool,
    /// Where the runs are kept.
    folder: Option<PathBuf>,
}

fn run_points(points: &[Point], output: &Output) -> Result<u8> {
    let Output { measures, times, ref folder } = *output;
    let program = std::env::current_exe().context("finding this program")?;
    let stop = on_interrupt()?;
    let kept = tempfile::tempdir().context("creating a folder for the sweep's records")?;
    let (mut worst, mut records) = (EXIT_RIGHT, Vec::new());
    let sweeps_devices = points.iter().flat_map(|point| &point.values).any(|(name, _)| name == "device");
    for (number, point) in points.iter().enumerate() {
        if stop.load(Ordering::Relaxed) {
            worst = EXIT_INTERRUPTED;
            break;
        }
        say(&format!("{} ({} of {})", point.name(", "), number + 1, points.len()));
        let mut call = Command::new(&program);
        // Each run gets its own part of the folder below.
        call.args(point.arguments.iter().filter(|argument| !argument.starts_with("--out=")));
        if let Some(folder) = folder {
            call.arg("--out").arg(folder.join(point.name("-")));
        }
        let json = kept.path().join(format!("{number}.json"));
        if measures {
            call.arg("--json").arg(&json);
        }
        // The table at the end says it all, unless a run fails.
        let answer = kept.path().join("answer");
        if measures {
            call.stdout(fs::File::create(&answer)?);
        }
        let ended = run_point(call, &kept.path().join("progress")).context("starting a run of the sweep")?;
        let code = ended.code().and_then(|code| u8::try_from(code).ok());
        worst = worst.max(code.unwrap_or(record::error::EXIT_FAILED));
        if measures && code != Some(EXIT_RIGHT) {
            Destination::Stdout.write(fs::read(&answer)?)?;
        }
        if let Ok(record) = record::read_record(&json) {
            records.push((point.name(", "), record));
        } else if measures && number == 0 && !sweeps_devices {
            // The run has printed its error. If it failed before measuring anything, the others would mostly fail
            // in the same way.
            let others = points.len() - 1;
            if others > 0 {
                let is = if others == 1 { "run is" } else { "runs are" };
                say(&format!(
                    "the other {others} {is} not started: correct the first, or leave its value out"
                ));
            }
            break;
        }
    }
    if measures && !records.is_empty() {
        let records: Vec<(String, &Record)> = records.iter().map(|(name, r)| (name.clone(), r)).collect();
        let (charset, room) = (Charset::of_terminal(), width_of(&console::Term::stdout()).min(ANSWER_WIDTH));
        print(&format!("\n{}", report::sweep(charset, room, &records, times)))?;
    }
    Ok(worst)
}

/// Runs one point of the sweep and waits for it. The child's standard input stays open as long as this process
/// lives, so that the child notices when its parent is gone: [`super::follow::end_with_the_parent`].
fn run_point(mut call: Command, progress: &Path) -> std::io::Result<ExitStatus> {
    let mut child = call.arg("--progress").arg(progress).stdin(Stdio::piped()).spawn()?;
    // `wait` closes a standard input that the child still owns.
    let held = child.stdin.take();
    let ended = child.wait();
    drop(held);
    ended
}

/// The `--device` values of all usable devices.
fn every_device() -> Result<Vec<String>> {
    Ok(usable_devices()?.into_iter().map(|device| device.wish).collect())
}

/// The folder given with `--out`, in which each run gets a subfolder.
fn out(arguments: &[&str]) -> Option<PathBuf> {
    let after = arguments.iter().position(|a| *a == "--out").and_then(|at| arguments.get(at + 1).copied());
    after.or_else(|| arguments.iter().find_map(|a| a.strip_prefix("--out="))).map(PathBuf::from)
}

/// All runs that the arguments ask for; the last argument varies fastest.
fn points(
    command: &clap::Command,
    own: &[String],
    arguments: &[&str],
    devices: &dyn Fn() -> Result<Vec<String>>,
) -> Result<Vec<Point>> {
    // For each argument with one value: whether the value may be a list, and whether it may be left out. Arguments
    // with two values cannot be swept; their values are separate words.
    let takes_one = |argument: &&clap::Arg| {
        argument.get_action().takes_values() && argument.get_num_args().is_none_or(|n| n.max_values() == 1)
    };
    let known = command.get_arguments().filter(takes_one).flat_map(|argument| {
        let optional = argument.get_num_args().is_some_and(|n| n.min_values() == 0);
        let names = argument.get_long().into_iter().chain(argument.get_all_aliases().into_iter().flatten());
        names.map(move |name| (name, (argument.get_value_delimiter().is_some(), optional)))
    });
    let known: BTreeMap<&str, (bool, bool)> = known.collect();
    let mut points = vec![Point::default()];
    let mut rest = arguments.iter().copied().peekable();
    while let Some(argument) = rest.next() {
        let (name, value) = match argument.strip_prefix("--").map(|a| a.split_once('=').ok_or(a)) {
            Some(Ok((name, value))) => (name, Some(value)),
            Some(Err(name)) => match known.get(name) {
                Some((_, true)) => (name, rest.next_if(|next| !next.starts_with('-'))),
                Some((_, false)) => (name, rest.next()),
                None => (argument, None),
            },
            None => (argument, None),
        };
        let takes_lists = known.get(name).is_some_and(|(lists, _)| *lists);
        let Some(value) = value else {
            points.iter_mut().for_each(|point| point.arguments.push(argument.to_owned()));
            continue;
        };
        let swept = own.iter().any(|o| o == name);
        let values = match (name, value) {
            ("device", "all") => devices()?,
            _ if swept => values(value, takes_lists)?,
            _ => vec![value.to_owned()],
        };
        let many = values.len() > 1;
        ensure!(
            points.len() * values.len() <= MOST_POINTS,
            "this is a sweep of more than {MOST_POINTS} runs"
        );
        points = points
            .into_iter()
            .flat_map(|point| {
                values.iter().map(move |value| {
                    let mut point = point.clone();
                    point.arguments.push(format!("--{name}={value}"));
                    point.values.extend(many.then(|| (name.to_owned(), value.clone())));
                    point
                })
            })
            .collect();
    }
    Ok(points)
}

/// Expands `64..4096*2`, `1..8`, `0..100+25`, and lists where the argument accepts none itself.
fn values(text: &str, takes_lists: bool) -> Result<Vec<String>> {
    if !takes_lists && text.contains(',') {
        return Ok(text.split(',').map(str::to_owned).collect());
    }
    let Some((from, to)) = text.split_once("..") else { return Ok(vec![text.to_owned()]) };
    // A range of fractions has no step of one; an argument that takes lists of them parses its own ranges.
    if takes_lists && from.contains('.') {
        return Ok(vec![text.to_owned()]);
    }
    let number = |text: &str| {
        let number = text.trim().parse::<u64>();
        number
            .with_context(|| format!("'{text}' is no whole number; a range is 64..4096*2, 1..8 or 0..100+25"))
    };
    let (to, factor, summand) = match (to.split_once('*'), to.split_once('+')) {
        (Some((to, factor)), _) => (number(to)?, number(factor)?, 0),
        (_, Some((to, summand))) => (number(to)?, 1, number(summand)?),
        _ => (number(to)?, 1, 1),
    };
    let mut at = number(from)?;
    let mut values = Vec::new();
    while at <= to {
        values.push(at.to_string());
        match at.checked_mul(factor).and_then(|at| at.checked_add(summand)) {
            Some(next) if next > at && values.len() < MOST_POINTS => at = next,
            Some(next) if next > at => bail!("'{text}' has more than {MOST_POINTS} values"),
            _ => bail!("'{text}' never reaches its end"),
        }
    }
    ensure!(!values.is_empty(), "'{text}' is empty: it begins behind its end");
    // For an argument that takes a list, the whole range is one run.
    Ok(if takes_lists { vec![values.join(",")] } else { values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, ArgAction};

    fn swept(arguments: &[&str]) -> Result<Vec<String>> {
        let command = clap::Command::new("sample")
            .arg(Arg::new("size").long("size"))
            .arg(Arg::new("bands").long("bands").value_delimiter(','))
            .arg(Arg::new("variant").long("variant").value_delimiter(','))
            .arg(Arg::new("device").long("device"))
            .arg(Arg::new("out").long("out"))
            .arg(Arg::new("code").long("code").num_args(0..=1))
            .arg(Arg::new("all").long("all").action(ArgAction::SetTrue));
        let own = ["size", "bands"].map(str::to_owned);
        let devices = || Ok(vec!["0000-01".to_owned(), "1".to_owned()]);
        let points = points(&command, &own, arguments, &devices)?;
        Ok(points.iter().map(|p| format!("{}: {}", p.name(" "), p.arguments.join(" "))).collect())
    }

    #[test]
    fn ranges_and_lists_make_runs() {
        let runs = swept(&["--all", "--size", "64..256*2", "--device=a,b..c"]).unwrap();
        let run = |size: u32| format!("size={size}: --all --size={size} --device=a,b..c");
        assert_eq!(runs, [run(64), run(128), run(256)]);
        assert_eq!(swept(&["--size=7x130,8"]).unwrap(), ["size=7x130: --size=7x130", "size=8: --size=8"]);
        assert_eq!(swept(&["--size", "1..5+2"]).unwrap().len(), 3);
    }

    #[test]
    fn what_is_no_sweep_stays_as_it_was() {
        assert_eq!(swept(&["--bands", "2,4", "--size=64"]).unwrap(), [": --bands=2,4 --size=64"]);
        assert_eq!(swept(&["--variant", "a,b", "-v"]).unwrap(), [": --variant=a,b -v"]);
        assert_eq!(swept(&["--bands", "2..5"]).unwrap(), [": --bands=2,3,4,5"]);
        assert_eq!(swept(&["--bands", "0.5..1"]).unwrap(), [": --bands=0.5..1"]);
        // The flag after an optional value is not taken for that value.
        assert_eq!(swept(&["--code", "--size", "64"]).unwrap(), [": --code --size=64"]);
        assert_eq!(swept(&["--code", "amd:vega10", "--all"]).unwrap(), [": --code=amd:vega10 --all"]);
        assert_eq!(swept(&["--all", "--code"]).unwrap(), [": --all --code"]);
        assert_eq!(swept(&["--size=64", "--out", "x"]).unwrap(), [": --size=64 --out=x"]);
    }

    #[test]
    fn every_device_has_its_turn() {
        let runs = swept(&["--device", "all", "--size=64"]).unwrap();
        assert_eq!(runs, ["device=0000-01: --device=0000-01 --size=64", "device=1: --device=1 --size=64"]);
        assert_eq!(swept(&["--device=all", "--size", "1,2"]).unwrap().len(), 4);
    }

    #[test]
    fn two_sweeps_multiply() {
        let command = ["--size", "1,2", "--size", "3,4"];
        assert_eq!(swept(&command).unwrap().len(), 4);
    }

    #[test]
    fn a_range_that_is_none_is_refused() {
        for (range, says) in [
            ("a..b", "no whole number"),
            ("8..1", "begins behind its end"),
            ("1..9*1", "never reaches"),
            ("0..9*2", "never reaches"),
            ("1..9999", "more than 256"),
            ("1..9+0", "never reaches"),
        ] {
            let error = format!("{:#}", swept(&["--size", range]).unwrap_err());
            assert!(error.contains(says), "{range}: {error}");
        }
    }
}
