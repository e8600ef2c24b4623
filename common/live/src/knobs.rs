//! Turns a sample's own command-line arguments into knobs for the window: which values each argument takes, and
//! which arguments a set of knob values stands for.

mod trial;

use std::collections::BTreeMap;

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub use self::trial::kind_of;

/// An argument of the sample that can be changed in the window.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Name of the argument, without its dashes.
    pub name: String,
    /// First line of the argument's help.
    pub help: String,
    /// The default value; `None` where the sample chooses one for the device.
    pub default: Option<String>,
    /// Whether it takes several values, comma-separated.
    pub is_list: bool,
    /// Kind of value.
    pub kind: Kind,
    /// The value on the command line; a list is joined by commas, a flag is `true`.
    pub given: Option<String>,
}

/// The kind of value that a knob takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// On or off.
    Flag,
    /// A number.
    Number {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
        /// Only whole numbers.
        whole: bool,
    },
    /// One of these values.
    Choice(Vec<String>),
    /// Columns and rows of an image.
    Size,
    /// Workgroup size, optionally with the number of rows per invocation.
    Workgroup,
    /// Any text; only the sample can check it.
    Text,
}

impl Kind {
    /// Whether a slider should be logarithmic: a positive range that spans more than a factor of 64.
    #[must_use]
    pub fn is_logarithmic(&self) -> bool {
        matches!(self, Self::Number { min, max, .. } if *min > 0.0 && max / min > 64.0)
    }

    /// Suggested values; a size or workgroup can also be typed.
    #[must_use]
    pub fn usual(&self) -> Vec<String> {
        let texts = |list: &str| list.split(' ').map(str::to_owned).collect();
        match self {
            Self::Choice(values) => values.clone(),
            Self::Size => texts(SIZES),
            Self::Workgroup => texts(WORKGROUPS),
            Self::Flag | Self::Number { .. } | Self::Text => Vec::new(),
        }
    }
}

const SIZES: &str = "64x64 128x128 256x256 512x512 1024x1024 1152x1152 1280x720 1920x1080 2048x2048 3840x2160 \
                     4096x4096";
const WORKGROUPS: &str = "8x8 16x8 16x16 32x8 32x8x4 64x1 32x32";

/// Knob values by name. A missing knob has its default; a flag that is set is `true`.
pub type Values = BTreeMap<String, String>;

const ON: &str = "true";

/// Makes knobs of the arguments of `command` that `own` names. `given` is the command line.
#[must_use]
pub fn knobs(command: &Command, own: &[String], given: &[String]) -> Vec<Knob> {
    let is_own =
        |argument: &&Arg| argument.get_long().is_some_and(|long| own.iter().any(|name| name == long));
    // The program has parsed the command line already; an argument that fails here counts as not given.
    let parser = command.clone().no_binary_name(true).ignore_errors(true);
    let matches = parser.try_get_matches_from(given).unwrap_or_default();
    let shown = command.get_arguments().filter(is_own).filter(|argument| !argument.is_hide_set());
    shown.map(|argument| knob(argument, &matches)).collect()
}

fn knob(argument: &Arg, matches: &ArgMatches) -> Knob {
    let joined = |values: &mut dyn Iterator<Item = &OsStr>| {
        values.map(|value| value.to_string_lossy().into_owned()).collect::<Vec<_>>().join(",")
    };
    let id = argument.get_id().as_str();
    let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
    let defaults = argument.get_default_values();
    let help = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let kind = kind_of(argument);
    Knob {
        name: argument.get_long().unwrap_or_default().to_owned(),
        help: help.lines().next().unwrap_or_default().to_owned(),
        default: (kind != Kind::Flag && !defaults.is_empty())
            .then(|| joined(&mut defaults.iter().map(|value| &**value))),
        is_list: argument.get_value_delimiter().is_some()
            || matches!(argument.get_action(), ArgAction::Append),
        given: matches.get_raw(id).filter(|_| is_given).map(|mut values| joined(&mut values)),
        kind,
    }
}

/// The arguments for `values`; values equal to the default are left out.
#[must_use]
pub fn arguments(knobs: &[Knob], values: &Values) -> Vec<String> {
    let mut arguments = Vec::new();
    for knob in knobs {
        let Some(value) = values.get(&knob.name).filter(|value| knob.default.as_ref() != Some(*value)) else {
            continue;
        };
        let name = format!("--{}", knob.name);
        match knob.kind {
            Kind::Flag if value == ON => arguments.push(name),
            Kind::Flag => {}
            // An empty text field means the default.
            _ if value.trim().is_empty() => {}
            _ => arguments.extend([name, value.trim().to_owned()]),
        }
    }
    arguments
}

/// The knob values that the command line gives.
#[must_use]
pub fn values(knobs: &[Knob]) -> Values {
    knobs.iter().filter_map(|knob| Some((knob.name.clone(), knob.given.clone()?))).collect()
}

/// The value that the sample uses for a knob, from its reported settings. `tile-lanes` is also found as
/// `tile_lanes`.
#[must_use]
pub fn in_use<'s>(knob: &Knob, settings: &'s BTreeMap<String, String>) -> Option<&'s String> {
    settings.get(&knob.name).or_else(|| settings.get(&knob.name.replace('-', "_")))
}

#[cfg(test)]
pub(crate) mod tests;
