//! What the receiver prints, read back.

use anyhow::{Context, Result, bail};

/// Times in nanoseconds on the CPU's axis, since the start of the program.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    pub name: String,
    pub begin: f64,
    pub end: f64,
    /// When the clocks had last been compared: for a zone of the GPU.
    pub synced: Option<f64>,
}

/// A run as it arrived.
#[derive(Debug, Default)]
pub struct Heard {
    /// In the order of their ends.
    pub cpu: Vec<Zone>,
    /// In the order of their arrival.
    pub gpu: Vec<Zone>,
    /// When the clocks were compared.
    pub syncs: Vec<f64>,
    /// The client took its leave.
    pub ended: bool,
}

impl Heard {
    pub fn from(text: &str) -> Result<Self> {
        let mut heard = Self::default();
        for line in text.lines() {
            heard.line(line).with_context(|| format!("the receiver said '{line}'"))?;
        }
        Ok(heard)
    }

    fn line(&mut self, line: &str) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut fields = rest.splitn(3, ' ');
        let mut next = || fields.next().context("a field is missing");
        match word {
            "cpu_zone" | "gpu_zone" => {
                let (begin, end) = (next()?.parse()?, next()?.parse()?);
                let on_gpu = word == "gpu_zone";
                let synced = self.syncs.last().copied().filter(|_| on_gpu);
                let zone = Zone { name: next()?.to_owned(), begin, end, synced };
                if on_gpu { self.gpu.push(zone) } else { self.cpu.push(zone) }
            }
            "gpu_context" | "gpu_sync" => self.syncs.push(next()?.parse()?),
            "end" => self.ended = true,
            _ => bail!("an unknown word"),
        }
        Ok(())
    }

    /// The spans of a name on the CPU.
    pub fn spans(&self, name: &str) -> Vec<&Zone> {
        self.cpu.iter().filter(|zone| zone.name == name).collect()
    }
}
