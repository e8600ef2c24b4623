//! Finds RADV on this machine, and starts one process per chip.

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

/// Default time limit per kernel; RADV's compiler ACO takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// Compiles the kernels for each chip. A failure for one chip does not affect the others.
///
/// # Errors
/// [`Halt::Skip`] if RADV is not installed.
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
    // Older loaders know only the second name; newer ones would add the drivers of the third.
    call.env("VK_DRIVER_FILES", icd).env("VK_ICD_FILENAMES", icd).env_remove("VK_ADD_DRIVER_FILES");
    // Kernels from a cache have no statistics.
    call.env("MESA_SHADER_CACHE_DISABLE", "true").env("MESA_GLSL_CACHE_DISABLE", "true");
    // Layers could crash, and debug output of the driver would be taken for its error message.
    call.env("VK_LOADER_LAYERS_DISABLE", "~all~").env_remove("VK_INSTANCE_LAYERS").env_remove("RADV_DEBUG");
    call
}

/// Adds the chip to an error, or says which chips RADV knows if it does not know this one.
fn told(chip: &str, error: anyhow::Error) -> anyhow::Error {
    // RADV's last message before it aborts.
    if format!("{error:#}").contains("Unknown family") {
        return anyhow!("RADV here knows no chip '{chip}'; it knows {} and newer ones", Chip::names());
    }
    error.context(format!("compiling for {chip}"))
}

/// The path of RADV's manifest.
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

/// The folders that the Vulkan loader searches, or the one that a test sets.
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

/// The manifest in a folder: `radeon_icd.x86_64.json`. If there are several, that of this process's architecture.
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
