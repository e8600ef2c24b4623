//! Arguments that are wrong in themselves or on this machine.

use std::path::Path;

use anyhow::{Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_FAILED;

use crate::support::{Call, files_of, trial};
use crate::{SAMPLE, told, told_on_one_line};

/// Name, arguments, and what the refusal must say.
type Case = (&'static str, &'static str, &'static [&'static str]);

/// Values that no device could take. The command line's parser may explain them on several lines.
const VALUES: &[Case] = &[
    ("unknown_flag", "--sise 64", &["--sise", "--size"]),
    ("stray_argument", "1152", &["1152"]),
    ("size_zero", "--size 0x0", &["--size", "WIDTHxHEIGHT"]),
    ("size_negative", "--size -5x5", &["--size", "WIDTHxHEIGHT"]),
    ("size_negative_with_equals", "--size=-5x5", &["--size", "WIDTHxHEIGHT"]),
    ("size_absurd", "--size 99999999999x1", &["--size", "99999999999"]),
    ("size_scientific", "--size 1e9", &["--size", "1e9", "WIDTHxHEIGHT"]),
    ("size_half", "--size 64x", &["--size", "64x", "WIDTHxHEIGHT"]),
    ("size_with_depth", "--size 3x4x5", &["--size", "WIDTHxHEIGHT"]),
    ("passes_zero", "--passes 0", &["--passes", "2..=200"]),
    ("passes_one", "--passes 1", &["--passes", "2..=200"]),
    ("passes_negative", "--passes -1", &["--passes", "-1"]),
    ("passes_absurd", "--passes 1000", &["--passes", "2..=200"]),
    ("radius_zero", "--radius 0", &["--radius", "1..=64"]),
    ("bands_one", "--bands 1", &["--bands", "2..=16"]),
    ("bands_absurd", "--bands 99", &["--bands", "2..=16"]),
    ("align_zero", "--align 0", &["--align", "1..=4096"]),
    ("workgroup_zero", "--workgroup 0x8", &["--workgroup", "WIDTHxHEIGHT"]),
    ("workgroup_one_side", "--workgroup 8", &["--workgroup", "WIDTHxHEIGHT"]),
    ("workgroup_no_rows", "--workgroup 8x8x0", &["--workgroup", "WIDTHxHEIGHT"]),
    ("samples_zero", "--samples 0", &["--samples", "'0'"]),
    ("budget_zero", "--budget 0", &["--budget", "0.001 to 86400"]),
    ("budget_word", "--budget soon", &["--budget", "soon"]),
    ("timeout_zero", "--timeout 0", &["--timeout", "0.001 to 86400"]),
    ("repetitions_zero", "--repetitions 0", &["--repetitions", "1..=64"]),
    ("repetitions_absurd", "--repetitions 65", &["--repetitions", "1..=64"]),
    ("json_nameless", "--json=", &["--json", "empty"]),
    ("check_and_bench", "--check --bench", &["--check", "--bench"]),
    ("check_with_record", "--check --json a.json", &["--check", "--json"]),
    ("profile_and_check", "--profile --check", &["--profile", "--check"]),
    ("profile_with_record", "--profile --out new", &["--profile", "--out"]),
    ("two_on_stdout", "--samples 1 --json - --csv -", &["--json", "--csv"]),
];

/// What this machine or this sample cannot do: one line each.
const REFUSALS: &[Case] = &[
    ("device_unknown", "--device nix", &["no device", "'nix'", "--device takes"]),
    // A digit that the name of the device holds, too.
    ("device_beyond_the_list", "--device 5", &["no device 5"]),
    ("device_unknown_with_folder", "--device nix --out new", &["'nix'"]),
    ("variant_unknown", "--variant nix", &["'nix'", "there are no_barrier, full_barrier"]),
    ("variant_nameless", "--variant=", &["there are no_barrier, full_barrier"]),
    ("size_beyond_the_device", "--size 99999x99999 --json a.json", &["99999x99999", "a side has 1 to"]),
    (
        "size_beyond_the_memory",
        "--size 16384 --passes 200 --csv a.csv",
        &["16384x16384", "GiB", "use a smaller size or fewer of them"],
    ),
    ("workgroup_beyond_the_device", "--workgroup 2048x2048 --out new", &["2048x2048", "invocations"]),
    ("json_is_a_folder", "--json .", &["it is a folder", "name a file"]),
    ("csv_is_a_folder", "--csv .", &["it is a folder", "name a file"]),
    ("json_in_no_folder", "--json absent/a.json", &["absent/a.json", "does not exist", "create it"]),
    ("csv_in_no_folder", "--csv absent/a.csv", &["absent/a.csv", "does not exist", "create it"]),
    ("out_below_a_file", "--out /dev/null/run", &["/dev/null/run", "choose another folder"]),
    // Not even root may write there.
    ("json_unwritable", "--json /proc/self/nope.json", &["/proc/self/nope.json", "choose another path"]),
    ("csv_unwritable", "--csv /proc/self/nope.csv", &["/proc/self/nope.csv", "choose another path"]),
    ("out_unwritable", "--out /proc/self/nope", &["/proc/self/nope", "choose another folder"]),
];

pub fn trials() -> Vec<Trial> {
    let values =
        VALUES.iter().map(|(name, words, says)| trial(format!("value::{name}"), move || value(words, says)));
    let refusals = REFUSALS
        .iter()
        .map(|(name, words, says)| trial(format!("refusal::{name}"), move || refusal(words, says)));
    values.chain(refusals).collect()
}

fn value(words: &str, says: &[&str]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let ended = told(Call::new(SAMPLE)?.words(words).within(folder.path()).run()?, EXIT_FAILED, says)?;
    let errors = ended.stderr.lines().filter(|line| line.contains("error: ") || line.starts_with(SAMPLE));
    ensure!(
        errors.count() == 1 && ended.stderr.trim().lines().count() == 1,
        "not one line of error: {ended}"
    );
    left_nothing(folder.path())
}

fn refusal(words: &str, says: &[&str]) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = Call::on_any_device(&Call::binary(SAMPLE)?).words(words).within(folder.path());
    let call = if words.contains("--device") { call } else { call.on_test_device() };
    told_on_one_line(call.run()?, EXIT_FAILED, says)?;
    left_nothing(folder.path())
}

fn left_nothing(folder: &Path) -> Result<()> {
    let left: Vec<String> = files_of(folder)?.into_keys().collect();
    ensure!(left.is_empty(), "left behind: {left:?}");
    Ok(())
}
