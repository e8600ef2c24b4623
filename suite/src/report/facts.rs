//! What stands above the figures of a record: where they come from, how they were taken, what to beware of.

use common::certificate::CheckResult;
use common::facts::Kind;
use common::record::{Ended, Method, Record};
use common::report::words;

/// Something that a reader has to know before he believes a figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// In a word or two.
    pub short: &'static str,
    /// In a sentence.
    pub long: String,
}

/// All of them.
pub fn flags(record: &Record) -> Vec<Flag> {
    let mut flags = Vec::new();
    let mut add = |is: bool, short: &'static str, long: String| {
        if is {
            flags.push(Flag { short, long });
        }
    };
    add(
        record.device.kind == Kind::Cpu,
        "CPU device",
        "A CPU device: its answers are checked, its times prove nothing about a GPU.".into(),
    );
    add(
        record.tool.build != "release",
        "debug build",
        format!(
            "The tool is a {} build: the figures of the CPU are not those of a release.",
            record.tool.build
        ),
    );
    add(
        record.tool.dirty == Some(true),
        "uncommitted",
        "The tool was built with uncommitted changes: its commit does not say what ran.".into(),
    );
    let tools = &record.method.tools;
    add(
        !tools.is_empty(),
        "layers",
        format!(
            "Layers or tools were active ({}): with a validation layer among them times are no times.",
            tools.join(", ")
        ),
    );
    let failed = record.self_test.as_ref().is_some_and(|test| !test.passed());
    add(failed, "self-test failed", "The self-test failed: times of this run are not to be trusted.".into());
    match &record.ended {
        Ended::Complete => {}
        Ended::Interrupted => add(true, "interrupted", words::end(record) + "."),
        Ended::Unfinished => add(true, "unfinished", words::end(record) + "."),
        Ended::Failed { .. } => add(true, "failed", format!("The run {}.", words::end(record))),
    }
    flags
}

/// Pairs of what and how.
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
        ("Driver", format!("{} {}", device.driver_name, device.driver_info)),
        ("Host", format!("{}, {processor}, {} threads", host.system, host.threads)),
        ("Date", format!("{}, {} s", record.started, words::significant(record.seconds))),
        ("Tool", words::tool(record)),
        ("Method", method(record)),
        ("End", words::end(record)),
    ]
}

fn method(record: &Record) -> String {
    let Method { rule, budget_s, floor_us, caches, clocks, seed, repetitions, warm_up, .. } = &record.method;
    let samples = match rule.fixed {
        Some(fixed) => format!("{fixed} samples a row"),
        None => {
            let counts = record.rows.iter().map(|row| row.samples.len()).filter(|count| *count > 0);
            let taken = match counts.clone().min().zip(counts.max()) {
                Some((least, most)) if least == most => format!("{least} samples a row"),
                Some((least, most)) => format!("{least} to {most} samples a row"),
                None => "no samples".into(),
            };
            format!(
                "{taken}, to ±{} % of the mean or a budget of {} s",
                words::trimmed(rule.noise * 100.0),
                words::trimmed(*budget_s)
            )
        }
    };
    let reference =
        record.method.reference_mhz.map_or(String::new(), |mhz| format!(" (reference {mhz:.0} MHz)"));
    format!(
        "{samples}; {repetitions} repetitions in a long submit; {warm_up} pairs of warm-up; caches {caches}; clocks \
         {clocks}{reference}; floor of the timestamps {} µs; seed {seed}",
        words::trimmed(*floor_us)
    )
}

/// The self-test, a line a check; nothing where there was none.
pub fn self_test(record: &Record) -> Option<Vec<(&'static str, String)>> {
    let word = |result| match result {
        CheckResult::Passed => "passed",
        CheckResult::Warned => "warned",
        CheckResult::Failed => "FAILED",
        CheckResult::Skipped => "skipped",
    };
    let checks = &record.self_test.as_ref()?.checks;
    Some(
        checks.iter().map(|check| (word(check.result), format!("{}: {}", check.name, check.found))).collect(),
    )
}

/// Of the verdict.
pub fn first_sentence(record: &Record) -> String {
    let verdict = words::verdict(record);
    let Some(line) = verdict.first() else { return String::new() };
    let line = line.strip_prefix("In short: ").unwrap_or(line);
    match line.split_once(". ") {
        Some((first, _)) => format!("{first}."),
        None => line.to_owned(),
    }
}
