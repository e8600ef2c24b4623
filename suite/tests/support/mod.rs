//! The suite as a user calls it.

#![allow(dead_code, reason = "not every test file takes all of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// What a call left.
pub struct Done {
    /// Its exit code.
    pub code: i32,
    /// Standard output.
    pub out: String,
    /// Standard error.
    pub said: String,
}

/// Calls the suite in `folder`. Without cargo's variable it takes the samples as they are.
pub fn suite(folder: &Path, words: &[&str]) -> Done {
    let mut call = Command::new(env!("CARGO_BIN_EXE_suite"));
    let Output { status, stdout, stderr } =
        call.args(words).current_dir(folder).env("LC_ALL", "C.UTF-8").env_remove("CARGO").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let done = Done { code: status.code().unwrap_or(-1), out: text(stdout), said: text(stderr) };
    assert!(!done.said.contains("panicked"), "{}", done.said);
    done
}

impl Done {
    /// A refusal: the exit code, one line that holds these parts, and no output.
    pub fn refused(&self, code: i32, parts: &[&str]) {
        assert_eq!((self.code, &self.out[..]), (code, ""), "{}", self.said);
        assert_eq!(self.said.trim_end().lines().count(), 1, "{}", self.said);
        assert!(parts.iter().all(|part| self.said.contains(part)), "{parts:?} in {}", self.said);
    }
}

/// The folder of the samples' binaries. Tests of this package alone find none and build them; those of all have
/// theirs, with other features of their libraries, so that to build them again would take a minute.
pub fn built() -> &'static Path {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    BUILT.get_or_init(|| {
        let folder = Path::new(env!("CARGO_BIN_EXE_suite")).parent().unwrap().to_owned();
        let package = env!("CARGO_MANIFEST_DIR");
        let is_there =
            |sample: &String| folder.join(sample).with_extension(std::env::consts::EXE_EXTENSION).is_file();
        if !names(&Path::new(package).join("../samples/src/bin")).iter().all(is_there) {
            let mut call = Command::new(env!("CARGO"));
            call.args(["build", "--quiet", "--package", "samples", "--bins"]).current_dir(package);
            call.args(if cfg!(debug_assertions) { &[][..] } else { &["--release"] });
            assert!(call.status().unwrap().success(), "the samples do not build");
        }
        folder
    })
}

/// Two complete runs on one H200, in processes of their own: the first or the second.
pub fn h200(run: u32) -> PathBuf {
    let name = if run == 1 { "2026-11-30-nvidia-h200-suite" } else { "2026-11-30-nvidia-h200-suite-again" };
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results").join(name)
}

/// A complete run on one H100, with headlines.
pub fn h100() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/2026-11-26-nvidia-h100-suite")
}

/// The record of a sample in one of the runs on an H200, as a tree.
pub fn tree(run: u32, sample: &str) -> serde_json::Value {
    let record = record::read_record(&h200(run).join(sample).join("record.json")).unwrap();
    serde_json::to_value(record).unwrap()
}

/// Files in a folder.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// The text of a file that was shared, unpacked where it is packed.
pub fn sent_text(file: &Path) -> String {
    let bytes = std::fs::read(file).unwrap();
    if file.extension().is_none_or(|ending| ending != "gz") {
        return String::from_utf8(bytes).unwrap();
    }
    std::io::read_to_string(flate2::read::GzDecoder::new(&bytes[..])).unwrap()
}
