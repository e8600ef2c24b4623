//! The samples' binaries.

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
    /// Names of all samples, in the order of the alphabet: the folders in samples/src/bin at the time of
    /// the build.
    pub fn names() -> impl Iterator<Item = &'static str> {
        env!("HOTLAP_SAMPLES").split(',').filter(|name| !name.is_empty())
    }

    /// Makes sure that there is a sample of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn ensure_known(name: &str) -> Result<()> {
        let known: Vec<&str> = Self::names().collect();
        ensure!(known.contains(&name), "there is no sample '{name}': there are {}", known.join(", "));
        Ok(())
    }

    /// The binaries beside this one. Where cargo started this program it builds them first, so that no
    /// sample is older than its source.
    ///
    /// # Errors
    /// A build that fails.
    pub fn ready() -> Result<Self> {
        let program = std::env::current_exe().context("finding this program")?;
        let folder = program.parent().context("finding the folder of this program")?.to_owned();
        if let Some(cargo) = std::env::var_os("CARGO").filter(|cargo| !cargo.is_empty()) {
            build(Path::new(&cargo), &folder)?;
        }
        Ok(Self { folder })
    }

    /// The binary of one that is there, for what all samples can tell.
    ///
    /// # Errors
    /// None is there.
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
    /// A name that is no sample's; a binary that is not there.
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

/// What a sample tells of itself; with `device`, of that device alone.
///
/// # Errors
/// No device can be used, or that one cannot, in the sample's words; a sample that does not start or answers
/// something else.
pub fn about(binary: &Path, device: Option<&str>) -> Result<About> {
    let shown = || format!("running {} --about", binary.display());
    let mut call = Command::new(binary);
    call.arg("--about").args(device.map(|device| format!("--device={device}"))).stdin(Stdio::null());
    // A fault that is asked for is one of this process, or of the runs that it starts.
    let output = call.env_remove(fault::VARIABLE).output().with_context(shown)?;
    if output.status.success() {
        return serde_json::from_slice(&output.stdout).with_context(shown);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    let said = said.split_once(": ").map_or(said.as_str(), |(_, said)| said);
    match said.strip_prefix("skipped: ") {
        Some(reason) => Err(Halt::Skip(reason.to_owned()).into()),
        None if said.is_empty() => bail!("{}: {}", shown(), output.status),
        None => bail!("{said}"),
    }
}

/// Builds the samples into the folder that this program lies in: below a target folder, in one that is named
/// for the profile.
fn build(cargo: &Path, folder: &Path) -> Result<()> {
    let (Some(target), Some(profile)) = (folder.parent(), folder.file_name()) else {
        bail!("{} is no folder that cargo builds into", folder.display());
    };
    let profile = if profile == "debug" { OsStr::new("dev") } else { profile };
    let mut call = Command::new(cargo);
    call.args(["build", "--quiet", "--package", "samples", "--bins", "--profile"]).arg(profile);
    call.arg("--target-dir").arg(target).stdin(Stdio::null());
    // Where the suite's own source lies; cargo run may have been called from another folder.
    call.current_dir(env!("CARGO_MANIFEST_DIR"));
    let status = call.status().context("building the samples")?;
    ensure!(status.success(), "the samples do not build: {status}");
    Ok(())
}
