//! RADV on this machine: where it is, and one process for each chip.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use record::error::Halt;

use super::child::{self, ARGUMENT, Answer};
use super::chip::Chip;
use super::{Source, Target};

/// Seconds that a kernel may take where the user says nothing: ACO takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Compiles the kernels for each chip; a chip that cannot be compiled for does not keep the others
/// from it.
///
/// # Errors
/// [`Halt::Skip`] where RADV is not installed.
pub fn compile(
    target: &Target,
    sources: &[Source],
    patience: Option<Duration>,
) -> Result<Vec<(String, Result<Answer>)>> {
    let icd = icd_file()?;
    let program = std::env::current_exe().context("finding this program")?;
    let patience = patience.unwrap_or(PATIENCE);
    let compile = &|chip: &String| {
        child::ask(call(&program, &icd, chip), sources, patience).map_err(|error| told(chip, error))
    };
    Ok(std::thread::scope(|scope| {
        let start = |chip| (chip, scope.spawn(move || compile(chip)));
        let threads: Vec<(&String, _)> = target.chips.iter().map(start).collect();
        let ended = threads.into_iter().map(|(chip, thread)| {
            let panicked = |_| Err(anyhow!("compiling for {chip} failed"));
            (chip.clone(), thread.join().unwrap_or_else(panicked))
        });
        ended.collect()
    }))
}

fn call(program: &Path, icd: &Path, chip: &str) -> Command {
    let mut call = Command::new(program);
    call.arg(ARGUMENT).env("RADV_FORCE_FAMILY", chip);
    // Older loaders know the second name only, newer ones would add what the first two name.
    call.env("VK_DRIVER_FILES", icd).env("VK_ICD_FILENAMES", icd).env_remove("VK_ADD_DRIVER_FILES");
    // Kernels from a cache would come without statistics.
    call.env("MESA_SHADER_CACHE_DISABLE", "true").env("MESA_GLSL_CACHE_DISABLE", "true");
    // Tools around the device could crash it, and prints of the driver's would be taken for its reasons.
    call.env("VK_LOADER_LAYERS_DISABLE", "~all~").env_remove("VK_INSTANCE_LAYERS").env_remove("RADV_DEBUG");
    call
}

/// A failure with the chip, and with what to do where RADV does not know it.
fn told(chip: &str, error: anyhow::Error) -> anyhow::Error {
    // RADV's own words before it aborts.
    if format!("{error:#}").contains("Unknown family") {
        return anyhow!("RADV here knows no chip '{chip}'; it knows {} and newer ones", Chip::names());
    }
    error.context(format!("compiling for {chip}"))
}

/// RADV's manifest.
fn icd_file() -> Result<PathBuf> {
    let folders = folders();
    let found = folders.iter().find_map(|folder| manifest(folder));
    found.ok_or_else(|| {
        let folders: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
        Halt::Skip(format!(
            "--code amd:CHIP compiles with Mesa's RADV, which is not installed (no radeon_icd*.json in {}): install it \
             (Debian, Ubuntu, Fedora: mesa-vulkan-drivers; Arch: vulkan-radeon)",
            folders.join(", ")
        ))
        .into()
    })
}

/// Where the Vulkan loader looks, or the one folder that a test says.
fn folders() -> Vec<PathBuf> {
    if let Some(folder) = &record::hooks::hooks().icd_dir {
        return vec![folder.into()];
    }
    let shared =
        std::env::var_os("XDG_DATA_DIRS").unwrap_or_else(|| OsString::from("/usr/local/share:/usr/share"));
    let usual = ["/etc", "/usr/local/share", "/usr/share", "/run/opengl-driver/share"].map(PathBuf::from);
    let mut seen = BTreeSet::new();
    let roots = dirs::data_dir().into_iter().chain(std::env::split_paths(&shared)).chain(usual);
    roots.map(|root| root.join("vulkan/icd.d")).filter(|folder| seen.insert(folder.clone())).collect()
}

/// `radeon_icd.x86_64.json`, of this process's own architecture where there are several.
fn manifest(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    let is_radv = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("radeon_icd") && name.ends_with(".json")
    };
    let mut found: Vec<PathBuf> = files.filter(is_radv).collect();
    found.sort();
    let own = found.iter().position(|path| path.to_string_lossy().contains(std::env::consts::ARCH));
    let at = own.unwrap_or(0);
    (at < found.len()).then(|| found.swap_remove(at))
}
