//! What a process takes, as Linux tells it.

use std::fs;

use anyhow::{Context, Result};

/// Kilobytes of memory that is no file's: of those, others that end make a share larger.
pub fn memory(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/status");
    let text = fs::read_to_string(&path).with_context(|| format!("reading {path}"))?;
    let of = |name: &str| -> Result<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name));
        Ok(line.with_context(|| format!("no {name}"))?.trim_end_matches("kB").trim().parse()?)
    };
    Ok(of("RssAnon:")? + of("RssShmem:")?)
}

/// Open files.
pub fn open_files(process: u32) -> Result<usize> {
    Ok(fs::read_dir(format!("/proc/{process}/fd"))?.count())
}

/// Seconds of CPU time so far, its own and the system's for it.
pub fn cpu_time(process: u32) -> Result<f64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The name, in parentheses, may hold anything.
    let (_, rest) = text.rsplit_once(')').context("no name")?;
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().map(|&at| fields[at].parse::<f64>()).sum::<Result<f64, _>>()?;
    #[expect(clippy::cast_precision_loss, reason = "a hundred or a thousand")]
    let second = rustix::param::clock_ticks_per_second() as f64;
    Ok(ticks / second)
}
