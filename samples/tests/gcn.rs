//! Code for AMD's GCN, compiled without the chip: that the figures are those of the kernels, that the
//! occupancy model agrees with the driver, and what is said where nothing can be compiled.
//!
//! They pin no version of Mesa: what a compiler may do better tomorrow is a bound here.

mod support;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};
use common::error::{EXIT_FAILED, EXIT_RIGHT, EXIT_SKIPPED};
use common::isa::{Chip, CodeReport, Compiled, Counts, Occupancy, Use};
use common::source::Source;
use common::spirv;
use libtest_mimic::Arguments;
use serde_json::Value;
use support::{Call, Ended, for_each_sample, trial};

const SAMPLE: &str = "pipelined_events";
const CHIPS: [&str; 2] = ["POLARIS10", "VEGA10"];
/// Mesa's driver for AMD, which scripts/setup installs.
const RADV: &str = "/usr/share/vulkan/icd.d/radeon_icd.x86_64.json";

fn main() -> Result<ExitCode> {
    let here = Path::new(RADV).exists();
    let mut trials = vec![
        trial("cross", cross),
        trial("occupancy_model", occupancy_model),
        trial("sweep", sweep),
        trial("unknown_chip", unknown_chip),
        trial("compiler_failure", compiler_failure),
    ];
    trials.extend(for_each_sample(&[("compiled", compiled)])?);
    let mut trials: Vec<_> = trials.into_iter().map(|trial| trial.with_ignored_flag(!here)).collect();
    trials.push(trial("no_driver", no_driver));
    trials.push(trial("no_chip", no_chip));
    Ok(libtest_mimic::run(&Arguments::from_args(), trials).exit_code())
}

fn report(sample: &str, arguments: &str) -> Result<CodeReport> {
    let ended =
        call(sample, &format!("amd:{}", CHIPS.join(",")))?.words("--json -").words(arguments).run()?;
    let ended = ended.with_code(EXIT_RIGHT.into())?;
    serde_json::from_str(&ended.stdout).with_context(|| format!("stdout is no report: {ended}"))
}

fn call(sample: &str, code: &str) -> Result<Call> {
    Ok(Call::new(sample)?.args(["--code", code]))
}

fn told_on_one_line(ended: Ended, code: u8, says: &[&str]) -> Result<()> {
    let ended = ended.with_code(code.into())?;
    ensure!(ended.stdout.is_empty() && ended.stderr.trim_end().lines().count() == 1, "not one line: {ended}");
    for text in says {
        ensure!(ended.stderr.contains(text), "no word of '{text}': {ended}");
    }
    Ok(())
}

/// The one kernel of a variant, and its instructions.
fn only<'r>(report: &'r CodeReport, chip: &str, variant: &str) -> Result<(&'r Compiled, Counts)> {
    let outcomes = report.of(chip, variant);
    ensure!(outcomes.len() == 1, "{variant} has {} kernels on {chip}", outcomes.len());
    let compiled = outcomes[0].compiled().with_context(|| format!("{:?}", outcomes[0]))?;
    Ok((compiled, compiled.counts.context("no code")?))
}

/// Of a cross, the centre and each texel of four arms is loaded once, and one texel stored: the
/// specialisation constant for the radius has reached the compiler, and unrolled the loop.
fn cross() -> Result<()> {
    for radius in [1, 2, 5] {
        let report = report(SAMPLE, &format!("--radius {radius} --variant no_barrier,execution_only"))?;
        for (chip, variant) in
            CHIPS.iter().flat_map(|chip| ["no_barrier", "execution_only"].map(|v| (chip, v)))
        {
            let (compiled, counts) = only(&report, chip, variant)?;
            let found = (counts.vmem_loads, counts.vmem_stores, counts.lds, counts.barriers);
            ensure!(found == (4 * radius + 1, 1, 0, 0), "{variant}, radius {radius} on {chip}: {counts:?}");
            ensure!((1..=64).contains(&compiled.vgprs) && compiled.code_bytes > 100, "{compiled:?}");
        }
        let kernels = |variant: &str| {
            report.variants.iter().find(|known| known.variant == variant).map(|known| known.kernels.clone())
        };
        ensure!(kernels("no_barrier") != kernels("execution_only"), "two kernels are taken for one");
    }
    Ok(())
}

/// Every kernel of every sample compiles, for chips that have what it asks for, without spills.
fn compiled(sample: &str) -> Result<()> {
    let report = report(sample, "")?;
    ensure!(report.chips.len() == CHIPS.len() && report.failed.is_empty(), "{:?}", report.failed);
    ensure!(!report.kernels.is_empty(), "no kernel");
    for chip in &report.chips {
        ensure!(chip.driver.contains("Mesa") && chip.device.contains(&chip.chip), "{chip:?}");
        for (kernel, outcome) in report.kernels.iter().zip(&chip.kernels) {
            let Some(compiled) = outcome.compiled() else { continue };
            let memory = compiled.spilled_vgprs + compiled.spilled_sgprs + compiled.scratch_bytes;
            ensure!(memory == 0, "{} on {} keeps registers in memory: {compiled:?}", kernel.name, chip.chip);
            let occupancy = compiled.occupancy.as_ref().context("no occupancy")?;
            ensure!(
                u64::from(occupancy.waves_per_simd) == compiled.subgroups_per_simd,
                "{} on {}: {compiled:?}",
                kernel.name,
                chip.chip
            );
        }
    }
    Ok(())
}

/// The model's waves a SIMD are the driver's, for kernels that are short of each thing in turn.
fn occupancy_model() -> Result<()> {
    const THREADS: [u32; 6] = [64, 128, 192, 256, 512, 1024];
    const WORDS: [u32; 5] = [1, 300, 1100, 4096, 8192];
    let mut sources = Vec::new();
    for (at, live) in [4, 20, 26, 32, 40, 56, 75, 90, 120, 180, 230].into_iter().enumerate() {
        let source = Source { name: format!("live_{live}.comp"), text: hungry(live), includes: Vec::new() };
        let code = spirv::compile(&source, &Vec::new())?;
        for step in 0..THREADS.len() {
            let (threads, words) =
                (THREADS[(at + step) % THREADS.len()], WORDS[(at + 2 * step) % WORDS.len()]);
            sources.push((threads, source.name.clone(), code.clone(), words));
        }
    }
    let mut seen = BTreeMap::new();
    for name in ["POLARIS10", "VEGA10", "BONAIRE"] {
        let chip = Chip::named(name).context("no such chip")?;
        for ((threads, kernel, ..), statistics) in sources.iter().zip(statistics(name, &sources)?) {
            let figure =
                |name: &str| statistics[name].as_u64().with_context(|| format!("{name}: {statistics}"));
            let small = |name: &str| Ok::<u32, anyhow::Error>(u32::try_from(figure(name)?)?);
            let taken = Use {
                vgprs: small("VGPRs")?,
                sgprs: small("SGPRs")?,
                lds: small("LDS size")?,
                threads: *threads,
            };
            let (model, driver) = (Occupancy::of(chip, taken), figure("Subgroups per SIMD")?);
            ensure!(
                u64::from(model.waves_per_simd) == driver,
                "{kernel} on {name}, {taken:?}: {model:?}, the driver says {driver}"
            );
            *seen.entry((name, driver)).or_insert(0) += 1;
        }
    }
    // A model that always says 8 would agree with a driver that always does.
    ensure!(seen.len() >= 15, "the kernels are too much alike: {seen:?}");
    Ok(())
}

/// A kernel with about so many live registers, and with shared memory.
fn hungry(live: usize) -> String {
    let each = |line: &dyn Fn(usize) -> String| (0..live).map(line).collect::<String>();
    let load = each(&|i| format!("    float r{i} = data[{live} * at + {i}];\n"));
    let mix = each(&|i| format!("        r{i} = r{i} * r{} + r{};\n", (i + 1) % live, (i + 2) % live));
    let sum: Vec<String> = (0..live).map(|i| format!("r{i}")).collect();
    format!(
        "#version 460
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WORDS = 1;
layout(push_constant) uniform Push {{ uint steps; }};
layout(std430, set = 0, binding = 0) buffer Data {{ float data[]; }};
shared float kept[WORDS];
void main() {{
    uint at = gl_GlobalInvocationID.x;
{load}    for (uint i = 0; i < steps; ++i) {{
{mix}    }}
    kept[gl_LocalInvocationIndex % WORDS] = r0;
    barrier();
    data[at] = {} + kept[(gl_LocalInvocationIndex + 1) % WORDS];
}}
",
        sum.join(" + ")
    )
}

/// What the driver says of kernels of (threads, name, code, words of shared memory).
fn statistics(chip: &str, sources: &[(u32, String, Vec<u32>, u32)]) -> Result<Vec<Value>> {
    let source = |(threads, name, spirv, words): &(u32, String, Vec<u32>, u32)| {
        let constants: BTreeMap<u32, u32> = [(0, *threads), (1, *words)].into();
        // 7 is VK_DESCRIPTOR_TYPE_STORAGE_BUFFER.
        serde_json::json!({"name": name, "spirv": spirv, "constants": constants, "bindings": [7], "push_bytes": 4})
    };
    let request = serde_json::to_vec(&sources.iter().map(source).collect::<Vec<_>>())?;
    let mut child = Command::new(Call::binary(SAMPLE)?)
        .arg("--compile-for-null-device")
        .env("RADV_FORCE_FAMILY", chip)
        .env("VK_DRIVER_FILES", RADV)
        .env("VK_ICD_FILENAMES", RADV)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // The child reads all of it before it writes anything.
    child.stdin.take().context("no pipe")?.write_all(&request)?;
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "{chip}: {}", output.status);
    let lines = String::from_utf8(output.stdout)?;
    let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>()?;
    ensure!(lines.len() == 1 + sources.len(), "{chip} ended early: {:?}", lines.last());
    Ok(lines.into_iter().skip(1).map(|mut line| line["Kernel"]["statistics"].take()).collect())
}

/// A sweep compiles each of its points, and takes no report for a record.
fn sweep() -> Result<()> {
    let ended = call(SAMPLE, "amd:vega10")?.words("--radius 1..2").run()?.with_code(EXIT_RIGHT.into())?;
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
    let ended = call(SAMPLE, "amd:polaris99,vega10")?.run()?.with_code(EXIT_FAILED.into())?;
    ensure!(ended.stdout.contains("RADV VEGA10") && ended.stderr.contains("knows no chip"), "{ended}");
    Ok(())
}

/// The device of the child cannot be made; that of the sample can.
fn compiler_failure() -> Result<()> {
    let ended =
        call(SAMPLE, "amd:vega10")?.env("HOTLAP_FAULT", "creating the device without hardware#1:memory");
    told_on_one_line(ended.run()?, EXIT_FAILED, &["compiling for VEGA10", "out of device memory"])
}

fn no_driver() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = call(SAMPLE, "amd:vega10")?.env("HOTLAP_ICD_DIR", folder.path()).run()?;
    told_on_one_line(
        ended,
        EXIT_SKIPPED,
        &["RADV", "not installed", "mesa-vulkan-drivers", &folder.path().to_string_lossy()],
    )
}

fn no_chip() -> Result<()> {
    for (code, says) in
        [("polaris10", "amd:polaris10"), ("nvidia:ga102", "'nvidia'"), ("amd:", "no name of a chip")]
    {
        told_on_one_line(call(SAMPLE, code)?.run()?, EXIT_FAILED, &["--code", says])?;
    }
    Ok(())
}
