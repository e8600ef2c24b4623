//! A variant: one way to do a sample's work, how it is recorded, and what it promises.

use std::ops::Range;

use anyhow::{Context, Result};
use record::trace::Trace;
use record::{Cell, Declared, Promise, Published, Status};

use vulkan::cmd::Usage;
use vulkan::cmd::script::Script;
use vulkan::gpu::Gpu;
use vulkan::handles::Buffer;

/// The repetition that is being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rep {
    /// Index, from 0. Each repetition has its own images and events.
    pub index: u32,
    /// Number of repetitions in this submit.
    pub count: u32,
}

impl Rep {
    /// All repetitions of a submit.
    pub(crate) fn all(count: u32) -> impl Iterator<Item = Self> {
        (0..count).map(move |index| Self { index, count })
    }

    /// Whether this is the last repetition of the submit.
    #[must_use]
    pub fn is_last(self) -> bool {
        self.index + 1 == self.count
    }

    /// The `count` passes of this repetition, in the order of recording.
    pub fn passes(self, count: u32) -> impl Iterator<Item = Pass> {
        (0..count).map(move |index| Pass { index, rep: self, count })
    }
}

/// A pass of a chain. The repetitions of a submit form one chain: pass 0 of a repetition follows the last pass of the
/// repetition before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Index within the repetition, from 0.
    pub index: u32,
    /// The repetition that the pass belongs to.
    pub rep: Rep,
    /// Number of passes per repetition.
    count: u32,
}

impl Pass {
    /// The pass before this one; `None` for the first pass of the submit.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        if let Some(index) = self.index.checked_sub(1) {
            return Some(Self { index, ..self });
        }
        let rep = Rep { index: self.rep.index.checked_sub(1)?, ..self.rep };
        Some(Self { index: self.count - 1, rep, ..self })
    }

    /// Whether another pass of the submit comes before this one.
    #[must_use]
    pub fn has_previous(self) -> bool {
        self.previous().is_some()
    }

    /// Whether another pass of the submit follows this one.
    #[must_use]
    pub fn has_next(self) -> bool {
        self.index + 1 < self.count || !self.rep.is_last()
    }
}

/// What a variant relies on although the Vulkan specification does not promise it.
#[derive(Clone, Copy, Debug)]
pub struct Reliance {
    words: &'static str,
    /// Whether dependencies leave out the accesses that make stores visible. The validation layer then has to object to
    /// each read.
    leaves_out_visibility: bool,
}

/// Dependencies that only order, between coherent stores and loads that may be cached.
pub const COHERENT_STORES: Reliance = Reliance::without_visibility(
    "coherent stores reaching the cache that all multiprocessors share, and on plain loads finding them there because \
     no other cache held their lines before",
);

impl Reliance {
    /// Relies on `words` and makes all stores visible.
    #[must_use]
    pub const fn on(words: &'static str) -> Self {
        Self { words, leaves_out_visibility: false }
    }

    /// Relies on `words` in place of the accesses that would make stores visible.
    #[must_use]
    pub const fn without_visibility(words: &'static str) -> Self {
        Self { words, leaves_out_visibility: true }
    }
}

/// Longest label, so that a table with it fits 96 columns.
pub const LONGEST_LABEL: usize = 36;

/// Does this many repetitions outside of the variant's commands, and returns a time in µs.
pub type Elsewhere = Box<dyn Fn(&Gpu, u32) -> Result<f64>>;

/// A part of the picture, which some workgroups of a dispatch compute.
#[derive(Clone, Debug)]
pub struct Tile {
    /// Left, top, width and height in texels.
    pub place: [u32; 4],
    /// Position of the dispatch among those of a repetition.
    pub dispatch: usize,
    /// Indices of the workgroups: x, then y, then z.
    pub workgroups: Range<usize>,
}

impl Tile {
    /// When the last of its workgroups ended; `None` where that was not recorded.
    #[must_use]
    pub fn end_us(&self, trace: &Trace) -> Option<f64> {
        let ends = trace.dispatches.get(self.dispatch)?.ends_us.get(self.workgroups.clone())?;
        ends.iter().copied().reduce(f64::max)
    }
}

/// Lists the commands of this many repetitions.
pub type Recording = Box<dyn Fn(u32) -> Result<Script>>;

/// One way to do the sample's work.
pub struct Variant {
    /// Name in snake case that says what the variant does.
    pub name: String,
    /// What people read in place of the name, the same in every table, picture and window: at most
    /// [`LONGEST_LABEL`] characters.
    pub label: String,
    /// One sentence of at most 110 characters, for `--live` and `--list-variants`: what the variant does and what to
    /// watch, true on every device.
    pub caption: String,
    /// What it promises about its own correctness.
    pub promise: Promise,
    /// A published time of this variant.
    pub published: Option<Published>,
    /// Whether dependencies leave out the accesses that make stores visible.
    pub(crate) leaves_out_visibility: bool,
    /// Whether it races within a dispatch, where the validation layer sees nothing.
    pub(crate) races_in_a_dispatch: bool,
    /// Why the variant does not run on this device, as the row's status.
    pub left_out: Option<Status>,
    /// Position in the sample's cross tables.
    pub cell: Option<Cell>,
    /// Whether the variant runs only by name, or with `--all` or `--matrix`.
    pub on_request: bool,
    /// The work of one repetition.
    pub declared: Declared,
    /// Usage flags of the variant's command buffer, which a driver may optimize for. The command buffer is
    /// submitted once whatever the flags say.
    pub usage: Usage,
    pub(crate) record: Recording,
    /// Whether the variant may submit to several queues.
    pub(crate) takes_several_queues: bool,
    /// Takes a sample of what is done outside of the variant's commands.
    pub(crate) timed_by: Option<Elsewhere>,
    /// What the variant's kernels tell beside their results.
    pub(crate) tells: Option<Tells>,
    /// The parts of the picture.
    pub tiles: Option<Box<dyn Fn() -> Vec<Tile>>>,
}

/// Finds a figure in what kernels write and in timestamps: `None` if there is nothing to tell, an error if no right kernel
/// writes that.
pub type Figure = Box<dyn Fn(&[u32], &[u64]) -> Result<Option<f64>>>;

/// What kernels tell beside their results.
pub enum Tells {
    /// In ticks of the device's time, how long the part took that matters.
    Time(Buffer),
    /// A figure that is no time.
    Metric {
        /// What is counted.
        unit: String,
        /// What the kernels write.
        notes: Buffer,
        /// How much of it is read.
        words: u32,
        /// Finds the figure.
        figure: Figure,
    },
}

impl Tells {
    /// The buffer that is read after each sample, and its length in words.
    pub(crate) const fn read(&self) -> (Buffer, u32) {
        match self {
            Self::Time(took) => (*took, 1),
            Self::Metric { notes, words, .. } => (*notes, *words),
        }
    }
}

impl Variant {
    /// A variant with default properties.
    pub(crate) fn new(name: String, record: Recording, takes_several_queues: bool) -> Self {
        Self {
            name,
            label: String::new(),
            caption: String::new(),
            promise: Promise::Law,
            published: None,
            leaves_out_visibility: false,
            races_in_a_dispatch: false,
            left_out: None,
            cell: None,
            on_request: false,
            declared: Declared::default(),
            usage: Usage::ONE_TIME_SUBMIT,
            record,
            takes_several_queues,
            timed_by: None,
            tells: None,
            tiles: None,
        }
    }

    /// A variant that records nothing.
    #[cfg(test)]
    pub(crate) fn for_test(name: &str) -> Self {
        Self::new(name.to_owned(), Box::new(|_| Ok(Script::on_one_queue(Vec::new()))), false)
    }

    /// Sets what the variant promises about its own correctness. By default it is correct by the Vulkan
    /// specification.
    pub fn promise(&mut self, promise: Promise) -> &mut Self {
        self.promise = promise;
        self
    }

    /// Declares that the variant leaves out a dependency on purpose: its wrong elements are counted, and its time is a
    /// lower limit. `--check` fails if the validation layer does not report what is left out.
    pub fn races(&mut self, leaves_out: &str) -> &mut Self {
        self.promise(Promise::races(leaves_out))
    }

    /// Like [`Variant::races`], where workgroups of one dispatch race: the validation layer cannot see that, so `--check`
    /// expects no message of it.
    pub fn races_in_a_dispatch(&mut self, leaves_out: &str) -> &mut Self {
        self.races_in_a_dispatch = true;
        self.races(leaves_out)
    }

    /// Declares that the variant is correct only on hardware that does what the specification does not promise.
    pub fn relies_on(&mut self, reliance: Reliance) -> &mut Self {
        self.leaves_out_visibility = reliance.leaves_out_visibility;
        self.promise(Promise::relies_on(reliance.words))
    }

    /// Leaves the variant out unless it is selected by name, by a pattern, with `--all`, or with `--matrix`. Tables
    /// of more than ten rows are hard to read.
    pub fn on_request(&mut self) -> &mut Self {
        self.on_request = true;
        self
    }

    /// Declares the work of one repetition, which is compared with the device's limits.
    pub fn declares(&mut self, declared: Declared) -> &mut Self {
        self.declared = declared;
        self
    }

    /// Declares that the time is not that of the variant's commands: before each submit `sample` does the given number of repetitions
    /// elsewhere, in submits of its own or by another program, and returns a time in µs. The variant's commands bring the results
    /// where they are checked. An error that is a [`BadNotes`](crate::drive::session::BadNotes) fails the variant, any other the
    /// run.
    pub fn timed_by(&mut self, sample: impl Fn(&Gpu, u32) -> Result<f64> + 'static) -> &mut Self {
        self.timed_by = Some(Box::new(sample));
        self
    }

    /// Declares that a kernel takes the time of its own part that matters: into the first word of `took` it writes ticks of
    /// the device's time (`clockRealtime2x32EXT()`). The lab needs [`Lab::alone`](crate::lab::Lab::alone), and the device both
    /// clocks of `VK_KHR_shader_clock`. On a CPU device timestamps are taken.
    pub fn times_itself(&mut self, took: Buffer) -> &mut Self {
        self.tells = Some(Tells::Time(took));
        self
    }

    /// Declares a figure that is no time: `figure` finds it in the first `words` of `notes`, which the kernels write, in each sample.
    /// It returns `None` where there is nothing to tell, and an error if no right kernel leaves such notes. The lab needs
    /// [`Lab::alone`](crate::lab::Lab::alone).
    pub fn metric(
        &mut self,
        unit: &str,
        notes: Buffer,
        words: u32,
        figure: impl Fn(&[u32]) -> Result<Option<f64>> + 'static,
    ) -> &mut Self {
        self.stamped_metric(unit, notes, words, move |words, _| figure(words))
    }

    /// Like [`Variant::metric`], with raw timestamps beside the notes: that at the begin of the window, those that the variant
    /// writes in the order of their queries, and that at the end of the window.
    pub fn stamped_metric(
        &mut self,
        unit: &str,
        notes: Buffer,
        words: u32,
        figure: impl Fn(&[u32], &[u64]) -> Result<Option<f64>> + 'static,
    ) -> &mut Self {
        let figure = Box::new(figure);
        self.tells = Some(Tells::Metric { unit: unit.to_owned(), notes, words, figure });
        self
    }

    /// Declares which workgroups compute which part of the picture. The window shows them in the order in which they end.
    pub fn tiles(&mut self, tiles: impl Fn() -> Vec<Tile> + 'static) -> &mut Self {
        self.tiles = Some(Box::new(tiles));
        self
    }

    /// Leaves the variant out of this run if there is a `reason`, and shows the reason in its row.
    pub fn skip(&mut self, reason: Option<impl Into<String>>) -> &mut Self {
        if let Some(reason) = reason {
            self.left_out = Some(Status::Skipped { reason: reason.into() });
        }
        self
    }

    /// The script of this many repetitions.
    ///
    /// # Errors
    /// A submit is not waited for by any other submit.
    pub(crate) fn script(&self, repetitions: u32) -> Result<Script> {
        (self.record)(repetitions).with_context(|| format!("variant {}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_passes_of_all_repetitions_form_one_chain() {
        let chain: Vec<Pass> = Rep::all(3).flat_map(|rep| rep.passes(2)).collect();
        let places: Vec<_> = chain.iter().map(|pass| (pass.rep.index, pass.index)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]);
        for (at, pass) in chain.iter().enumerate() {
            assert_eq!(pass.previous(), at.checked_sub(1).map(|before| chain[before]));
            assert_eq!((pass.has_previous(), pass.has_next()), (at > 0, at + 1 < chain.len()));
        }
    }
}
