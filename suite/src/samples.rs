//! Finds and builds the samples' binaries.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use record::error::Halt;
use record::{About, fault};

/// The binaries of this build's samples.
#[derive(Clone, Debug)]
pub struct Samples {
    folder: PathBuf,
}

impl Samples {
    /// The names of all samples in alphabetical order: the folders in `samples/src/bin` when the suite was built.
    pub fn names() -> impl Iterator<Item = &'static str> {
        env!("HOTLAP_SAMPLES").split(',').filter(|name| !name.is_empty())
    }

    /// Checks that there is a sample of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn ensure_known(name: &str) -> Result<()> {
        let known: Vec<&str> = Self::names().collect();
        ensure!(known.contains(&name), "there is no sample '{name}': there are {}", known.join(", "));
        Ok(())
    }

    /// The binaries in the folder of this program. If cargo started this program, the samples are built first, so
    /// that none is older than its source.
    ///
    /// # Errors
    /// If the build fails.
    pub fn ready() -> Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let folder = program.parent().context("finding the folder of this program")?.to_owned();
        if let Some(cargo) = std::env::var_os("CARGO").filter(|cargo| !cargo.is_empty()) {
            build(Path::new(&cargo), &folder)?;
        }
        Ok(Self { folder })
    }

    /// The folder of the binaries.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The binary of any existing sample, for requests that all samples can answer.
    ///
    /// # Errors
    /// If there is none.
    pub fn any(&self) -> Result<PathBuf> {
        let found = Self::names().find_map(|name| self.binary(name).ok());
        found.with_context(|| {
            let folder = self.folder.display();
            format!("no sample is beside this program ({folder}); build all with cargo build --release")
        })
    }

    /// The binary of a sample.
    ///
    /// # Errors
    /// If there is no sample of this name, or its binary does not exist.
    pub fn binary(&self, name: &str) -> Result<PathBuf> {
        Self::ensure_known(name)?;
        let path = self.folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
        ensure!(
            path.is_file(),
            "the sample {name} is not beside this program ({}); build all with cargo build --release",
            path.display()
        );
        Ok(path)
    }
}

/// A sample's answer to `--about`; with `device`, only for that device.
///
/// # Errors
/// If no device, or not that device, can be used (with the sample's message), or the sample does not start or gives
/// another answer.
pub fn about(binary: &Path, device: Option<&str>) -> Result<About> {
    let shown = || format!("running {} --about", binary.display());
    let mut call = Command::new(binary);
    call.arg("--about").args(device.map(|device| format!("--device={device}"))).stdin(Stdio::null());
    // Injected faults are for this process or for the runs that it starts, not for this call.
    let output = call.env_remove(fault::VARIABLE).output().with_context(shown)?;
    if output.status.success() {
        return serde_json::from_slice(&output.stdout).with_context(shown);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.split_once(": ").map_or(said.as_str(), |(_, said)| said);
    match said.strip_prefix("cannot run here: ") {
        Some(reason) => Err(Halt::Skip(reason.to_owned()).into()),
        None if said.is_empty() => bail!("{}: {}", shown(), output.status),
        None => bail!("{said}"),
    }
}

/// Builds the samples into the folder of this program. It must be named after the profile, in a target folder.
fn build(cargo: &Path, folder: &Path) -> Result<()> {
    let (Some(target), Some(profile)) = (folder.parent(), folder.file_name()) else {
        bail!("{} is no folder that cargo builds into", folder.display());
    };
    let profile = if profile == "debug" { OsStr::new("dev") } else { profile };
    let mut call = Command::new(cargo);
    call.args(["build", "--quiet", "--package", "samples", "--bins", "--profile"]).arg(profile);
    call.arg("--target-dir").arg(target).stdin(Stdio::null());
    // The folder of the suite's source: cargo run may have been called from another folder.
    call.current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = call.status().context("building the samples")?;
    ensure!(status.success(), "the samples do not build: {status}");
    Ok(())
}
