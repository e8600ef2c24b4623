//! Programs in the samples' stead, for what no sample does when it is asked to: shell scripts beside a copy of
//! the suite.

use std::fs;
use std::path::Path;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_INTERRUPTED, EXIT_RIGHT, EXIT_SKIPPED};
use record::{Ended as End, Record, Row, Status, json, read_record};

use crate::signals::send;
use crate::support::{Call, Ended, told_on_one_line, trial};
use crate::wait_until;
use crate::whole::{ensure_states, ensure_whole};

pub fn trials() -> Vec<Trial> {
    // Scripts need a shell.
    let ignored = !cfg!(unix);
    let trials = [
        trial("what_has_no_figures_is_told_as_such", what_has_no_figures_is_told_as_such),
        trial("no_driver_once_is_tried_again", no_driver_once_is_tried_again),
        trial("an_interrupt_comes_once", an_interrupt_comes_once),
        trial("a_self_test_is_what_a_sample_makes_of_it", a_self_test_is_what_a_sample_makes_of_it),
    ];
    trials.map(|trial| trial.with_ignored_flag(ignored)).into()
}

/// A record that a script can leave.
fn fixture(ended: End) -> Result<String> {
    let measured = "../results/2026-11-26-llvmpipe/lds_blur/record.json";
    let mut record = read_record(&Path::new(env!("CARGO_MANIFEST_DIR")).join(measured))?;
    record.ended = ended;
    json(&record)
}

/// Runs `lds_blur`, which is this script; `$JSON` and `$PROGRESS` are the files that it is to write, `$RECORD`
/// holds the record.
fn run(top: &Path, script: &str, record: &str) -> Result<Ended> {
    call(top, script, record)?.run()
}

fn call(top: &Path, script: &str, record: &str) -> Result<Call> {
    let suite = top.join("suite");
    fs::copy(Call::binary("suite")?, &suite)?;
    fs::write(top.join("a-record.json"), record)?;
    let line = r#"printf '{"phase":"measuring","variant":"%s","spent":0.5}' shared_16x16 > "$PROGRESS""#;
    let script = format!(
        "#!/bin/sh\ncase $1 in --about) exec '{}' \"$@\";; esac\nRECORD='{}'\nALL=\"$*\"\n\
         while [ $# -gt 0 ]; do case $1 in --json) JSON=$2;; --progress) PROGRESS=$2;; esac; shift; done\n\
         measuring() {{ {line}; }}\n{script}\n",
        Call::binary("lds_blur")?.display(),
        top.join("a-record.json").display()
    );
    write_program(&top.join("lds_blur"), &script)?;
    let call = Call::on_any_device(&suite).env("CARGO", "").words("run lds_blur --out run").on_test_device();
    Ok(call.within(top))
}

fn write_program(path: &Path, script: &str) -> Result<()> {
    fs::write(path, script)?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

fn what_has_no_figures_is_told_as_such() -> Result<()> {
    let wrong = Status::Wrong { elements: 7, first: "texel 1, 2".into() };
    let unsupported = Status::Unsupported { reason: "no such queue".into() };
    for (status, code, state, says) in [
        (wrong, EXIT_FAILED, "wrong", "7 elements differ from the CPU reference, the first: texel 1, 2"),
        // All rows have it, so that nothing can run.
        (unsupported, EXIT_SKIPPED, "skipped", "no such queue"),
    ] {
        let top = tempfile::tempdir()?;
        let mut record: Record = serde_json::from_str(&fixture(End::Complete)?)?;
        for row in &mut record.rows {
            *row = Row::unmeasured(&row.variant, row.promise.clone(), status.clone());
        }
        let ended = run(top.path(), &format!(r#"cp "$RECORD" "$JSON"; exit {code}"#), &json(&record)?)?;
        let ended = ended.with_code(code.into())?;
        ensure_whole(&top.path().join("run"))?;
        ensure_states(&top.path().join("run"), &[("lds_blur", state)])?;
        ensure!(ended.stdout.replace("\n  ", " ").contains(says), "{ended}");
    }
    Ok(())
}

/// The suite has found the device, so the sample finds it the next time.
fn no_driver_once_is_tried_again() -> Result<()> {
    let top = tempfile::tempdir()?;
    let script = r#"if [ ! -e "${RECORD%/*}/once" ]; then : > "${RECORD%/*}/once"
        echo 'lds_blur: cannot run here: no Vulkan driver on this machine' >&2; exit 1; fi
        cp "$RECORD" "$JSON"; exit 0"#;
    let record = fixture(End::Complete)?;
    let ended = run(top.path(), script, &record)?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stdout.contains("no Vulkan driver on this machine"), "{ended}");
    ensure_states(&top.path().join("run"), &[("lds_blur", "failed")])?;
    let again =
        Call::on_any_device(&top.path().join("suite")).env("CARGO", "").words("run --resume --out run");
    again.on_test_device().within(top.path()).run()?.with_code(EXIT_RIGHT.into())?;
    ensure_states(&top.path().join("run"), &[("lds_blur", "right")])
}

/// A terminal sends Ctrl-C to all of a group; a second one would end a sample before it has written anything.
fn an_interrupt_comes_once() -> Result<()> {
    let top = tempfile::tempdir()?;
    let (ready, count) = (top.path().join("ready"), top.path().join("count"));
    let script = r#"n=0; trap 'n=$((n+1))' INT; DIR=${RECORD%/*}; echo > "$DIR/ready"
        i=0; while [ $i -lt 40 ]; do i=$((i+1)); sleep 0.05; done; echo $n > "$DIR/count"; exit 130"#;
    let call = call(top.path(), script, "")?;
    #[cfg(unix)]
    let call = call.in_its_own_group();
    let running = call.start()?;
    wait_until(20, "it does not start", || ready.exists())?;
    send("INT", -i64::from(running.id()))?;
    running.wait()?.with_code(EXIT_INTERRUPTED.into())?;
    let count = fs::read_to_string(count)?;
    ensure!(count == "1\n", "it was interrupted {} times", count.trim());
    ensure_states(&top.path().join("run"), &[("lds_blur", "interrupted")])
}

/// It gets the arguments, and tells how it ended.
fn a_self_test_is_what_a_sample_makes_of_it() -> Result<()> {
    let top = tempfile::tempdir()?;
    let suite = top.path().join("suite");
    fs::copy(Call::binary("suite")?, &suite)?;
    let called = |arguments: &[&str]| {
        Call::on_any_device(&suite).env("CARGO", "").args(["self-test"]).args(arguments).run()
    };
    told_on_one_line(called(&[])?, EXIT_FAILED, &["suite: ", "no sample is beside this program"])?;
    let sample = top.path().join("data_race");
    write_program(&sample, "#!/bin/sh\necho $#: \"$@\"; exit 3\n")?;
    let ended = called(&["--device", "a b", "--timeout", "0.5", "--json", "-"])?.with_code(3)?;
    ensure!(ended.stdout == "4: --self-test --device=a b --timeout=0.5 --json=-\n", "{ended}");
    ensure!(ended.stderr.is_empty(), "{ended}");
    write_program(&sample, "#!/bin/sh\nkill -SEGV $$\n")?;
    told_on_one_line(called(&[])?, EXIT_FAILED, &["suite: ", "SIGSEGV"])
}
