//! Explains the differences of two listings in sentences.

use isa::Counts;
use isa::diff::{Constant, Dialect, Diff, Extra, First, Instead, Listing, Method, Side};

/// Most mnemonics that are named.
const MOST_MNEMONICS: usize = 12;
/// Most constants that are described.
const MOST_CONSTANTS: usize = 12;

/// Sentences on registers, instruction classes, mnemonics and constants, each only if there is something to report.
pub(super) fn lines(diff: &Diff, compiled: bool) -> Vec<String> {
    let coarse = "The listings have too little in common to be aligned in reasonable time: pairs are chance, and so may \
                  be what is said of registers.";
    let mut lines: Vec<String> = diff.coarse.then(|| coarse.to_owned()).into_iter().collect();
    lines.extend(diff.registers.iter().map(|extra| registers(diff, extra, compiled)));
    lines.push(classes(diff));
    lines.extend(mnemonics(diff));
    let constants = &diff.constants;
    lines.extend(constants.iter().take(MOST_CONSTANTS).map(|found| constant(diff, found, compiled)));
    if constants.len() > MOST_CONSTANTS {
        lines.push(format!(
            "{} more constants live in a register of one side.",
            constants.len() - MOST_CONSTANTS
        ));
    }
    lines
}

/// Where an instruction is: its number if a driver compiled the code, its line if the listing comes from a file.
pub(super) fn place(listing: &Listing, at: usize, compiled: bool) -> String {
    if compiled {
        return format!("instruction {}", at + 1);
    }
    format!("line {}", listing.instructions[at].line)
}

fn side(diff: &Diff, side: Side) -> &Listing {
    let [a, b] = &diff.listings;
    side.of([a, b])
}

/// The highest register that each side uses, and the instruction at which one side starts to use more.
fn registers(diff: &Diff, extra: &Extra, compiled: bool) -> String {
    let (name, letter) = (diff.dialect().registers(extra.file), diff.dialect().prefix(extra.file));
    let reach = |highest: Option<u32>| {
        highest.map_or_else(|| "none".into(), |highest| format!("up to {letter}{highest}"))
    };
    let [a, b] = extra.highest.map(reach);
    let Some(first) = &extra.first else { return format!("{name}: both use {a}.") };
    let listing = side(diff, first.side);
    let [more, less] = [first.side, first.side.other()];
    let instruction = &listing.instructions[first.at];
    let beside = match first.pair {
        Some(pair) => format!("where {less} has {}", side(diff, less).instructions[pair]),
        None => format!("which {less} does not have"),
    };
    let mut line = format!(
        "{name}: A uses {a}, B {b}. {more} takes more from {} on: {instruction}, {beside}. {}",
        place(listing, first.at, compiled),
        method(diff, first, compiled)
    );
    if !first.causes.is_empty() {
        let causes = first
            .causes
            .iter()
            .map(|&at| format!("{} ({})", listing.instructions[at], place(listing, at, compiled)));
        let causes: Vec<String> = causes.collect();
        line += &format!(" Still needed there, and {more}'s alone: {}.", causes.join("; "));
    } else if first.pair.is_some() {
        line += &format!(
            " Nothing that only {more} computes is still needed there: the order or the allocation differs."
        );
    }
    line
}

/// How the instruction was found, and how reliable the result is.
fn method(diff: &Diff, found: &First, compiled: bool) -> String {
    let (rises, pairs, agreeing, ends) = match found.method {
        Method::Search { looks, pairs } => {
            return format!(
                "Found by halves with {looks} looks at {pairs} pairs; reading all of them finds the same."
            );
        }
        Method::Scan { rises, pairs, agreeing, first, last } => (rises, pairs, agreeing, [first, last]),
    };
    let [more, less] = [found.side, found.side.other()];
    let listing = side(diff, more);
    let ends = ["first", "last"].into_iter().zip(ends).filter(|(_, at)| *at != found.at);
    let ends: Vec<String> = ends
        .map(|(which, at)| {
            format!("the {which} is at {} ({})", place(listing, at, compiled), listing.instructions[at])
        })
        .collect();
    let besides =
        if ends.is_empty() { String::new() } else { format!(" Of the rises, {}.", ends.join(", ")) };
    format!(
        "{more}'s indices rise above {less}'s at {rises} places, so that a search by halves is not to be trusted: this \
         is the place that the most pairs agree with, {agreeing} of {pairs}.{besides}"
    )
}

/// The names of an instruction class for AMD's and NVIDIA's code, and the function that reads its count.
type Class = ([&'static str; 2], fn(&Counts) -> u64);

const CLASSES: [Class; 11] = [
    (["instructions", "instructions"], |c| c.instructions),
    (["VALU", "per lane"], |c| c.valu),
    (["SALU", "uniform"], |c| c.salu),
    (["VMEM loads", "memory loads"], |c| c.vmem_loads),
    (["VMEM stores", "memory stores"], |c| c.vmem_stores),
    (["VMEM atomics", "memory atomics"], |c| c.vmem_atomics),
    (["scalar loads", "constant loads"], |c| c.scalar_loads),
    (["LDS", "shared memory"], |c| c.lds),
    (["branches", "branches"], |c| c.branches),
    (["of them backward", "of them backward"], |c| c.backward_branches),
    (["barriers", "barriers"], |c| c.barriers),
];

fn classes(diff: &Diff) -> String {
    let [a, b] = &diff.classes;
    let differing = CLASSES.iter().filter(|(_, of)| of(a) != of(b));
    let at = usize::from(diff.dialect() == Dialect::Sass);
    let told: Vec<String> =
        differing.map(|(names, of)| format!("{} {} / {}", names[at], of(a), of(b))).collect();
    if told.is_empty() {
        return "Classes of instructions: as many of each in A and B.".into();
    }
    format!("Classes that differ (A / B): {}.", told.join(", "))
}

/// The mnemonics whose counts differ most.
fn mnemonics(diff: &Diff) -> Option<String> {
    let mut all: Vec<_> = diff.mnemonics.iter().collect();
    all.sort_by_key(|(_, [a, b])| std::cmp::Reverse(a.abs_diff(*b)));
    let told: Vec<String> =
        all.iter().take(MOST_MNEMONICS).map(|(name, [a, b])| format!("{name} {a} / {b}")).collect();
    let more = match all.len().saturating_sub(MOST_MNEMONICS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!told.is_empty()).then(|| format!("Mnemonics that differ (A / B): {}{more}.", told.join(", ")))
}

/// Describes how the other side gets a constant that one side keeps in a register.
fn constant(diff: &Diff, found: &Constant, compiled: bool) -> String {
    let (holder, other) = (found.side, found.side.other());
    let listing = side(diff, other);
    let shown = |at: &[usize]| -> String {
        at.iter().map(|&at| listing.instructions[at].to_string()).collect::<Vec<_>>().join("; ")
    };
    let first = |at: &[usize]| at.first().map_or_else(String::new, |&at| place(listing, at, compiled));
    let instead = match &found.instead {
        Instead::Register(at) => {
            format!(
                "in {other} one of another kind: {} ({})",
                listing.instructions[*at],
                place(listing, *at, compiled)
            )
        }
        Instead::Literal(at) => format!("in {other} a literal of {} ({})", shown(at), first(at)),
        Instead::Shift { by, small, bits } => {
            format!("in {other} rebuilt as {small} << {bits} by {} ({})", shown(by), first(by))
        }
        Instead::Other(at) => format!("in {other} {} in its place ({})", shown(at), first(at)),
        Instead::Unknown => format!("nothing in {other} could be told to stand for it"),
    };
    let times = if found.readers == 1 { "once".into() } else { format!("{} times", found.readers) };
    format!("{:#x}: a register in {holder} ({}, read {times}), {instead}.", found.value, found.register)
}
