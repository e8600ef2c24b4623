//! Shows results on the terminal and writes them to files.

use std::io::Write;

use anyhow::{Context, Result};
use console::Term;
use serde::Serialize;

use record::trace::Trace;
use record::{Ended, RaceMap, Record};
use report::terminal::{FILE_WIDTH, print, say, width_of};
use report::{ANSWER_WIDTH, Charset, Destination, Folder, Form};

use super::Run;

impl Run {
    /// Shows a text, and writes the data where `--json` says. If that is the standard output, the text goes to the
    /// standard error.
    pub(super) fn show(&self, text: impl FnOnce(&Term) -> String, data: &impl Serialize) -> Result<()> {
        match &self.common.output.json {
            Some(Destination::Stdout) => say(&text(&Term::stderr())),
            _ => print(&text(&Term::stdout()))?,
        }
        self.write_json(data)
    }

    /// What is printed on a terminal.
    fn answer(&self, record: &Record, terminal: &Term) -> String {
        let verbose = self.common.output.verbose;
        let form = Form {
            charset: Charset::of_terminal(),
            room: width_of(terminal).min(if verbose { FILE_WIDTH } else { ANSWER_WIDTH }),
            colours: terminal.is_term() && console::colors_enabled(),
            verbose,
            conclusions: verbose || self.common.which.matrix,
            times: self.common.effort.cpu_times,
            brief: !self.common.output.trace.is_empty(),
        };
        let waves = report::traced(form.charset, form.room, record).filter(|_| verbose);
        report::answer(record, form) + &waves.map_or_else(String::new, |waves| format!("\n{waves}"))
    }

    pub(super) fn write_json(&self, data: &impl Serialize) -> Result<()> {
        let Some(destination) = &self.common.output.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(data).context("the data has no form in JSON")?;
        destination.write(text + "\n")
    }

    /// Shows the record and writes it to all requested files; returns the errors.
    pub(super) fn write(
        &self,
        record: &Record,
        maps: &[RaceMap],
        painting: Option<&record::Painting>,
        traces: &[(String, Trace)],
        folder: Option<&Folder>,
    ) -> Vec<anyhow::Error> {
        let data = [&self.common.output.json, &self.common.output.csv, &self.common.output.image];
        let data_on_stdout = data.into_iter().flatten().any(|d| *d == Destination::Stdout);
        let shown = if data_on_stdout {
            let text = self.answer(record, &Term::stderr());
            std::io::stderr().write_all(text.as_bytes()).context("writing to the standard error").or(Ok(()))
        } else {
            Destination::Stdout.write(self.answer(record, &Term::stdout()))
        };
        // Try every output even if another one failed: measuring again costs more than a message.
        let json =
            self.common.output.json.as_ref().map(|to| record::json(record).and_then(|text| to.write(&text)));
        let csv =
            self.common.output.csv.as_ref().map(|to| record::csv(record).and_then(|text| to.write(&text)));
        let waves = report::traced(Charset::Utf8, FILE_WIDTH, record);
        let out =
            folder.map(|to| to.write(record, &report::answer(record, Form::FILE), waves.as_deref(), traces));
        let image = self.common.output.image.as_ref();
        // A run that ended early without a map has already said why.
        let image = image.filter(|_| record.ended == Ended::Complete || !maps.is_empty());
        let png = || match painting {
            Some(painting) => report::painted(record, painting),
            None => report::picture_of(record, maps),
        };
        let image = image.map(|to| png().and_then(|png| to.write(png)));
        [Some(shown), json, csv, image, out].into_iter().flatten().filter_map(Result::err).collect()
    }
}
