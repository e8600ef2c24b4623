//! The log of `HOTLAP_LAYER=labels:FILE`, played back: what the queues were handed, in order.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

/// A command buffer between its beginning and the next.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// Names of the outermost regions.
    pub outermost: Vec<String>,
    /// Dispatches, timestamps and labels that are no region, each with how many regions are around it.
    pub commands: Vec<(String, usize)>,
    /// Regions that have not ended yet.
    open: usize,
}

/// What a queue was handed.
#[derive(Clone, Debug)]
pub enum Handed {
    /// A label on the queue itself: the kind of call, and the name.
    Label { call: String, name: String },
    /// A submit of command buffers, one behind the other.
    Submit { recording: Recording },
}

/// The whole of a run.
#[derive(Debug, Default)]
pub struct Log {
    pub handed: Vec<Handed>,
}

impl Log {
    /// # Errors
    /// A region that ends without having begun, or never ends, submitted or not.
    pub fn read(text: &str) -> Result<Self> {
        let mut log = Self::default();
        let mut buffers: BTreeMap<&str, Recording> = BTreeMap::new();
        for line in text.lines() {
            log.take(line, &mut buffers).with_context(|| format!("the line '{line}'"))?;
        }
        buffers.values().try_for_each(Recording::has_ended)?;
        ensure!(log.submits().next().is_some(), "nothing was submitted");
        Ok(log)
    }

    fn take<'t>(&mut self, line: &'t str, buffers: &mut BTreeMap<&'t str, Recording>) -> Result<()> {
        let mut fields = line.splitn(3, '\t');
        let mut field = || fields.next().context("three fields make a line");
        let (call, on, rest) = (field()?, field()?, field()?);
        if call == "begin" {
            let last = buffers.insert(on, Recording::default());
            return last.map_or(Ok(()), |last| last.has_ended());
        }
        if call.starts_with("queue ") {
            self.handed.push(Handed::Label { call: call.into(), name: rest.into() });
            return Ok(());
        }
        let not_begun = "a command buffer that was not begun";
        if call == "submit" {
            let mut all = Recording::default();
            for buffer in rest.split(' ') {
                let one = buffers.get(buffer).context(not_begun)?;
                one.has_ended()?;
                all.outermost.extend(one.outermost.iter().cloned());
                all.commands.extend(one.commands.iter().cloned());
            }
            self.handed.push(Handed::Submit { recording: all });
            return Ok(());
        }
        let recording = buffers.get_mut(on).context(not_begun)?;
        match call {
            "cmd begin label" => {
                recording.outermost.extend((recording.open == 0).then(|| rest.to_owned()));
                recording.open += 1;
            }
            "cmd end label" => {
                recording.open = recording.open.checked_sub(1).context("a region ends that has not begun")?;
            }
            "cmd insert label" | "dispatch" | "draw" | "timestamp" => {
                recording.commands.push((call.into(), recording.open));
            }
            _ => bail!("an unknown call"),
        }
        Ok(())
    }

    pub fn submits(&self) -> impl Iterator<Item = &Recording> {
        self.handed.iter().filter_map(|handed| match handed {
            Handed::Submit { recording, .. } => Some(recording),
            Handed::Label { .. } => None,
        })
    }
}

impl Recording {
    /// Whether it has a timestamp of the runner, which is in no region. Those of variants are in theirs.
    pub fn has_query(&self) -> bool {
        self.commands.iter().any(|(call, regions)| call == "timestamp" && *regions == 0)
    }

    fn has_ended(&self) -> Result<()> {
        ensure!(self.open == 0, "regions that never end: {self:?}");
        Ok(())
    }
}
