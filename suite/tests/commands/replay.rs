//! `suite replay` as a user calls it.

use std::fs;
use std::path::{Path, PathBuf};

use record::error::EXIT_FAILED;
use resvg::tiny_skia::{Pixmap, PremultipliedColorU8};

use crate::support::{Done, built, names, suite};

/// Runs it off-screen in a folder of its own, and returns what it left and its picture.
fn replay(record: &Path, further: &[&str]) -> (Done, Option<Pixmap>) {
    built();
    let folder = tempfile::tempdir().unwrap();
    let window = ["--", "--headless", "--screenshot", "shot.png", "--window", "640x360"];
    let words = [&["replay", record.to_str().unwrap()], &window[..], further].concat();
    let done = suite(folder.path(), &words);
    let picture = Pixmap::load_png(folder.path().join("shot.png")).ok();
    (done, picture)
}

/// The lines at the bottom with the finding, where nothing differs from frame to frame.
fn finding(picture: &Pixmap) -> Vec<PremultipliedColorU8> {
    let from = picture.pixels().len() - 30 * picture.width() as usize;
    picture.pixels()[from..].to_vec()
}

fn run() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/2026-11-30-nvidia-h200-suite")
}

#[test]
fn every_record_of_a_run_is_shown() {
    for sample in names(&run()).iter().filter(|name| run().join(name).is_dir()) {
        let (done, picture) = replay(&run().join(sample), &["--frames", "3"]);
        assert_eq!((done.code, &*done.out, &*done.said), (0, "", ""), "{sample}");
        assert_eq!(picture.map(|picture| picture.width()), Some(640), "{sample}");
    }
}

/// A run begins with the sample whose waves are always stored, and Page Down goes to the next record.
#[test]
fn a_run_is_shown_record_by_record() {
    let of = |record: &Path, further: &[&str]| finding(&replay(record, further).1.unwrap());
    let few = ["--frames", "3"];
    let first = of(&run(), &few);
    assert!(first == of(&run().join("pipelined_events"), &few));
    let next = of(&run().join("queues"), &few);
    assert!(first != next);
    assert!(next == of(&run(), &["--frames", "10", "--press", "PageDown"]));
}

#[test]
fn what_cannot_be_shown_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused =
        |parts: &[&str]| replay(folder.path(), &["--frames", "3"]).0.refused(EXIT_FAILED.into(), parts);
    refused(&["suite: "]);
    let record = fs::read_to_string(run().join("codegen/record.json")).unwrap();
    fs::copy(run().join("codegen/samples.csv.gz"), folder.path().join("samples.csv.gz")).unwrap();
    let put = |text: &str| fs::write(folder.path().join("record.json"), text).unwrap();
    put(&record.replace("\"sample\": \"codegen\"", "\"sample\": \"another\""));
    refused(&["there is no sample 'another'"]);
    put("{}");
    refused(&["record.json"]);
    put(&record);
    fs::write(folder.path().join("waves.json.gz"), "no waves").unwrap();
    refused(&["codegen: ", "waves.json.gz"]);
}
