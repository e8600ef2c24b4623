//! `--about`: the facts that the suite asks for before it runs a sample.

use anyhow::{Context, Result};
use bench::host::{host, tool};
use clap::Args;
use record::error::EXIT_RIGHT;
use record::{About, Argument};
use report::terminal::print;
use vulkan::gpu::{find_device, usable_devices};
use vulkan::source::Library;

use super::{Run, args, help};

/// Value names of arguments that take a path.
const PATHS: [&str; 3] = ["FILE", "DIR", "PATH"];

impl Run {
    pub(super) fn about<A: Args>(&self) -> Result<u8> {
        let devices = match &self.common.place.device {
            Some(wish) => vec![find_device(Some(wish))?],
            None => usable_devices()?,
        };
        let tool = tool(&self.sample, &Library::find());
        let arguments = arguments(&help::command::<A>(&self.sample), &args::own::<A>());
        let about = About { tool, host: host(), arguments, devices };
        print(&serde_json::to_string(&about).context("what the sample is has no form in JSON")?)?;
        Ok(EXIT_RIGHT)
    }
}

fn arguments(command: &clap::Command, own: &[String]) -> Vec<Argument> {
    let described = |argument: &clap::Arg| {
        let name = argument.get_long()?.to_owned();
        let values = argument.get_value_names().unwrap_or_default();
        Some(Argument {
            own: own.contains(&name),
            name,
            takes_value: argument.get_action().takes_values(),
            takes_path: values.iter().any(|value| PATHS.contains(&value.as_str())),
        })
    };
    command.get_arguments().filter_map(described).collect()
}
