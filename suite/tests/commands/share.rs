//! `suite share` of a run that is there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use record::{json, parted, read_record};

use crate::support::{names, sent_text, suite};

/// A run of one sample whose texts hold paths of the machine and of its user.
fn run(at: &Path) -> PathBuf {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/2026-11-26-nvidia-h100-suite");
    let folder = at.join("run");
    fs::create_dir_all(folder.join("codegen")).unwrap();
    let mut record = read_record(&recorded.join("codegen/record.json")).unwrap();
    record.notes.push(format!("{}/Jane Doe/x is gone, see '/opt/me/lib.so'", at.display()));
    let (bare, samples) = parted(&record).unwrap();
    fs::write(folder.join("codegen/record.json"), json(&bare).unwrap()).unwrap();
    fs::write(folder.join("codegen/samples.csv.gz"), samples).unwrap();
    let manifest = fs::read_to_string(recorded.join("suite.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let entries = manifest["samples"].as_array_mut().unwrap();
    entries.retain(|entry| entry["sample"] == "codegen");
    entries[0]["state"] = "failed".into();
    entries[0]["reason"] = format!("cannot read {}/a/b", at.display()).into();
    fs::write(folder.join("suite.json"), manifest.to_string()).unwrap();
    folder
}

#[test]
fn a_run_that_is_there_is_shared_without_the_places_of_its_machine() {
    let top = tempfile::tempdir().unwrap();
    let here = top.path();
    run(here);
    let done = suite(here, &["share", "run"]);
    assert_eq!((done.code, &done.said[..]), (0, ""));
    let name = "hot-lap-2026-11-26-nvidia-h100-80gb-hbm3";
    assert_eq!(names(here), [name, "run"]);
    for says in
        ["? codegen", "codegen failed in", &format!("To send:      {name}, 3 files, "), "\n  3. Attach"]
    {
        assert!(done.out.contains(says.trim_start_matches("? ")), "no '{says}' in {}", done.out);
    }
    assert!(done.out.contains(&format!("tar -czf {name}.tar.gz {name}\n")), "{}", done.out);
    let shared = here.join(name);
    assert_eq!(names(&shared), ["README.md", "codegen", "suite.json"]);
    let texts =
        ["README.md", "suite.json", "codegen/record.json.gz"].map(|file| sent_text(&shared.join(file)));
    for text in &texts {
        let place = here.display().to_string();
        assert!(!text.contains(&place) && !text.contains("/opt/"), "{text}");
    }
    assert!(texts[0].contains("cannot read ./a/b"), "{}", texts[0]);
    assert!(texts[2].contains("./Jane Doe/x is gone, see 'lib.so'"), "{}", texts[2]);
    let elsewhere = here.join("out");
    let done = suite(here, &["share", "run", "--out", elsewhere.to_str().unwrap()]);
    assert!(done.out.contains(&format!("tar -czf out.tar.gz -C {} out\n", here.display())), "{}", done.out);
    // What others have is compared by its samples, and these stayed behind.
    for words in [&["report", name, "--html", "page.html"][..], &["export", name], &["compare", "run", name]]
    {
        let done = suite(here, words);
        assert!(done.code == 0 && !done.out.contains("FASTER"), "{words:?}: {} {}", done.out, done.said);
    }
}

#[test]
fn what_cannot_be_shared_is_refused() {
    let top = tempfile::tempdir().unwrap();
    let here = top.path();
    let folder = run(here);
    fs::write(here.join("file"), "").unwrap();
    suite(here, &["share", "nowhere"])
        .refused(2, &["reading nowhere/suite.json: it is of a run of the suite", "No such file"]);
    suite(here, &["share", "--device", "all"]).refused(2, &["one device at a time"]);
    for (words, says) in [
        (&["share", "run", "--out", "run"][..], "run is there already: name another folder with --out"),
        (&["share", "run", "--out", "file/x"], "writing the folder file/x"),
    ] {
        let done = suite(here, words);
        assert!(done.code == 2 && done.said.contains(says), "{}", done.said);
    }
    // A manifest is untrusted: what it names must not lead out of the folder.
    let manifest = fs::read_to_string(folder.join("suite.json")).unwrap();
    fs::write(folder.join("suite.json"), manifest.replace("\"codegen\"", "\"../esc\"")).unwrap();
    let done = suite(here, &["share", "run"]);
    assert!(done.code == 2 && done.said.contains("there is no sample '../esc'"), "{}", done.said);
    fs::write(folder.join("suite.json"), manifest).unwrap();
    // Noise that no packing makes small.
    let mut record = read_record(&folder.join("codegen/record.json")).unwrap();
    let noise = Command::new("head").args(["-c", "300000", "/dev/urandom"]).output().unwrap().stdout;
    let noise: String = noise.iter().map(|byte| format!("{byte:02x}")).collect();
    record.notes.extend(noise.as_bytes().chunks(100_000).map(|text| String::from_utf8_lossy(text).into()));
    let (bare, samples) = parted(&record).unwrap();
    fs::write(folder.join("codegen/record.json"), json(&bare).unwrap()).unwrap();
    fs::write(folder.join("codegen/samples.csv.gz"), samples).unwrap();
    let done = suite(here, &["share", "run"]);
    assert!(
        done.code == 2 && done.said.contains("more than 300: share a run of fewer samples"),
        "{}",
        done.said
    );
    fs::remove_dir_all(folder.join("codegen")).unwrap();
    let done = suite(here, &["share", "run"]);
    assert!(done.code == 2 && done.said.contains("reading run/codegen/record.json"), "{}", done.said);
    assert_eq!(names(here), ["file", "run"], "something was left behind");
}
