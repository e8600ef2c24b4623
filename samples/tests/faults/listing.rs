//! `--list-devices` with one call in it that fails.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;

use crate::SAMPLE;
use crate::calls::{Fault, faults, list};
use crate::support::{Call, trial};

pub fn trials() -> Result<Vec<Trial>> {
    let folder = tempfile::tempdir()?;
    let made = list(call()?, folder.path())?;
    let one = |fault: Fault| trial(format!("list_devices::{}", fault.name()), move || one(&fault));
    Ok(faults(&made).into_iter().map(one).collect())
}

fn call() -> Result<Call> {
    Ok(Call::on_any_device(&Call::binary(SAMPLE)?).words("--list-devices"))
}

fn one(fault: &Fault) -> Result<()> {
    let ended = fault.inject(call()?).run()?.with_code(fault.code().into())?;
    fault.told(&ended)?;
    ensure!(ended.stdout.is_empty(), "half a list: {ended}");
    Ok(())
}
