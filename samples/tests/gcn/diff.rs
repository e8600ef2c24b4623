//! `--code-diff` of two variants, compiled for chips that are not here.
//!
//! No version of Mesa is pinned: that one form costs fewer registers than another is a finding, no promise.

use anyhow::{Context, Result, ensure};
use common::isa::CodeReport;
use common::isa::diff::{DiffReport, File, Instruction, KernelPair, Side};
use libtest_mimic::Trial;

use crate::support::{Call, Ended, trial};

const SAMPLE: &str = "codegen";
/// RADV shows the code of all of these.
const CHIPS: [&str; 5] = ["POLARIS10", "VEGA10", "NAVI10", "NAVI21", "GFX1100"];
const PAIRS: [[&str; 2]; 3] =
    [["mt_multiply", "mt_select_and"], ["mt_select", "mt_select_and"], ["select_ternary", "select_if"]];

pub fn trials() -> Vec<Trial> {
    vec![
        trial("variants::side_by_side", side_by_side),
        trial("variants::registers_are_the_drivers", registers_are_the_drivers),
        trial("variants::as_files", as_files),
        trial("variants::several_kernels", several_kernels),
        trial("variants::pairs_below_code", pairs_below_code),
    ]
}

/// A call that finds no Vulkan device.
pub fn without_devices() -> Result<Call> {
    let call = Call::on_any_device(&Call::binary(SAMPLE)?);
    let nowhere = "/nonexistent/no-driver.json";
    Ok(call.env("VK_DRIVER_FILES", nowhere).env("VK_ICD_FILENAMES", nowhere))
}

pub fn parsed(ended: &Ended) -> Result<DiffReport> {
    serde_json::from_str(&ended.stdout).with_context(|| format!("stdout is no comparison: {ended}"))
}

fn call(a: &str, b: &str, chips: &str) -> Result<Call> {
    Ok(Call::new(SAMPLE)?.args(["--code-diff", a, b, "--code", &format!("amd:{chips}")]))
}

fn compared(a: &str, b: &str, chips: &str) -> Result<DiffReport> {
    parsed(&call(a, b, chips)?.words("--json -").right()?)
}

fn only(report: &DiffReport, at: usize) -> Result<&KernelPair> {
    let comparison = report.comparisons.get(at).context("a chip is missing")?;
    ensure!(comparison.kernels.len() == 1 && comparison.unpaired.iter().all(Vec::is_empty), "{comparison:?}");
    Ok(&comparison.kernels[0])
}

/// Text and data say the same, each where it belongs.
fn side_by_side() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = || call("mt_multiply", "mt_select_and", "polaris10");
    let ended = call()?.words("--json diff.json").within(folder.path()).right()?;
    ended.shows(&["A: mt_multiply\nB: mt_select_and\n", "RADV POLARIS10", "VGPRs: ", "SGPRs: "])?;
    ended.shows(&[" differ (A / B)"])?;
    ensure!(ended.stdout.lines().all(|line| line.chars().count() <= 140), "{ended}");
    let report: DiffReport =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("diff.json"))?)?;
    let pair = only(&report, 0)?;
    let [one, other] = &pair.diff.classes;
    ensure!((one.vmem_loads, one.vmem_stores) == (other.vmem_loads, other.vmem_stores), "{one:?} {other:?}");
    ensure!(one.vmem_loads >= 17 && one.vmem_stores >= 8, "the loop of eight steps is not there: {one:?}");
    let figures = pair.figures.context("no figures")?;
    ensure!(ended.stdout.contains(&format!("{} VGPRs", figures[0].vgprs)), "{figures:?}: {ended}");
    let aside = call()?.words("--json -").env("LC_ALL", "C").run()?;
    ensure!(aside.stderr.contains("A: mt_multiply") && aside.stderr.is_ascii(), "{aside}");
    ensure!(parsed(&aside)?.comparisons == report.comparisons, "two runs differ");
    Ok(())
}

/// The highest register in the code is the driver's number of them, up to the step that chips have: the
/// parser has seen every register.
fn registers_are_the_drivers() -> Result<()> {
    for [a, b] in PAIRS {
        let report = compared(a, b, &CHIPS.join(","))?;
        for (at, chip) in CHIPS.iter().enumerate() {
            let pair = only(&report, at)?;
            let vector = pair.diff.registers.iter().find(|extra| extra.file == File::Vector);
            let vector = vector.context("no vector registers")?;
            for (highest, figures) in vector.highest.iter().zip(pair.figures.context("no figures")?) {
                let used = u64::from(highest.context("no vector registers")?) + 1;
                ensure!(
                    (used..used + 8).contains(&figures.vgprs),
                    "{a}, {b} on {chip}: {used} in the code, {figures:?}"
                );
            }
            let costlier = match &vector.first {
                Some(first) if first.side == Side::A => vector.highest[0] > vector.highest[1],
                Some(_) => vector.highest[1] > vector.highest[0],
                None => vector.highest[0] == vector.highest[1],
            };
            ensure!(costlier, "{a}, {b} on {chip}: {vector:?}");
        }
    }
    Ok(())
}

/// The same code out of files is found to differ in the same way, without a device.
fn as_files() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let report = compared("mt_select", "mt_select_and", "polaris10")?;
    let diff = &only(&report, 0)?.diff;
    for (name, listing) in ["a.s", "b.s"].into_iter().zip(&diff.listings) {
        let line = |(at, instruction): (usize, &Instruction)| {
            let labels = listing.labels.iter().filter(|(_, before)| *before == at);
            labels.map(|(label, _)| format!("{label}:\n")).collect::<String>() + &format!("{instruction}\n")
        };
        let text: String = listing.instructions.iter().enumerate().map(line).collect();
        std::fs::write(folder.path().join(name), text)?;
    }
    let call = without_devices()?.within(folder.path()).words("--code-diff a.s b.s --json -");
    let read = parsed(&call.right()?)?;
    let again = &only(&read, 0)?.diff;
    ensure!(again.blocks == diff.blocks && again.classes == diff.classes, "{again:?}");
    ensure!(again.registers == diff.registers && again.constants == diff.constants, "{again:?}");
    Ok(())
}

/// Kernels pair in the order of their first dispatch, and what is left over is named.
fn several_kernels() -> Result<()> {
    let call = Call::new("group_physics")?.words("--code-diff global_multi_pass group_256 --code amd:vega10");
    let ended = call.right()?;
    ended.shows(&["A has more kernels, which are compared with nothing: ", "A  group_physics/begin.comp"])
}

/// A sentence for each chip and pair, with the figures of the report.
fn pairs_below_code() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::new(SAMPLE)?.args(["--code", &format!("amd:{}", CHIPS.join(","))]);
    let ended = call.words("--json code.json").within(folder.path()).right()?;
    let report: CodeReport =
        serde_json::from_str(&std::fs::read_to_string(folder.path().join("code.json"))?)?;
    let vgprs = |chip: &str, variant: &str| -> Result<u64> {
        let outcomes = report.of(chip, variant);
        Ok(outcomes.first().and_then(|outcome| outcome.compiled()).context("nothing compiled")?.vgprs)
    };
    for chip in CHIPS {
        for [one, other] in [PAIRS[2], ["mt_select_and", "mt_multiply"], ["mt_select_and", "mt_select"]] {
            let (ours, theirs) = (vgprs(chip, one)?, vgprs(chip, other)?);
            let verdict = match ours.cmp(&theirs) {
                std::cmp::Ordering::Equal => "no difference in VGPRs today".to_owned(),
                std::cmp::Ordering::Less => format!("{one} costs {} fewer", theirs - ours),
                std::cmp::Ordering::Greater => format!("{other} costs {} fewer", ours - theirs),
            };
            let sentence = format!("{chip}: {one} {ours} VGPRs, {other} {theirs}: {verdict}");
            ended.shows(&[sentence])?;
        }
    }
    ended.shows(&["Published: select_ternary 20 VGPRs"])
}
