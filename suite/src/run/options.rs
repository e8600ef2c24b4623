//! The command line of `suite run`, and the part of it that is passed to the samples.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use report::arguments::seconds;
use serde::{Deserialize, Serialize};

/// The value of `--device` for all devices.
pub(super) const ALL: &str = "all";

/// Default time limit of a sample in seconds, in addition to its budget.
const TIME_LIMIT_S: f64 = 300.0;

/// Measure all samples, or some, and keep their records
///
/// It ends with a line per sample on what was found of the claim that the sample tests, and writes the pictures and
/// tables of all records to report.html in the folder.
///
/// Each sample runs in a process of its own with a time limit: one that crashes, hangs or loses the device is
/// a row of the table and ends nothing but itself. What dies with a variant under way is measured again
/// without that variant. Exit code: 0 all right, 1 nothing could run, 2 a result was wrong or a sample failed,
/// 3 one hung, 130 stopped by Ctrl-C.
#[derive(Args, Clone, Debug, Default)]
#[command(after_help = "\
Examples:
  suite run                        all samples, into results/DATE-DEVICE
  suite run bloom lds_blur         two of them
  suite run --trace                the waves of all samples, not of one
  suite run --resume               go on where a run was interrupted")]
pub struct Run {
    /// Samples to measure [default: all]
    #[arg(value_name = "SAMPLE")]
    pub(super) names: Vec<String>,
    /// Device to measure on: index in the list of --list-devices, part of its name, or UUID; "all" measures on
    /// every device of this machine that can be used, one after the other
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<String>,
    /// Folder for the records [default: results/DATE-DEVICE]; with --device all, one below it for each device
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Go on with the run in the folder: measure what is missing there, failed or was interrupted, as it was
    /// asked for then
    #[arg(long, conflicts_with_all = ["names", "seed", "trace", "budget", "pairs", "thorough", "cold", "anchors"])]
    pub(super) resume: bool,
    /// Seconds that a sample may take [default: 300 more than its --budget]; with --resume, those that are
    /// measured from then on
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number_of_seconds)]
    time_limit: Option<f64>,
    /// Seed of the order in which variants are sampled [default: from the clock, recorded]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Let waves note when and where they ran, and draw that to waves.svg, on devices that can; always done for
    /// pipelined_events
    #[arg(long)]
    trace: bool,
    /// For each sample: seconds for all its variants together
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true, value_parser = number_of_seconds)]
    budget: Option<f64>,
    /// For each sample: take exactly N samples of each variant instead of stopping by noise
    #[arg(long = "samples", value_name = "N", conflicts_with = "thorough", value_parser = clap::value_parser!(u32).range(1..))]
    pairs: Option<u32>,
    /// For each sample: measure each variant for longer
    #[arg(long)]
    thorough: bool,
    /// For each sample: empty the device's caches before each sample of a variant
    #[arg(long, conflicts_with = "anchors")]
    cold: bool,
    /// Build the programs of anchors/cuda with nvcc, and measure CUDA beside the samples that take them, on NVIDIA
    /// devices
    #[arg(long)]
    pub(super) anchors: bool,
}

fn number_of_seconds(text: &str) -> Result<f64, String> {
    seconds(text).map(|seconds| seconds.as_secs_f64())
}

/// The settings that all samples of a run share. They are recorded, so that a resumed run continues with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// The seed for each sample.
    pub(super) seed: u64,
    /// Time limit per sample in seconds.
    pub(super) time_limit_s: f64,
    /// Whether to trace waves on devices that support it.
    pub(super) trace: bool,
    /// Whether programs of other APIs run beside samples.
    #[serde(default)]
    pub(super) anchors: bool,
    budget_s: Option<f64>,
    samples: Option<u32>,
    thorough: bool,
    cold: bool,
}

impl Run {
    /// A run of all samples on this device; `None` for the best one.
    pub(super) fn of_all(device: Option<String>) -> Self {
        Self { device, ..Self::default() }
    }

    /// Whether all devices are requested.
    pub(super) fn on_all_devices(&self) -> bool {
        self.device.as_deref() == Some(ALL)
    }

    /// Changes the settings that may differ in a resumed run. A sample that exceeded its time limit needs more time.
    pub(super) fn change(&self, settings: &mut Settings) {
        settings.time_limit_s = self.time_limit.unwrap_or(settings.time_limit_s);
    }

    /// The requested settings; `seed` is the default.
    pub(super) fn settings(&self, seed: u64) -> Settings {
        Settings {
            seed: self.seed.unwrap_or(seed),
            time_limit_s: self.time_limit.unwrap_or(TIME_LIMIT_S + self.budget.unwrap_or(0.0)),
            trace: self.trace,
            anchors: self.anchors,
            budget_s: self.budget,
            samples: self.pairs,
            thorough: self.thorough,
            cold: self.cold,
        }
    }
}

impl Settings {
    #[cfg(test)]
    pub(super) fn of_a_test(trace: bool) -> Self {
        let (budget_s, samples) = (None, None);
        let [anchors, thorough, cold] = [false; 3];
        Self { seed: 7, time_limit_s: 9.0, trace, anchors, budget_s, samples, thorough, cold }
    }

    pub(super) fn time_limit(&self) -> Duration {
        Duration::from_secs_f64(self.time_limit_s)
    }

    /// The arguments that each sample gets.
    pub(super) fn arguments(&self) -> Vec<String> {
        let mut arguments = vec![format!("--seed={}", self.seed)];
        arguments.extend(self.budget_s.map(|budget| format!("--budget={budget}")));
        arguments.extend(self.samples.map(|samples| format!("--samples={samples}")));
        let flags = [(self.thorough, "--thorough"), (self.cold, "--cold")];
        arguments.extend(flags.iter().filter(|(on, _)| *on).map(|(_, flag)| (*flag).to_owned()));
        arguments
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        run: Run,
    }

    fn run(words: &str) -> Result<Run, clap::Error> {
        Cli::try_parse_from(["suite"].into_iter().chain(words.split_whitespace())).map(|cli| cli.run)
    }

    #[test]
    fn the_help_of_run() {
        use clap::CommandFactory;
        insta::assert_snapshot!(Cli::command().name("suite run").term_width(100).render_long_help());
    }

    #[test]
    fn samples_are_given_what_was_asked_for() {
        let given = |words| run(words).unwrap().settings(7).arguments().join(" ");
        assert_eq!(given(""), "--seed=7");
        assert_eq!(
            given("lds_blur --seed 3 --budget 0.25 --samples 4 --cold --trace"),
            "--seed=3 --budget=0.25 --samples=4 --cold"
        );
        assert_eq!(given("--thorough"), "--seed=7 --thorough");
    }

    #[test]
    fn a_long_budget_is_within_the_limit() {
        let limit = |words| run(words).unwrap().settings(0).time_limit_s;
        assert_eq!(limit(""), 300.0);
        assert_eq!(limit("--budget 600"), 900.0);
        assert_eq!(limit("--budget 600 --time-limit 20"), 20.0);
    }

    #[test]
    fn a_resumed_run_takes_no_settings_but_more_time() {
        assert!(run("--resume --out x --device 0").is_ok());
        let mut settings = Settings::of_a_test(false);
        run("--resume --time-limit 60").unwrap().change(&mut settings);
        assert_eq!(settings, Settings { time_limit_s: 60.0, ..Settings::of_a_test(false) });
        run("--resume").unwrap().change(&mut settings);
        assert_eq!(settings.time_limit_s, 60.0);
        for words in ["lds_blur", "--seed 1", "--trace", "--budget 1", "--samples 1", "--cold", "--anchors"] {
            assert!(run(&format!("--resume {words}")).is_err(), "{words}");
        }
    }
}
