//! Code for AMD's GCN and RDNA, compiled without the chip: that the figures are those of the kernels, that the
//! occupancy model agrees with the driver, how two of them differ, and what is said where nothing can be compiled.
//!
//! They pin no version of Mesa: what a compiler may do better tomorrow is a bound here.

mod budgets;
mod diff;
mod files;
mod model;
#[path = "../support/mod.rs"]
mod support;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use common::isa::CodeReport;
use record::error::{EXIT_FAILED, EXIT_SKIPPED};
use support::{Call, for_each_sample, told_on_one_line, trial};

const SAMPLE: &str = "pipelined_events";
const CHIPS: [&str; 3] = ["POLARIS10", "VEGA10", "NAVI21"];
/// Mesa's driver for AMD, which scripts/setup installs.
const RADV: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

fn main() -> Result<ExitCode> {
    let here = Path::new(RADV).exists();
    let mut trials = vec![
        trial("occupancy_model", model::agrees_with_the_driver),
        trial("sweep", sweep),
        trial("unknown_chip", unknown_chip),
        trial("compiler_failure", compiler_failure),
    ];
    trials.extend(budgets::trials());
    trials.extend(diff::trials());
    trials.extend(for_each_sample(&[("compiled", compiled)])?);
    let mut trials: Vec<_> = trials.into_iter().map(|trial| trial.with_ignored_flag(!here)).collect();
    trials.extend(files::trials());
    trials.push(trial("device_in_use", device_in_use));
    support::run(trials)
}

fn report(sample: &str, arguments: &str) -> Result<CodeReport> {
    let call = call(sample, &format!("amd:{}", CHIPS.join(",")))?;
    let ended = call.words("--json -").words(arguments).right()?;
    serde_json::from_str(&ended.stdout).with_context(|| format!("stdout is no report: {ended}"))
}

fn call(sample: &str, code: &str) -> Result<Call> {
    Ok(Call::new(sample)?.args(["--code", code]))
}

/// Every kernel of every sample compiles, for chips that have what it asks for, without spills but where those are shown, and
/// reads past a cache only where it is to.
fn compiled(sample: &str) -> Result<()> {
    let report = report(sample, "")?;
    ensure!(report.chips.len() == CHIPS.len() && report.failed.is_empty(), "{:?}", report.failed);
    ensure!(!report.kernels.is_empty(), "no kernel");
    for chip in &report.chips {
        ensure!(chip.driver.contains("Mesa") && chip.device.contains(&chip.chip), "{chip:?}");
        for (kernel, outcome) in report.kernels.iter().zip(&chip.kernels) {
            let Some(compiled) = outcome.compiled() else { continue };
            let memory = compiled.spilled_vgprs + compiled.spilled_sgprs + compiled.scratch_bytes;
            let may_spill = kernel.name == "registers/live.comp"
                && kernel.constants.get("LIVE") == Some(&80)
                && kernel.workgroup == [1024, 1, 1];
            ensure!(
                memory == 0 || may_spill,
                "{} on {} keeps registers in memory: {compiled:?}",
                kernel.name,
                chip.chip
            );
            let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
            ensure!(
                Some(u64::from(occupancy.waves_per_simd)) == compiled.waves_per_simd,
                "{} on {}: {compiled:?}",
                kernel.name,
                chip.chip
            );
            let coherent = kernel.name.contains("COHERENT_LOADS");
            let counts = compiled.counts.context("no code")?;
            // What looks at what other workgroups stored must not look into its own cache. live.comp is volatile.
            let shares = [
                "tiles_in_one_dispatch/flags.comp",
                "tiles_in_one_dispatch/tags",
                "bloom/tiles.comp",
                "registers/live.comp",
                "wave_order/hold.comp",
                "merged_passes/levels.comp [ONE]",
            ];
            if shares.iter().any(|tiles| kernel.name.starts_with(tiles))
                || kernel.name.ends_with("split along K")
            {
                ensure!(counts.vmem_loads_glc > 0, "{} on {}: {counts:?}", kernel.name, chip.chip);
                continue;
            }
            let loads = if coherent { counts.vmem_loads } else { 0 };
            let stores = if kernel.name.contains("COHERENT_STORES") { counts.vmem_stores } else { 0 };
            let marked = counts.vmem_loads_glc == loads && counts.vmem_stores_glc >= stores;
            ensure!(marked, "{} on {}: {counts:?}", kernel.name, chip.chip);
        }
    }
    Ok(())
}

/// A sweep compiles each of its points, and takes no report for a record.
fn sweep() -> Result<()> {
    let ended = call(SAMPLE, "amd:vega10")?.words("--radius 1..2").right()?;
    ensure!(
        ended.stdout.matches("Null hardware").count() == 2 && !ended.stdout.contains("Isolated"),
        "{ended}"
    );
    Ok(())
}

/// The other chips are compiled for all the same.
fn unknown_chip() -> Result<()> {
    let says = ["pipelined_events: ", "knows no chip 'POLARIS99'", "POLARIS10", "VEGA10", "NAVI21"];
    told_on_one_line(call(SAMPLE, "amd:polaris99")?.run()?, EXIT_FAILED, &says)?;
    let ended = call(SAMPLE, "amd:polaris99,vega10")?.failed()?;
    ended.says(&["knows no chip"])?;
    ended.shows(&["RADV VEGA10"])
}

/// The device of the child cannot be made; that of the sample can.
fn compiler_failure() -> Result<()> {
    let fault = "creating the device without hardware#1:memory";
    let ended = call(SAMPLE, "amd:vega10")?.env("HOTLAP_FAULT", fault).run()?;
    told_on_one_line(ended, EXIT_FAILED, &["compiling for VEGA10", "out of device memory"])
}

/// The device in use tells what it made of each kernel, or it is said on one line what it lacks.
fn device_in_use() -> Result<()> {
    let ended = Call::new(SAMPLE)?.words("--code --json -").run()?;
    if ended.code == Some(EXIT_SKIPPED.into()) {
        let says = ["does not tell", "VK_KHR_pipeline_executable_properties", "amd:"];
        return told_on_one_line(ended, EXIT_SKIPPED, &says);
    }
    let ended = ended.with_code(0)?;
    let report: CodeReport = serde_json::from_str(&ended.stdout).with_context(|| format!("{ended}"))?;
    let told = match (&report.reported, &report.chips[..]) {
        (Some(reported), []) => reported.kernels.iter().filter(|forms| !forms.is_empty()).count(),
        (None, [chip]) => chip.kernels.iter().filter(|outcome| outcome.compiled().is_some()).count(),
        other => anyhow::bail!("both or none: {other:?}"),
    };
    ensure!(told > 0 && told == report.kernels.len(), "{told} of {} kernels: {ended}", report.kernels.len());
    Ok(())
}
