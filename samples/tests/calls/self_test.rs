//! `--self-test`, as a user calls it: any sample has it, and `suite self-test` calls one.

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::self_test::{Check, CheckResult};
use serde_json::Value;

use crate::support::{Call, trial};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("self_test::a_cpu_device_passes", a_cpu_device_passes),
        trial("self_test::json_in_a_file_or_on_stdout", json_in_a_file_or_on_stdout),
    ]
}

/// The command on the CPU's device, whatever else there is.
fn on_cpu() -> Result<Call> {
    let call = Call::on_any_device(&Call::binary("codegen")?).with_self_test().with_driver_threads();
    Ok(call.words("--self-test --device llvmpipe"))
}

/// The certificate, with its checks.
fn certificate(json: &str) -> Result<(Value, Vec<Check>)> {
    let certificate: Value = serde_json::from_str(json).with_context(|| json.to_owned())?;
    let checks = serde_json::from_value(certificate["checks"].clone())?;
    Ok((certificate, checks))
}

fn check<'c>(checks: &'c [Check], name: &str) -> Result<&'c Check> {
    checks.iter().find(|check| check.name == name).with_context(|| format!("no {name}: {checks:?}"))
}

fn a_cpu_device_passes() -> Result<()> {
    let ended = on_cpu()?.right()?;
    ensure!(ended.stderr.is_empty() && ended.stdout.starts_with("self-test on llvmpipe"), "{ended}");
    ended.shows(&["–  the same kernel twice  a CPU device: ", "✓  results "])?;
    ensure!(ended.stdout.lines().count() == 9, "a line for each check, one ahead and one behind: {ended}");
    ensure!(ended.stdout.lines().last().is_some_and(|last| last.starts_with("passed, ")), "{ended}");
    let ended = on_cpu()?.env("LC_ALL", "C").right()?;
    ended.is_ascii()?;
    ended.shows(&["skip  the same kernel twice", " +-"])
}

fn json_in_a_file_or_on_stdout() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = on_cpu()?.words("--json certificate.json").within(folder.path()).right()?;
    ensure!(ended.stdout.starts_with("self-test on"), "{ended}");
    let written = std::fs::read_to_string(folder.path().join("certificate.json"))?;
    let ended = on_cpu()?.words("--json -").right()?;
    ensure!(ended.stderr.starts_with("self-test on"), "the certificate makes way: {ended}");
    for json in [written, ended.stdout] {
        let (tested, checks) = certificate(&json)?;
        ensure!(tested["passed"] == true && tested["interrupted"] == false, "{json}");
        ensure!(tested["device"]["name"].as_str().is_some_and(|name| name.contains("llvmpipe")), "{json}");
        ensure!(tested["seconds"].as_f64() > Some(0.0), "{json}");
        let step = check(&checks, "timestamp step")?.figures.iter().find(|figure| figure.name == "step");
        ensure!(step.is_some_and(|step| step.value > 0.0 && step.unit == "ns"), "{json}");
        ensure!(check(&checks, "2 % more work")?.result == CheckResult::Skipped, "{json}");
    }
    Ok(())
}
