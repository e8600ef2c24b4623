//! The command-line arguments that all samples share.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use bench::host::Sample;
use bench::mutate::Break;
use clap::{ArgGroup, Args, CommandFactory, FromArgMatches, Parser};
use isa::Target;
use report::arguments::{refuse, seconds};
use report::{Destination, Theme};
use vulkan::gpu::QueueKind;
use vulkan::values::Extent;

use super::trace::TraceFile;

/// A sample without arguments of its own.
#[derive(Args, Clone, Debug)]
pub struct NoArgs {}

/// What every sample takes.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Common to all samples")]
#[command(group(ArgGroup::new("times").multiple(true)), group(ArgGroup::new("mode")))]
pub(super) struct Common {
    /// Measure (the default)
    #[arg(long, group = "mode")]
    pub(super) bench: bool,
    /// Run each variant under the validation layer and compare its output, without measuring
    ///
    /// Core and synchronization validation are on. Each message that the sample does not list with a
    /// reason fails the check, and so does a listed one that no longer comes.
    #[arg(long, conflicts_with_all = ["bench", "profile", "code", "code_diff", "self_test", "list_variants", "times", "cold", "json", "out"])]
    pub(super) check: bool,
    /// Show each variant to a capture tool (RGP, Nsight, RenderDoc) once, and say how to capture it
    ///
    /// Each variant is recorded without timestamps and submitted alone, N repetitions of it with
    /// --repetitions N [default here: 1], between labels on the queue that tell a capture tool where it
    /// begins and ends. Its result is compared as with --check, without the validation layer.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "json", "out", "matrix"])]
    pub(super) profile: bool,
    /// Print what the device's compiler made of each variant's kernels (registers, spills, shared memory,
    /// code), or compile them for AMD chips that are not here, as in amd:polaris10,vega10,navi21
    ///
    /// No variant is run. Without a value the driver of the device in use is asked. For other chips Mesa's
    /// RADV compiles, with a device without hardware, in a process for each chip; chips have the names that
    /// Mesa gives them. The kernels are those that the sample chooses for the device that it would run on.
    #[arg(long, group = "mode", value_name = "VENDOR:CHIPS", conflicts_with_all = ["times", "cold", "out"])]
    pub(super) code: Option<Option<Target>>,
    /// Compare the machine code of two variants, or of two files that hold some, and say where one of
    /// them begins to take more registers
    ///
    /// Variants are compiled for the chips of --code, without it for amd:vega10, and their kernels
    /// compared in the order in which they are dispatched first. Files are text as llvm-objdump -d or
    /// --save-temps write it; no device is opened for them.
    #[arg(long, value_names = ["A", "B"], num_args = 2, conflicts_with_all = ["bench", "profile", "live", "self_test", "list_variants", "times", "cold", "out", "matrix", "variant", "all"])]
    pub(super) code_diff: Option<Vec<String>>,
    /// Show the sample in a window: its picture, its figures, its waves, and a knob for each of its arguments
    ///
    /// Variants are measured as with --bench, between the frames. A shader that is saved is built at once,
    /// inside a checkout, where shaderc is built in or glslc is on the PATH. With --check the validation layer listens. The ? key lists all keys.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "matrix"])]
    pub(super) live: bool,
    /// With --live: draw into no window but into memory, for machines without a display
    #[arg(long, requires = "live", requires = "frames")]
    pub(super) headless: bool,
    /// With --live: end after so many frames
    #[arg(long, value_name = "N", requires = "live", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) frames: Option<u64>,
    /// With --live: write what the window shows at the end to FILE, as PNG
    #[arg(long, value_name = "FILE", requires = "live", requires = "frames")]
    pub(super) screenshot: Option<Destination>,
    /// With --live: press these keys once it runs, as in p,t,a or Down,Down
    #[arg(long, value_name = "KEY", requires = "live", value_delimiter = ',')]
    pub(super) press: Vec<String>,
    /// With --live: the size of the window in pixels [default: 1280x720]
    #[arg(long, value_name = "WxH", requires = "live", value_parser = window)]
    pub(super) window: Option<Extent>,
    /// With --live: show one variant after another, until somebody touches a key
    #[arg(long, requires = "live")]
    pub(super) demo: bool,
    /// Break every dependency of one kind, which the check must then report
    #[arg(long = "break", value_enum, hide = true)]
    pub(super) broken: Option<Break>,
    /// Test whether times of this device are to be trusted, print the certificate, and end
    ///
    /// The same kernel twice must come out SAME and 2 % more work SLOWER. A run that measures does the same first.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "out", "matrix", "no_self_test"])]
    pub(super) self_test: bool,
    /// Print the devices of this machine, best first, and end
    #[arg(long, group = "mode")]
    pub(super) list_devices: bool,
    /// Print as JSON what the suite asks of a sample: its build, its arguments, and the devices that it can use
    #[arg(long, hide = true)]
    pub(super) about: bool,
    /// Print every variant with a sentence on what it shows, then the sample's source, and end
    ///
    /// All variants are declared, as with --all, and none is run.
    #[arg(long, group = "mode", conflicts_with_all = ["times", "cold", "json", "out", "matrix", "variant", "without", "all"])]
    pub(super) list_variants: bool,
    /// Device to run on: index in the list, part of its name, UUID, or all of them in turn
    ///
    /// The default is the first that can be used, discrete before integrated before virtual before
    /// CPU.
    #[arg(long, value_name = "DEVICE")]
    pub(super) device: Option<String>,
    /// Kind of queue to work on [default: graphics where there is one]
    #[arg(long, value_enum, value_name = "KIND")]
    pub(super) queue: Option<QueueKind>,
    /// Run only these variants (names or patterns such as 'events_*', comma-separated), beside the
    /// two that ratios need
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(super) variant: Vec<String>,
    /// Leave these variants out (names or patterns, comma-separated)
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "code_diff")]
    pub(super) without: Vec<String>,
    /// Run every variant, those too that are left out by default
    #[arg(long, conflicts_with = "variant")]
    pub(super) all: bool,
    /// Show the variants as cross tables, all that have a place there, with a verdict in words
    #[arg(long, conflicts_with_all = ["variant", "all", "check"])]
    pub(super) matrix: bool,
    /// Take exactly N samples of each variant instead of stopping by noise
    #[arg(long, group = "times", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) samples: Option<u32>,
    /// Take ten times as long: half a second of GPU time a variant, as nvbench does, and a budget to match
    #[arg(long, group = "times", conflicts_with = "samples")]
    pub(super) thorough: bool,
    /// Empty the caches before each sample: fill one large buffer, then read another
    #[arg(long)]
    pub(super) cold: bool,
    /// Measure and print times on a CPU device too, where only answers are checked by default
    #[arg(long = "times")]
    pub(super) cpu_times: bool,
    /// Seconds for all variants together [default: 8, on a CPU device 15; more for more than 20
    /// variants]
    #[arg(long, group = "times", value_name = "SECONDS", value_parser = seconds)]
    pub(super) budget: Option<Duration>,
    /// Repetitions in the long submit that the pipelined time comes from; 1 takes none [default: 8,
    /// on a CPU device 4, fewer where memory is short]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(super) repetitions: Option<u32>,
    /// Seed of the order in which variants are sampled [default: from the clock, recorded]
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Seconds that one submit may take before the device counts as hung [default: 10, on a CPU
    /// device 60]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<Duration>,
    /// Write the record as JSON to FILE, or to standard output with -
    #[arg(long, value_name = "FILE")]
    pub(super) json: Option<Destination>,
    /// Write the raw samples as CSV to FILE, or to standard output with -
    #[arg(long, group = "times", value_name = "FILE")]
    pub(super) csv: Option<Destination>,
    /// Write a picture to FILE, as PNG: the result, or where texels differed from the CPU reference
    #[arg(long, group = "times", value_name = "FILE")]
    pub(super) image: Option<Destination>,
    /// Let each wave note when and where it ran, and draw that to FILE: .svg, .png, or .json for Perfetto
    ///
    /// Each variant runs a few times more, with kernels that read a clock at their begin and end; all other
    /// figures come from kernels without. Of many variants the first four are drawn. May be given more than
    /// once.
    #[arg(long, group = "times", value_name = "FILE")]
    pub(super) trace: Vec<TraceFile>,
    /// Paper that timelines and windows are drawn on
    #[arg(long, value_enum, value_name = "THEME", default_value_t = Theme::Auto)]
    pub(super) theme: Theme,
    /// Write record, samples, table and a README with the exact command into the new folder DIR
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Keep a line in FILE that tells which variant is sampled; end when the standard input is closed
    #[arg(long, value_name = "FILE", hide = true)]
    pub(super) progress: Option<PathBuf>,
    /// Leave the self-test out that comes before times are taken; the record says so
    #[arg(long)]
    pub(super) no_self_test: bool,
    /// Print every column, note and conclusion, and what each variant cost the CPU
    #[arg(short, long)]
    pub(super) verbose: bool,
}

#[derive(Parser)]
#[command(allow_negative_numbers = true)]
pub(super) struct Cli<A: Args> {
    #[command(flatten)]
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

/// The first word of a command line may name a mode; each mode also has a flag.
const MODES: [(&str, &str); 9] = [
    ("bench", "--bench"),
    ("check", "--check"),
    ("profile", "--profile"),
    ("code", "--code"),
    ("diff", "--code-diff"),
    ("live", "--live"),
    ("list", "--list-variants"),
    ("devices", "--list-devices"),
    ("self-test", "--self-test"),
];

/// Replaces a mode's name as first argument by its flag.
pub(super) fn with_mode_as_flag(mut given: Vec<OsString>) -> Vec<OsString> {
    if let Some(first) = given.first_mut()
        && let Some((_, flag)) = MODES.iter().find(|(word, _)| first == word)
    {
        *first = flag.into();
    }
    given
}

/// The command line of a sample, with the sample's description above its arguments.
pub(super) fn command<A: Args>(sample: &Sample) -> clap::Command {
    let own = A::augment_args(clap::Command::new("own"));
    let about = own.get_about().cloned();
    Cli::<A>::command()
        .name(sample.name)
        .version(env!("CARGO_PKG_VERSION"))
        .about(about.unwrap_or_else(|| "A sample of Hot Lap: GPU pipelining on trial".into()))
        .override_usage(format!(
            "{} [bench | check | profile | code [TARGET] | diff A B | live | list | devices | self-test] [OPTIONS]",
            sample.name
        ))
        .after_help(
            "An argument of the sample may be given a range (--size 64..4096*2, 1..8, 0..100+25) or, where it takes \
             one value, a list: the sample then runs once for each value, and a table sets the runs side by side.",
        )
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
    use super::*;

    #[test]
    fn the_flags_that_all_samples_share() {
        let help = Cli::<NoArgs>::command().name("sample").term_width(100).render_long_help().to_string();
        insta::assert_snapshot!(help);
    }

    #[test]
    fn a_mode_is_a_word_or_a_flag() {
        for (word, flag) in MODES {
            let given = |first: &str| vec![first.into(), "--size".into()];
            assert_eq!(with_mode_as_flag(given(word)), given(flag));
            let cli = Cli::<NoArgs>::command().try_get_matches_from(["sample", flag, "--about"]);
            assert!(cli.is_ok() || ["--code-diff"].contains(&flag), "{flag}: {cli:?}");
        }
        assert_eq!(with_mode_as_flag(vec!["--size".into(), "check".into()]), ["--size", "check"]);
    }

    #[test]
    fn code_takes_a_value_or_none() {
        let code = |words: &str| {
            let cli = Cli::<NoArgs>::try_parse_from(["sample"].into_iter().chain(words.split(' ')));
            cli.map(|cli| (cli.common.code, cli.common.verbose)).map_err(|error| error.to_string())
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
