//! What stands on a terminal of 60 columns.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use libtest_mimic::Trial;
use record::error::EXIT_RIGHT;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::support::{Call, read_record, trial};
use crate::{QUICK, SAMPLE};

const COLUMNS: usize = 60;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("terminal::table", || table("C.UTF-8")),
        trial("terminal::table_in_ascii", || table("C")),
        trial("terminal::no_colours", no_colours),
        trial("terminal::progress", || progress("C.UTF-8", '█')),
        trial("terminal::progress_in_ascii", || progress("C", '#')),
    ]
}

/// A pseudo terminal: the side that a test reads, and the one that a program writes to.
fn terminal() -> Result<(File, File)> {
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).context("opening a pseudo terminal")?;
    grantpt(&ours)?;
    unlockpt(&ours)?;
    let name = ptsname(&ours, Vec::new())?;
    let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
    let theirs = OpenOptions::new().read(true).write(true).open(path)?;
    let columns = u16::try_from(COLUMNS)?;
    tcsetwinsize(&theirs, Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 })?;
    Ok((ours.into(), theirs))
}

/// Runs a call that `wire` connects to a terminal, and returns what it wrote there.
fn on_terminal(call: Call, wire: impl FnOnce(Call, File) -> Call) -> Result<String> {
    let (mut ours, theirs) = terminal()?;
    let running = wire(call, theirs).start()?;
    let reader = std::thread::spawn(move || {
        let (mut written, mut chunk) = (Vec::new(), [0; 4096]);
        // It ends with an error when the program has closed its side.
        while let Ok(n @ 1..) = ours.read(&mut chunk) {
            written.extend_from_slice(&chunk[..n]);
        }
        written
    });
    running.wait()?.with_code(EXIT_RIGHT.into())?;
    let written = reader.join().map_err(|_| anyhow::anyhow!("the reader failed"))?;
    Ok(String::from_utf8(written)?)
}

fn call(words: &str, locale: &str) -> Result<Call> {
    Ok(Call::new(SAMPLE)?.words(words).env("LC_ALL", locale).env("TERM", "xterm"))
}

fn table(locale: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let words = "--size 64 --passes 2 --bands 2 --align 8 --samples 8 --repetitions 2 --times --json a.json";
    let call = call(words, locale)?.within(folder.path());
    let coloured = on_terminal(call, |call, terminal| call.stdout(terminal))?;
    ensure!(coloured.contains("\u{1b}[1m"), "the answer is not bold:\n{coloured}");
    let text = without_escapes(&coloured);
    for line in text.lines() {
        ensure!(line.chars().count() <= COLUMNS, "'{line}' is too wide:\n{text}");
    }
    for row in read_record(&folder.path().join("a.json"))?.rows {
        ensure!(text.lines().any(|line| line.starts_with(&row.label)), "no row {}:\n{text}", row.label);
    }
    ensure!(locale != "C" || text.is_ascii(), "not ASCII:\n{text}");
    Ok(())
}

fn no_colours() -> Result<()> {
    let call = call(QUICK, "C.UTF-8")?.words("--samples 1").env("NO_COLOR", "1");
    let text = on_terminal(call, |call, terminal| call.stdout(terminal))?;
    ensure!(!text.contains('\u{1b}'), "colours in spite of NO_COLOR:\n{text}");
    Ok(())
}

fn progress(locale: &str, bar: char) -> Result<()> {
    let call = call(QUICK, locale)?.words("--samples 200");
    let text = on_terminal(call, |call, terminal| call.stderr(terminal))?;
    let steps: Vec<String> = text.split(['\r', '\n']).map(without_escapes).collect();
    let drawn: Vec<&String> = steps.iter().filter(|step| step.contains("round ")).collect();
    ensure!(drawn.iter().any(|step| step.contains(bar)), "no bar of {bar}:\n{text}");
    for step in drawn {
        ensure!(step.chars().count() <= COLUMNS, "'{step}' is too wide:\n{text}");
    }
    ensure!(locale != "C" || text.is_ascii(), "not ASCII:\n{text}");
    Ok(())
}

/// `text` without the sequences that move the cursor and clear lines.
fn without_escapes(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain += part.trim_start_matches(|c: char| !c.is_ascii_alphabetic()).get(1..).unwrap_or_default();
    }
    plain
}
