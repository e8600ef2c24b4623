//! A sample's description of itself for other programs (`--about`): its build, its arguments, and its devices.

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
    /// The devices that the sample can use, best first; with `--device` only that one.
    pub devices: Vec<Usable>,
}

/// An argument of a sample.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Argument {
    /// Its long name, without dashes.
    pub name: String,
    /// Whether only this sample has it.
    pub own: bool,
    /// Whether a value follows it.
    pub takes_value: bool,
    /// Whether its value names a file or folder.
    pub takes_path: bool,
}

/// A device that can be used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Usable {
    /// The facts that the device reports.
    pub facts: DeviceFacts,
    /// The value of `--device` that selects exactly this device: its UUID, or its index in the list if another
    /// device has the same UUID.
    pub wish: String,
}
