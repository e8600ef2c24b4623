//! What a reader of the figures is told beside them: where the technique is from, what is divided by what, what the
//! figures mean.

use std::collections::BTreeMap;
use std::fmt;

use isa::CodePair;
use record::figures::Figures;
use record::{Matrix, Shows};
use vulkan::handles::{Buffer, Set};

use super::animation::{Animation, Simulation};
use super::data::Check;

/// What a sample concludes from its figures.
pub type Verdict = Box<dyn Fn(&Figures<'_>) -> Option<String>>;

/// From the words of a result to the colours of its picture.
type Paint = Box<dyn Fn(&[u32]) -> Vec<[u8; 3]>>;

/// What a picture of a result is painted from, and how.
pub struct Shown {
    /// The set of buffers or images that holds the result.
    pub set: Set,
    /// Which of the set.
    pub index: u32,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// What the picture shows.
    pub caption: String,
    /// Colours the result's words.
    pub paint: Paint,
}

impl Shown {
    /// This is the result that it is painted from.
    pub(crate) fn is_of(&self, check: &Check) -> bool {
        self.set == check.set && self.index == check.index
    }
}

/// What a reader is told beside the figures.
#[derive(Default)]
pub struct Report {
    /// The sample's arguments, by name.
    pub settings: BTreeMap<String, String>,
    /// Sentences that stand under the table.
    pub notes: Vec<String>,
    /// The published source that the sample rebuilds.
    pub source: Option<String>,
    /// The variant that none can be faster than, or several, of which it is the [`fastest`].
    pub bound: Vec<String>,
    /// The variant that the others are compared with, or several, of which it is the [`fastest`].
    pub baseline: Vec<String>,
    /// Variants whose kernels `--code-diff` compares.
    pub code_pairs: Vec<CodePair>,
    /// How the sample paints its result.
    pub shown: Option<Shown>,
    /// How the result changes from frame to frame in the window.
    pub animation: Option<Animation>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) verdict_needs_matrix: bool,
    pub(crate) trials: Option<usize>,
    pub(crate) wants_traces: bool,
    pub(super) matrix: Option<Matrix>,
    pub(super) matrix_is_shown: bool,
}

impl Report {
    /// Where the technique comes from: the document by its title in `results/published/`, then the slide or
    /// chapter, in quotes.
    pub fn source(&mut self, source: &str) {
        self.source = Some(source.to_owned());
    }

    /// An argument as it is used, for the record.
    pub fn setting(&mut self, name: &str, value: impl fmt::Display) {
        self.settings.insert(name.to_owned(), value.to_string());
    }

    /// A sentence that the reader of the figures must know.
    pub fn note(&mut self, sentence: &str) {
        self.notes.push(sentence.to_owned());
    }

    /// Names the variant that no correct one can beat, or several, of which it is the fastest; ratios to it are shown.
    pub fn bound(&mut self, names: impl IntoIterator<Item = impl Into<String>>) {
        self.bound = names.into_iter().map(Into::into).collect();
    }

    /// Names the variant that is common practice, or several, of which it is the fastest; ratios to it are shown.
    pub fn baseline(&mut self, names: impl IntoIterator<Item = impl Into<String>>) {
        self.baseline = names.into_iter().map(Into::into).collect();
    }

    /// Says what [`Variant::cell`](crate::variant::Variant::cell) places the variants in: cross tables whose first
    /// column is headed `corner`, shown with `--matrix`.
    pub fn matrix(&mut self, corner: &str, shows: Shows) {
        self.matrix = Some(Matrix { corner: corner.to_owned(), shows });
    }

    /// Shows the cross tables of [`Report::matrix`] without being asked, instead of one line per variant.
    pub fn show_matrix(&mut self) {
        self.matrix_is_shown = true;
    }

    /// What the figures mean, one paragraph per line. Nothing is concluded from those of a CPU device.
    pub fn verdict(&mut self, conclude: impl Fn(&Figures<'_>) -> Option<String> + 'static) {
        self.verdict = Some(Box::new(conclude));
    }

    /// As [`Report::verdict`], where the cross tables are shown: on fewer variants it would be lost.
    pub fn matrix_verdict(&mut self, conclude: impl Fn(&Figures<'_>) -> Option<String> + 'static) {
        self.verdict_needs_matrix = true;
        self.verdict(conclude);
    }

    /// Counts instead of timing: `count` samples of each variant, one repetition in each, unless the command line says
    /// otherwise. Comes before the first output.
    pub fn trials(&mut self, count: usize) {
        self.trials = Some(count);
    }

    /// Traces the waves of every variant without being asked, where the device has a clock for it: for a sample whose
    /// figures are those of waves.
    pub fn trace_waves(&mut self) {
        self.wants_traces = true;
    }

    /// Has `--code` say which of two variants costs fewer registers on each chip.
    pub fn compares_code(&mut self, variants: [&str; 2]) -> &mut CodePair {
        let at = self.code_pairs.len();
        self.code_pairs.push(CodePair { variants: variants.map(str::to_owned), published: None });
        &mut self.code_pairs[at]
    }

    /// What `--image` draws in place of where texels differed: `paint` makes the colours of a picture of `size` from
    /// the words of a checked result, row by row; `caption` says what it shows. The result is that of the first
    /// variant that was right.
    pub fn show(
        &mut self,
        set: impl Into<Set>,
        index: u32,
        size: [u32; 2],
        caption: &str,
        paint: impl Fn(&[u32]) -> Vec<[u8; 3]> + 'static,
    ) {
        let (set, caption, paint) = (set.into(), caption.to_owned(), Box::new(paint));
        self.shown = Some(Shown { set, index, size, caption, paint });
    }

    /// Lets the window animate the result `index` of a set: `input`, a buffer that kernels read, changes with each
    /// frame as `simulation` says.
    pub fn animate(
        &mut self,
        input: Buffer,
        set: impl Into<Set>,
        index: u32,
        simulation: impl Simulation + 'static,
    ) {
        self.animation = Some(Animation { input, set: set.into(), index, simulation: Box::new(simulation) });
    }

    /// Names of the variants that others are divided by.
    pub fn references(&self) -> impl Iterator<Item = &String> {
        self.bound.iter().chain(&self.baseline)
    }

    /// The cross tables, where they are shown.
    pub fn shown_matrix(&self) -> Option<&Matrix> {
        self.matrix.as_ref().filter(|_| self.matrix_is_shown)
    }
}

/// Of these variants the one with the least time, which only a run can tell; the first of them where none has one.
pub fn fastest(names: &[String], time: impl Fn(&str) -> Option<f64>) -> Option<&str> {
    let timed = names.iter().filter_map(|name| Some((name, time(name)?)));
    let fastest = timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name);
    fastest.or(names.first()).map(String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_that_has_a_time_is_taken() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let times = |name: &str| Some(["b", "c"].iter().position(|of| *of == name)? as f64);
        assert_eq!(fastest(&names, times), Some("b"));
        assert_eq!((fastest(&names, |_| None), fastest(&[], times)), (Some("a"), None));
    }
}
