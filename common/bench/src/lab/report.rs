//! Explanations beside the measurements: the published source, the references of the ratios, and what the sample
//! concludes.

use std::collections::BTreeMap;
use std::fmt;

use isa::CodePair;
use record::figures::Figures;
use record::{Headline, Matrix};
use vulkan::handles::{Buffer, Set};

use super::animation::{Animation, Simulation};
use super::data::Check;

/// States what the measurements of a run say of the sample's claim.
type OneLine = Box<dyn Fn(&Figures<'_>) -> Headline>;
/// Concludes from the measurements of a run.
pub type Verdict = Box<dyn Fn(&Figures<'_>) -> Option<String>>;

/// Converts the words of a result to the colours of its picture.
type Paint = Box<dyn Fn(&[u32]) -> Vec<[u8; 3]>>;

/// A result that is painted as a picture.
pub struct Shown {
    /// The set of buffers or images that holds the result.
    pub set: Set,
    /// Index of the result in the set.
    pub index: u32,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// What the picture shows.
    pub caption: String,
    /// Converts the words of the result to colours.
    pub paint: Paint,
}

impl Shown {
    /// Whether `check` checks the painted result.
    pub(crate) fn is_of(&self, check: &Check) -> bool {
        self.set == check.set && self.index == check.index
    }
}

/// Explanations for the reader of the measurements.
#[derive(Default)]
pub struct Report {
    /// The sample's arguments, by name.
    pub settings: BTreeMap<String, String>,
    /// Sentences that are printed under the table.
    pub notes: Vec<String>,
    /// The published source that the sample rebuilds: the document by its title in `results/published/`, then the slide
    /// or chapter in quotes.
    pub source: Option<String>,
    /// The variant that no correct variant can beat (no sync), or several, of which the [`fastest`] is used. Ratios to
    /// it are shown.
    pub bound: Vec<String>,
    /// The variant that is common practice, or several, of which the [`fastest`] is used. Ratios to it are shown.
    pub baseline: Vec<String>,
    /// The variants that a timeline shows first, in its order.
    pub(crate) drawn: Vec<String>,
    /// Variants whose kernels `--code-diff` compares.
    pub code_pairs: Vec<CodePair>,
    /// How the sample paints its result.
    pub shown: Option<Shown>,
    /// How the result changes from frame to frame in the window.
    pub animation: Option<Animation>,
    pub(crate) headline: Option<OneLine>,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) trials: Option<usize>,
    pub(crate) is_together: bool,
    pub(crate) empties_caches: bool,
    pub(crate) steady_clock: bool,
    pub(crate) wants_traces: bool,
    /// How the cross tables are shown that variants have a [`cell`](crate::variant::Variant::cell) in.
    pub(super) matrix: Option<Matrix>,
    pub(super) matrix_is_shown: bool,
}

impl Report {
    /// Records the value of an argument that this run used.
    pub fn setting(&mut self, name: &str, value: impl fmt::Display) {
        self.settings.insert(name.to_owned(), value.to_string());
    }

    /// Adds a sentence that a reader must know.
    pub fn note(&mut self, sentence: &str) {
        self.notes.push(sentence.to_owned());
    }

    /// Shows the cross tables by default, instead of one line per variant.
    pub fn show_matrix(&mut self) {
        self.matrix_is_shown = true;
    }

    /// Sets the function that tests the sample's claim. On a CPU device only its claim is used.
    pub fn headline(&mut self, state: impl Fn(&Figures<'_>) -> Headline + 'static) {
        self.headline = Some(Box::new(state));
    }

    /// Sets the function that states what the measurements mean beside the headline, one paragraph per line. It is not called on a CPU
    /// device.
    pub fn verdict(&mut self, conclude: impl Fn(&Figures<'_>) -> Option<String> + 'static) {
        self.verdict = Some(Box::new(conclude));
    }

    /// Counts races instead of timing: `count` samples of each variant with one repetition each, unless the command
    /// line sets another number. Call it before the first output is declared.
    pub fn trials(&mut self, count: usize) {
        self.trials = Some(count);
    }

    /// Samples every variant until all are done, for variants that leave something to each other: a cache is cold because
    /// another variant has just used it.
    pub fn sample_together(&mut self) {
        self.is_together = true;
    }

    /// Empties the caches before each sample, as `--cold` does.
    pub fn empty_caches(&mut self) {
        self.empties_caches = true;
    }

    /// Discards samples at less than 95 % of the highest clock, for times in µs that a metric takes from few waves: a GPU that is
    /// mostly idle lowers its clock.
    pub fn needs_steady_clock(&mut self) {
        self.steady_clock = true;
    }

    /// Traces the waves of every variant by default if the device has a shader clock, for a sample whose results
    /// are about waves.
    pub fn trace_waves(&mut self) {
        self.wants_traces = true;
    }

    /// Makes `--code` compare the registers of two variants on each chip.
    pub fn compares_code(&mut self, variants: [&str; 2]) -> &mut CodePair {
        let at = self.code_pairs.len();
        self.code_pairs.push(CodePair { variants: variants.map(str::to_owned), published: None });
        &mut self.code_pairs[at]
    }

    /// Sets the picture that `--image` draws instead of a race map. `paint` converts the words of a checked result
    /// to the colours of a picture of `size`, row by row; `caption` says what it shows. The result of the first
    /// correct variant is used.
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

    /// Animates the result `index` of a set in the window: `simulation` computes the contents of `input`, a buffer
    /// that kernels read, for each frame.
    pub fn animate(
        &mut self,
        input: Buffer,
        set: impl Into<Set>,
        index: u32,
        simulation: impl Simulation + 'static,
    ) {
        self.animation = Some(Animation { input, set: set.into(), index, simulation: Box::new(simulation) });
    }

    /// Names of the variants that ratios refer to.
    pub fn references(&self) -> impl Iterator<Item = &String> {
        self.bound.iter().chain(&self.baseline)
    }

    /// The cross tables, if they are shown.
    pub fn shown_matrix(&self) -> Option<&Matrix> {
        self.matrix.as_ref().filter(|_| self.matrix_is_shown)
    }
}

/// The variant of `names` with the shortest time, or the first one if none has a time.
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
