//! What a driver says of a kernel that it compiled.

use anyhow::{Result, bail};
use serde::{Deserialize, Serialize};

use crate::Kind;

/// A compiled form of a kernel; a driver may keep several, for subgroups of different sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Executable {
    /// The driver's name for it.
    pub name: String,
    /// Invocations of a subgroup; 0 where the driver leaves that open.
    pub subgroup_size: u32,
    /// In the driver's order.
    pub statistics: Vec<Statistic>,
    /// Machine code as text, where it was asked for and the driver can write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub assembly: Option<String>,
}

impl Executable {
    /// The whole number, as all of RADV's are, that the driver says of a kernel under a name.
    ///
    /// # Errors
    /// It says none under this name.
    pub fn figure(&self, name: &str, kernel: &str) -> Result<u64> {
        let found = self.statistics.iter().find(|statistic| statistic.name == name);
        match found.map(|statistic| statistic.value) {
            Some(Value::Whole(value)) => Ok(value),
            _ => bail!("RADV does not tell '{name}' of {kernel}"),
        }
    }
}

/// A figure in the driver's own words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistic {
    /// What it is called.
    pub name: String,
    /// What the driver says that it means.
    pub description: String,
    /// The figure.
    pub value: Value,
    /// What it is, where the name is a known one.
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
    /// A whole number below zero.
    Negative(i64),
    /// A number with a fraction.
    Real(f64),
}

impl Statistic {
    /// A figure, with what it is where the name is a known one.
    #[must_use]
    pub fn new(name: &str, description: &str, value: Value) -> Self {
        Self { name: name.to_owned(), description: description.to_owned(), value, kind: Kind::of(name) }
    }
}
