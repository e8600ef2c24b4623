//! The record of a run: what was measured, on which device, with which settings. The terminal table, the JSON file,
//! the CSV file and the reports are all made from this type.
//!
//! The names of times end in their unit; most are in microseconds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::self_test::Certificate;
use crate::stats::Summary;
use crate::{DeviceFacts, Headline, Rule, Stop};

use crate::trace::Traced;

/// Version of this layout. A reader refuses what it does not know. Version 2 added what cross tables
/// need, and the promise of a fault; version 3 what a variant declares of its work; version 4 the
/// self-test, the clock of each sample, and the status `throttled`; version 5 the file of the samples; version 6 the
/// headline, the labels of variants, and files of samples that are elsewhere; version 7 cross tables of the time per unit of
/// work.
pub const SCHEMA: u32 = 7;

/// The variant that copies an image, to measure the device's bandwidth.
pub const COPY_LIMIT: &str = "copy_limit";
/// The variant that copies a buffer of the same bytes.
pub const COPY_LIMIT_BUFFER: &str = "copy_limit_buffer";
/// The variant that copies a volume.
pub const COPY_LIMIT_3D: &str = "copy_limit_3d";
/// The variant that multiplies and adds, to measure the device's arithmetic rate.
pub const FMA_LIMIT: &str = "fma_limit";

/// Whether a variant is one of the device's own limits, with which other variants are compared.
#[must_use]
pub fn is_limit(variant: &str) -> bool {
    [COPY_LIMIT, COPY_LIMIT_BUFFER, COPY_LIMIT_3D, FMA_LIMIT].contains(&variant)
}

/// One run of one sample on one device.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Version of this layout.
    #[schemars(range(min = 1, max = SCHEMA))]
    pub schema: u32,
    /// What made the record.
    pub tool: Tool,
    /// Name of the sample.
    pub sample: String,
    /// The command line, program name first.
    pub command: Vec<String>,
    /// When the run began, RFC 3339, UTC.
    pub started: String,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// The sample's arguments as they were used, defaults included.
    pub configuration: BTreeMap<String, String>,
    /// The device, its driver and its limits.
    pub device: DeviceFacts,
    /// The machine around it.
    pub host: Host,
    /// How times were taken.
    pub method: Method,
    /// What the self-test before the run found; `None` where it was left out.
    #[serde(default)]
    pub self_test: Option<Certificate>,
    /// The kernels that ran.
    pub kernels: Vec<KernelFacts>,
    /// What the reader must know to read the figures, in sentences.
    pub notes: Vec<String>,
    /// The variant that no correct one can beat.
    pub bound: Option<String>,
    /// The variant that is common practice.
    pub baseline: Option<String>,
    /// How the rows are shown as cross tables, where they are: each by its [`Row::cell`].
    pub matrix: Option<Matrix>,
    /// What the run found of the sample's claim, in one line; `None` in records of earlier versions.
    #[serde(default)]
    pub headline: Option<Headline>,
    /// What else the sample concludes from the figures, a paragraph per line.
    pub verdict: Option<String>,
    /// The file beside this one that holds the kept samples; `None` where each row holds its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples_file: Option<SamplesFile>,
    /// One per variant, in the sample's order.
    pub rows: Vec<Row>,
    /// How the run ended.
    pub ended: Ended,
}

impl Record {
    /// The variant that cross tables of ratios divide by: the fastest possible, or the usual way if there is none.
    #[must_use]
    pub fn reference(&self) -> Option<&str> {
        self.bound.as_deref().or(self.baseline.as_deref())
    }

    /// The label of a variant, or its id where there is none.
    #[must_use]
    pub fn label<'r>(&'r self, variant: &'r str) -> &'r str {
        self.rows.iter().find(|row| row.variant == variant).map_or(variant, Row::label)
    }

    /// The ratio of a row to the [reference](Record::reference).
    #[must_use]
    pub fn to_reference(&self, row: &Row) -> Option<Summary> {
        if self.bound.is_some() { row.to_bound } else { row.to_baseline }
    }

    /// The smallest difference between two times alone of any one row, in microseconds: an estimate of the
    /// timestamps' resolution. All rows are used, since a single row may have few samples that are far apart.
    #[must_use]
    pub fn step_us(&self) -> Option<f64> {
        let of_row = |row: &Row| {
            let mut times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            times.sort_by(f64::total_cmp);
            let steps = times.windows(2).map(|pair| pair[1] - pair[0]);
            steps.filter(|step| *step > ROUNDING_US).fold(f64::INFINITY, f64::min)
        };
        Some(self.rows.iter().map(of_row).fold(f64::INFINITY, f64::min)).filter(|us| us.is_finite())
    }
}

/// Smaller differences between times are rounding errors of the conversion to microseconds.
const ROUNDING_US: f64 = 1e-4;

/// `passes 8, size 64x64`: the arguments that a sample used.
pub fn listed<'c>(settings: impl IntoIterator<Item = (&'c String, &'c String)>) -> String {
    settings.into_iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}

/// The kept samples in a file of their own: CSV, packed with gzip.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SamplesFile {
    /// Its name, in the folder of the record.
    pub name: String,
    /// SHA-256 of the unpacked text, in hex: `zcat samples.csv.gz | sha256sum`.
    pub sha256: String,
    /// The file stayed with the sender of the record, who can prove by the hash that it is this one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
}

/// The program.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Always `hot-lap`.
    pub name: String,
    /// Version of the suite.
    pub version: String,
    /// Git commit it was built from, where it was built from a checkout.
    pub commit: Option<String>,
    /// The checkout had uncommitted changes; `None` where that is unknown.
    pub dirty: Option<bool>,
    /// `debug` or `release`.
    pub build: String,
    /// Where the shaders came from: `embedded` in the binary, or `checkout`.
    pub shaders: String,
}

/// The machine around the device.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Host {
    /// Operating system and architecture.
    pub system: String,
    /// Processor, where the system names it.
    pub processor: Option<String>,
    /// Logical processors.
    pub threads: usize,
}

/// How times were taken.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Method {
    /// Seed of the order in which variants were sampled.
    pub seed: u64,
    /// Repetitions in the long submit of each pair; 1 where no time back to back was taken.
    pub repetitions: u32,
    /// The stopping rule.
    pub rule: Rule,
    /// Budget of all rows together, in seconds.
    pub budget_s: f64,
    /// Pairs a row that were thrown away first, at the least: a GPU is also warmed up for some tenths of a second.
    pub warm_up: u32,
    /// What two timestamps with nothing between them are apart, median, in microseconds.
    pub floor_us: f64,
    /// State of the caches before a sample: `warm`, or `cold` with what made them so.
    pub caches: String,
    /// How the device's clock was found, in words, or why it is unknown.
    pub clocks: String,
    /// The clock that samples were judged by, in MHz: the highest that three samples reached.
    #[serde(default)]
    pub reference_mhz: Option<f64>,
    /// Layers and capture tools that were active; with a validation layer among them times are no
    /// times.
    pub tools: Vec<String>,
}

/// A kernel as it was built.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KernelFacts {
    /// Path below `shaders/`, with the defines that it was built with.
    pub name: String,
    /// SHA-256 of the SPIR-V, in hex.
    pub spirv_sha256: String,
    /// Specialisation constants.
    pub constants: BTreeMap<String, u32>,
    /// Invocations of a workgroup, x, y, z.
    pub workgroup: [u32; 3],
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum Ended {
    /// Every row was measured, skipped or found wrong.
    Complete,
    /// The user stopped it.
    Interrupted,
    /// It was under way when this was written: a process that was killed leaves such a record.
    Unfinished,
    /// Something ended it early.
    Failed {
        /// The chain of causes on one line.
        reason: String,
    },
}

/// Rows as cross tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Matrix {
    /// Head of the first column, where the cells do not say it.
    #[serde(default)]
    pub corner: String,
    /// What a cell holds.
    pub shows: Shows,
}

/// What the cells of a cross table hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shows {
    /// The ratio of times alone to the [reference](Record::reference).
    Ratios,
    /// Time alone and time back to back, in microseconds.
    Times,
    /// How many elements were wrong, and in how many samples.
    Races,
    /// Time alone over the declared [`Work`], in nanoseconds and in cycles.
    PerUnit,
    /// The figure that a variant's kernels tell ([`Row::metric`]).
    Metric,
}

/// Where a row stands in the cross tables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Title of the table.
    pub table: String,
    /// Head of the row.
    pub row: String,
    /// Head of the column.
    pub column: String,
}

/// What one variant did.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Its name.
    pub variant: String,
    /// What people read in place of the name; empty in records of earlier versions.
    #[serde(default)]
    pub label: String,
    /// Whether its figures are figures.
    pub status: Status,
    /// What it promises about its own correctness.
    pub promise: Promise,
    /// One repetition in a submit: with the fill before it and the drain behind it. Microseconds.
    pub isolated_us: Option<Summary>,
    /// `(T(N) - T(1)) / (N - 1)`: what one more repetition costs. Microseconds. `None` where none was
    /// taken or where it is lost in the noise: a cost of zero or less is no cost.
    pub pipelined_us: Option<Summary>,
    /// `isolated_us / bound`, paired by rounds.
    pub to_bound: Option<Summary>,
    /// `isolated_us / baseline`, paired by rounds.
    pub to_baseline: Option<Summary>,
    /// Elements that differed from the CPU reference. `None` before the first sample.
    pub racy: Option<Racy>,
    /// Why sampling ended.
    pub stop: Option<Stop>,
    /// The device's clock during the kept short submits, in MHz, where it is known.
    #[serde(default)]
    pub clock_mhz: Option<Summary>,
    /// Submits that were thrown away because the clock was too low.
    #[serde(default)]
    pub discarded: usize,
    /// The median time alone is within five times the floor of the timestamps.
    pub near_floor: bool,
    /// CPU time of the `vkCmd*` calls of one repetition, in microseconds.
    pub record_us: Option<Summary>,
    /// CPU time inside `vkQueueSubmit2`, in microseconds.
    pub submit_us: Option<Summary>,
    /// What a source publishes for it.
    pub published: Option<Published>,
    /// Where it stands in the cross tables, where the sample gives it a place.
    pub cell: Option<Cell>,
    /// What it has to do, as the sample declares it.
    #[serde(default)]
    pub declared: Declared,
    /// A figure that the variant's kernels tell, and that is no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<Metric>,
    /// What its waves told, where they were asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<Traced>,
    /// Every pair that was kept; absent where there is none, or where they are in the record's `samples_file`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<Sample>,
}

impl Row {
    /// Whether the row has not been sampled yet, in a run that has not ended.
    pub fn is_pending(&self) -> bool {
        matches!(&self.status, Status::Skipped { reason } if reason == BEFORE_ITS_FIRST)
    }

    /// What people read: the label, or the name where there is none.
    #[must_use]
    pub fn label(&self) -> &str {
        if self.label.is_empty() { &self.variant } else { &self.label }
    }

    /// What a unit of the declared work takes if all of it takes so many microseconds; `None` where no work is declared.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "shown with four digits")]
    pub fn per_unit(&self, us: f64) -> Option<PerUnit> {
        let ns = us * 1e3 / self.declared.work.as_ref()?.count as f64;
        Some(PerUnit { ns, cycles: self.clock_mhz.map(|mhz| ns * mhz.median / 1e3) })
    }

    /// A row without figures.
    #[must_use]
    pub fn unmeasured(variant: &str, promise: Promise, status: Status) -> Self {
        Self { variant: variant.into(), status, promise, ..Self::default() }
    }
}

/// A figure that a variant's kernels tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// What is counted, such as `% of neighbours`.
    pub unit: String,
    /// Over the samples in which there was something to tell.
    pub figure: Summary,
}

/// What a unit of a row's work takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PerUnit {
    /// Nanoseconds.
    pub ns: f64,
    /// Clock cycles, where the device's clock is known.
    pub cycles: Option<f64>,
}

/// Whether a row's figures are figures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Status {
    /// Measured, and every sample was checked unless the notes say that nothing is.
    #[default]
    Ok,
    /// Not asked for, or not possible here.
    Skipped {
        /// Why.
        reason: String,
    },
    /// The device or its driver lacks something.
    Unsupported {
        /// What.
        reason: String,
    },
    /// The clock was too low in every sample.
    Throttled {
        /// How low, of how many samples, in words.
        reason: String,
    },
    /// A result differed from the CPU reference, so there is no time.
    Wrong {
        /// How many elements.
        elements: u64,
        /// Where the first one is, in words.
        first: String,
    },
    /// It could not be measured.
    Error {
        /// Why.
        reason: String,
    },
}

/// The reason of a row that has no figures because the run ended, or has not come to it, before its first sample.
pub const BEFORE_ITS_FIRST: &str = "the run ended before its first sample";

impl Status {
    /// The word shown to users.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Skipped { .. } => "skipped",
            Self::Unsupported { .. } => "unsupported",
            Self::Throttled { .. } => "throttled",
            Self::Wrong { .. } => "wrong",
            Self::Error { .. } => "error",
        }
    }

    /// Why there are no figures; `None` if there are some.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Ok => None,
            Self::Skipped { reason }
            | Self::Unsupported { reason }
            | Self::Throttled { reason }
            | Self::Error { reason } => Some(reason.clone()),
            Self::Wrong { elements: 1, first } => Some(format!("1 element differs, {first}")),
            Self::Wrong { elements, first } => {
                Some(format!("{elements} elements differ, the first: {first}"))
            }
        }
    }
}

/// What a variant promises about its own correctness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Promise {
    /// Right by the Vulkan memory model: one wrong element makes the row wrong.
    #[default]
    Law,
    /// Leaves out a visibility that the memory model asks for and that hardware may not need.
    Hardware {
        /// What it relies on.
        relies_on: String,
    },
    /// Leaves out a dependency on purpose.
    Nothing {
        /// What is left out.
        leaves_out: String,
    },
    /// Has a fault on purpose, whose exact size proves that the check sees one: any other count
    /// makes the row wrong.
    Fault {
        /// Elements of each repetition that must differ.
        elements: u64,
    },
    /// Right by the rules of another API, which a program beside the sample uses: one wrong element makes the row wrong.
    OtherApi {
        /// The API or library, with its version.
        api: String,
    },
}

impl Promise {
    /// Whether one wrong element makes the row wrong on every device.
    #[must_use]
    pub const fn must_be_right(&self) -> bool {
        matches!(self, Self::Law | Self::OtherApi { .. })
    }

    /// Leaves out a dependency on purpose: its wrong elements are counted, and its time is a lower limit, not a
    /// result. `--check` fails if the validation layer does not report the missing dependency.
    #[must_use]
    pub fn races(leaves_out: &str) -> Self {
        Self::Nothing { leaves_out: leaves_out.to_owned() }
    }

    /// Leaves out a visibility operation that the memory model requires: correct only on hardware that behaves as
    /// `what` says.
    #[must_use]
    pub fn relies_on(what: &str) -> Self {
        Self::Hardware { relies_on: what.to_owned() }
    }

    /// Has a bug on purpose that changes exactly `elements` of the checked elements in each repetition. It proves
    /// that the check detects errors.
    #[must_use]
    pub const fn has_bug(elements: u64) -> Self {
        Self::Fault { elements }
    }
}

/// Counts of elements that differed from the CPU reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Racy {
    /// Samples (rounds) that were checked, the long submit of each included, and each submit whose time was not
    /// kept in which an element differed.
    pub samples: usize,
    /// Samples in which at least one element differed, in the short submit or in the long one.
    pub racy_samples: usize,
    /// Median count of the short submits whose times were kept; 0 where none was.
    pub median: f64,
    /// Largest count of a short submit.
    pub max: u64,
    /// Largest count of a long submit, over all its repetitions.
    pub long_max: u64,
    /// Elements checked in a short submit; a long one has as many in each repetition.
    pub of: u64,
}

/// A figure that a source publishes for a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Published {
    /// The figure.
    pub value: f64,
    /// What it is a ratio to, or its unit.
    pub unit: String,
    /// The device it was measured on.
    pub device: String,
    /// Document and slide or section.
    pub source: String,
}

/// What a variant has to do in one repetition: what its time is set against.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Declared {
    /// Bytes that it has to move at the least: each input read once, each output written once.
    pub bytes: Option<u64>,
    /// The copy that this is set against, where it is not the faster of `copy_limit` and `copy_limit_buffer`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// Floating-point operations, a fused multiply-add counting as two.
    pub flops: Option<u64>,
    /// Something else that it gets done, and what that is called.
    pub work: Option<Work>,
    /// What a model predicts for it.
    pub predicted: Option<Predicted>,
}

impl Declared {
    /// The least number of bytes that one repetition has to move: each input read once, each output written once.
    /// The table compares its time with that of the faster copy in the same run.
    #[must_use]
    pub fn bytes(self, bytes: u64) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// Compares the bytes with another copy than [`COPY_LIMIT`] and [`COPY_LIMIT_BUFFER`]. The variant is not compared with variants that use
    /// another copy.
    #[must_use]
    pub fn against(self, copy: &str) -> Self {
        Self { limit: Some(copy.to_owned()), ..self }
    }

    /// Floating-point operations of one repetition; a fused multiply-add counts as two. The table compares its time
    /// with that of the FMA kernel in the same run.
    #[must_use]
    pub fn flops(self, flops: u64) -> Self {
        Self { flops: Some(flops), ..self }
    }

    /// Other work of one repetition; the table shows it per second.
    #[must_use]
    pub fn work(self, count: u64, unit: &str) -> Self {
        Self { work: Some(Work { count, unit: unit.to_owned() }), ..self }
    }

    /// A model's prediction for the variant, shown next to the measured figures.
    #[must_use]
    pub fn predicts(self, what: &str, value: f64) -> Self {
        Self { predicted: Some(Predicted { what: what.to_owned(), value }), ..self }
    }

    /// The amounts of the device's limited resources that one repetition uses, one for each variant that is a limit of it.
    /// Of the copies the faster is the limit.
    pub fn costs(&self) -> impl Iterator<Item = Cost<'_>> {
        let copies = match &self.limit {
            Some(copy) => [Some(&**copy), None],
            None => [Some(COPY_LIMIT), Some(COPY_LIMIT_BUFFER)],
        };
        let bytes = copies.into_iter().flatten().zip(self.bytes.into_iter().cycle());
        let bytes = bytes.map(|(variant, amount)| Cost { limit: Limit::Copy, variant, amount });
        let flops = self.flops.map(|amount| Cost { limit: Limit::Fma, variant: FMA_LIMIT, amount });
        bytes.chain(flops)
    }
}

/// A limited resource of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Bytes moved per second.
    Copy,
    /// Floating-point operations per second.
    Fma,
}

/// The amount of a limited resource that one repetition of a variant uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost<'d> {
    /// The resource.
    pub limit: Limit,
    /// The variant that does nothing else; its rate is the limit.
    pub variant: &'d str,
    /// Bytes or operations.
    pub amount: u64,
}

/// Something that a variant gets done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Work {
    /// How much in one repetition.
    pub count: u64,
    /// What: `constraints`.
    pub unit: String,
}

/// What a model predicts for a variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Predicted {
    /// What is predicted: `VMEM ops a tile`.
    pub what: String,
    /// The figure.
    pub value: f64,
}

/// One kept pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// The round; rows that share it were sampled next to each other.
    pub round: u32,
    /// GPU time of one repetition, in microseconds.
    pub one_us: f64,
    /// GPU time of [`Method::repetitions`] repetitions, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub many_us: Option<f64>,
    /// The device's clock during the short submit, in MHz, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_mhz: Option<f64>,
    /// The device's clock during the long submit, in MHz, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub many_mhz: Option<f64>,
    /// Elements that differed, one repetition.
    pub one_wrong: u64,
    /// Elements that differed, all repetitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub many_wrong: Option<u64>,
    /// CPU time of the `vkCmd*` calls of one repetition, in microseconds. None where the time is not that of the commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record_us: Option<f64>,
    /// CPU time of its submit call, in microseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_us: Option<f64>,
    /// What the kernels told, in the unit of the row's [`Metric`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metric: Option<f64>,
}
