//! The self-test's certificate as text: one line per check.

use std::fmt::Write;

use record::DeviceFacts;
use record::self_test::{Certificate, CheckResult};

use crate::Charset;

/// The certificate of a device in the given characters.
#[must_use]
pub fn certificate(charset: Charset, device: &DeviceFacts, certificate: &Certificate) -> String {
    let mut text = format!("self-test on {} ({}, {})\n", device.name, device.kind.word(), device.driver());
    let wide = certificate.checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    for check in &certificate.checks {
        let _ = writeln!(text, "{}  {:wide$}  {}", mark(charset, check.result), check.name, check.found);
    }
    let _ = writeln!(text, "{} ({:.2} s)", conclusion(certificate), certificate.seconds);
    charset.fit(&text).into_owned()
}

/// The mark of a result. In ASCII, results that need attention are in capitals.
fn mark(charset: Charset, result: CheckResult) -> &'static str {
    match (charset, result) {
        (Charset::Utf8, CheckResult::Passed) => "✓",
        (Charset::Utf8, CheckResult::Warned) => "!",
        (Charset::Utf8, CheckResult::Failed) => "✗",
        (Charset::Utf8, CheckResult::Skipped) => "–",
        (Charset::Ascii, CheckResult::Passed) => "ok  ",
        (Charset::Ascii, CheckResult::Warned) => "NOTE",
        (Charset::Ascii, CheckResult::Failed) => "FAIL",
        (Charset::Ascii, CheckResult::Skipped) => "skip",
    }
}

fn conclusion(certificate: &Certificate) -> String {
    let count = |result| certificate.checks.iter().filter(|check| check.result == result).count();
    let (failed, warned) = (count(CheckResult::Failed), count(CheckResult::Warned));
    let judged = match failed {
        0 => "passed".to_owned(),
        _ => format!("FAILED in {failed}: do not trust the times of this run"),
    };
    let notes = [(warned, "with a warning in"), (count(CheckResult::Skipped), "skipped")];
    let notes =
        notes.iter().filter(|(count, _)| *count > 0).map(|(count, words)| format!(", {words} {count}"));
    format!("{judged}{}", notes.collect::<String>())
}

#[cfg(test)]
mod tests {
    use record::fixture;
    use record::self_test::Check;

    use super::*;

    fn made_up(last: CheckResult) -> Certificate {
        let check = |name: &str, result, found: &str| Check::new(name, result, found);
        Certificate {
            seconds: 0.534,
            checks: vec![
                check(
                    "results",
                    CheckResult::Passed,
                    "all 262144 words of each of 312 samples are the CPU reference's",
                ),
                check("empty interval", CheckResult::Passed, "1.888 µs, quartiles 1.856 and 1.920 µs"),
                check("clock in kernels", CheckResult::Skipped, "there is none that all waves read"),
                check("idle device", last, "3 of 800 samples were longer than 1.5 times the median"),
            ],
        }
    }

    #[test]
    fn a_certificate_has_a_line_for_each_check() {
        let device = fixture::record().device;
        insta::assert_snapshot!("passed", certificate(Charset::Utf8, &device, &made_up(CheckResult::Passed)));
        insta::assert_snapshot!("failed", certificate(Charset::Utf8, &device, &made_up(CheckResult::Failed)));
        insta::assert_snapshot!("ascii", certificate(Charset::Ascii, &device, &made_up(CheckResult::Warned)));
    }
}
