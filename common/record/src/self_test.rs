//! The result of the self-test: whether the times of this device can be trusted today.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name of the check of results. If it fails, the device computes wrong results.
pub const RESULTS: &str = "results";

/// Name of the check of the timestamps' step, which is its figure `step`.
pub const STEP: &str = "timestamp step";

/// The outcome of a self-test, as it is stored in each record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// How long it took, in seconds.
    #[serde(default)]
    pub seconds: f64,
    /// One a test, in the order in which they are shown.
    pub checks: Vec<Check>,
}

/// What one of its tests found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Check {
    /// What was tested, in a few words: `the same kernel twice`.
    pub name: String,
    /// How it came out.
    pub result: CheckResult,
    /// What was found, in words and figures with their units.
    pub found: String,
    /// The same as figures, for programs.
    #[serde(default)]
    pub figures: Vec<Figure>,
}

/// A figure of a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// What it is, in snake case: `median`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// What it is counted in: `us`, `ns`, `ppm`, `bits`; `1` for a share or a ratio.
    pub unit: String,
}

/// How a test came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// As it has to be.
    Passed,
    /// Something the reader of the times should know; they stand.
    Warned,
    /// Not as it has to be: times of this run are not to be trusted.
    Failed,
    /// It says nothing on this device; `found` says why.
    Skipped,
}

impl CheckResult {
    /// The word shown to users.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Warned => "warned",
            Self::Failed => "FAILED",
            Self::Skipped => "skipped",
        }
    }
}

impl Certificate {
    /// Whether no test failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failed().next().is_none()
    }

    /// The tests that failed.
    pub fn failed(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.result == CheckResult::Failed)
    }
}

impl Check {
    /// A test with the given result.
    #[must_use]
    pub fn new(name: &str, result: CheckResult, found: impl Into<String>) -> Self {
        Self { name: name.to_owned(), result, found: found.into(), figures: Vec::new() }
    }

    /// A test that does not apply here.
    #[must_use]
    pub fn skipped(name: &str, reason: &str) -> Self {
        Self::new(name, CheckResult::Skipped, reason)
    }

    /// Adds a figure. Values that are not finite cannot be represented in JSON and are left out.
    #[must_use]
    pub fn with(mut self, name: &str, value: f64, unit: &str) -> Self {
        if value.is_finite() {
            self.figures.push(Figure { name: name.to_owned(), value, unit: unit.to_owned() });
        }
        self
    }

    /// The value of a figure.
    #[must_use]
    pub fn figure(&self, name: &str) -> Option<f64> {
        self.figures.iter().find(|figure| figure.name == name).map(|figure| figure.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_found_by_name_and_are_numbers() {
        let check = Check::skipped("a", "b").with("median", 1.5, "us").with("none", f64::NAN, "us");
        assert_eq!((check.figure("median"), check.figure("none")), (Some(1.5), None));
        assert_eq!(check.figures.len(), 1);
    }

    #[test]
    fn a_certificate_without_figures_is_still_read() {
        let old = r#"{"checks":[{"name":"a","result":"passed","found":"b"}]}"#;
        let read: Certificate = serde_json::from_str(old).unwrap();
        assert_eq!(read.checks, [Check::new("a", CheckResult::Passed, "b")]);
    }
}
