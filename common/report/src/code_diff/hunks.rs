//! The places that differ, with both sides next to each other.

use isa::diff::{Block, Diff, Instruction};

use crate::charset::width;
use crate::table::cut;

/// Pairs that are shown before and after a place that differs.
const CONTEXT: usize = 2;
/// Number of lines above which the remaining places are only counted.
const MOST_LINES: usize = 120;

/// A line of the comparison; one of the sides may be empty.
#[derive(Clone, Copy)]
struct Line {
    a: Option<usize>,
    b: Option<usize>,
    paired: bool,
}

/// Every place that differs, with its context. Ends with a newline.
pub(super) fn drawn(room: u16, diff: &Diff, compiled: bool) -> String {
    let lines = lines(&diff.blocks);
    let places = places(&lines);
    let page = Page { half: usize::from(room.min(140)).saturating_sub(3) / 2, diff, compiled };
    let (mut text, mut shown, mut drawn) = (String::new(), 0, 0);
    for place in &places {
        if shown + place.len() > MOST_LINES && drawn > 0 {
            break;
        }
        text += &page.place(&lines[place.clone()][..place.len().min(MOST_LINES)]);
        if place.len() > MOST_LINES {
            text += &format!("left out: {} more lines of this place\n", place.len() - MOST_LINES);
        }
        (shown, drawn) = (shown + place.len(), drawn + 1);
    }
    if drawn < places.len() {
        let rest = places[drawn..].iter().flat_map(|place| &lines[place.clone()]);
        let differing = rest.filter(|line| !line.paired).count();
        text += &format!(
            "left out: {} more places with {differing} lines that differ; --json FILE has all\n",
            places.len() - drawn
        );
    }
    text
}

/// All lines, paired or not.
fn lines(blocks: &[Block]) -> Vec<Line> {
    let of = |block: &Block| -> Vec<Line> {
        match block {
            Block::Paired { a, b, count } => {
                (0..*count).map(|i| Line { a: Some(a + i), b: Some(b + i), paired: true }).collect()
            }
            Block::Differing { a, b } => {
                let line = |i: usize| Line { a: a.clone().nth(i), b: b.clone().nth(i), paired: false };
                (0..a.len().max(b.len())).map(line).collect()
            }
        }
    };
    blocks.iter().flat_map(of).collect()
}

/// Ranges of lines around differences; ranges that touch are merged.
fn places(lines: &[Line]) -> Vec<std::ops::Range<usize>> {
    let mut places: Vec<std::ops::Range<usize>> = Vec::new();
    for at in (0..lines.len()).filter(|&at| !lines[at].paired) {
        let around = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(lines.len());
        match places.last_mut() {
            Some(last) if last.end >= around.start => last.end = around.end,
            _ => places.push(around),
        }
    }
    places
}

struct Page<'d> {
    /// Width of a side in columns.
    half: usize,
    diff: &'d Diff,
    compiled: bool,
}

impl Page<'_> {
    fn place(&self, lines: &[Line]) -> String {
        let first = |of: fn(&Line) -> Option<usize>, side: usize| {
            let at = lines.iter().find_map(of);
            at.map_or_else(String::new, |at| {
                super::findings::place(&self.diff.listings[side], at, self.compiled)
            })
        };
        let head = self.line(
            &format!("A, {}", first(|line| line.a, 0)),
            ' ',
            &format!("B, {}", first(|line| line.b, 1)),
        );
        let text = lines.iter().map(|line| {
            let of = |side: usize, at: Option<usize>| at.map(|at| &self.diff.listings[side].instructions[at]);
            let (a, b) = (of(0, line.a), of(1, line.b));
            let shown = |instruction: Option<&Instruction>| match instruction {
                // Folded rather than cut: the difference may be at the end of the line.
                Some(instruction) if !line.paired => self.folded(&instruction.to_string()),
                Some(instruction) => vec![format!("  {instruction}")],
                None => Vec::new(),
            };
            let (left, right) = (shown(a), shown(b));
            let part = |lines: &[String], at: usize| lines.get(at).cloned().unwrap_or_default();
            let parts = (0..left.len().max(right.len())).map(|at| {
                let mark = if at == 0 { mark(a, b, line.paired) } else { ' ' };
                self.line(&part(&left, at), mark, &part(&right, at))
            });
            parts.collect::<String>()
        });
        head + &text.collect::<String>()
    }

    /// An instruction in lines as wide as one side, broken at blanks where possible.
    fn folded(&self, text: &str) -> Vec<String> {
        let mut lines = vec![String::from(" ")];
        for word in text.split(' ') {
            let last = lines.len() - 1;
            if width(&lines[last]) + 1 + width(word) > self.half && !lines[last].trim().is_empty() {
                lines.push(format!("      {word}"));
            } else {
                lines[last] += &format!(" {word}");
            }
        }
        lines
    }

    fn line(&self, a: &str, mark: char, b: &str) -> String {
        let [a, b] = [a, b].map(|text| cut(text, self.half));
        let line = format!("{a}{} {mark} {b}", " ".repeat(self.half.saturating_sub(width(&a))));
        line.trim_end().to_owned() + "\n"
    }
}

/// The mark that says how the two instructions of a line compare.
fn mark(a: Option<&Instruction>, b: Option<&Instruction>, paired: bool) -> char {
    match (a, b) {
        (Some(a), Some(b)) if paired => {
            if a.repeats(b) {
                ' '
            } else {
                '~'
            }
        }
        (Some(_), Some(_)) => '|',
        (Some(_), None) => '<',
        _ => '>',
    }
}
