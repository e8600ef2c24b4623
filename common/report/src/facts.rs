//! The facts of a record: device, host, tool, method, and how the run ended.

use record::number::significant;
use record::{DeviceFacts, Ended, Kind, Method, Record, Tool};

use super::caveats;
use super::format::trimmed;
use super::shell::quote;

/// Where the figures of a record come from and how they were measured, as pairs of a label and a value.
#[must_use]
pub fn facts(record: &Record) -> Vec<(&'static str, String)> {
    let device = &record.device;
    let host = &record.host;
    let processor = host.processor.as_deref().unwrap_or("an unnamed processor");
    vec![
        (
            "Device",
            format!(
                "{} ({}), Vulkan {}, queue family {}",
                device.name,
                device.kind.word(),
                device.api_version,
                device.queue_family
            ),
        ),
        ("UUID", device.uuid.clone()),
        ("Driver", device.driver()),
        ("Host", format!("{}, {processor}, {} threads", host.system, host.threads)),
        ("Date", format!("{}, {} s", record.started, significant(record.seconds))),
        ("Tool", tool(&record.tool)),
        ("Method", method(record)),
        ("Clock", caveats::clock(record)),
        ("Self-test", caveats::self_test(record)),
        ("End", end(&record.ended)),
    ]
}

/// `12 to 14 samples per variant`: the samples that were taken, which may be fewer than requested.
fn taken(record: &Record, asked: Option<usize>) -> String {
    let counts = record.rows.iter().map(|row| row.samples.len()).filter(|count| *count > 0);
    let Some((least, most)) = counts.clone().min().zip(counts.max()) else { return "no samples".into() };
    let range = if least == most { most.to_string() } else { format!("{least} to {most}") };
    match asked {
        Some(asked) if least < asked => format!("{range} of {asked} samples per variant that were asked for"),
        _ if most == 1 => "1 sample per variant".into(),
        _ => format!("{range} samples per variant"),
    }
}

fn method(record: &Record) -> String {
    let Method { rule, budget_s, floor_us, caches, seed, repetitions, warm_up, .. } = &record.method;
    let taken = taken(record, rule.fixed);
    let samples = match rule.fixed {
        Some(_) => taken,
        None => format!(
            "{taken}, to ±{} % of the mean or a budget of {} s",
            trimmed(rule.noise * 100.0),
            trimmed(*budget_s)
        ),
    };
    format!(
        "{samples}; {repetitions} repetitions in a long submit; at least {warm_up} pairs of warm-up; caches {caches}; floor of the timestamps {} µs; seed {seed}",
        trimmed(*floor_us)
    )
}

/// The program that wrote a record: name, version, commit, build.
#[must_use]
pub fn tool(tool: &Tool) -> String {
    let commit = match (&tool.commit, tool.dirty) {
        (None, _) => "commit unknown".to_owned(),
        (Some(commit), Some(false)) => format!("commit {commit}"),
        (Some(commit), Some(true)) => format!("commit {commit} with uncommitted changes"),
        (Some(commit), None) => format!("commit {commit}, uncommitted changes unknown"),
    };
    format!("{} {}, {commit}, {} build", tool.name, tool.version, tool.build)
}

/// `Hot Lap 0.1.0 (eb5813c)`: the program that wrote a record, for a line of text.
#[must_use]
pub fn tool_in_short(tool: &Tool) -> String {
    let commit = tool.commit.as_deref().map_or("commit unknown", |commit| commit.get(..7).unwrap_or(commit));
    let dirty = if tool.dirty == Some(true) { ", uncommitted changes" } else { "" };
    format!("Hot Lap {} ({commit}{dirty})", tool.version)
}

/// `NVIDIA H200, driver 580.159.04`.
#[must_use]
pub fn device(device: &DeviceFacts) -> String {
    match device.kind {
        Kind::Cpu => format!("{} (a CPU device)", device.name),
        _ => format!("{}, driver {}", device.name, device.driver_info),
    }
}

/// The day on which a run began: `2026-11-21`.
#[must_use]
pub fn day(record: &Record) -> &str {
    record.started.get(..10).unwrap_or(&record.started)
}

/// How a run ended.
#[must_use]
pub fn end(ended: &Ended) -> String {
    match ended {
        Ended::Complete => "complete".to_owned(),
        Ended::Interrupted => {
            "interrupted by the user; the figures are of the samples taken until then".to_owned()
        }
        Ended::Unfinished => "under way when this was written, or its process was killed".to_owned(),
        Ended::Failed { reason } => format!("failed: {reason}"),
    }
}

/// The command line, ready to be typed in a checkout.
#[must_use]
pub fn command(record: &Record) -> String {
    let mut line = format!("cargo run --release --bin {}", quote(&record.sample));
    let arguments = record.command.get(1..).unwrap_or_default();
    if !arguments.is_empty() {
        line += " --";
    }
    for argument in arguments {
        line += " ";
        line += &quote(argument);
    }
    line
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    #[test]
    fn samples_are_those_that_were_taken() {
        let method = |fixed, kept: &[usize]| {
            let mut record = fixture::record();
            record.method.rule.fixed = fixed;
            record.rows.truncate(kept.len());
            record.rows.iter_mut().zip(kept).for_each(|(row, kept)| row.samples.truncate(*kept));
            method(&record)
        };
        for (fixed, kept, said) in [
            (Some(3), [1, 1], "1 of 3 samples per variant that were asked for;"),
            (Some(3), [1, 3], "1 to 3 of 3 samples per variant that were asked for;"),
            (Some(3), [3, 3], "3 samples per variant;"),
            (Some(1), [1, 1], "1 sample per variant;"),
            (Some(3), [0, 0], "no samples;"),
            (None, [1, 1], "1 sample per variant, to"),
            (None, [1, 4], "1 to 4 samples per variant, to"),
        ] {
            assert!(method(fixed, &kept).starts_with(said), "{}", method(fixed, &kept));
        }
    }
}
