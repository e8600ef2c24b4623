//! A driver's figures for a kernel that it compiled.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::Kind;

/// A compiled form of a kernel. A driver may have several, for different subgroup sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Executable {
    /// The driver's name for it.
    pub name: String,
    /// Invocations of a subgroup; 0 if the driver does not fix the size.
    pub subgroup_size: u32,
    /// In the driver's order.
    pub statistics: Vec<Statistic>,
    /// Machine code as text, if it was requested and the driver can provide it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembly: Option<String>,
}

impl Executable {
    /// A whole number among the statistics, by its name. All of RADV's are whole numbers.
    ///
    /// # Errors
    /// If there is no whole number of this name.
    pub fn figure(&self, name: &str, kernel: &str) -> Result<u64> {
        let found = self.statistics.iter().find(|statistic| statistic.name == name);
        match found.map(|statistic| statistic.value) {
            Some(Value::Whole(value)) => Ok(value),
            _ => bail!("the driver does not tell '{name}' of {kernel}"),
        }
    }
}

/// A figure as the driver reports it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// What it is called.
    pub name: String,
    /// The driver's description of its meaning.
    pub description: String,
    /// The figure.
    pub value: Value,
    /// The known kind of the figure, by its name.
    pub kind: Option<Kind>,
}

/// The value of a [`Statistic`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(u64),
    /// A negative whole number.
    Negative(i64),
    /// A number with a fraction.
    Real(f64),
}

impl Statistic {
    /// A figure; its kind is derived from the name.
    #[must_use]
    pub fn new(name: &str, description: &str, value: Value) -> Self {
        Self { name: name.to_owned(), description: description.to_owned(), value, kind: Kind::of(name) }
    }
}
