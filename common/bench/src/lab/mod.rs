//! What a sample declares: its variants, their expected results, and the notes for a reader. The drivers decide how
//! often each variant is recorded, how it is timed, and what is printed.

mod animation;
mod data;
mod description;
mod experiment;
mod making;
mod recipe;
mod report;
mod selection;

use std::collections::BTreeSet;
use std::rc::Rc;

use anyhow::{Result, ensure};
use description::Description;
use making::{Find, Proof};
use recipe::Recipe;
use record::{DeviceFacts, Kind};
use vulkan::cmd::script::Script;
use vulkan::cmd::{Cmd, Queues};
use vulkan::gpu::{Gpu, QueuePlace, Recipe as KernelRecipe};
use vulkan::handles::{Event, Kernel};
use vulkan::kernel::KernelBuilder;
use vulkan::source::Library;
use vulkan::wrap::LaneSource;

pub use animation::Animation;
pub use animation::{Pull, Simulation};
pub use data::{BufferSet, Check, Contents, ImageSet, Layout, Output, sliced};
pub use experiment::Experiment;
pub use recipe::{Expected, Setting};
pub use report::{Report, Shown, Verdict, fastest};
pub use selection::Selection;

use crate::mutate::Break;
use crate::variant::{Recording, Rep, Tells, Variant};

/// Options of a lab, set by the command line.
#[derive(Clone, Debug, Default)]
pub struct LabOptions {
    /// Repetitions in the long submit; `None` takes 8 on a GPU and 4 on a CPU device, fewer if memory is short.
    pub repetitions: Option<u32>,
    /// The variants that the user selected.
    pub selection: Selection,
    /// Whether to count where pixels differ, for a race map.
    pub maps_races: bool,
    /// Whether kernels are only compiled and looked at: nothing runs.
    pub runs_nothing: bool,
    /// Whether the caches are emptied before each sample.
    pub cold: bool,
}

/// Why nothing can be traced or captured.
pub(crate) const NOT_COMMANDS: &str =
    "there is nothing to trace or capture: no variant times its own commands here";

/// The sample's declarations.
pub struct Lab {
    /// The device that all resources belong to.
    pub gpu: Rc<Gpu>,
    /// The library that kernels are compiled from.
    pub shaders: Library,
    /// The variants, in the order of their declaration.
    pub variants: Vec<Variant>,
    pub(crate) outputs: Vec<Output>,
    pub(crate) checks: Vec<Check>,
    /// Notes, references and verdicts for the reader of the measurements.
    pub report: Report,
    /// Whether to count where pixels differ, not only how many. Ignored if the sample paints its own picture.
    pub maps_races: bool,
    /// Whether kernels are only compiled and looked at, so that nothing has to be skipped for taking too long.
    pub runs_nothing: bool,
    /// A kind of dependency that is broken on purpose in every variant, for the tests.
    pub broken: Option<Break>,
    /// Events that are set once before the first sample and never reset.
    pub set_before: BTreeSet<Event>,
    selection: Selection,
    /// What the sample's `variants.toml` says.
    description: Option<Description>,
    /// Patterns of variants that this run lacks, and arguments that declare them.
    declared_with: Vec<[String; 2]>,
    /// Resources that are not made yet.
    recipes: Vec<Option<Recipe>>,
    finds: Vec<(Kernel, Find)>,
    proofs: Vec<(BTreeSet<String>, Proof)>,
    /// Bytes of device memory that the outputs and their checks take.
    pub claimed: u64,
    /// Bytes already reserved by another lab that is alive at the same time.
    pub reserved_elsewhere: u64,
    wanted_repetitions: u32,
    repetitions: Option<u32>,
}

impl Lab {
    /// An empty lab on a device.
    pub(crate) fn new(gpu: impl Into<Rc<Gpu>>, options: &LabOptions) -> Self {
        let gpu = gpu.into();
        let default = if gpu.facts.kind == Kind::Cpu { 4 } else { 8 };
        Self {
            shaders: Library::find(),
            variants: Vec::new(),
            outputs: Vec::new(),
            checks: Vec::new(),
            report: Report { empties_caches: options.cold, ..Report::default() },
            maps_races: options.maps_races,
            runs_nothing: options.runs_nothing,
            broken: None,
            set_before: BTreeSet::new(),
            selection: options.selection.clone(),
            description: None,
            declared_with: Vec::new(),
            recipes: Vec::new(),
            finds: Vec::new(),
            proofs: Vec::new(),
            claimed: 0,
            reserved_elsewhere: 0,
            wanted_repetitions: options.repetitions.unwrap_or(default).max(1),
            repetitions: None,
            gpu,
        }
    }

    /// A lab on the tests' device, with the validation layer if `validate` is set.
    #[cfg(test)]
    pub(crate) fn for_test(validate: bool, options: &LabOptions) -> Self {
        let open = vulkan::gpu::OpenOptions { validate, ..vulkan::gpu::OpenOptions::default() };
        Self::new(Gpu::open(&open).unwrap(), options)
    }

    /// The device that the sample runs on.
    #[must_use]
    pub fn device(&self) -> &DeviceFacts {
        &self.gpu.facts
    }

    /// Reads a sample's `variants.toml`, which holds what is said of the variants but not part of their commands:
    /// captions, places in the cross tables, published times, and which of them run by default.
    /// `samples/README.md` explains the file.
    ///
    /// # Errors
    /// The text is no such file, or a text in it has an unknown placeholder. Variants without an entry and entries
    /// without a variant are errors when the sample has declared everything.
    pub fn describe(&mut self, toml: &str) -> Result<()> {
        self.description = Some(Description::read(toml)?);
        Ok(())
    }

    /// A kernel, by its path under `shaders/`.
    pub fn kernel(&self, path: &str) -> KernelBuilder<'_> {
        KernelBuilder::new(&self.gpu, &self.shaders, path)
    }

    /// A kernel whose recipe `find` determines by running other kernels. `find` runs when a selected variant
    /// dispatches the kernel; it returns [`BeyondLimits`](record::error::BeyondLimits) if the device cannot run what it looks for.
    pub fn found_kernel(&mut self, find: impl FnOnce(&mut Self) -> Result<KernelRecipe> + 'static) -> Kernel {
        let kernel = self.gpu.plan_kernel(KernelRecipe::default());
        self.finds.push((kernel, Box::new(find)));
        kernel
    }

    /// Runs `prove` once before the measurement if one of these variants is selected. A proof runs additional
    /// kernels to show a property that the variants' results do not show.
    pub fn prove(
        &mut self,
        variants: impl IntoIterator<Item = impl Into<String>>,
        prove: impl FnOnce(&mut Self) -> Result<()> + 'static,
    ) {
        self.proofs.push((variants.into_iter().map(Into::into).collect(), Box::new(prove)));
    }

    /// Declares a variant. `record` lists the commands of one repetition and is called once per repetition; every
    /// sample records the listed commands.
    pub fn variant(&mut self, name: impl Into<String>, record: impl Fn(&Cmd, Rep) + 'static) -> &mut Variant {
        let steps = move |count| Cmd::steps(|cmd| Rep::all(count).for_each(|rep| record(cmd, rep)));
        self.add(name.into(), Box::new(move |count| Ok(Script::on_one_queue(steps(count)))), false)
    }

    /// Declares a variant that submits to several queues. It is left out on a device with fewer.
    pub fn variant_on_queues(
        &mut self,
        name: impl Into<String>,
        record: impl Fn(&Queues, Rep) + 'static,
    ) -> &mut Variant {
        let list = move |count| Queues::script(|queues| Rep::all(count).for_each(|rep| record(queues, rep)));
        self.add(name.into(), Box::new(list), true)
    }

    fn add(&mut self, name: String, record: Recording, takes_several_queues: bool) -> &mut Variant {
        let at = self.variants.len();
        self.variants.push(Variant::new(name, record, takes_several_queues));
        &mut self.variants[at]
    }

    /// Takes no times back to back, which say nothing of variants that do not fill the device. Call it before the first output
    /// is declared.
    pub fn alone(&mut self) {
        self.wanted_repetitions = 1;
    }

    /// Why waves are not traced although the run asked for it.
    pub(crate) fn untraced(&self) -> Option<String> {
        self.report.wants_traces.then(|| self.untraceable()).flatten()
    }

    /// Whether what is timed is not the commands of any variant.
    pub(crate) fn times_elsewhere(&self) -> bool {
        !self.variants.is_empty() && self.variants.iter().all(|variant| variant.timed_by.is_some())
    }

    /// Why no waves can be traced.
    pub(crate) fn untraceable(&self) -> Option<String> {
        if self.times_elsewhere() {
            return Some(NOT_COMMANDS.into());
        }
        (!self.gpu.waves.clock).then(|| {
            format!(
                "waves cannot be traced on {}: it has no clock that all of them read (VK_KHR_shader_clock with \
                 shaderDeviceClock)",
                self.device().name
            )
        })
    }

    /// Whether waves are traced.
    pub(crate) fn traces(&self) -> bool {
        self.report.wants_traces && self.gpu.waves.clock
    }

    /// The number of repetitions that the resources were made for.
    pub(crate) fn repetitions(&self) -> u32 {
        self.repetitions.unwrap_or_else(|| self.wanted())
    }

    /// The number of repetitions that handles are planned for.
    fn wanted(&self) -> u32 {
        self.report.trials.map_or(self.wanted_repetitions, |_| 1)
    }

    /// The queues that work can run on, in the order of their [`Queue`](vulkan::handles::Queue).
    pub fn queues(&self) -> impl ExactSizeIterator<Item = QueuePlace> {
        self.gpu.queues()
    }

    /// Whether kernels can read the multiprocessor that they run on (`gl_SMIDNV` of `VK_NV_shader_sm_builtins`).
    #[must_use]
    pub fn has_sm_id(&self) -> bool {
        self.gpu.waves.lanes == LaneSource::Sm
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.variants.iter().position(|v| v.name == name)
    }

    /// Returns the first mistake in the declarations.
    pub(crate) fn validate(&mut self) -> Result<()> {
        if let Some(description) = self.description.take() {
            description.apply(self)?;
        }
        ensure!(!self.variants.is_empty(), "the sample declares no variant");
        let tells = self.variants.iter().any(|variant| variant.tells.is_some());
        ensure!(
            !tells || self.wanted() == 1,
            "a variant's kernels tell a time or another figure, which needs a lab that is `alone`"
        );
        if !self.gpu.waves.cycles {
            let timed =
                self.variants.iter_mut().filter(|variant| matches!(variant.tells, Some(Tells::Time(_))));
            timed.for_each(|variant| {
                variant.skip(Some("the device has no clock that shaders can read (VK_KHR_shader_clock)"));
            });
        }
        let mut names = BTreeSet::new();
        for variant in &self.variants {
            ensure!(names.insert(&variant.name), "two variants are called {}", variant.name);
        }
        let expected: Vec<_> = self.recipes.iter().flatten().flat_map(Recipe::expected).collect();
        ensure!(!expected.is_empty(), "the sample checks nothing: a lab needs `expect`");
        let told: BTreeSet<String> =
            expected.iter().filter_map(|expected| Some(expected.tolerance.as_ref()?.1.clone())).collect();
        told.iter().for_each(|sentence| self.report.note(sentence));
        for name in self.report.references() {
            ensure!(self.position(name).is_some(), "the reference {name} is no variant of the sample");
        }
        for name in self.report.code_pairs.iter().flat_map(|pair| &pair.variants) {
            ensure!(
                self.position(name).is_some(),
                "{name}, whose code is compared, is no variant of the sample"
            );
        }
        Ok(())
    }
}
