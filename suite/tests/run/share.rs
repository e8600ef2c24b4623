//! `suite share` as it is meant: all samples measured, and one folder of them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_RIGHT;

use crate::commands::sent_text;
use crate::support::{Call, trial};

pub fn trials() -> Vec<Trial> {
    vec![trial("all_samples_are_shared", all_samples_are_shared)]
}

fn all_samples_are_shared() -> Result<()> {
    let top = tempfile::tempdir()?;
    // The folder of a user, who works in one below it.
    let home = top.path().join("Jane Doe");
    let here = home.join("hot-lap");
    fs::create_dir_all(&here)?;
    let call = Call::on_any_device(&Call::binary("suite")?).env("CARGO", "").env("HOME", &home);
    let call = call.words("share --out shared").on_test_device().within(&here);
    let ended = call.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(
        ended.stdout.contains("all answers right") && ended.stdout.contains("  2. Pack it: tar"),
        "{ended}"
    );
    let files = files_below(&here.join("shared"))?;
    let size: u64 = files.iter().map(|file| Ok(fs::metadata(file)?.len())).sum::<Result<u64>>()?;
    ensure!(size <= 300_000, "{size} bytes");
    let schema =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/record.schema.json"))?;
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema)?).context("no schema")?;
    let mut records = 0;
    for file in &files {
        let text = sent_text(file);
        let place = top.path().display().to_string();
        ensure!(!text.contains(&place) && !text.contains("Jane"), "{}: {text}", file.display());
        if file.ends_with("record.json.gz") {
            let value = serde_json::from_str(&text)?;
            schema.validate(&value).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
            ensure!(value["samples_file"]["sha256"].as_str().is_some_and(|hash| hash.len() == 64), "{text}");
            records += 1;
        }
    }
    ensure!(
        records
            == crate::commands::names(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples/src/bin"))
                .len()
    );
    let drawn = here.join("shared/pipelined_events/waves.svg").exists();
    ensure!(drawn || std::env::var_os("HOTLAP_TEST_DEVICE").is_some(), "no waves: {ended}");
    Ok(())
}

fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { files.extend(files_below(&path)?) } else { files.push(path) }
    }
    Ok(files)
}
