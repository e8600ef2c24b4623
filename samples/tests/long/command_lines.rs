//! Command lines drawn at random from each sample's own options: whatever they ask for, no panic, no signal, a
//! documented exit code, and one line where they are refused.

use anyhow::{Result, ensure};
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::seed;
use crate::support::{Call, samples};

/// Of each sample.
const LINES: usize = 100;

/// What a person may type behind an option, or nothing.
const VALUES: &str = "0 1 2 3 7 8 16 33 64 64x32 1x1 0x8 8x8 16x2x2 -1 0.5 1e9 4294967296 18446744073709551616 \
    no_barrier full_barrier tile_* ä";

/// What opens a window, waits, needs another tool, or would take another device or place of the machine.
const LEFT_OUT: &str = "--live --headless --frames --screenshot --window --thorough --progress --device --budget \
    --timeout --code --code-diff --profile --help --version --repetitions";

/// Says so on one line, whatever it was.
pub fn random_command_lines() -> Result<()> {
    let (seed, mut refused, mut lines) = (seed(), 0, 0);
    let mut random = Pcg64::seed_from_u64(seed);
    for sample in samples()? {
        let help = Call::new(&sample)?.args(["--help"]).right()?;
        let options = options(&help.stdout);
        ensure!(options.len() > 10, "{sample} has hardly any option: {options:?}");
        for _ in 0..LINES {
            let line = draw(&options, &mut random);
            let folder = tempfile::tempdir()?;
            let call = Call::new(&sample)?.words("--samples 1 --budget 1 --timeout 20").within(folder.path());
            let ended = call.args(&line).run()?;
            ensure!(matches!(ended.code, Some(0..=2)), "seed {seed}, {sample} {line:?}: {ended}");
            if ended.code == Some(2) && ended.stdout.is_empty() {
                let reasons = ended.stderr.lines().filter(|text| text.starts_with(&format!("{sample}: ")));
                ensure!(reasons.count() == 1, "seed {seed}, {sample} {line:?}: not one line: {ended}");
                refused += 1;
            }
            lines += 1;
        }
    }
    println!("{lines} command lines with seed {seed}, {refused} refused on one line, no panic and no signal");
    Ok(())
}

/// The options of a help, and whether each takes a value.
fn options(help: &str) -> Vec<(String, bool)> {
    let heads = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let options = heads.filter_map(|line| {
        let at = line.find("--")?;
        let name = line[at..].split([' ', ',', '[', '=']).next()?.to_owned();
        let takes_value = line[at + name.len()..].trim_start().starts_with(['<', '[', '=']);
        (!LEFT_OUT.split(' ').any(|other| other == name)).then_some((name, takes_value))
    });
    options.collect()
}

fn draw(options: &[(String, bool)], random: &mut Pcg64) -> Vec<String> {
    let mut line = Vec::new();
    for _ in 0..random.random_range(1..5) {
        let Some((name, takes_value)) = options.choose(random) else { break };
        line.push(name.clone());
        // Now and then it is forgotten, or there is one too many.
        if *takes_value != (random.random_range(0..12) == 0) {
            let values: Vec<&str> = VALUES.split(' ').chain([""]).collect();
            line.extend(values.choose(random).map(|&value| value.to_owned()));
        }
    }
    line
}
