//! A call of a sample's binary.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result};
use record::Record;
use record::error::{EXIT_FAILED, EXIT_RIGHT};

use super::{Ended, Running};

/// Where the samples' sources lie.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/bin")
}

/// The main file of a sample.
pub fn source(sample: &str) -> PathBuf {
    sources().join(sample).join("main.rs")
}

/// Names of all samples, in the order of the alphabet.
pub fn samples() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(sources()).context("listing samples/src/bin")? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// The help has a line for a flag; that some other line names it does not count.
pub fn lists(help: &str, flag: &str) -> bool {
    let mut heads = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    heads.any(|line| line.split([' ', ',', '[']).any(|word| word == flag))
}

/// Whether a sample with this help takes all of the flags.
pub fn takes(help: &str, words: &str) -> bool {
    words.split(' ').filter(|word| word.starts_with("--")).all(|flag| lists(help, flag))
}

/// Arguments that make a sample quick: this size, or what it has in its place.
pub fn quick(sample: &str, size: &str) -> Result<String> {
    let help = Call::new(sample)?.words("--help").right()?.stdout;
    let size = format!("--size {size}");
    let all = [&size, "--generators 70 --invocations 130", "--islands 2 --particles 333 --iterations 2", ""];
    Ok(all.into_iter().find(|words| takes(&help, words)).unwrap_or_default().to_owned())
}

/// A command line with its environment.
#[derive(Debug)]
pub struct Call(Command);

impl Call {
    /// The sample on the device that tests run on, which is the CPU's unless the user names another.
    pub fn new(sample: &str) -> Result<Self> {
        Ok(Self::on_any_device(&Self::binary(sample)?).on_test_device())
    }

    /// A binary, without any argument.
    pub fn on_any_device(binary: &Path) -> Self {
        let mut command = Command::new(binary);
        // Tests shall neither profit from the user's cache nor fill it.
        command.env("HOTLAP_CACHE_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("shader-cache"));
        // It takes a twentieth of a second on lavapipe, and tests start samples by the hundred.
        command.env("HOTLAP_NO_SELF_TEST", "1");
        // Mesa's CPU driver allocates stacks for workgroups with barriers. By default glibc maps and unmaps each anew,
        // which took half of the CPU time of `bloom --size 96 --samples 1`.
        command.env("MALLOC_MMAP_THRESHOLD_", "1000000000").env("MALLOC_TRIM_THRESHOLD_", "2000000000");
        // What runs by default is compiled ahead: nothing else may be asked for.
        command.env("HOTLAP_NO_COMPILER", "1");
        // Tests run side by side already: threads of the CPU driver take up to half as much CPU time again.
        command.env("LP_NUM_THREADS", "0");
        // Errors that are expected are made by the thousand; a panic's backtrace is kept.
        command.env("RUST_LIB_BACKTRACE", "0");
        // What is printed depends on the locale.
        command.env("LC_ALL", "C.UTF-8");
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self(command)
    }

    /// The binary of a sample: cargo puts it beside the folder of the test's own.
    pub fn binary(sample: &str) -> Result<PathBuf> {
        let test = std::env::current_exe().context("finding the test's own binary")?;
        let folder = test.parent().and_then(Path::parent).context("a test lies two folders deep")?;
        Ok(folder.join(format!("{sample}{}", std::env::consts::EXE_SUFFIX)))
    }

    /// Names the device.
    pub fn on_test_device(self) -> Self {
        let device = std::env::var("HOTLAP_TEST_DEVICE").unwrap_or_else(|_| "llvmpipe".into());
        self.args(["--device", &device])
    }

    /// Further arguments.
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        self.0.args(arguments);
        self
    }

    /// Further arguments, separated by spaces.
    pub fn words(self, arguments: &str) -> Self {
        self.args(arguments.split_whitespace())
    }

    /// A variable of the environment.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.0.env(name, value);
        self
    }

    /// In a group of its own, which a signal can be sent to as a terminal does.
    #[cfg(unix)]
    pub fn in_its_own_group(mut self) -> Self {
        std::os::unix::process::CommandExt::process_group(&mut self.0, 0);
        self
    }

    /// With threads of the CPU driver: workgroups that wait for one another run side by side.
    pub fn with_driver_threads(mut self) -> Self {
        self.0.env_remove("LP_NUM_THREADS");
        self
    }

    /// With the self-test that comes before times are taken.
    pub fn with_self_test(mut self) -> Self {
        self.0.env_remove("HOTLAP_NO_SELF_TEST");
        self
    }

    /// The folder to run in.
    pub fn within(mut self, folder: &Path) -> Self {
        self.0.current_dir(folder);
        self
    }

    /// Without a variable of the environment.
    pub fn without(mut self, name: &str) -> Self {
        self.0.env_remove(name);
        self
    }

    /// Holds its standard input open as long as it runs.
    pub fn with_open_stdin(mut self) -> Self {
        self.0.stdin(Stdio::piped());
        self
    }

    /// Sends the standard output elsewhere.
    pub fn stdout(mut self, to: impl Into<Stdio>) -> Self {
        self.0.stdout(to);
        self
    }

    /// Sends the standard error elsewhere.
    pub fn stderr(mut self, to: impl Into<Stdio>) -> Self {
        self.0.stderr(to);
        self
    }

    /// Starts it.
    pub fn start(mut self) -> Result<Running> {
        let shown = format!("{:?}", self.0);
        // A program that was copied a moment ago is busy as long as a process that another test forked meanwhile
        // has not come to its own program.
        let child = loop {
            match self.0.spawn() {
                Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => thread::yield_now(),
                other => break other,
            }
        };
        let program = Path::new(self.0.get_program()).file_stem().unwrap_or_default();
        let program = program.to_string_lossy().into_owned();
        Ok(Running::new(child.with_context(|| format!("starting {shown}"))?, program, shown))
    }

    /// Runs it to its end.
    pub fn run(self) -> Result<Ended> {
        self.start()?.wait()
    }

    /// Runs it to its end, which all is well at.
    pub fn right(self) -> Result<Ended> {
        self.run()?.with_code(EXIT_RIGHT.into())
    }

    /// Runs it to its end, which something is wrong at.
    pub fn failed(self) -> Result<Ended> {
        self.run()?.with_code(EXIT_FAILED.into())
    }

    /// The record of a run that all is well at.
    pub fn record(self) -> Result<Record> {
        self.words("--json -").right()?.record()
    }
}
