//! A sample's own arguments as knobs that can be turned: what each takes, and the arguments that a
//! position of the knobs stands for.

mod trial;

use std::collections::BTreeMap;

use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};

pub use self::trial::kind_of;

/// A knob.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Name of the argument, without its dashes.
    pub name: String,
    /// What it is: the first line of its help.
    pub help: String,
    /// What it is unless asked for otherwise; `None` where the sample chooses by the device.
    pub default: Option<String>,
    /// Takes several values, comma-separated.
    pub is_list: bool,
    /// What it takes.
    pub kind: Kind,
    /// What the command line says, the values of a list joined by commas; `true` for a flag.
    pub given: Option<String>,
}

/// What a knob takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// On or off.
    Flag,
    /// A number.
    Number {
        /// The least.
        min: f64,
        /// The most.
        max: f64,
        /// Takes no fractions.
        whole: bool,
    },
    /// One of these.
    Choice(Vec<String>),
    /// Columns and rows of an image.
    Size,
    /// A workgroup, and how many rows an invocation loops over.
    Workgroup,
    /// Anything; the sample knows.
    Text,
}

impl Kind {
    /// A slider moves by factors rather than by steps.
    #[must_use]
    pub fn is_logarithmic(&self) -> bool {
        matches!(self, Self::Number { min, max, .. } if *min > 0.0 && max / min > 64.0)
    }

    /// Values to choose from; others can be typed where there are sizes.
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

/// Values of knobs by their names; a knob that is absent stands at its default. A flag that is on is `true`.
pub type Values = BTreeMap<String, String>;

const ON: &str = "true";

/// The knobs of those arguments of `command` that are named in `own`, where `given` stands on the command line.
#[must_use]
pub fn knobs(command: &Command, own: &[String], given: &[String]) -> Vec<Knob> {
    let is_own =
        |argument: &&Arg| argument.get_long().is_some_and(|long| own.iter().any(|name| name == long));
    // Whoever gives them has parsed them already: what is refused here is not given.
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

/// The arguments that stand for `values`: those that differ from the default.
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
            // Nothing typed is the default.
            _ if value.trim().is_empty() => {}
            _ => arguments.extend([name, value.trim().to_owned()]),
        }
    }
    arguments
}

/// Where the command line has put the knobs.
#[must_use]
pub fn values(knobs: &[Knob]) -> Values {
    knobs.iter().filter_map(|knob| Some((knob.name.clone(), knob.given.clone()?))).collect()
}

/// What the sample uses for a knob, by the settings that it tells: `tile-lanes` as `tile_lanes`.
#[must_use]
pub fn in_use<'s>(knob: &Knob, settings: &'s BTreeMap<String, String>) -> Option<&'s String> {
    settings.get(&knob.name).or_else(|| settings.get(&knob.name.replace('-', "_")))
}

#[cfg(test)]
pub(crate) mod tests;
