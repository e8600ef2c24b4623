//! What a sample tells another program of itself (`--about`): how it was built, what it takes, where it can run.

use serde::{Deserialize, Serialize};

use crate::{DeviceFacts, Host, Tool};

/// The answer to `--about`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct About {
    /// The build.
    pub tool: Tool,
    /// The machine.
    pub host: Host,
    /// The arguments that have a long name.
    pub arguments: Vec<Argument>,
    /// The devices that it can use, best first; with `--device`, that one.
    pub devices: Vec<Usable>,
}

/// An argument of a sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Argument {
    /// Its long name, without dashes.
    pub name: String,
    /// Only this sample has it.
    pub own: bool,
    /// A value follows it.
    pub takes_value: bool,
    /// Its value names a file or folder.
    pub takes_path: bool,
}

/// A device that can be used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Usable {
    /// What it says of itself.
    pub facts: DeviceFacts,
    /// What `--device` takes to mean this one and no other: its UUID, or its index in the list where it shares
    /// its UUID with another.
    pub wish: String,
}
