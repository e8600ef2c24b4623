//! What a sample declares: its variants, what must come out of them, and what a reader must know.
//! The drivers decide how often each is recorded, on which clock, and what is printed.

mod animation;
mod code_pairs;
mod data;
mod making;
mod recipe;
mod reference;
mod selection;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

use anyhow::{Result, ensure};
use making::{Find, Proof};
use recipe::Recipe;
use record::error::Halt;
use record::figures::Figures;
use record::{DeviceFacts, Kind, Matrix, Shows};
use vulkan::cmd::{Cmd, Queues};
use vulkan::gpu::{Gpu, Recipe as KernelRecipe};
use vulkan::handles::{Event, Kernel, Set};
use vulkan::kernel::KernelBuilder;
use vulkan::memory::Sharing;
use vulkan::source::Library;
use vulkan::values::Extent;

pub use animation::Animation;
pub use animation::{Moves, Pull};
pub use data::sliced;
pub use data::{Check, Output};
pub use reference::Reference;
pub use selection::Selection;

use crate::tamper::Break;
use crate::variant::{Recording, Rep, Variant};

/// What a sample concludes from its figures.
pub type Verdict = Box<dyn Fn(&Figures<'_>) -> Option<String>>;

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

/// From the words of a result to the colours of its picture.
type Paint = Box<dyn Fn(&[u32]) -> Vec<[u8; 3]>>;

/// How the runner wants the sample to be set up.
#[derive(Clone, Debug, Default)]
pub struct LabOptions {
    /// Repetitions in the long submit; `None` takes 8 on a GPU and 4 on a CPU device, fewer where
    /// memory is short.
    pub repetitions: Option<u32>,
    /// Which variants the user wants.
    pub selection: Selection,
    /// Count where texels differ, for a picture.
    pub maps_races: bool,
}

/// The sample's declarations.
pub struct Lab {
    /// The device that everything is made on.
    pub gpu: Rc<Gpu>,
    /// Where kernels are compiled from.
    pub shaders: Library,
    /// The variants, in the order of their declaration.
    pub variants: Vec<Variant>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) checks: Vec<Check>,
    pub(crate) unchecked: Option<String>,
    /// The sample's arguments, by name.
    pub settings: BTreeMap<String, String>,
    /// Sentences that stand under the table.
    pub notes: Vec<String>,
    /// The published source that the sample rebuilds.
    pub source: Option<String>,
    /// The variant that none can be faster than.
    pub bound: Reference,
    /// The variant that the others are compared with.
    pub baseline: Reference,
    pub(crate) verdict: Option<Verdict>,
    pub(crate) verdict_needs_matrix: bool,
    pub(crate) trials: Option<usize>,
    /// Variants whose kernels `--code-diff` compares.
    pub code_pairs: Vec<isa::CodePair>,
    /// A picture is asked for: where texels differ is counted, not only how many do, unless the sample
    /// paints its result.
    pub maps_races: bool,
    /// How the sample paints its result.
    pub shown: Option<Shown>,
    /// How the result changes from frame to frame in the window.
    pub animation: Option<Animation>,
    /// Traces are asked for, whether or not the device can have them.
    pub wants_traces: bool,
    /// Breaks every dependency of one kind, for the tests.
    pub broken: Option<Break>,
    /// Events that are set before the first sample and stay so.
    pub set_before: BTreeSet<Event>,
    matrix: Option<Matrix>,
    matrix_is_shown: bool,
    selection: Selection,
    /// What is still to be made.
    recipes: Vec<Option<Recipe>>,
    finds: Vec<(Kernel, Find)>,
    proofs: Vec<(BTreeSet<String>, Proof)>,
    /// Bytes of device memory that images and their checks take.
    pub claimed: u64,
    /// Those that another lab takes, while this one is declared beside it.
    pub crowd: u64,
    /// Keeps others from the device while something is counted on it (`true`), and lets them again.
    pub hush: Option<Box<dyn Fn(bool)>>,
    sharing: Sharing,
    wanted_repetitions: u32,
    repetitions: Option<u32>,
}

impl fmt::Debug for Lab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lab")
            .field("gpu", &self.gpu)
            .field("variants", &self.variants)
            .finish_non_exhaustive()
    }
}

impl Lab {
    /// An empty lab on a device.
    pub fn new(gpu: impl Into<Rc<Gpu>>, options: &LabOptions) -> Self {
        let gpu = gpu.into();
        let default = if gpu.facts.kind == Kind::Cpu { 4 } else { 8 };
        Self {
            shaders: Library::find(),
            variants: Vec::new(),
            outputs: Vec::new(),
            checks: Vec::new(),
            unchecked: None,
            settings: BTreeMap::new(),
            notes: Vec::new(),
            source: None,
            bound: Reference::default(),
            baseline: Reference::default(),
            verdict: None,
            verdict_needs_matrix: false,
            trials: None,
            code_pairs: Vec::new(),
            maps_races: options.maps_races,
            shown: None,
            animation: None,
            wants_traces: false,
            broken: None,
            set_before: BTreeSet::new(),
            matrix: None,
            matrix_is_shown: false,
            selection: options.selection.clone(),
            recipes: Vec::new(),
            finds: Vec::new(),
            proofs: Vec::new(),
            claimed: 0,
            crowd: 0,
            hush: None,
            sharing: Sharing::FirstQueue,
            wanted_repetitions: options.repetitions.unwrap_or(default).max(1),
            repetitions: None,
            gpu,
        }
    }

    /// The device that the sample runs on.
    #[must_use]
    pub fn device(&self) -> &DeviceFacts {
        &self.gpu.facts
    }

    /// The device is software: sizes should shrink, and times mean nothing.
    #[must_use]
    pub fn on_cpu(&self) -> bool {
        self.gpu.facts.kind == Kind::Cpu
    }

    /// An argument as it is used, for the record.
    pub fn setting(&mut self, name: &str, value: impl fmt::Display) {
        self.settings.insert(name.to_owned(), value.to_string());
    }

    /// The size that is asked for, else a default; for the record, too.
    pub fn size(&mut self, asked: Option<Extent>, on_gpu: [u32; 2], on_cpu: [u32; 2]) -> Extent {
        let [width, height] = if self.on_cpu() { on_cpu } else { on_gpu };
        let size = asked.unwrap_or(Extent { width, height });
        self.setting("size", size);
        size
    }

    /// A sentence that the reader of the figures must know.
    pub fn note(&mut self, sentence: &str) {
        self.notes.push(sentence.to_owned());
    }

    /// Where the technique comes from: the document by its title in `results/published/`, then the slide or
    /// chapter, in quotes.
    pub fn source(&mut self, source: &str) {
        self.source = Some(source.to_owned());
    }

    /// A kernel, by its path below `shaders/`.
    pub fn kernel(&self, path: &str) -> KernelBuilder<'_> {
        KernelBuilder::new(&self.gpu, &self.shaders, path)
    }

    /// A kernel whose description `find` learns from running others, once a variant that runs dispatches it. Where the
    /// device cannot have what is sought, that is [`BeyondLimits`].
    pub fn found_kernel(&mut self, find: impl FnOnce(&mut Self) -> Result<KernelRecipe> + 'static) -> Kernel {
        let kernel = self.gpu.plan_kernel(KernelRecipe::default());
        self.finds.push((kernel, Box::new(find)));
        kernel
    }

    /// Has `prove` run once, before anything is measured, where one of the variants runs: kernels beside them that
    /// tell what their results do not show.
    pub fn prove(
        &mut self,
        variants: impl IntoIterator<Item = impl Into<String>>,
        prove: impl FnOnce(&mut Self) -> Result<()> + 'static,
    ) {
        self.proofs.push((variants.into_iter().map(Into::into).collect(), Box::new(prove)));
    }

    /// Declares a variant. `record` lists the commands of one repetition; it is called once for each, and what it
    /// listed is recorded for every sample.
    pub fn variant(&mut self, name: impl Into<String>, record: impl Fn(&Cmd, Rep) + 'static) -> &mut Variant {
        self.add(name.into(), Recording::OneQueue(Box::new(record)))
    }

    /// Declares a variant that submits to two queues. Where the device has one, it is left out.
    pub fn variant_on_queues(
        &mut self,
        name: impl Into<String>,
        record: impl Fn(&Queues, Rep) + 'static,
    ) -> &mut Variant {
        self.add(name.into(), Recording::Queues(Box::new(record)))
    }

    fn add(&mut self, name: String, record: Recording) -> &mut Variant {
        let at = self.variants.len();
        self.variants.push(Variant::new(name, record));
        &mut self.variants[at]
    }

    /// What `--image` draws in place of where texels differed: `paint` makes the colours of a picture
    /// of `size` from the words of a checked result, row by row; `caption` says what it shows. The
    /// result is that of the first variant that was right.
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

    /// Names the variant that no correct one can beat; ratios to it are shown.
    pub fn bound(&mut self, name: &str) {
        self.bound = Reference::of([name]);
    }

    /// As [`Lab::bound`], the fastest of several: which one it is, the run tells.
    pub fn bound_of(&mut self, names: impl IntoIterator<Item = impl Into<String>>) {
        self.bound = Reference::of(names);
    }

    /// Names the variant that is common practice; ratios to it are shown.
    pub fn baseline(&mut self, name: &str) {
        self.baseline = Reference::of([name]);
    }

    /// As [`Lab::baseline`], the fastest of several: which one it is, the run tells.
    pub fn baseline_of(&mut self, names: impl IntoIterator<Item = impl Into<String>>) {
        self.baseline = Reference::of(names);
    }

    /// Says what [`Variant::cell`] places the variants in: cross tables whose first column is headed
    /// `corner`, shown with `--matrix`.
    pub fn matrix(&mut self, corner: &str, shows: Shows) {
        self.matrix = Some(Matrix { corner: corner.to_owned(), shows });
    }

    /// Shows the cross tables of [`Lab::matrix`] without being asked, instead of one line a variant.
    pub fn show_matrix(&mut self) {
        self.matrix_is_shown = true;
    }

    /// Traces the waves of every variant without being asked, where the device has a clock for it: for a
    /// sample whose figures are those of waves.
    pub fn trace_waves(&mut self) {
        self.wants_traces = true;
    }

    /// The device has what traces need, where they are asked for.
    pub fn ensure_traces(&self) -> Result<()> {
        if self.wants_traces && !self.gpu.waves.clock {
            return Err(Halt::Skip(self.no_traces()).into());
        }
        Ok(())
    }

    /// Why there are none, where they are wanted.
    pub fn untraced(&self) -> Option<String> {
        (self.wants_traces && !self.gpu.waves.clock).then(|| self.no_traces() + ".")
    }

    fn no_traces(&self) -> String {
        format!(
            "waves cannot be traced on {}: it has no clock that all of them read (VK_KHR_shader_clock with \
             shaderDeviceClock)",
            self.device().name
        )
    }

    /// Waves are traced.
    pub fn traces(&self) -> bool {
        self.wants_traces && self.gpu.waves.clock
    }

    /// Counts instead of timing: `count` samples of each variant, one repetition in each, unless the
    /// command line says otherwise. Comes before the first image.
    pub fn trials(&mut self, count: usize) {
        self.trials = Some(count);
        self.wanted_repetitions = 1;
    }

    /// What the figures mean, in a paragraph a line. Nothing is concluded from those of a CPU device.
    pub fn verdict(&mut self, conclude: impl Fn(&Figures<'_>) -> Option<String> + 'static) {
        self.verdict = Some(Box::new(conclude));
    }

    /// As [`Lab::verdict`], where the cross tables are shown: on fewer variants it would be lost.
    pub fn matrix_verdict(&mut self, conclude: impl Fn(&Figures<'_>) -> Option<String> + 'static) {
        self.verdict_needs_matrix = true;
        self.verdict(conclude);
    }

    /// Says why nothing is checked.
    pub fn unchecked(&mut self, reason: &str) {
        self.unchecked = Some(reason.to_owned());
    }

    /// Repetitions that the images were made for.
    pub fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or(self.wanted_repetitions)
    }

    /// Names of the variants that others are divided by.
    pub fn references(&self) -> impl Iterator<Item = &String> {
        self.bound.names().chain(self.baseline.names())
    }

    /// Position of a variant.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|v| v.name == name)
    }

    /// The cross tables, where they are shown.
    pub fn shown_matrix(&self) -> Option<&Matrix> {
        self.matrix.as_ref().filter(|_| self.matrix_is_shown)
    }

    /// Reports what is wrong with the declarations themselves.
    pub fn validate(&mut self) -> Result<()> {
        for variant in &mut self.variants {
            if let Some(fault) = variant.fault.take() {
                return Err(fault.context(format!("variant {}", variant.name)));
            }
        }
        ensure!(!self.variants.is_empty(), "the sample declares no variant");
        let mut names = BTreeSet::new();
        for variant in &self.variants {
            ensure!(names.insert(&variant.name), "two variants are called {}", variant.name);
        }
        ensure!(
            self.unchecked.is_some() || self.recipes.iter().flatten().any(Recipe::is_checked),
            "the sample checks nothing: a lab needs `expect`, or `unchecked` with a reason"
        );
        for name in self.references() {
            ensure!(self.position(name).is_some(), "the reference {name} is no variant of the sample");
        }
        self.validate_code_pairs()
    }
}
