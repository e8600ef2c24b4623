//! The help of a sample: its question, four examples, and its arguments in groups.

use clap::{Args, CommandFactory};

use bench::host::Sample;
use report::arguments::{help_template, version};

use super::args::{Cli, IN_LONG_HELP};

/// The command line of a sample. The sample's question and, in `after_help`, its own examples are attributes of `A`.
pub(super) fn command<A: Args>(sample: &Sample) -> clap::Command {
    let own = A::augment_args(clap::Command::new("own"));
    let question = own.get_about().cloned().unwrap_or_default();
    let own_examples = own.get_after_help().map(ToString::to_string).unwrap_or_default();
    let common = "# measure\n--live # watch it run, and change it\n";
    Cli::<A>::command()
        .name(sample.name)
        .version(version(sample.commit, sample.dirty))
        .about(question)
        .help_template(help_template(sample.name, &format!("{common}{own_examples}")))
        .mut_args(|argument| {
            let is_long = argument.get_help_heading().is_some_and(|heading| IN_LONG_HELP.contains(&heading));
            if is_long { argument.hide_short_help(true) } else { argument }
        })
        .after_help("--help lists all: how long to measure, on which device, the window, more files.")
        .after_long_help(
            "An argument of the sample may be given a range (--size 64..4096*2, 1..8, 0..100+25) or, where it takes \
             one value, a list: the sample then runs once for each value, and a table sets the runs side by side.",
        )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::NoArgs;

    #[test]
    fn the_help_of_all_samples() {
        let sample = Sample { name: "sample", commit: None, dirty: None, all_queues: false, samples: None };
        let help = command::<NoArgs>(&sample).term_width(100).render_long_help().to_string();
        insta::assert_snapshot!(help);
    }
}
