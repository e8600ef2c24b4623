//! What a run leaves when all goes well.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::Traced;
use record::error::{EXIT_FAILED, EXIT_RIGHT};

use crate::support::{Call, told_on_one_line, trial};
use crate::whole::{ensure_states, ensure_whole, hidden, manifest, record, snapshot};
use crate::{QUICK, place, resume, run_into};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("everything_is_kept", everything_is_kept),
        trial("waves_are_traced_where_they_can_be", waves_are_traced_where_they_can_be),
        trial("what_no_caches_can_be_emptied_for_is_skipped", what_no_caches_can_be_emptied_for_is_skipped),
        trial("a_run_goes_on_where_something_is_missing", a_run_goes_on_where_something_is_missing),
        trial("all_devices", all_devices),
        trial("without_samples_beside_it", without_samples_beside_it),
    ]
}

fn everything_is_kept() -> Result<()> {
    let top = tempfile::tempdir()?;
    let folder = top.path().join("deep/run");
    // Named twice, measured once.
    let call = run_into(&folder, "lds_blur data_race lds_blur --seed 5")?.words(QUICK);
    let ended = call.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(ensure_whole(&folder)? == ["data_race", "lds_blur"], "{ended}");
    ensure_states(&folder, &[("data_race", "right"), ("lds_blur", "right")])?;
    ensure!(hidden(&folder)?.is_empty(), "left behind: {:?}", hidden(&folder)?);
    // A line a sample, and a scoreboard that ends with what to do next.
    ensure!(
        ended.stderr.lines().count() == 2 && ended.stderr.starts_with("1 of 2: lds_blur right"),
        "{ended}"
    );
    let report = folder.join("report.html");
    ensure!(ended.stdout.contains(&format!("Report:       {}\n", report.display())), "{ended}");
    ensure!(ended.stdout.contains(&format!("report {} OTHER", folder.display())), "{ended}");
    ensure!(ended.stdout.contains("all answers right") && !ended.stdout.contains(" ok"), "{ended}");
    ensure!(ended.stdout.lines().any(|line| line.starts_with("data_race  ")), "{ended}");
    let page = fs::read_to_string(report)?;
    ensure!(["data_race", "lds_blur"].iter().all(|sample| page.contains(sample)), "{page}");
    let manifest = manifest(&folder)?;
    ensure!(manifest["settings"]["seed"] == 5 && manifest["command"][1] == "run", "{manifest}");
    let lds_blur = record(&folder, "lds_blur")?;
    ensure!(lds_blur.method.seed == 5, "seed {}", lds_blur.method.seed);
    ensure!(manifest["device"]["uuid"] == *lds_blur.device.uuid, "another device: {manifest}");
    ensure!(!lds_blur.command.iter().any(|word| word.contains(".hot-lap-")), "{:?}", lds_blur.command);
    let page = fs::read_to_string(folder.join("README.md"))?;
    let links = page.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    let links: Vec<&str> = links.map(|(link, _)| link).collect();
    ensure!(links == ["lds_blur", "data_race"], "{links:?}");
    for link in links {
        ensure!(folder.join(link).exists(), "{link} leads nowhere");
    }
    Ok(())
}

/// A sample that times submits in place of commands.
const TIMES_SUBMITS: &str = "round_trip";

fn waves_are_traced_where_they_can_be() -> Result<()> {
    let top = tempfile::tempdir()?;
    let traced = |sample: &str, has_clock: bool| -> Result<()> {
        let folder = top.path().join(format!("{sample}-{has_clock}"));
        let call = run_into(&folder, &format!("{sample} --trace"))?.words(QUICK);
        let call = if has_clock { call } else { call.env("HOTLAP_NO_WAVE_CLOCK", "1") };
        let ended = call.run()?.with_code(EXIT_RIGHT.into())?;
        ensure_whole(&folder)?;
        ensure_states(&folder, &[(sample, "right")])?;
        let record = record(&folder, sample)?;
        let can = has_clock && sample != TIMES_SUBMITS;
        let any = record.rows.iter().any(|row| matches!(row.trace, Some(Traced::Ok { .. })));
        let drawn = folder.join(sample).join("waves.svg").exists();
        ensure!((any, drawn) == (can, can), "traced {any}, drawn {drawn}: {ended}");
        let told = record.notes.iter().any(|note| note.starts_with("No waves were traced: "));
        ensure!(told != can, "{:?}", record.notes);
        Ok(())
    };
    traced("data_race", false)?;
    traced(TIMES_SUBMITS, true)?;
    // Not every device of a test can.
    if std::env::var_os("HOTLAP_TEST_DEVICE").is_none() { traced("data_race", true) } else { Ok(()) }
}

fn what_no_caches_can_be_emptied_for_is_skipped() -> Result<()> {
    let (_top, folder) = place()?;
    let call = run_into(&folder, &format!("{TIMES_SUBMITS} data_race --cold"))?.words(QUICK);
    let ended = call.run()?.with_code(EXIT_RIGHT.into())?;
    ensure_whole(&folder)?;
    ensure_states(&folder, &[("data_race", "right"), (TIMES_SUBMITS, "skipped")])?;
    ensure!(ended.stdout.replace("\n  ", " ").contains("caches cannot be emptied"), "{ended}");
    Ok(())
}

/// What is complete is left alone; what was taken away or damaged since is measured again.
fn a_run_goes_on_where_something_is_missing() -> Result<()> {
    let (_top, folder) = place()?;
    run_into(&folder, "data_race lds_blur")?.words(QUICK).run()?.with_code(EXIT_RIGHT.into())?;
    let kept = |sample: &str| snapshot(&folder.join(sample));
    let (before, lds_blur) = (kept("data_race")?, kept("lds_blur")?);
    let seed = record(&folder, "data_race")?.method.seed;
    let ended = resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
    ensure!(ended.stderr.is_empty(), "it measured something: {ended}");
    ensure!(kept("data_race")? == before && kept("lds_blur")? == lds_blur, "files have changed");
    let path = folder.join("lds_blur/record.json");
    let damaged = format!("{}: ", path.display());
    for says in ["", &damaged] {
        if says.is_empty() {
            fs::remove_dir_all(folder.join("lds_blur"))?;
        } else {
            fs::OpenOptions::new().write(true).open(&path)?.set_len(5000)?;
        }
        let ended = resume(&folder)?.run()?.with_code(EXIT_RIGHT.into())?;
        let said = ended.stderr.lines().next().unwrap_or_default();
        ensure!(said.contains(says), "{ended}");
        ensure!(says.is_empty() || said.ends_with("; lds_blur is measured again"), "{ended}");
        ensure!(ensure_whole(&folder)? == ["data_race", "lds_blur"], "not complete: {ended}");
        ensure!(kept("data_race")? == before, "data_race has changed");
        ensure!(record(&folder, "lds_blur")?.method.seed == seed, "another seed");
    }
    ensure!(manifest(&folder)?["resumed"].as_array().is_some_and(|times| times.len() == 2), "not noted");
    Ok(())
}

/// The machine's only device twice, where its driver is listed in a file; else that one device.
fn all_devices() -> Result<()> {
    let top = tempfile::tempdir()?;
    let drivers = ["one.json", "two.json"].map(|name| top.path().join(name));
    let listed = Path::new("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json");
    let twice = listed.exists();
    let folder = top.path().join("runs");
    let mut call = Call::on_any_device(&Call::binary("suite")?)
        .env("CARGO", "")
        .words("run data_race --device all")
        .words(QUICK)
        .args(["--out".as_ref(), folder.as_os_str()]);
    if twice {
        for driver in &drivers {
            fs::copy(listed, driver)?;
        }
        let both = std::env::join_paths(&drivers)?;
        call = call.env("VK_DRIVER_FILES", &both).env("VK_ICD_FILENAMES", &both);
    }
    let ended = call.run()?.with_code(EXIT_RIGHT.into())?;
    let mut runs: Vec<_> = fs::read_dir(&folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    runs.sort();
    for run in &runs {
        ensure!(ensure_whole(run)? == ["data_race"], "{}: {ended}", run.display());
    }
    if twice {
        ensure!(runs == ["llvmpipe", "llvmpipe-2"].map(|name| folder.join(name)), "{runs:?}");
        let last = |run| -> Result<_> {
            let command = record(run, "data_race")?.command;
            let at = command.iter().position(|word| word == "--device").context("no device")?;
            command.get(at + 1).cloned().context("no device")
        };
        ensure!([last(&runs[0])?, last(&runs[1])?] == ["0", "1"], "not one after the other");
    }
    ensure!(!runs.is_empty() && ended.stderr.starts_with(&format!("1 of {}: ", runs.len())), "{ended}");
    Ok(())
}

fn without_samples_beside_it() -> Result<()> {
    let top = tempfile::tempdir()?;
    let alone = top.path().join("suite");
    fs::copy(Call::binary("suite")?, &alone)?;
    let call = Call::on_any_device(&alone).env("CARGO", "").words("run --out run").on_test_device();
    let ended = call.within(top.path()).run()?;
    told_on_one_line(
        ended,
        EXIT_FAILED,
        &["async_compute is not beside this program", "cargo build --release"],
    )?;
    ensure!(!top.path().join("run").exists(), "a folder is left of a run that was refused");
    Ok(())
}
