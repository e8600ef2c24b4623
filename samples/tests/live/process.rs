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
