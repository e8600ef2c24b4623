//! Conditions of a run that the reader of its table has to know: clock, caches, self-test.

use record::self_test::CheckResult;
use record::{Kind, Record, Row};

use super::footnotes;

/// Relative difference of the rows' median clocks above which a note warns: times change by about as much.
const APART: f64 = 0.02;

/// Notes on the conditions of the run, for the lines below its table. Empty if there is nothing to warn about.
#[must_use]
pub fn caveats(record: &Record) -> Vec<String> {
    let mut lines: Vec<String> = failed_line(record).into_iter().collect();
    if record.method.caches != "warm" {
        lines.push(format!("Caches: {}.", record.method.caches));
    }
    lines.extend(discarded(record));
    lines.extend(unsteady(record));
    lines
}

/// Why the figures of a record may not be cited without a word more, in sentences.
#[must_use]
pub fn warnings(record: &Record) -> Vec<String> {
    let tools = &record.method.tools;
    let tools = (!tools.is_empty()).then(|| format!("Measured under {}.", tools.join(", ")));
    footnotes::ended(&record.ended).into_iter().chain(failed_line(record)).chain(tools).collect()
}

fn failed_line(record: &Record) -> Option<String> {
    let failed = failed_test(record)?;
    Some(format!("The self-test failed ({failed}): these times are not to be trusted."))
}

/// Describes the clock of a run.
pub(super) fn clock(record: &Record) -> String {
    match span(record) {
        Some([low, high]) => {
            format!("{low:.0} to {high:.0} MHz, medians of the variants; {}", record.method.clocks)
        }
        None => record.method.clocks.clone(),
    }
}

/// Describes the result of the self-test.
pub(super) fn self_test(record: &Record) -> String {
    match (&record.self_test, failed_test(record)) {
        (None, _) => "none".to_owned(),
        (Some(_), None) => "passed".to_owned(),
        (Some(_), Some(failed)) => format!("FAILED: {failed}"),
    }
}

fn failed_test(record: &Record) -> Option<String> {
    let certificate = record.self_test.as_ref()?;
    let failed = certificate.checks.iter().filter(|check| check.result == CheckResult::Failed);
    let failed: Vec<String> = failed.map(|check| format!("{}: {}", check.name, check.found)).collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

fn discarded(record: &Record) -> Option<String> {
    let discarded: usize = record.rows.iter().map(|row| row.discarded).sum();
    let reference = record.method.reference_mhz.filter(|_| discarded > 0)?;
    Some(format!(
        "{discarded} submits were thrown away because the clock was too far below {reference:.0} MHz, the highest that three \
         samples reached."
    ))
}

/// Advises to lock the clock if it changed between variants or is unknown. Vulkan itself cannot lock it.
fn unsteady(record: &Record) -> Option<String> {
    if record.device.kind == Kind::Cpu {
        return None;
    }
    let advice = how_to_lock(record.device.vendor_id);
    match span(record) {
        Some([low, high]) if low < high * (1.0 - APART) => Some(format!(
            "The clock was not the same for all variants, {low:.0} to {high:.0} MHz. To hold it: {advice}"
        )),
        None if record.method.clocks.starts_with("unknown") => {
            Some(format!("The clock is {}. To hold it: {advice}", record.method.clocks))
        }
        _ => None,
    }
}

/// The lowest and the highest median clock of the rows, in MHz.
fn span(record: &Record) -> Option<[f64; 2]> {
    let medians = || record.rows.iter().filter_map(|row: &Row| Some(row.clock_mhz?.median));
    Some([medians().reduce(f64::min)?, medians().reduce(f64::max)?])
}

/// How to lock the clock, by PCI vendor id.
fn how_to_lock(vendor: u32) -> &'static str {
    match vendor {
        0x10de => "sudo nvidia-smi --lock-gpu-clocks=MHZ (undone by --reset-gpu-clocks).",
        0x1002 => {
            "echo profile_peak | sudo tee /sys/class/drm/card0/device/power_dpm_force_performance_level (undone by \
             auto)."
        }
        0x8086 => {
            "write one number to gt_min_freq_mhz and gt_max_freq_mhz below /sys/class/drm/card0, as root."
        }
        _ => "see the vendor's tools.",
    }
}

#[cfg(test)]
mod tests {
    use record::fixture;
    use record::self_test::{Certificate, Check};
    use record::stats::Summary;

    use super::*;

    fn at_clocks(clocks: [f64; 2]) -> Record {
        let mut record = fixture::record();
        for (row, mhz) in record.rows.iter_mut().zip(clocks) {
            row.clock_mhz = Summary::of(&[mhz; 9]);
        }
        record
    }

    #[test]
    fn a_steady_clock_is_worth_no_word() {
        assert_eq!(caveats(&at_clocks([1970.0, 1980.0])), [""; 0]);
        assert!(clock(&at_clocks([1970.0, 1980.0])).starts_with("1970 to 1980 MHz"));
    }

    #[test]
    fn a_clock_that_moves_is_told_with_what_to_do() {
        let told = caveats(&at_clocks([1500.0, 1980.0]));
        assert!(told[0].contains("1500 to 1980 MHz") && told[0].contains("nvidia-smi"), "{told:?}");
        let mut unknown = fixture::record();
        unknown.method.clocks = "unknown: no counter".into();
        unknown.device.vendor_id = 0x1002;
        let told = caveats(&unknown);
        assert!(told[0].contains("unknown: no counter") && told[0].contains("profile_peak"), "{told:?}");
        unknown.device.kind = Kind::Cpu;
        assert_eq!(caveats(&unknown), [""; 0]);
    }

    #[test]
    fn a_failed_self_test_comes_first() {
        let mut record = at_clocks([1980.0; 2]);
        let check = |result| Check { name: "idle".into(), result, found: "busy".into(), figures: vec![] };
        record.self_test = Some(Certificate { seconds: 0.4, checks: vec![check(CheckResult::Passed)] });
        assert_eq!((caveats(&record).len(), self_test(&record).as_str()), (0, "passed"));
        record.self_test = Some(Certificate { seconds: 0.4, checks: vec![check(CheckResult::Failed)] });
        record.method.caches = "cold: much".into();
        let told = caveats(&record);
        assert!(told[0].contains("(idle: busy)") && told[1].contains("cold: much"), "{told:?}");
        assert_eq!(self_test(&record), "FAILED: idle: busy");
    }

    #[test]
    fn what_was_discarded_is_counted() {
        let mut record = at_clocks([1980.0; 2]);
        record.rows[0].discarded = 3;
        record.method.reference_mhz = Some(1980.0);
        assert!(caveats(&record)[0].starts_with("3 submits were thrown away"));
    }
}
