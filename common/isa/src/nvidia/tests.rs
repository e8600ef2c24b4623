//! Reading machine code with programs that are shell scripts.

use std::fs;
use std::process::Command;
use std::time::Instant;

use tempfile::TempDir;

use super::*;
use crate::{Statistic, Value};
use record::error::{EXIT_FAILED, EXIT_SKIPPED, exit_code};

const CACHE: &[u8] = include_bytes!("testdata/pad.cache");
const SASS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/nvidia/testdata/pad.sass");
const SMI: &str = "echo 'GPU-11111111-7b98-0e56-72a2-6b81e248acff, 8.6'
    echo 'GPU-876038fa-7b98-0e56-72a2-6b81e248acff, 9.0'";

fn device() -> DeviceFacts {
    DeviceFacts {
        uuid: "876038fa-7b98-0e56-72a2-6b81e248acff".into(),
        vendor_id: 0x10de,
        driver_id: 4,
        driver_name: "NVIDIA".into(),
        driver_info: "580.159.04".into(),
        ..record::fixture::record().device
    }
}

/// A folder with these programs. Another process writes them: while a file is open for writing here, a process that
/// another test starts may have it too, and a program that is being written does not start.
fn programs(scripts: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, script) in scripts {
        let write = "printf '#!/bin/sh\n%s\n' \"$2\" >\"$1\" && chmod +x \"$1\"";
        let path = folder.path().join(name);
        let mut call = Command::new("sh");
        assert!(call.args(["-c", write, "sh"]).arg(path).arg(script).status().unwrap().success());
    }
    folder
}

fn form(size: u64) -> Vec<Executable> {
    let of = |name, value| Statistic::new(name, "", Value::Whole(value));
    let statistics = vec![of("Register Count", 12), of("Binary Size", size)];
    vec![Executable { name: "CS".into(), subgroup_size: 32, statistics, assembly: None }]
}

/// What is read with these programs.
fn found(scripts: &[(&str, &str)], cache: &[u8]) -> Result<Code> {
    let folder = programs(scripts);
    let folders = ["/nowhere".into(), folder.path().to_path_buf()];
    let hangs = scripts.iter().any(|(_, script)| script.contains("sleep"));
    let patience = Duration::from_millis(if hangs { 300 } else { 20_000 });
    read(&device(), &[form(896)], |_| Ok(cache.to_vec()), &folders, patience)
}

/// Why nothing is read.
fn refused(scripts: &[(&str, &str)]) -> String {
    one_line(&found(scripts, CACHE).unwrap_err())
}

#[test]
fn figures_are_read() {
    // It notes what it is asked for and the size of the code, which is gone afterwards.
    let folder = tempfile::tempdir().unwrap();
    let asked = folder.path().join("asked");
    let script = format!("echo \"$@\" $(wc -c <\"$3\") >{}; cat {SASS}", asked.display());
    let read = found(&[("nvidia-smi", SMI), ("nvdisasm", &script)], CACHE).unwrap();
    let MachineCode::Read { by, kernels } = read.counted() else { panic!("unread") };
    assert_eq!((by.as_str(), kernels.len()), ("nvdisasm -b SM90", 1));
    let global_loads = [(32, 4)].into();
    assert_eq!(kernels[0], SassCounts { instructions: 56, global_loads, ..SassCounts::default() });
    let asked = fs::read_to_string(asked).unwrap();
    let [b, architecture, file, size] = asked.split_whitespace().collect::<Vec<_>>()[..] else {
        panic!("{asked}")
    };
    assert_eq!([b, architecture, size], ["-b", "SM90", "896"]);
    assert!(!fs::exists(file).unwrap(), "{file}");
}

#[test]
fn programs_that_are_missing_are_named() {
    assert!(refused(&[("nvidia-smi", SMI)]).starts_with("install the CUDA toolkit's nvdisasm"));
    assert!(refused(&[("nvdisasm", "exit 0")]).starts_with("install nvidia-smi"));
}

#[test]
fn programs_that_fail_are_quoted() {
    let smi = |script| refused(&[("nvidia-smi", script), ("nvdisasm", "exit 0")]);
    let nvdisasm = |script| refused(&[("nvidia-smi", SMI), ("nvdisasm", script)]);
    let failed = smi("echo 'no devices' >&2; echo more; exit 9");
    assert_eq!(failed, "nvidia-smi failed (exit status: 9): no devices");
    assert!(smi("echo 'no such field'; exit 2").ends_with("(exit status: 2): no such field"));
    let other = "nvidia-smi tells no compute capability of GPU-876038fa-7b98-0e56-72a2-6b81e248acff";
    for script in [
        "exit 0",
        "head -c 1000 /dev/urandom",
        "echo 'GPU-11111111-7b98-0e56-72a2-6b81e248acff, 8.6'",
        "echo 'GPU-876038fa-7b98-0e56-72a2-6b81e248acff, [N/A]'",
    ] {
        assert_eq!(smi(script), other, "{script}");
    }
    assert_eq!(nvdisasm("exit 3"), "nvdisasm failed (exit status: 3): it said nothing");
    assert!(nvdisasm("kill -9 $$").contains("signal: 9"));
    for script in ["exit 0", "echo hello", "head -c 100000 /dev/urandom", &format!("head -n 40 {SASS}")] {
        let text = nvdisasm(script);
        assert!(text.starts_with("nvdisasm wrote something else: "), "{script}: {text}");
    }
}

/// Neither is a child that they leave behind.
#[test]
fn programs_that_hang_are_not_waited_for() {
    let began = Instant::now();
    let smi = refused(&[("nvidia-smi", "sleep 60; exit 0"), ("nvdisasm", "exit 0")]);
    assert_eq!(smi, "nvidia-smi was not done after 0.3 s");
    let nvdisasm = refused(&[("nvidia-smi", SMI), ("nvdisasm", "sleep 60; exit 0")]);
    assert_eq!(nvdisasm, "nvdisasm was not done after 0.3 s");
    assert!(began.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_cache_of_another_form_is_told_with_its_driver() {
    let programs = [("nvidia-smi", SMI), ("nvdisasm", "exit 0")];
    let text = one_line(&found(&programs, &CACHE[..4000]).unwrap_err());
    assert!(
        text.starts_with("NVIDIA 580.159.04 keeps machine code in another form: a damaged zstd"),
        "{text}"
    );
}

#[test]
fn code_is_listed_with_the_drivers_figures() {
    let programs = [("nvidia-smi", SMI), ("nvdisasm", &*format!("cat {SASS}"))];
    let Sass { architecture, kernels } = found(&programs, CACHE).unwrap().listed(&[form(896)]).unwrap();
    assert_eq!((architecture.as_str(), kernels.len()), ("SM90", 1));
    let (figures, listing) = &kernels[0];
    assert_eq!(*figures, KernelFigures { vgprs: 12, sgprs: None, code_bytes: 896 });
    assert_eq!((listing.instructions.len(), listing.instructions[4].to_string().as_str()), (44, "@P0 EXIT"));
}

/// That is no failure of the program; a lost device is one.
#[test]
fn code_that_cannot_be_listed_is_told_with_what_to_do() {
    let error = unread(found(&[("nvidia-smi", SMI)], CACHE).unwrap_err());
    assert_eq!(exit_code(&error), EXIT_SKIPPED);
    let text = one_line(&error);
    let begin =
        "cannot run here: --code-diff needs the machine code of NVIDIA's driver: install the CUDA toolkit's";
    assert!(text.starts_with(begin) && text.contains("nvdisasm") && text.contains("--code amd:"), "{text}");
    assert_eq!(exit_code(&unread(Halt::DeviceLost("compiling".into()).into())), EXIT_FAILED);
}

/// If a kernel cannot be read, none has figures.
#[test]
fn all_kernels_are_read_or_none() {
    let script = format!("cat {SASS}");
    let folder = programs(&[("nvidia-smi", SMI), ("nvdisasm", &script)]);
    let folders = [folder.path().to_path_buf()];
    let read = |sizes: [u64; 2]| {
        read(&device(), &sizes.map(form), |_| Ok(CACHE.to_vec()), &folders, Duration::from_secs(20))
    };
    assert!(matches!(read([896, 896]), Ok(Code { kernels, .. }) if kernels.len() == 2));
    assert!(one_line(&read([896, 1024]).unwrap_err()).contains("where the driver reports 1024"));
}

#[test]
fn other_drivers_are_not_asked() {
    let nvk = DeviceFacts { driver_id: 24, ..device() };
    let amd = DeviceFacts { vendor_id: 0x1002, ..device() };
    for device in [nvk, amd] {
        let cache = |_| -> Result<Vec<u8>> { panic!("asked") };
        assert_eq!(machine_code(&device, &[form(896)], cache), None);
    }
}
