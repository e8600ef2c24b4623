//! What a driver refuses to list of itself: no sample may take it for an empty list and go on with less.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::support::{Call, FaultLayer, told_on_one_line, trial};
use crate::{QUICK, SAMPLE};

const NO_HOST_MEMORY: i32 = -1;

fn call() -> Result<Call> {
    Ok(Call::new(SAMPLE)?.words(QUICK).words("--samples 1 --variant full_barrier"))
}

pub fn trials() -> Result<Vec<Trial>> {
    let layer = Arc::new(FaultLayer::build()?);
    let mut met = BTreeMap::new();
    let mut trials = Vec::new();
    for function in layer.list(call()?)?.into_iter().filter(|function| lists(function)) {
        let nth = met.entry(function.clone()).or_insert(0);
        *nth += 1;
        let (layer, plan) = (Arc::clone(&layer), format!("{function}#{nth}:{NO_HOST_MEMORY}"));
        let refused =
            move || told_on_one_line(layer.on(call()?, &plan).run()?, EXIT_FAILED, &["out of memory while"]);
        trials.push(trial(format!("enumerations::{function}#{nth}"), refused));
    }
    ensure!(met.len() == 3, "devices, extensions and clocks are listed, not only {met:?}");
    Ok(trials)
}

fn lists(function: &str) -> bool {
    function.starts_with("vkEnumerate") || function.starts_with("vkGetPhysicalDeviceCalibrateableTimeDomains")
}
