//! The command-line arguments that all samples share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bench::host::Sample;
use bench::mutate::Break;
use clap::{ArgAction, ArgGroup, Args, FromArgMatches, Parser};
use isa::Target;
use report::arguments::{Printed, refuse, seconds};
use report::{Destination, Theme};
use vulkan::gpu::QueueKind;
use vulkan::values::Extent;

use super::help::command;
use super::trace::TraceFile;

/// A sample without arguments of its own.
#[derive(Args, Clone, Debug)]
pub struct NoArgs {}

/// What every sample takes, in the groups of its help.
#[derive(Args, Clone, Debug)]
#[command(group(ArgGroup::new("times").multiple(true)), group(ArgGroup::new("mode")))]
pub(super) struct Common {
    #[command(flatten, next_help_heading = "What to do")]
    pub(super) mode: Mode,
    #[command(flatten, next_help_heading = "Which variants")]
    pub(super) which: Which,
    #[command(flatten, next_help_heading = "Output")]
    pub(super) output: Output,
    #[command(flatten, next_help_heading = EFFORT)]
    pub(super) effort: Effort,
    #[command(flatten, next_help_heading = PLACE)]
    pub(super) place: Place,
    #[command(flatten, next_help_heading = WINDOW)]
    pub(super) window: Window,
    #[command(flatten, next_help_heading = "Help")]
    pub(super) help: Help,
}

/// Heading of [`Effort`].
const EFFORT: &str = "How long to measure";
/// Heading of [`Place`].
const PLACE: &str = "Where to measure";
/// Heading of [`Window`].
const WINDOW: &str = "The window of --live";
/// Groups that only `--help` lists.
pub(super) const IN_LONG_HELP: [&str; 3] = [EFFORT, PLACE, WINDOW];

/// What to do with the sample.
#[derive(Args, Clone, Debug)]
pub(super) struct Mode {
    /// Measure (the default)
    #[arg(long, group = "mode", hide_short_help = true)]
    pub(super) bench: bool,
    /// Run each variant under the validation layer, without times
    ///
    /// Core and synchronization validation are on. Each message that the sample does not list with a
    /// reason fails the check, and so does a listed one that no longer comes. Dispatches also run one at a
    /// time in other orders that the recorded dependencies allow: a missing barrier then gives a wrong result.
    #[arg(long, conflicts_with_all = ["bench", "profile", "code", "code_diff", "print_kernel", "self_test", "list_variants", "times", "cold", "json", "out"])]
    pub(super) check: bool,
    /// Measure in a window, with a knob per argument
    ///
    /// Variants are measured as without it, between the frames. A shader that is saved is built at once,
    /// inside a checkout, where shaderc is built in or glslc is on the PATH. With --check the validation
    /// layer listens. The ? key lists all keys.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "matrix"])]
    pub(super) live: bool,
    /// Print registers, spills and code size of the kernels
    ///
    /// No variant is run. Without a value the driver of the device in use is asked. For AMD chips that are not
    /// here (amd:polaris10,vega10,navi21) Mesa's RADV compiles, with a device without hardware, in a process
    /// for each chip; chips have the names that Mesa gives them. The kernels are those that the sample chooses
    /// for the device that it would run on.
    #[arg(long, group = "mode", value_name = "CHIPS", conflicts_with_all = ["times", "cold", "out"])]
    pub(super) code: Option<Option<Target>>,
    /// Compare the machine code of two variants or two files
    ///
    /// Variants are compiled for the chips of --code; without it by NVIDIA's driver if that is in use, or else
    /// for amd:vega10. Their kernels are compared in the order in which they are dispatched first. Files are
    /// text as llvm-objdump -d, --save-temps, nvdisasm or cuobjdump -sass write it; no device is opened for
    /// them. The comparison also tells where one of the two begins to take more registers.
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["bench", "profile", "live", "self_test", "list_variants", "times", "cold", "out", "matrix", "variants", "all"])]
    pub(super) code_diff: Option<Vec<String>>,
    /// Print the GLSL of the kernels, generated ones too
    ///
    /// No variant is run. Includes are printed as their lines stand.
    #[arg(long, group = "mode", hide_short_help = true, conflicts_with_all = ["times", "cold", "json", "out", "matrix"])]
    pub(super) print_kernel: bool,
    /// Run each variant once, to capture in RGP or Nsight
    ///
    /// Each variant is recorded without timestamps and submitted alone, N repetitions of it with
    /// --repetitions N [default here: 1], between labels on the queue that tell a capture tool where it
    /// begins and ends. Its result is compared as with --check, without the validation layer.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "json", "out", "matrix"])]
    pub(super) profile: bool,
    /// Test whether times of this device can be trusted
    ///
    /// The same kernel twice must come out SAME and 2 % more work SLOWER. A run that measures does the same
    /// first.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "out", "matrix", "no_self_test"])]
    pub(super) self_test: bool,
    /// List the variants, with --all every one
    ///
    /// None is run.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "json", "out", "matrix", "variants", "without"])]
    pub(super) list_variants: bool,
    /// List the Vulkan devices of this machine, best first
    #[arg(long, group = "mode")]
    pub(super) list_devices: bool,
    /// Print as JSON what the suite asks of a sample: its build, its arguments, and the devices that it can use
    #[arg(long, hide = true)]
    pub(super) about: bool,
    /// Break every dependency of one kind, which the check must then report
    #[arg(long = "break", value_enum, hide = true)]
    pub(super) broken: Option<Break>,
}

/// Which variants take part.
#[derive(Args, Clone, Debug)]
pub(super) struct Which {
    /// Only these: ids or patterns, comma-separated ('events_*')
    ///
    /// The two variants that ratios are counted from run too.
    #[arg(long, alias = "variant", value_name = "ID", value_delimiter = ',')]
    pub(super) variants: Vec<String>,
    /// All but these: ids or patterns, comma-separated
    #[arg(long, value_name = "ID", value_delimiter = ',', conflicts_with = "code_diff")]
    pub(super) without: Vec<String>,
    /// Also those that do not run by default
    #[arg(long, conflicts_with = "variants")]
    pub(super) all: bool,
    /// All that have a place in the sample's cross tables, and all that the sample concludes
    #[arg(long, conflicts_with_all = ["variants", "all", "check"])]
    pub(super) matrix: bool,
}

/// What is printed and written.
#[derive(Args, Clone, Debug)]
pub(super) struct Output {
    /// Draw when each wave ran: .svg, .png, .json (Perfetto), .gz (suite replay)
    ///
    /// Each variant runs a few times more, with kernels that read a clock at their begin and end; all other
    /// figures come from kernels without. Four variants are drawn, those that the sample is about first. May be
    /// given more than once.
    #[arg(long, group = "times", value_name = "FILE")]
    pub(super) trace: Vec<TraceFile>,
    /// With --trace: for a web page, 880 pixels wide, waves on one axis alone
    #[arg(long, requires = "trace", hide_short_help = true)]
    pub(super) compact: bool,
    /// Write the record to FILE, or print it with -
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<Destination>,
    /// Write all results into the new folder DIR
    ///
    /// Record, samples, table, and a README with the exact command.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print every column, note and conclusion
    ///
    /// Also what each variant cost the CPU.
    #[arg(short, long)]
    pub(super) verbose: bool,
    /// Write the raw samples as CSV to FILE, or to the standard output with -
    #[arg(long, group = "times", value_name = "FILE", hide_short_help = true)]
    pub(super) csv: Option<Destination>,
    /// Write a picture to FILE, as PNG: the result, or where pixels differed from the CPU reference
    #[arg(long, group = "times", value_name = "FILE", hide_short_help = true)]
    pub(super) image: Option<Destination>,
    /// Colours of timelines and windows
    #[arg(long, value_enum, value_name = "THEME", default_value_t = Theme::Auto, hide_short_help = true)]
    pub(super) theme: Theme,
    /// Keep a line in FILE that tells which variant is sampled; end when the standard input is closed
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) progress: Option<PathBuf>,
}

/// How many samples are taken, and how.
#[derive(Args, Clone, Debug)]
pub(super) struct Effort {
    /// Measure and print times on a CPU device too, where only results are checked by default
    #[arg(long = "times")]
    pub(super) cpu_times: bool,
    /// Take ten times as long: half a second of GPU time per variant, as nvbench does, and a budget to match
    #[arg(long, group = "times", conflicts_with = "samples")]
    pub(super) thorough: bool,
    /// Take exactly N samples of each variant instead of stopping by noise
    #[arg(long, group = "times", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) samples: Option<u32>,
    /// Seconds for all variants together [default: 5, on a CPU device 15; up to twice that until each
    /// has 20 samples]
    #[arg(long, group = "times", value_name = "SECONDS", value_parser = seconds)]
    pub(super) budget: Option<Duration>,
    /// Repetitions in the long submit that the back-to-back time comes from; 1 takes none [default: 8,
    /// on a CPU device 4, fewer where memory is short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) repetitions: Option<u32>,
    /// Empty the caches before each sample: fill one large buffer, then read another
    #[arg(long)]
    pub(super) cold: bool,
    /// Seed of the order in which variants are sampled [default: from the clock, recorded]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Leave out the self-test that comes before times are taken; the record says so
    #[arg(long)]
    pub(super) no_self_test: bool,
}

/// The device and the queue.
#[derive(Args, Clone, Debug)]
pub(super) struct Place {
    /// Device to run on: index in the list, part of its name, UUID, or all of them in turn
    ///
    /// The default is the first that can be used, discrete before integrated before virtual before
    /// CPU.
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<String>,
    /// Kind of queue to work on [default: graphics where there is one]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) queue: Option<QueueKind>,
    /// Seconds that one submit may take before the device counts as hung [default: 10, on a CPU
    /// device 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<Duration>,
}

/// What only a window knows.
#[derive(Args, Clone, Debug)]
pub(super) struct Window {
    /// Show one variant after another, until somebody touches a key
    #[arg(long, requires = "live")]
    pub(super) demo: bool,
    /// Size in logical pixels, each 2x2 on a screen of scale 2 [default: 1280x720]
    #[arg(long, value_name = "WxH", requires = "live", value_parser = window)]
    pub(super) window: Option<Extent>,
    /// Press these keys once it runs, as in p,t,a or Down,Down
    #[arg(long, value_name = "KEY", requires = "live", value_delimiter = ',')]
    pub(super) press: Vec<String>,
    /// End after so many frames
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) frames: Option<u64>,
    /// Write what it shows at the end to FILE, as PNG
    #[arg(long, value_name = "FILE", requires = "live", requires = "frames")]
    pub(super) screenshot: Option<Destination>,
    /// Draw into memory in place of a window, for machines without a display
    #[arg(long, requires = "live", requires = "frames")]
    pub(super) headless: bool,
    /// Follow the steps of a talk in FILE; Page Down goes on
    #[arg(long, value_name = "FILE", requires = "live", conflicts_with_all = ["demo", "json", "variants"])]
    pub(super) script: Option<PathBuf>,
    /// The step of --script to begin with, counted from 1
    #[arg(long, value_name = "N", requires = "script", hide = true)]
    pub(super) step: Option<usize>,
    /// Show a record in place of measuring; suite replay starts this
    #[arg(long, value_name = "FILE", requires = "live", conflicts_with = "json", hide = true)]
    pub(super) replay: Option<PathBuf>,
    /// Begin in presenter size
    #[arg(long, requires = "live", hide = true)]
    pub(super) presenter: bool,
    /// Begin with the full screen
    #[arg(long, requires = "live", hide = true)]
    pub(super) full_screen: bool,
    /// Where the window opens, in pixels
    #[arg(long, value_name = "X,Y", requires = "live", hide = true, value_parser = place)]
    pub(super) at: Option<[i32; 2]>,
}

/// What tells about the program.
#[derive(Args, Clone, Debug)]
pub(super) struct Help {
    /// Print help, with -h the summary
    #[arg(short, long, action = ArgAction::Help, hide_short_help = true)]
    help: Option<bool>,
    /// Print version and commit
    #[arg(short = 'V', long, action = ArgAction::Version, hide_short_help = true)]
    version: Option<bool>,
    #[command(flatten)]
    pub(super) printed: Printed,
}

#[derive(Parser)]
#[command(allow_negative_numbers = true, disable_help_flag = true, disable_version_flag = true)]
pub(super) struct Cli<A: Args> {
    #[command(flatten, next_help_heading = "This sample")]
    pub(super) sample: A,
    #[command(flatten)]
    pub(super) common: Common,
}

/// Parses the size of a window.
fn window(text: &str) -> Result<Extent, String> {
    let size: Extent = text.parse()?;
    let fits = size.sides().iter().all(|side| (64..=16384).contains(side));
    if fits { Ok(size) } else { Err(format!("'{text}' is no size of a window: 64 to 16384 pixels a side")) }
}

/// Parses the position of a window.
fn place(text: &str) -> Result<[i32; 2], String> {
    let sides = text.split_once(',').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
    sides.ok_or_else(|| format!("'{text}' is no place of a window: X,Y in pixels"))
}

/// Names of the sample's own arguments.
pub(super) fn own<A: Args>() -> Vec<String> {
    let command = A::augment_args(clap::Command::new("own"));
    command.get_arguments().filter_map(|argument| argument.get_long().map(str::to_owned)).collect()
}

/// Parses the command line; ends the process if that fails.
pub(super) fn parse<A: Args>(sample: &Sample, arguments: Vec<OsString>) -> Cli<A> {
    let arguments = std::iter::once(sample.name.into()).chain(arguments);
    let parsed = command::<A>(sample)
        .try_get_matches_from(arguments)
        .and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| refuse(sample.name, &error))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn code_takes_a_value_or_none() {
        let code = |words: &str| {
            let command = Cli::<NoArgs>::command().version("0");
            let matches = command.try_get_matches_from(["sample"].into_iter().chain(words.split(' ')));
            let cli = matches.and_then(|matches| Cli::<NoArgs>::from_arg_matches(&matches));
            cli.map(|cli| (cli.common.mode.code, cli.common.output.verbose))
                .map_err(|error| error.to_string())
        };
        let vega = Some(Some(Target { chips: vec!["VEGA10".into()] }));
        assert_eq!(code("--code"), Ok((Some(None), false)));
        assert_eq!(code("--code --verbose"), Ok((Some(None), true)));
        assert_eq!(code("--code amd:vega10 -v"), Ok((vega.clone(), true)));
        assert_eq!(code("--code=amd:vega10"), Ok((vega, false)));
        assert_eq!(code("--verbose"), Ok((None, true)));
        assert!(code("--code vega10").unwrap_err().contains("names no vendor"));
        assert!(code("--code --check").is_err());
    }
}
