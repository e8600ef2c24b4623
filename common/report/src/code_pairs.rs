//! Sentences that say which of two variants costs fewer registers, one sentence per chip.

use std::cmp::Ordering;

use isa::{CodePair, CodeReport, Compiled, Outcome};

use super::charset::Charset;
use super::paper::Paper;

/// The sentences, after an empty line. Empty if no pair was compiled.
#[must_use]
pub fn code_pairs(charset: Charset, room: u16, report: &CodeReport, pairs: &[CodePair]) -> String {
    let mut paper = Paper::new(charset, room);
    for pair in pairs {
        let told: Vec<String> =
            report.chips.iter().filter_map(|chip| told(report, &chip.chip, pair)).collect();
        if told.is_empty() {
            continue;
        }
        paper.gap();
        told.into_iter().chain(published(pair)).for_each(|line| paper.line(&line));
    }
    paper.text()
}

/// The costs of a variant: the most registers that one of its kernels uses, and the code size of all of them.
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
    Some(sentence(chip, (one, &cost(report, chip, one)?), (other, &cost(report, chip, other)?)))
}

/// Compares the costs of two variants on a chip.
fn sentence(chip: &str, (one, ours): (&str, &Cost), (other, theirs): (&str, &Cost)) -> String {
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
    format!("{chip}: {one} {} VGPRs, {other} {}: {verdict} ({code}{sgprs}).", ours.vgprs, theirs.vgprs)
}

/// The published figures of both variants.
fn published(pair: &CodePair) -> Option<String> {
    let [ours, theirs] = pair.published.as_ref()?;
    let [one, other] = &pair.variants;
    Some(format!(
        "Published: {one} {} {}, {other} {} {} ({}; {}).",
        ours.value, ours.unit, theirs.value, theirs.unit, ours.device, ours.source
    ))
}

#[cfg(test)]
mod tests {
    use record::published;

    use super::*;

    fn told([ours, theirs]: [[u64; 3]; 2]) -> String {
        let cost = |[vgprs, sgprs, code_bytes]: [u64; 3]| Cost { vgprs, sgprs, code_bytes };
        sentence("VEGA10", ("ternary", &cost(ours)), ("branch", &cost(theirs)))
    }

    #[test]
    fn the_cheaper_form_is_named() {
        let fewer = told([[20, 20, 292], [24, 20, 320]]);
        assert_eq!(
            fewer,
            "VEGA10: ternary 20 VGPRs, branch 24: ternary costs 4 fewer (292 and 320 bytes of code)."
        );
        let more = told([[24, 16, 300], [20, 32, 300]]);
        assert_eq!(
            more,
            "VEGA10: ternary 24 VGPRs, branch 20: branch costs 4 fewer (300 bytes of code in both, 16 and 32 SGPRs)."
        );
        let same = told([[32, 32, 484], [32, 32, 484]]);
        assert_eq!(
            same,
            "VEGA10: ternary 32 VGPRs, branch 32: no difference in VGPRs today (484 bytes of code in both)."
        );
    }

    #[test]
    fn the_sources_figures_stand_below() {
        let mut pair = CodePair { variants: ["ternary", "branch"].map(str::to_owned), published: None };
        assert_eq!(published(&pair), None);
        let figure = |form: &str| published::find("hip-assembly", &format!("select/{form}/vgprs")).unwrap();
        pair.published = Some([figure("ternary"), figure("if")]);
        let line = published(&pair).unwrap();
        assert!(
            line.starts_with(
                "Published: ternary 20 VGPRs, 292 bytes of code, branch 24 VGPRs, 320 bytes of code (AMD"
            ),
            "{line}"
        );
    }
}
