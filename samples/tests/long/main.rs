//! Soaks, faults in every call, command lines at random, and builds from nothing: for `scripts/test --long`, because
//! they take minutes.

mod command_lines;
mod single_faults;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use record::{Kind, Promise, read_json};
use support::{Call, is_lawful, ran, trial};

fn main() -> Result<ExitCode> {
    let skipped = std::env::var_os("HOTLAP_LONG").is_none();
    let trials = vec![
        trial("ten_thousand_rounds_are_right", || {
            soak("pipelined_events", "--size 48 --align 4 --workgroup 8x4 --passes 4 --repetitions 2", 20)
        }),
        trial("ten_thousand_runs_of_waiting_tiles_are_right", waiting_tiles),
        trial("ten_thousand_blooms_in_one_dispatch_are_right", blooms),
        trial("ten_thousand_trials_find_just_what_was_seeded", || soak("data_race", "--size 32,40", 10)),
        trial("every_call_may_fail", single_faults::every_call_may_fail),
        trial("random_command_lines", command_lines::random_command_lines),
        trial("the_readmes_sample_needs_no_other_file", readmes_sample),
        trial("other_systems::windows", || checks_for("x86_64-pc-windows-gnu")),
        trial("other_systems::macos", || checks_for("x86_64-apple-darwin")),
    ];
    let trials = trials.into_iter().map(|trial| trial.with_ignored_flag(skipped)).collect();
    support::run(trials)
}

/// All of it passes the compiler for a system that is not here, which needs that system's standard library alone.
fn checks_for(target: &str) -> Result<()> {
    let added = Command::new("rustup").args(["target", "add", target]).output().context("starting rustup")?;
    ensure!(added.status.success(), "rustup has no {target}: {}", String::from_utf8_lossy(&added.stderr));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("other_systems");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).env("CARGO_TARGET_DIR", folder);
    let checked =
        cargo.args(["check", "--locked", "--bins", "--target", target]).output().context("starting cargo")?;
    ensure!(checked.status.success(), "{target}:\n{}", String::from_utf8_lossy(&checked.stderr));
    Ok(())
}

/// Of what is drawn at random: another one in each run, or `HOTLAP_SEED`, to repeat a run.
fn seed() -> u64 {
    let given = std::env::var("HOTLAP_SEED").ok().and_then(|seed| seed.parse().ok());
    given.unwrap_or_else(|| rand::random::<u32>().into())
}

/// Each in an order of its own, and each short enough for the limit on a single call: barriers hold and the seeded fault
/// is counted exactly in each of 10,000 rounds.
fn soak(sample: &str, words: &str, seeds: usize) -> Result<()> {
    let samples = 10_000 / seeds;
    for seed in 0..seeds {
        let call = Call::new(sample)?.words(&format!("{words} --samples {samples} --seed {seed} --json -"));
        let record = read_json(&call.right()?.stdout)?;
        // What may race does not on a CPU device.
        let may_race = |row| record.device.kind != Kind::Cpu && !is_lawful(row);
        for row in ran(&record) {
            let racy = row.racy.context("every sample is checked")?;
            let right = match row.promise {
                Promise::Fault { elements } => elements == racy.max,
                _ => racy.max == 0 || may_race(row),
            };
            ensure!(right && racy.samples == samples, "{} with seed {seed}: {racy:?}", row.variant);
        }
    }
    Ok(())
}

/// A call takes some 20 s on two cores, and more where another process, or the rest of the tests, has them.
const BESIDE_ANOTHER: Duration = Duration::from_secs(600);

/// Tiles that wait for one another in one dispatch, in every form, with one pass per tile and several.
fn waiting_tiles() -> Result<()> {
    let cuts = ["", "--radius 8", "--depth 3", "--blocked 50", "--region 8x12x2 --depth 2"];
    waits("tiles_in_one_dispatch", "--size 70x50 --passes 12", "tags*,flags*", &cuts)
}

/// The same of tiles that wait for others of two passes, and of other sizes.
fn blooms() -> Result<()> {
    waits(
        "bloom",
        "--size 70x50",
        "tile_*",
        &["", "--tile 8x2x4", "--tile 16x2 --radius 8", "--order recorded"],
    )
}

/// 10,000 runs, while another process keeps the device busy half of the time.
fn waits(sample: &str, arguments: &str, variants: &str, cuts: &[&str]) -> Result<()> {
    for (seed, cut) in (0..40).zip(cuts.iter().cycle()) {
        let reserved_elsewhere = || Call::new("pipelined_events")?.words("--budget 60").start();
        let other = (seed % 2 == 1).then(reserved_elsewhere).transpose()?;
        let call = Call::new(sample)?.with_driver_threads();
        let call = call.words("--repetitions 1 --samples 250 --json -").args(["--variants", variants]);
        let call = call.words(arguments).words(cut);
        let call = call.args(["--seed".into(), seed.to_string()]);
        let ended = call.start()?.for_at_most(BESIDE_ANOTHER).wait()?.with_code(0)?;
        drop(other);
        for row in ran(&read_json(&ended.stdout)?).filter(|row| is_lawful(row)) {
            let wrong = row.racy.context("every sample is checked")?.max;
            ensure!(wrong == 0 && row.samples.len() == 250, "{} with {cut}: {wrong} wrong", row.variant);
        }
    }
    Ok(())
}

/// The example of samples/README.md, dropped into a copy of the tracked files, is built, tested and measured.
fn readmes_sample() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let copy = tempfile::tempdir()?;
    let at = copy.path();
    shell(
        &root,
        &format!("git ls-files -z -co --exclude-standard | xargs -0 cp --parents -t '{}'", at.display()),
    )?;
    if root.join(".cargo/config.toml").exists() {
        shell(&root, &format!("cp --parents .cargo/config.toml -t '{}'", at.display()))?;
    }
    let readme = std::fs::read_to_string(at.join("samples/README.md"))?;
    let folder = at.join("samples/src/bin/smallest");
    std::fs::create_dir(&folder)?;
    for (file, begin) in [("main.rs", "```rust\n"), ("variants.toml", "```toml\n")] {
        let text = readme.split(begin).nth(1).and_then(|rest| rest.split("```").next());
        std::fs::write(
            folder.join(file),
            text.with_context(|| format!("samples/README.md shows no {file}"))?,
        )?;
    }
    shell(at, "cargo test --locked -p samples --test every_sample -- smallest")?;
    let table = shell(at, "cargo run --locked --bin smallest -- --device llvmpipe --budget 1")?;
    ensure!(table.contains("plain"), "its table has no row of its variant:\n{table}");
    Ok(())
}

fn shell(folder: &Path, line: &str) -> Result<String> {
    let mut command = Command::new("sh");
    // The test's own cargo must not lend the copy its target folder.
    command.args(["-c", line]).current_dir(folder).env_remove("CARGO_TARGET_DIR").env_remove("RUSTC_WRAPPER");
    let output = command.output().with_context(|| format!("running {line}"))?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    ensure!(output.status.success(), "{line}\n{out}\n{err}");
    Ok(out.into_owned())
}
