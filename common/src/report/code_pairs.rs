//! Which of two ways to write the same thing costs fewer registers, chip by chip: a sentence each.

use std::cmp::Ordering;

use super::below::wrapped;
use super::charset::Charset;
use crate::isa::{CodeReport, Compiled, Outcome};
use crate::lab::CodePair;

/// The sentences, below an empty line; nothing where no pair was compiled.
#[must_use]
pub(crate) fn code_pairs(charset: Charset, room: u16, report: &CodeReport, pairs: &[CodePair]) -> String {
    let mut text = String::new();
    for pair in pairs {
        let told: Vec<String> =
            report.chips.iter().filter_map(|chip| told(report, &chip.chip, pair)).collect();
        if told.is_empty() {
            continue;
        }
        text.push('\n');
        for line in told.into_iter().chain(published(pair)) {
            text += &wrapped(&line, room);
        }
    }
    charset.fit(&text).into_owned()
}

/// What a variant costs: of several kernels the registers of the hungriest, the code of all.
struct Cost {
    vgprs: u64,
    sgprs: u64,
    code_bytes: u64,
}

fn cost(report: &CodeReport, chip: &str, variant: &str) -> Option<Cost> {
    let outcomes = report.of(chip, variant);
    let kernels: Vec<&Compiled> = outcomes.iter().copied().map(Outcome::compiled).collect::<Option<_>>()?;
    Some(Cost {
        vgprs: kernels.iter().map(|kernel| kernel.vgprs).max()?,
        sgprs: kernels.iter().map(|kernel| kernel.sgprs).max()?,
        code_bytes: kernels.iter().map(|kernel| kernel.code_bytes).sum(),
    })
}

fn told(report: &CodeReport, chip: &str, pair: &CodePair) -> Option<String> {
    let [one, other] = &pair.variants;
    let (ours, theirs) = (cost(report, chip, one)?, cost(report, chip, other)?);
    let sgprs = match ours.sgprs.cmp(&theirs.sgprs) {
        Ordering::Equal => String::new(),
        _ => format!(", {} and {} SGPRs", ours.sgprs, theirs.sgprs),
    };
    let code = match ours.code_bytes.cmp(&theirs.code_bytes) {
        Ordering::Equal => format!("{} bytes of code in both", ours.code_bytes),
        _ => format!("{} and {} bytes of code", ours.code_bytes, theirs.code_bytes),
    };
    let verdict = match ours.vgprs.cmp(&theirs.vgprs) {
        Ordering::Equal => "no difference in VGPRs today".to_owned(),
        Ordering::Less => format!("{one} costs {} fewer", theirs.vgprs - ours.vgprs),
        Ordering::Greater => format!("{other} costs {} fewer", ours.vgprs - theirs.vgprs),
    };
    Some(format!("{chip}: {one} {} VGPRs, {other} {}: {verdict} ({code}{sgprs}).", ours.vgprs, theirs.vgprs))
}

/// What the source has of both.
fn published(pair: &CodePair) -> Option<String> {
    let [ours, theirs] = pair.published.as_ref()?;
    let [one, other] = &pair.variants;
    Some(format!(
        "Published: {one} {} {}, {other} {} {} ({}; {}).",
        ours.value, ours.unit, theirs.value, theirs.unit, ours.device, ours.source
    ))
}
