//! The log of `HOTLAP_LAYER=labels:FILE`, played back: what the queues were handed, in order.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

/// A command of a recording, as far as the log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    BeginLabel(String),
    EndLabel,
    InsertLabel(String),
    Dispatch,
    Timestamp,
}

/// A command buffer between its beginning and the next.
#[derive(Clone, Debug, Default)]
pub struct Recording(Vec<Command>);

/// What a queue was handed.
#[derive(Clone, Debug)]
pub enum Handed {
    /// A label on the queue itself: the kind of call, and the name.
    Label { call: String, name: String },
    /// A submit of one command buffer.
    Submit { queue: String, recording: Recording },
}

/// The whole of a run.
#[derive(Debug, Default)]
pub struct Log {
    pub handed: Vec<Handed>,
    /// Everything that was recorded, submitted or not.
    pub recordings: Vec<Recording>,
}

impl Log {
    pub fn read(text: &str) -> Result<Self> {
        let mut log = Self::default();
        let mut buffers: BTreeMap<&str, usize> = BTreeMap::new();
        for line in text.lines() {
            log.take(line, &mut buffers).with_context(|| format!("the line '{line}'"))?;
        }
        ensure!(log.handed.iter().any(|h| matches!(h, Handed::Submit { .. })), "nothing was submitted");
        Ok(log)
    }

    fn take<'t>(&mut self, line: &'t str, buffers: &mut BTreeMap<&'t str, usize>) -> Result<()> {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().context("three fields make a line");
        let (call, on, rest) = (field()?, field()?, field()?);
        let latest =
            |buffer: &str| buffers.get(buffer).copied().context("a command buffer that was not begun");
        let command = match call {
            "begin" => {
                buffers.insert(on, self.recordings.len());
                self.recordings.push(Recording::default());
                return Ok(());
            }
            "submit" => {
                let recording = self.recordings[latest(rest)?].clone();
                self.handed.push(Handed::Submit { queue: on.into(), recording });
                return Ok(());
            }
            call if call.starts_with("queue ") => {
                self.handed.push(Handed::Label { call: call.into(), name: rest.into() });
                return Ok(());
            }
            "cmd begin label" => Command::BeginLabel(rest.into()),
            "cmd end label" => Command::EndLabel,
            "cmd insert label" => Command::InsertLabel(rest.into()),
            "dispatch" => Command::Dispatch,
            "timestamp" => Command::Timestamp,
            _ => bail!("an unknown call"),
        };
        self.recordings[latest(on)?].0.push(command);
        Ok(())
    }

    /// Labels on a queue, whatever the call.
    pub fn queue_labels(&self) -> usize {
        self.handed.iter().filter(|handed| matches!(handed, Handed::Label { .. })).count()
    }
}

impl Recording {
    pub fn has(&self, command: &Command) -> bool {
        self.0.contains(command)
    }

    /// Each command with the names of the regions around it, the outermost first.
    ///
    /// # Errors
    /// A region that ends without having begun, or never ends.
    pub fn nested(&self) -> Result<Vec<(Vec<&str>, &Command)>> {
        let mut open: Vec<&str> = Vec::new();
        let mut nested = Vec::new();
        for command in &self.0 {
            match command {
                Command::BeginLabel(name) => open.push(name),
                Command::EndLabel => _ = open.pop().context("a region ends that has not begun")?,
                command => nested.push((open.clone(), command)),
            }
        }
        ensure!(open.is_empty(), "regions that never end: {open:?}");
        Ok(nested)
    }

    /// Names of the outermost regions.
    pub fn outermost(&self) -> Vec<&str> {
        let mut depth = 0;
        let mut names = Vec::new();
        for command in &self.0 {
            match command {
                Command::BeginLabel(name) => {
                    if depth == 0 {
                        names.push(name.as_str());
                    }
                    depth += 1;
                }
                Command::EndLabel => depth -= 1,
                _ => {}
            }
        }
        names
    }
}
