//! The text of `--code-diff`: the places that differ side by side, then what that means for registers.

mod findings;
mod hunks;

use isa::diff::{Comparison, DiffReport, KernelPair};

use super::below::wrapped;
use super::charset::Charset;

/// Both sides, for each chip and each pair of kernels, in `room` columns, and how to read it. Ends with a
/// newline.
#[must_use]
pub fn code_diff(charset: Charset, room: u16, report: &DiffReport) -> String {
    let [a, b] = &report.sides;
    let mut text = wrapped(&format!("A: {a}\nB: {b}"), room);
    for comparison in &report.comparisons {
        if let Some(compiler) = &comparison.compiler {
            text += &wrapped(&format!("\n{}, {}", compiler.device, compiler.driver), room);
        }
        for pair in &comparison.kernels {
            text += "\n";
            text += &kernels(charset, room, pair, comparison.compiler.is_some());
        }
        text += &unpaired(room, comparison);
    }
    charset.fit(&text).into_owned()
}

fn kernels(charset: Charset, room: u16, pair: &KernelPair, compiled: bool) -> String {
    let rule = charset.rule().to_string().repeat(usize::from(room.min(140))) + "\n";
    let mut text = wrapped(&head(pair), room) + &rule;
    if pair.diff.pairs_throughout() {
        text += &wrapped(&paired(pair), room);
    } else {
        text += &hunks::drawn(charset, room, &pair.diff, compiled);
        text += &wrapped("~ other registers   | other instructions   < only in A   > only in B", room);
    }
    text += &rule;
    for line in findings::lines(&pair.diff, compiled) {
        text += &wrapped(&line, room);
    }
    text
}

/// Of kernels without a difference, how much they are alike.
fn paired(pair: &KernelPair) -> String {
    let [a, b] = [0, 1].map(|side| &pair.diff.listings[side].instructions);
    let registers = match a.iter().zip(b).filter(|(a, b)| a.operands != b.operands).count() {
        0 => "with the same operands".to_owned(),
        // A wait and the target of a branch are no registers.
        others => format!("{others} of them with other registers, waits or targets"),
    };
    format!("All {} instructions pair, {registers}.", a.len())
}

/// The names of the kernels, and what they cost.
fn head(pair: &KernelPair) -> String {
    let side = |at: usize| {
        let name = if pair.names[at].is_empty() { "kernel" } else { &pair.names[at] };
        let instructions = pair.diff.listings[at].instructions.len();
        let costs = pair.figures.map(|figures| figures[at]).map_or_else(String::new, |costs| {
            format!("{} VGPRs, {} SGPRs, {} bytes, ", costs.vgprs, costs.sgprs, costs.code_bytes)
        });
        let plural = if instructions == 1 { "" } else { "s" };
        format!("{}  {name}: {costs}{instructions} instruction{plural}", ["A", "B"][at])
    };
    format!("{}\n{}", side(0), side(1))
}

/// Kernels that only one side has.
fn unpaired(room: u16, comparison: &Comparison) -> String {
    let sides = ["A", "B"].into_iter().zip(&comparison.unpaired).filter(|(_, names)| !names.is_empty());
    let line = |(side, names): (&str, &Vec<String>)| {
        let names: Vec<&str> =
            names.iter().map(|name| if name.is_empty() { "one without a name" } else { name }).collect();
        let line =
            format!("\n{side} has more kernels, which are compared with nothing: {}.", names.join(", "));
        wrapped(&line, room)
    };
    sides.map(line).collect()
}

#[cfg(test)]
mod tests;
