//! One way of doing a sample's work: how it is recorded, and what it promises and may raise.

use std::fmt;

use anyhow::{Context, Result};
use record::{Cell, Declared, Predicted, Promise, Published, Status, Work, published};

use vulkan::cmd::script::Script;
use vulkan::cmd::{Cmd, Queues, Usage};
use vulkan::validation::Message;

/// Which of the repetitions in one submit is being recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rep {
    /// Counted from 0. Each repetition has its own images and events.
    pub index: u32,
    /// How many there are in this submit.
    pub count: u32,
}

impl Rep {
    /// Nothing of this variant is recorded after it in this submit.
    #[must_use]
    pub fn is_last(self) -> bool {
        self.index + 1 == self.count
    }
}

/// Messages of synchronization validation that a recording is known to raise. Versions of the layer differ in how
/// many they give and in how they put it: what a message names tells whether it is a known one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alarm {
    /// Id of the messages: what an access conflicts with.
    pub id: String,
    /// What a message may name; a broken recording makes it name something else.
    pub named: Vec<Named>,
    /// Why the layer raises it, and why that is no fault of the variant.
    pub reason: String,
    /// Only some versions of the layer look so far.
    pub optional: bool,
}

impl Alarm {
    pub(crate) fn is(&self, message: &Message) -> bool {
        self.id == message.id && self.named.iter().any(|named| named.by(message))
    }
}

/// What a message of synchronization validation names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The image, without the repetition that it is for.
    pub image: String,
    /// The regions around the command that touches it, such as `pass 1, band 0`; none where the layer speaks at a
    /// submit.
    pub region: String,
}

impl Named {
    /// The variant's own region is around these, and the dispatch's within.
    fn by(&self, message: &Message) -> bool {
        let within = match message.regions.as_slice() {
            [_, within @ .., _] => within.join(", "),
            _ => String::new(),
        };
        message.names(&self.image) && within == self.region
    }
}

type IntoBuffer = Box<dyn Fn(&Cmd, Rep)>;
type OntoQueues = Box<dyn Fn(&Queues, Rep)>;

/// How a variant is recorded, once for each repetition of a sample.
pub enum Recording {
    /// Into the sample's one command buffer.
    OneQueue(IntoBuffer),
    /// Into several submits, to two queues.
    Queues(OntoQueues),
}

/// One way of doing the sample's work.
pub struct Variant {
    /// What it does, in snake case.
    pub name: String,
    /// What it shows, in one sentence.
    pub caption: String,
    /// What it promises about its own correctness.
    pub promise: Promise,
    /// A published figure for it.
    pub published: Option<Published>,
    /// Messages that `--check` must see, and no others.
    pub alarms: Vec<Alarm>,
    /// The same where empty access masks are filled in, for a variant that relies on hardware.
    pub completed_alarms: Vec<Alarm>,
    /// Why it does not run here, as the row's status.
    pub left_out: Option<Status>,
    /// Where it stands in the sample's cross tables.
    pub cell: Option<Cell>,
    /// Runs only when it is named, or with `--all` or `--matrix`.
    pub on_request: bool,
    /// What it has to do.
    pub declared: Declared,
    /// How its command buffer is begun, where it is one.
    pub usage: Usage,
    pub(crate) record: Recording,
    /// Problems in the declaration itself, reported when the sample has finished declaring.
    pub fault: Option<anyhow::Error>,
}

impl fmt::Debug for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variant")
            .field("name", &self.name)
            .field("promise", &self.promise)
            .finish_non_exhaustive()
    }
}

impl Variant {
    /// A variant that nothing is said of yet.
    pub fn new(name: String, record: Recording) -> Self {
        Self {
            name,
            caption: String::new(),
            promise: Promise::Law,
            published: None,
            alarms: Vec::new(),
            completed_alarms: Vec::new(),
            left_out: None,
            cell: None,
            on_request: false,
            declared: Declared::default(),
            usage: Usage::ONE_TIME_SUBMIT,
            record,
            fault: None,
        }
    }

    /// Records nothing.
    #[cfg(test)]
    pub fn for_test(name: &str) -> Self {
        Self::new(name.to_owned(), Recording::OneQueue(Box::new(|_, _| {})))
    }

    /// Its caption, for `--live` and `--list-variants`: one sentence of at most 110 characters that says what
    /// it does and what to watch, and is true on every device.
    pub fn says(&mut self, sentence: &str) -> &mut Self {
        sentence.clone_into(&mut self.caption);
        self
    }

    /// Leaves a dependency out on purpose: its racy elements are counted, and its time is a bound,
    /// not a result. `--check` fails where the validation layer does not notice.
    pub fn races(&mut self, leaves_out: &str) -> &mut Self {
        self.promise = Promise::Nothing { leaves_out: leaves_out.to_owned() };
        self
    }

    /// Leaves a visibility out on purpose that the memory model asks for: right only where hardware
    /// behaves as `what` says.
    pub fn relies_on(&mut self, what: &str) -> &mut Self {
        self.promise = Promise::Hardware { relies_on: what.to_owned() };
        self
    }

    /// Has a fault on purpose that changes exactly `elements` of the checked elements of each
    /// repetition: any other count, on any device, makes the row wrong. It proves that the check
    /// can see what the other variants are checked for.
    pub fn has_fault(&mut self, elements: u64) -> &mut Self {
        self.promise = Promise::Fault { elements };
        self
    }

    /// Its place in the cross tables of [`Lab::matrix`](crate::lab::Lab::matrix).
    pub fn cell(&mut self, table: &str, row: &str, column: &str) -> &mut Self {
        self.cell = Some(Cell { table: table.into(), row: row.into(), column: column.into() });
        self
    }

    /// Leaves it out of a run that does not ask for it by name, by a pattern, with `--all`, or with
    /// `--matrix`: a table of more than ten rows is read by nobody.
    pub fn on_request(&mut self) -> &mut Self {
        self.on_request = true;
        self
    }

    /// Bytes that one repetition has to move at the least: each input read once, each output written
    /// once. The table sets its time against the copy kernel of [`Lab::limits`](crate::lab::Lab::limits).
    pub fn moves(&mut self, bytes: u64) -> &mut Self {
        self.declared.bytes = Some(bytes);
        self
    }

    /// Sets what it [moves](Variant::moves) against another copy than `copy_limit`: `copy_limit_3d`. It
    /// is not compared with variants that are set against another copy than it.
    pub fn against(&mut self, copy: &str) -> &mut Self {
        self.declared.limit = Some(copy.to_owned());
        self
    }

    /// Floating-point operations of one repetition, a fused multiply-add counting as two. The table
    /// sets its time against the FMA kernel of [`Lab::limits`](crate::lab::Lab::limits).
    pub fn computes(&mut self, flops: u64) -> &mut Self {
        self.declared.flops = Some(flops);
        self
    }

    /// What else one repetition gets done: the table shows how much of it in a second.
    pub fn work(&mut self, count: u64, unit: &str) -> &mut Self {
        self.declared.work = Some(Work { count, unit: unit.to_owned() });
        self
    }

    /// What a model predicts for it, shown beside what was measured.
    pub fn predicts(&mut self, what: &str, value: f64) -> &mut Self {
        self.declared.predicted = Some(Predicted { what: what.to_owned(), value });
        self
    }

    /// A figure of a source: the file below `results/published/` and the figure's key in it.
    pub fn published(&mut self, source: &str, key: &str) -> &mut Self {
        match published::find(source, key) {
            Ok(figure) => self.published = Some(figure),
            Err(error) => self.fault = Some(error),
        }
        self
    }

    /// As [`Variant::published`], where `condition` holds.
    pub fn published_if(&mut self, condition: bool, source: &str, key: &str) -> &mut Self {
        if condition { self.published(source, key) } else { self }
    }

    /// Expects at least one message with this id from the validation layer under `--check`, each naming one of
    /// `named`, and says why; expects none where `named` is empty.
    pub fn alarm(&mut self, id: &str, named: Vec<Named>, reason: &str) -> &mut Self {
        list(&mut self.alarms, id, named, reason, false);
        self
    }

    /// As [`Variant::alarm`], for a message that only some versions of the layer raise: it may come.
    pub fn possible_alarm(&mut self, id: &str, named: Vec<Named>, reason: &str) -> &mut Self {
        list(&mut self.alarms, id, named, reason, true);
        self
    }

    /// As [`Variant::alarm`], for a variant that [relies on hardware](Variant::relies_on): what is
    /// left to report when `--check` fills its empty access masks in, which lets the layer judge the
    /// execution dependencies.
    pub fn completed_alarm(&mut self, id: &str, named: Vec<Named>, reason: &str) -> &mut Self {
        list(&mut self.completed_alarms, id, named, reason, false);
        self
    }

    /// As [`Variant::completed_alarm`], for a message that only some versions of the layer raise.
    pub fn possible_completed_alarm(&mut self, id: &str, named: Vec<Named>, reason: &str) -> &mut Self {
        list(&mut self.completed_alarms, id, named, reason, true);
        self
    }

    /// Begins its command buffer with these flags in place of `ONE_TIME_SUBMIT`. The buffer is submitted
    /// once all the same: the flags are a promise that a driver may make something of.
    pub fn usage(&mut self, usage: Usage) -> &mut Self {
        self.usage = usage;
        self
    }

    /// Leaves the variant out of this run where `reason` is given, and says so in its row.
    pub fn skip(&mut self, reason: Option<String>) -> &mut Self {
        if let Some(reason) = reason {
            self.left_out = Some(Status::Skipped { reason });
        }
        self
    }

    /// What it lists for so many repetitions.
    ///
    /// # Errors
    /// Submits that wait for none of the others.
    pub fn script(&self, repetitions: u32) -> Result<Script> {
        let reps = || (0..repetitions).map(|index| Rep { index, count: repetitions });
        let listed = match &self.record {
            Recording::OneQueue(record) => {
                Ok(Script::on_one_queue(Cmd::steps(|cmd| reps().for_each(|rep| record(cmd, rep)))))
            }
            Recording::Queues(record) => Queues::script(|queues| reps().for_each(|rep| record(queues, rep))),
        };
        listed.with_context(|| format!("variant {}", self.name))
    }

    /// Whether a message is of its own commands, or of a submit, and one of the alarms `listed` for it; where it
    /// races, any hazard.
    pub fn explains(&self, listed: &[Alarm], message: &Message) -> bool {
        let own = message.regions.first().is_none_or(|region| *region == self.name);
        let races = matches!(self.promise, Promise::Nothing { .. });
        own && (listed.iter().any(|alarm| alarm.is(message)) || races && message.is_hazard())
    }
}

fn list(alarms: &mut Vec<Alarm>, id: &str, named: Vec<Named>, reason: &str, optional: bool) {
    if !named.is_empty() {
        alarms.push(Alarm { id: id.to_owned(), named, reason: reason.to_owned(), optional });
    }
}
