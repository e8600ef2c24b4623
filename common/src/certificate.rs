//! What the self-test found: whether the times of this device, on this day, are to be trusted.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome of a self-test, as it is stored in each record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Certificate {
    /// One a test, in the order in which they ran.
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
}

/// How a test came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// As it has to be.
    Passed,
    /// Not as it has to be: times of this run are not to be trusted.
    Failed,
    /// It says nothing on this device; `found` says why.
    Skipped,
}

impl Certificate {
    /// No test failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|check| check.result != CheckResult::Failed)
    }
}
