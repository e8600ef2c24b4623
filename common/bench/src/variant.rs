//! One way of doing a sample's work: how it is recorded, and what it promises and may raise.

use anyhow::{Context, Result};
use record::{Cell, Declared, Promise, Published, Status, published};

use vulkan::cmd::Usage;
use vulkan::cmd::script::Script;
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
    /// All of them.
    pub(crate) fn all(count: u32) -> impl Iterator<Item = Self> {
        (0..count).map(move |index| Self { index, count })
    }

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
    /// Only some versions of the layer look so far: it may come, and need not.
    pub optional: bool,
    /// It is what is left to report once `--check` fills empty access masks in, which lets the layer judge the
    /// execution dependencies of a variant that relies on hardware.
    pub completed: bool,
}

impl Alarm {
    /// At least one message with this id under `--check`, each naming one of `named`; none where `named` is empty.
    #[must_use]
    pub fn new(id: &str, named: Vec<Named>, reason: &str) -> Self {
        let (id, reason) = (id.to_owned(), reason.to_owned());
        Self { id, named, reason, optional: false, completed: false }
    }

    /// Only some versions of the layer raise it.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { optional: true, ..self }
    }

    /// It comes where empty access masks are filled in.
    #[must_use]
    pub fn completed(self) -> Self {
        Self { completed: true, ..self }
    }

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

/// Lists the commands of so many repetitions.
pub type Recording = Box<dyn Fn(u32) -> Result<Script>>;

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
    /// Why it does not run here, as the row's status.
    pub left_out: Option<Status>,
    /// Where it stands in the sample's cross tables.
    pub cell: Option<Cell>,
    /// Runs only when it is named, or with `--all` or `--matrix`.
    pub on_request: bool,
    /// What it has to do.
    pub declared: Declared,
    /// How its command buffer is begun, where it is one: flags are a promise that a driver may make something of. It
    /// is submitted once all the same.
    pub usage: Usage,
    pub(crate) record: Recording,
    /// It submits to two queues.
    pub(crate) takes_two_queues: bool,
    /// Problems in the declaration itself, reported when the sample has finished declaring.
    pub fault: Option<anyhow::Error>,
}

impl Variant {
    /// A variant that nothing is said of yet.
    pub(crate) fn new(name: String, record: Recording, takes_two_queues: bool) -> Self {
        Self {
            name,
            caption: String::new(),
            promise: Promise::Law,
            published: None,
            alarms: Vec::new(),
            left_out: None,
            cell: None,
            on_request: false,
            declared: Declared::default(),
            usage: Usage::ONE_TIME_SUBMIT,
            record,
            takes_two_queues,
            fault: None,
        }
    }

    /// Records nothing.
    #[cfg(test)]
    pub(crate) fn for_test(name: &str) -> Self {
        Self::new(name.to_owned(), Box::new(|_| Ok(Script::on_one_queue(Vec::new()))), false)
    }

    /// One sentence of at most 110 characters, for `--live` and `--list-variants`, that says what it does and what to
    /// watch, and is true on every device.
    pub fn caption(&mut self, sentence: &str) -> &mut Self {
        sentence.clone_into(&mut self.caption);
        self
    }

    /// What it promises about its own correctness: by itself, to be right by the Vulkan specification.
    pub fn promise(&mut self, promise: Promise) -> &mut Self {
        self.promise = promise;
        self
    }

    /// Its place in the cross tables of [`Report::matrix`](crate::lab::Report::matrix).
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

    /// What one repetition has to do, which its time is set against.
    pub fn declares(&mut self, declared: Declared) -> &mut Self {
        self.declared = declared;
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

    /// Expects messages of the validation layer under `--check` that are known to be false.
    pub fn alarm(&mut self, alarm: Alarm) -> &mut Self {
        if !alarm.named.is_empty() {
            self.alarms.push(alarm);
        }
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
    pub(crate) fn script(&self, repetitions: u32) -> Result<Script> {
        (self.record)(repetitions).with_context(|| format!("variant {}", self.name))
    }

    /// The messages to expect, `completed` once empty access masks are filled in.
    pub(crate) fn alarms(&self, completed: bool) -> impl Iterator<Item = &Alarm> + Clone {
        self.alarms.iter().filter(move |alarm| alarm.completed == completed)
    }

    /// Whether a message is of its own commands, or of a submit, and one of the alarms; where it races, any hazard.
    pub(crate) fn explains(&self, completed: bool, message: &Message) -> bool {
        let own = message.regions.first().is_none_or(|region| *region == self.name);
        let races = matches!(self.promise, Promise::Nothing { .. });
        own && (self.alarms(completed).any(|alarm| alarm.is(message)) || races && message.is_hazard())
    }
}
