//! Parses the files of `--trace` and writes timelines to them.

use std::str::FromStr;

use anyhow::{Result, bail};
use record::Record;
use record::trace::Trace;

use report::{Destination, Detail, Lane, Theme};

/// A file for the wave timeline; its extension selects the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TraceFile {
    pub destination: Destination,
    pub form: Form,
}

/// File format of a timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Vector graphic for pages and slides.
    Svg,
    /// The same drawing in pixels.
    Png,
    /// Trace events for Perfetto.
    Json,
    /// What `suite replay` shows.
    Gz,
}

impl FromStr for TraceFile {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let ending = text.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let form = match ending.as_deref() {
            Some("svg") => Form::Svg,
            Some("png") => Form::Png,
            Some("json") => Form::Json,
            Some("gz") => Form::Gz,
            _ => bail!(
                "'{text}' does not say its form: a timeline is a file .svg, .png, .json (for Perfetto) or .gz (for \
                 suite replay)"
            ),
        };
        Ok(Self { destination: text.parse()?, form })
    }
}

impl TraceFile {
    /// Draws the variants that have a trace.
    ///
    /// # Errors
    /// No variant has a trace, or the file cannot be written.
    pub fn write(
        &self,
        record: &Record,
        traces: &[(String, Trace)],
        (theme, detail): (Theme, Detail),
    ) -> Result<()> {
        let lanes: Vec<Lane<'_>> =
            traces.iter().filter_map(|(name, trace)| Lane::of(record, name, trace)).collect();
        match self.form {
            Form::Svg => self.destination.write(report::timeline_svg(record, &lanes, theme, detail)?),
            Form::Png => self.destination.write(report::timeline_png(record, &lanes, theme, detail)?),
            Form::Json => self.destination.write(report::timeline_events(record, &lanes)?),
            Form::Gz => self.destination.write(record::trace::waves(traces)?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_is_the_form() {
        let form = |text: &str| text.parse::<TraceFile>().map(|file| file.form).ok();
        assert_eq!(form("a.b/out.SVG"), Some(Form::Svg));
        assert_eq!((form("out.png"), form("out.json")), (Some(Form::Png), Some(Form::Json)));
        assert_eq!(form("waves.json.gz"), Some(Form::Gz));
        for text in ["", "-", "out", "out.pdf", "svg"] {
            let error = text.parse::<TraceFile>().unwrap_err().to_string();
            assert!(error.contains(".svg, .png, .json (for Perfetto) or .gz"), "{error}");
        }
    }
}
