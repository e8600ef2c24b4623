//! Programs of other APIs that run beside samples, in the same rounds.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The samples that take a program by `--library`, with its source in `anchors/cuda`, its name and what it is linked with.
const PROGRAMS: [(&str, &str, &str, &[&str]); 2] = [
    ("sgemm", "sgemm.cu", "sgemm-cublas", &["-lcublas"]),
    ("tiles_in_one_dispatch", "chain.cu", "chain-cuda", &[]),
];

/// NVIDIA's number as a vendor of Vulkan devices: only theirs run CUDA.
const NVIDIA: u32 = 0x10de;

/// Where the program of a sample is built.
fn program(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX))
}

/// Builds the programs that these samples take, with `nvcc`, for devices of these vendors.
///
/// # Errors
/// There is nothing to build, no such compiler, or a program does not build.
pub(super) fn build(
    nvcc: &Path,
    folder: &Path,
    samples: &[String],
    vendors: impl IntoIterator<Item = u32>,
) -> Result<()> {
    ensure!(
        vendors.into_iter().any(|vendor| vendor == NVIDIA),
        "--anchors measures CUDA, which runs on NVIDIA devices alone: choose one by --device, or leave it out"
    );
    let taken = |(known, ..): &&(&str, _, _, _)| samples.iter().any(|sample| sample == known);
    let taken: Vec<_> = PROGRAMS.iter().filter(taken).collect();
    let takers = || PROGRAMS.map(|(sample, ..)| sample).join(" and ");
    ensure!(!taken.is_empty(), "--anchors: none of these samples takes a program, only {} do", takers());
    // The folder of the suite's source: cargo run may have been called from another folder.
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../anchors/cuda");
    ensure!(sources.is_dir(), "--anchors needs the source of Hot Lap, and {} is missing", sources.display());
    for (_, source, name, libraries) in taken {
        let mut call = Command::new(nvcc);
        call.args(["-O3", "-std=c++17", "-arch=native", "-o"]).arg(program(folder, name));
        call.arg(sources.join(source)).args(*libraries).stdin(Stdio::null());
        let status = call.status().with_context(|| {
            format!("--anchors builds programs with {}, of NVIDIA's CUDA toolkit", nvcc.display())
        })?;
        ensure!(status.success(), "{source} does not build: {status}");
    }
    Ok(())
}

/// The arguments of a sample that takes a program, on a device that runs it.
pub(super) fn arguments(folder: &Path, sample: &str, vendor: u32) -> Vec<OsString> {
    let taken = PROGRAMS.iter().find(|(known, ..)| *known == sample && vendor == NVIDIA);
    taken.map_or_else(Vec::new, |(_, _, name, _)| vec!["--library".into(), program(folder, name).into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_for_its_sample_on_a_device_that_runs_it() {
        let given = |sample, vendor| arguments(Path::new("here"), sample, vendor);
        let program = if cfg!(windows) { "here/chain-cuda.exe" } else { "here/chain-cuda" };
        assert_eq!(given("tiles_in_one_dispatch", NVIDIA), ["--library", program]);
        assert!(given("bloom", NVIDIA).is_empty() && given("sgemm", 0x1002).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn programs_are_built_for_the_samples_of_the_run() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let nvcc = folder.path().join("nvcc");
        let build = |script: &str, samples: &[&str]| {
            std::fs::write(&nvcc, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&nvcc, PermissionsExt::from_mode(0o755)).unwrap();
            let samples: Vec<String> = samples.iter().map(|&name| name.to_owned()).collect();
            build(&nvcc, folder.path(), &samples, [NVIDIA]).map_err(|error| format!("{error:#}"))
        };
        build(r#"[ -f "$6" ] && echo "$7" >"$5""#, &["bloom", "sgemm"]).unwrap();
        let [built, other] = ["sgemm-cublas", "chain-cuda"].map(|name| program(folder.path(), name));
        assert_eq!(std::fs::read_to_string(built).unwrap(), "-lcublas\n");
        assert!(!other.exists());
        assert!(build("exit 3", &["sgemm"]).unwrap_err().starts_with("sgemm.cu does not build: exit"));
        assert!(build("", &["bloom"]).unwrap_err().contains("only sgemm and tiles_in_one_dispatch do"));
        let refused = |vendor| {
            let said = super::build(&folder.path().join("none"), folder.path(), &["sgemm".into()], [vendor]);
            format!("{:#}", said.unwrap_err())
        };
        assert!(refused(NVIDIA).contains("of NVIDIA's CUDA toolkit"));
        assert!(refused(0x1002).contains("on NVIDIA devices alone"));
    }
}
