//! Programs for `--library`: what they compute is checked, and what they do wrong costs their row alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_INTERRUPTED;
use record::{Promise, Record, Status};

use crate::support::{Call, holds_only, read_record, trial};

pub fn trials() -> Vec<Trial> {
    let trials = [
        trial("library::right", right),
        trial("library::what_it_does_wrong_has_no_time", wrong),
        trial("library::of_a_chain", chain),
        trial("library::one_way_fails", one_way_fails),
        trial("library::of_another_device_is_not_traced", not_traced),
        trial("library::no_program", no_program),
        trial("library::interrupted_by_a_terminal", interrupted),
        trial("library::in_the_window", in_the_window),
        trial("library::cold_or_missing", cold_or_missing),
    ];
    trials.into_iter().map(|trial| trial.with_ignored_flag(!cfg!(unix))).collect()
}

/// With alpha 0 and beta 1 the product is what C was, which a script can copy.
const SMALL: &str = "--size 32x48x16 --alpha 0 --beta 1 --variants zigzag,library";

/// A script that multiplies, by `answer`.
fn call(folder: &Path, answer: &str) -> Result<Call> {
    let script = script(folder, "multiply", 6, answer)?;
    Ok(Call::new("sgemm")?.words(SMALL).args(["--library".as_ref(), script.as_os_str()]))
}

/// A script with these methods, whose folder is the argument of this number. It does a task by `answer`, which makes a file
/// `made` whose checksum is `sum`, and notes beside itself how often it is started and asked for that file.
fn script(folder: &Path, methods: &str, argument: u32, answer: &str) -> Result<PathBuf> {
    let script = folder.join("library.sh");
    let sum = r#"sum() { s=0; i=1; for w in $(od -An -v -tu4 made); do s=$((s + w * i)); i=$((i + 2)); done; echo $s; }"#;
    let give = r#"echo >>"$0.asked"; cp made result; echo written"#;
    let text = format!(
        "#!/bin/sh\n{sum}\necho >>\"$0.started\"; echo 'Copy 1.0: {methods}'; cd \"${argument}\"\n\
         while read method times; do if [ $method = result ]; then {give}; else {answer}; fi; done\n"
    );
    fs::write(&script, text)?;
    let status = std::process::Command::new("chmod").arg("+x").arg(&script).status()?;
    ensure!(status.success(), "chmod failed");
    Ok(script)
}

/// The inputs are there until the first answer.
const RIGHT: &str = r#"[ ! -e c ] || cp c made; sleep 0.01; echo $((times * 1000)) $(sum)"#;

fn right() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let record = call(folder.path(), RIGHT)?.words("--samples 2").record()?;
    let row = record.rows.iter().find(|row| row.variant == "library").context("no row")?;
    ensure!((row.label.as_str(), &row.status) == ("Copy 1.0", &Status::Ok), "{row:?}");
    ensure!(row.promise == Promise::OtherApi { api: "Copy 1.0".into() }, "{row:?}");
    let times = [row.isolated_us, row.pipelined_us].map(|time| time.map(|time| time.median));
    ensure!(times == [Some(1000.0); 2], "not the program's times: {times:?}");
    ensure!(row.record_us.is_none() && row.clock_mhz.is_none(), "figures of this device: {row:?}");
    ensure!(
        row.samples.iter().all(|sample| sample.submit_us.is_none()),
        "CPU times of this program: {row:?}"
    );
    let asked = fs::read_to_string(folder.path().join("library.sh.asked"))?;
    ensure!(asked.lines().count() == 1, "the same result was read {} times", asked.lines().count());
    call(folder.path(), RIGHT)?.words("--check").right()?;
    Ok(())
}

fn wrong() -> Result<()> {
    let folder = tempfile::tempdir()?;
    for (answer, says) in [
        (r#"cp b made; truncate -s 6144 made; sleep 0.01; echo 1 $(sum)"#, "differ from the CPU"),
        (
            r#"[ $times = 1 ] && cp c made || truncate -s 6000 made; truncate -s 6144 made; sleep 0.01; echo 1 $(sum)"#,
            "differ from the CPU",
        ),
        (r#"cp a made; sleep 0.01; echo 1 7"#, "has 2048 bytes"),
        (r#"[ -e made ] && rm made || cp c made; sleep 0.01; echo 1 $(sum)"#, "reading its result"),
        (r#"cp c made; sleep 0.01; echo 1 7"#, "another checksum than its result"),
        (r#"cp c made; echo 1000000000 7"#, "more time than passed"),
        (r#"cp c made; echo soon"#, "said 'soon', which is no time"),
        (r#"cp c made; echo -5 7"#, "said '-5 7', which is no time"),
        (r#"cp c made; echo 1"#, "no time in µs with a checksum"),
        ("sleep 0.01; echo 1 7", "reading its result"),
        ("exit 7", "it has ended (exit status: 7)"),
    ] {
        let file = folder.path().join("run.json");
        let call =
            call(folder.path(), answer)?.words("--samples 2").args(["--json".as_ref(), file.as_os_str()]);
        call.failed()?.shows(&[says])?;
        let rows = read_record(&file)?.rows;
        let of = |name: &str| rows.iter().find(|row| row.variant == name).context("no row");
        ensure!(of("library")?.isolated_us.is_none(), "a time of '{answer}'");
        ensure!(of("zigzag")?.isolated_us.is_some(), "'{answer}' costs other rows their times");
    }
    Ok(())
}

/// A program that copies the first image in one way, and offers no other.
fn chain() -> Result<()> {
    let [folder, file] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let script = script(folder.path(), "other graph", 5, "cp seed made; sleep 0.01; echo 1 $(sum)")?;
    let file = file.path().join("run.json");
    let call =
        Call::new("tiles_in_one_dispatch")?.words("--size 30x16 --samples 2 --variants barriers,library*");
    let call = call.args(["--library".as_ref(), script.as_os_str(), "--json".as_ref(), file.as_os_str()]);
    call.failed()?.shows(&["differ from the CPU"])?;
    let rows = read_record(&file)?.rows;
    let of_library = || rows.iter().filter(|row| row.variant.starts_with("library"));
    ensure!(of_library().count() == 6, "{rows:?}");
    for row in of_library() {
        let fits = match (&*row.variant, &row.status) {
            ("library_graph", Status::Wrong { elements: 512, .. }) => row.label == "Copy 1.0, graph",
            ("library_graph", _) => false,
            (_, Status::Skipped { reason }) => reason.contains("Copy 1.0 does not offer"),
            _ => false,
        };
        ensure!(fits, "{row:?}");
    }
    let call = Call::new("tiles_in_one_dispatch")?.words("--variants library_flags");
    call.failed()?.says(&["'library_flags'; --library target/chain-cuda makes one"])
}

/// A way that fails costs itself its time, and the program is started again for the others.
fn one_way_fails() -> Result<()> {
    let [folder, file] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let answer = r#"[ $method = flags ] || { echo 'first words' >&2; echo 'the last words' >&2; exit 3; }
        cp seed made; sleep 0.01; echo 1 $(sum)"#;
    let script = script(folder.path(), "graph flags", 5, answer)?;
    let file = file.path().join("run.json");
    let call = Call::new("tiles_in_one_dispatch")?.words("--size 32x16 --samples 2 --variants library*");
    let call = call.args(["--library".as_ref(), script.as_os_str(), "--json".as_ref(), file.as_os_str()]);
    call.failed()?;
    let rows = read_record(&file)?.rows;
    let of = |name: &str| rows.iter().find(|row| row.variant == name).context("no row");
    let [graph, flags] = [&of("library_graph")?.status, &of("library_flags")?.status];
    ensure!(
        matches!(graph, Status::Error { reason } if reason.ends_with("it has ended (exit status: 3): the last words")),
        "{graph:?}"
    );
    // It is asked, and what it copies is no result.
    ensure!(matches!(flags, Status::Wrong { .. }), "{flags:?}");
    let started = fs::read_to_string(folder.path().join("library.sh.started"))?.lines().count();
    ensure!(started == 2, "started {started} times");
    Ok(())
}

fn not_traced() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let picture = folder.path().join("waves.svg");
    let record = call(folder.path(), RIGHT)?
        .words("--samples 2")
        .args(["--trace".as_ref(), picture.as_os_str()])
        .record()?;
    let traced = |name: &str| record.rows.iter().any(|row| row.variant == name && row.trace.is_some());
    ensure!(traced("zigzag") && !traced("library"), "{:?}", record.rows);
    Ok(())
}

fn no_program() -> Result<()> {
    for (program, says) in [("/none/such", "no program that runs"), ("true", "it has ended (exit status: 0)")]
    {
        let call = Call::new("sgemm")?.words(SMALL).args(["--library", program]);
        call.failed()?.says(&["--library", program, says])?;
    }
    Ok(())
}

/// Ctrl-C reaches the whole process group of a terminal: the program's last answer still counts, and nothing stays behind.
fn interrupted() -> Result<()> {
    let [folder, temporary] = [tempfile::tempdir()?, tempfile::tempdir()?];
    let busy = folder.path().join("busy");
    let works = format!("touch {0}; sleep 0.2; rm {0}", busy.display());
    let call = call(folder.path(), &RIGHT.replace("sleep 0.01", &works))?
        .words("--samples 1000000000 --budget 600 --json run.json");
    let call = call.within(folder.path()).env("TMPDIR", temporary.path()).in_its_own_group();
    let (mut running, record) = (call.start()?, folder.path().join("run.json"));
    let has_samples = |record: Record| {
        let failed = record.rows.iter().any(|row| matches!(row.status, Status::Error { .. }));
        ensure!(!failed, "{:?}", record.rows);
        Ok(record.rows.iter().any(|row| row.variant == "library" && row.samples.len() > 1))
    };
    while !read_record(&record).map_or(Ok(false), has_samples)? {
        running.ensure_alive()?;
        std::thread::sleep(Duration::from_millis(50));
    }
    while !busy.exists() {
        running.ensure_alive()?;
        std::thread::sleep(Duration::from_millis(1));
    }
    // Where tests run in the background, a shell may have all of them ignore SIGINT.
    let group = format!("kill -TERM -{}", running.id());
    ensure!(std::process::Command::new("sh").args(["-c", &group]).status()?.success(), "no signal");
    running.wait()?.with_code(EXIT_INTERRUPTED.into())?;
    let rows = read_record(&record)?.rows;
    ensure!(rows.iter().all(|row| row.status == Status::Ok), "{rows:?}");
    holds_only(temporary.path(), &[])
}

/// A program that fails has no time there, and the window goes on.
fn in_the_window() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--live --headless --frames 12 --json run.json";
    call(folder.path(), "exit 7")?.words(words).within(folder.path()).failed()?;
    let rows = read_record(&folder.path().join("run.json"))?.rows;
    let of = |name: &str| rows.iter().find(|row| row.variant == name).context("no row");
    ensure!(
        matches!(&of("library")?.status, Status::Error { reason } if reason.contains("has ended")),
        "{rows:?}"
    );
    ensure!(of("zigzag")?.isolated_us.is_some(), "{rows:?}");
    Ok(())
}

/// The caches of another device cannot be emptied, and without a program there is no variant.
fn cold_or_missing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let record = call(folder.path(), RIGHT)?.words("--cold --samples 1").record()?;
    let of = |name: &str| record.rows.iter().find(|row| row.variant == name).context("no row");
    let status = &of("library")?.status;
    ensure!(
        matches!(status, Status::Skipped { reason } if reason.contains("caches cannot be emptied")),
        "{status:?}"
    );
    ensure!(of("zigzag")?.isolated_us.is_some() && record.method.caches.starts_with("cold"), "{record:?}");
    let call = Call::new("sgemm")?.words(SMALL);
    call.failed()?.says(&["no variant is called 'library'; --library target/sgemm-cublas makes one"])
}
