//! The text of `--code-diff`: differing places next to each other, then what they mean for registers.

mod findings;
mod hunks;

use isa::diff::{Comparison, Dialect, DiffReport, KernelPair};

use super::charset::Charset;
use super::paper::Paper;

/// The comparison of both sides, for each chip and each pair of kernels, in `room` columns. Ends with a newline.
#[must_use]
pub fn code_diff(charset: Charset, room: u16, report: &DiffReport) -> String {
    let [a, b] = &report.sides;
    let mut paper = Paper::new(charset, room);
    paper.line(&format!("A: {a}"));
    paper.line(&format!("B: {b}"));
    for comparison in &report.comparisons {
        if let Some(compiler) = &comparison.compiler {
            paper.gap();
            paper.line(&format!("{}, {}", compiler.device, compiler.driver));
        }
        for pair in &comparison.kernels {
            paper.gap();
            kernels(&mut paper, room, pair, comparison.compiler.is_some());
        }
        unpaired(&mut paper, comparison);
    }
    paper.text()
}

fn kernels(paper: &mut Paper, room: u16, pair: &KernelPair, compiled: bool) {
    let rule = "─".repeat(usize::from(room.min(140))) + "\n";
    [0, 1].into_iter().for_each(|side| paper.line(&head(pair, side)));
    paper.verbatim(&rule);
    if pair.diff.pairs_throughout() {
        paper.line(&paired(pair));
    } else {
        paper.verbatim(&hunks::drawn(room, &pair.diff, compiled));
        let registers = registers(pair);
        paper.line(&format!("~ {registers}   | other instructions   < only in A   > only in B"));
    }
    paper.verbatim(&rule);
    findings::lines(&pair.diff, compiled).iter().for_each(|line| paper.line(line));
}

/// Describes how similar two kernels are whose instructions all pair.
fn paired(pair: &KernelPair) -> String {
    let [a, b] = [0, 1].map(|side| &pair.diff.listings[side].instructions);
    let registers = match a.iter().zip(b).filter(|(a, b)| !a.repeats(b)).count() {
        0 => "with the same operands".to_owned(),
        others => {
            // Operands of AMD's waits and branches are not registers.
            let more = if pair.diff.dialect() == Dialect::Gcn { ", waits or targets" } else { "" };
            format!("{others} of them with {}{more}", registers(pair))
        }
    };
    format!("All {} instructions pair, {registers}.", a.len())
}

/// What differs where two instructions pair.
fn registers(pair: &KernelPair) -> &'static str {
    match pair.diff.dialect() {
        Dialect::Gcn => "other registers",
        Dialect::Sass => "other registers or predicates",
    }
}

/// The name of one side's kernel, with its figures.
fn head(pair: &KernelPair, at: usize) -> String {
    let name = if pair.names[at].is_empty() { "kernel" } else { &pair.names[at] };
    let instructions = pair.diff.listings[at].instructions.len();
    let costs = pair.figures.map(|figures| figures[at]).map_or_else(String::new, |costs| {
        let registers = match costs.sgprs {
            Some(sgprs) => format!("{} VGPRs, {sgprs} SGPRs", costs.vgprs),
            None => format!("{} registers", costs.vgprs),
        };
        format!("{registers}, {} bytes, ", costs.code_bytes)
    });
    let plural = if instructions == 1 { "" } else { "s" };
    format!("{}  {name}: {costs}{instructions} instruction{plural}", ["A", "B"][at])
}

/// Kernels that only one side has.
fn unpaired(paper: &mut Paper, comparison: &Comparison) {
    for (side, names) in
        ["A", "B"].into_iter().zip(&comparison.unpaired).filter(|(_, names)| !names.is_empty())
    {
        let names: Vec<&str> =
            names.iter().map(|name| if name.is_empty() { "one without a name" } else { name }).collect();
        paper.gap();
        paper.line(&format!(
            "{side} has more kernels, which are compared with nothing: {}.",
            names.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests;
