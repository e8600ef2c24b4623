//! Facts about the program and the machine for the record.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use record::{Host, Tool};

use vulkan::source::Library;

/// What a sample's binary knows about itself at compile time; made by [`sample!`](crate::sample).
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Name of the binary.
    pub name: &'static str,
    /// Commit of the build, if git was available.
    pub commit: Option<&'static str>,
    /// `true` when the build's checkout had uncommitted changes.
    pub dirty: Option<&'static str>,
    /// Whether it uses all queues of the device, and not only two.
    pub all_queues: bool,
    /// Names of all samples, in the order of the alphabet, separated by commas.
    pub samples: Option<&'static str>,
}

/// The [`Sample`](crate::host::Sample) of the calling binary.
#[macro_export]
macro_rules! sample {
    () => {
        $crate::host::Sample {
            name: env!("CARGO_BIN_NAME"),
            commit: option_env!("HOTLAP_COMMIT"),
            dirty: option_env!("HOTLAP_DIRTY"),
            all_queues: false,
            samples: option_env!("HOTLAP_SAMPLES"),
        }
    };
}

/// Facts about the program as it was built.
#[must_use]
pub fn tool(sample: &Sample, shaders: &Library) -> Tool {
    Tool {
        name: "hot-lap".into(),
        version: env!("CARGO_PKG_VERSION").into(),
        commit: sample.commit.map(str::to_owned),
        dirty: sample.dirty.map(|d| d == "true"),
        shaders: if *shaders == Library::Embedded { "embedded".into() } else { "checkout".into() },
        build: if cfg!(debug_assertions) { "debug".into() } else { "release".into() },
    }
}

/// Facts about the machine.
#[must_use]
pub fn host() -> Host {
    // Cached: the window asks several times per second, and some systems start a process to answer.
    static HOST: LazyLock<Host> = LazyLock::new(|| Host {
        system: format!("{} {}", system_name(), std::env::consts::ARCH),
        processor: processor(),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
    });
    HOST.clone()
}

fn system_name() -> String {
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let pretty = release.lines().find_map(|l| l.strip_prefix("PRETTY_NAME="));
    pretty.map_or_else(|| std::env::consts::OS.to_owned(), |name| name.trim_matches('"').to_owned())
}

fn processor() -> Option<String> {
    if Path::new("/proc/cpuinfo").exists() {
        let info = std::fs::read_to_string("/proc/cpuinfo").ok()?;
        let line = info.lines().find(|l| l.starts_with("model name"))?;
        return Some(line.split_once(':')?.1.trim().to_owned());
    }
    let asked = Command::new("sysctl").args(["-n", "machdep.cpu.brand_string"]).output().ok()?;
    asked.status.success().then(|| String::from_utf8_lossy(&asked.stdout).trim().to_owned())
}
