//! Calls as the tables beside this file list them, and what must come of each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use glob::Pattern;
use libtest_mimic::Trial;
use record::error::{EXIT_FAILED, EXIT_RIGHT};
use record::{Record, Row, Status};
use serde::Deserialize;

use crate::support::{Call, holds_only, told_on_one_line, trial};

/// A file: calls that come to one kind of end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    kind: Kind,
    set: Vec<Set>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    /// One line that says it all, and nothing is left behind.
    Refused,
    /// A record whose variants are right, but for those that are left out; and a check that finds so, too.
    Right,
    /// Words among others; of an error one line, and nothing is left behind.
    Told,
}

/// Calls that have something in common.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    /// What its trials are called; the sample, where that is not named.
    name: String,
    #[serde(default)]
    shared: Case,
    cases: Vec<Case>,
}

/// A call, or what the calls of a set share.
#[derive(Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Case {
    sample: Option<String>,
    words: String,
    env: BTreeMap<String, String>,
    code: Option<u8>,
    /// On the standard error.
    says: Vec<String>,
    /// On the standard output.
    shows: Vec<String>,
    /// Variants that are right; all that are not left out, where none is named.
    runs: Vec<String>,
    /// Patterns of variants that are left out, with what the reason says.
    left_out: BTreeMap<String, String>,
    /// Unless it says no, it is checked, too.
    check: Option<bool>,
}

/// A trial for each call of each table.
pub fn trials() -> Result<Vec<Trial>> {
    let mut trials = Vec::new();
    for path in glob::glob(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/calls/*.toml"))? {
        let path = path?;
        let table: Table =
            toml::from_str(&fs::read_to_string(&path)?).with_context(|| path.display().to_string())?;
        let kind = table.kind;
        for mut set in table.set {
            set.shared.sample.get_or_insert_with(|| set.name.clone());
            trials.extend(set.cases.into_iter().map(|case| {
                let case = case.of(&set.shared);
                trial(format!("{}::{}", set.name, case.title()), move || case.comes_to(kind))
            }));
        }
    }
    ensure!(trials.len() > 100, "only {} calls are listed", trials.len());
    Ok(trials)
}

impl Case {
    /// With what its set has.
    fn of(self, set: &Self) -> Self {
        let words = format!("{} {}", set.words, self.words).trim().to_owned();
        Self {
            sample: self.sample.or_else(|| set.sample.clone()),
            words,
            env: set.env.clone().into_iter().chain(self.env).collect(),
            code: self.code.or(set.code),
            says: [&set.says[..], &self.says].concat(),
            shows: [&set.shows[..], &self.shows].concat(),
            check: self.check.or(set.check),
            ..self
        }
    }

    fn title(&self) -> String {
        let env = self.env.iter().map(|(name, value)| format!("{name}={value} ")).collect::<String>();
        format!("{env}{}", self.words)
    }

    fn call(&self, folder: &Path) -> Result<Call> {
        let call = Call::on_any_device(&Call::binary(self.sample.as_deref().unwrap_or_default())?);
        let call = call.words(&self.words).within(folder);
        let call = if self.words.contains("--device") { call } else { call.on_test_device() };
        Ok(self.env.iter().fold(call, |call, (name, value)| call.env(name, value)))
    }

    fn comes_to(&self, kind: Kind) -> Result<()> {
        let folder = tempfile::tempdir()?;
        let given = given(folder.path(), &self.words)?;
        let call = || self.call(folder.path());
        match kind {
            Kind::Refused => {
                let says: Vec<&str> = self.says.iter().map(String::as_str).collect();
                told_on_one_line(call()?.run()?, self.code.unwrap_or(EXIT_FAILED), &says)?;
                holds_only(folder.path(), &given)
            }
            Kind::Told => {
                let ended = call()?.run()?.with_code(self.code.unwrap_or(EXIT_RIGHT).into())?;
                ensure!(ended.stdout.len() + ended.stderr.len() > 20, "nothing was said: {ended}");
                if self.env.get("LC_ALL").is_some_and(|locale| locale == "C") {
                    ended.is_ascii()?;
                }
                if ended.code != Some(EXIT_RIGHT.into()) {
                    ended.reason()?;
                }
                ended.says(&self.says)?;
                ended.shows(&self.shows)?;
                holds_only(folder.path(), &given)
            }
            Kind::Right => {
                let twice = if self.words.contains("--repetitions") { "" } else { "--repetitions 2" };
                let ended = call()?.words("--samples 1 --json -").words(twice).run()?;
                self.is_right(&ended.with_code(self.code.unwrap_or(EXIT_RIGHT).into())?.record()?)?;
                if self.check != Some(false) {
                    let ended = call()?.words("--check").right()?;
                    ensure!(!ended.stdout.contains("not here: "), "not every variant was checked: {ended}");
                }
                Ok(())
            }
        }
    }

    fn is_right(&self, record: &Record) -> Result<()> {
        for name in &self.runs {
            ensure!(record.rows.iter().any(|row| row.variant == *name), "no row {name}");
        }
        let mut met = BTreeMap::new();
        for row in &record.rows {
            let is = |(pattern, _): &(&String, &String)| {
                Pattern::new(pattern).is_ok_and(|pattern| pattern.matches(&row.variant))
            };
            let left_out = self.left_out.iter().find(is);
            met.extend(left_out);
            self.has_status(row, left_out.map(|(_, says)| says))?;
        }
        ensure!(met.len() == self.left_out.len(), "no row for some of {:?}", self.left_out);
        Ok(())
    }

    fn has_status(&self, row: &Row, left_out: Option<&String>) -> Result<()> {
        let fits = match (&row.status, left_out) {
            (Status::Skipped { reason }, Some(says)) => reason.contains(says),
            (status, None) if self.runs.contains(&row.variant) || self.runs.is_empty() => {
                *status == Status::Ok
            }
            (_, left_out) => left_out.is_none(),
        };
        ensure!(fits, "{}: {:?}", row.variant, row.status);
        Ok(())
    }
}

/// Puts what the words name into the folder, and returns the names.
fn given<'w>(folder: &Path, words: &'w str) -> Result<Vec<&'w str>> {
    let mut given: Vec<&str> = Vec::new();
    for name in words.split(' ') {
        let path = folder.join(name);
        match name {
            _ if given.contains(&name) => continue,
            "folder" => fs::create_dir(path)?,
            "empty" => fs::write(path, "")?,
            "code.s" => fs::write(path, "s_endpgm\n")?,
            "text" => fs::write(path, "nothing that a GPU could run\n")?,
            "binary" => fs::write(path, b"\x7fELF\0\0\0")?,
            // As long as it may be, and a line.
            "huge" => fs::write(path, "s_nop 0\n".repeat((32 << 20) / 8 + 1))?,
            _ => continue,
        }
        given.push(name);
    }
    given.sort_unstable();
    Ok(given)
}
