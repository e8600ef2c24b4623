//! What is printed where the locale has no UTF-8.

use anyhow::{Result, ensure};
use libtest_mimic::Trial;

use crate::support::{Call, files_of, trial};
use crate::{QUICK, SAMPLE};

/// Arguments, and the exit code that they lead to.
const CALLS: [(&str, i32); 8] = [
    ("--samples 2", 0),
    ("--samples 2 --verbose", 0),
    ("--check", 0),
    ("--help", 0),
    ("--list-devices", 0),
    ("--list-variants", 0),
    ("--variant ±µ", 2),
    ("--passes ÷", 2),
];

pub fn trials() -> Vec<Trial> {
    let ascii = CALLS.map(|(words, code)| trial(format!("ascii({words})"), move || ascii(words, code)));
    let mut trials: Vec<Trial> = ascii.into();
    trials.push(trial("ascii_after_a_lost_device", ascii_after_a_lost_device));
    trials.push(trial("utf8_where_the_locale_says_so_or_nothing", utf8));
    trials
}

fn in_locale(words: &str, locale: &str) -> Result<Call> {
    let call = Call::new(SAMPLE)?.words(QUICK).words(words);
    Ok(call.env("LC_ALL", locale).env("LC_CTYPE", "").env("LANG", ""))
}

fn ascii(words: &str, code: i32) -> Result<()> {
    let ended = in_locale(words, "C")?.run()?.with_code(code)?;
    ensure!(ended.stdout.is_ascii() && ended.stderr.is_ascii(), "not ASCII: {ended}");
    ensure!(ended.stdout.len() + ended.stderr.len() > 20, "nothing was said: {ended}");
    Ok(())
}

/// Files are for machines and for other terminals.
fn ascii_after_a_lost_device() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let call = in_locale("--samples 2 --out run", "POSIX")?.within(folder.path());
    let ended = call.env("HOTLAP_FAULT", "running events_2#3:lost").run()?.with_code(2)?;
    ensure!(ended.stdout.is_ascii() && ended.stderr.is_ascii(), "not ASCII: {ended}");
    ensure!(ended.stdout.contains("Isolated us") && ended.stdout.contains("\n-----"), "{ended}");
    let table = &files_of(&folder.path().join("run"))?["table.txt"];
    ensure!(String::from_utf8_lossy(table).contains("Isolated µs"), "the file lost its characters");
    Ok(())
}

fn utf8() -> Result<()> {
    for locale in ["", "C.UTF-8", "en_GB.utf8"] {
        let ended = in_locale("--samples 2", locale)?.run()?.with_code(0)?;
        ensure!(ended.stdout.contains("Isolated µs") && ended.stdout.contains('─'), "{locale}: {ended}");
    }
    Ok(())
}
