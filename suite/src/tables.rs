//! Lists as text.

use std::collections::BTreeMap;

/// `passes 8, size 64x64`: the arguments of a sample as they were used.
pub fn listed(configuration: &BTreeMap<String, String>) -> String {
    configuration.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ")
}
