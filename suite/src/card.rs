//! `suite card`.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use record::error::EXIT_RIGHT;
use record::{Record, read_record};
use report::terminal::say;
use report::{Destination, Theme, card_png, card_svg};

use crate::cite::one;
use crate::collect::spare;

/// Draw what a record found, for a slide or a post
///
/// The picture has 880x420 units: the finding with its interval, the claim and whether it holds, the times of the variants
/// that it compares, device, driver, settings, version and date.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Without --out it is NAME-card.svg in the folder where this is called, where NAME is the sample.

Examples:
  suite card RECORD                                light or dark as the reader's system asks for
  suite card RECORD --out slide.png --theme dark   for a dark slide")]
pub struct Card {
    /// Picture to write, .svg or .png (1760x840 pixels)
    #[arg(long, value_name = "FILE")]
    out: Option<Picture>,
    /// Paper of the picture; a PNG of the theme auto is light
    #[arg(long, value_enum, default_value_t, hide_possible_values = true, value_name = "auto|light|dark")]
    theme: Theme,
    /// Record, or the folder of one run
    #[arg(value_name = "RECORD")]
    record: PathBuf,
}

/// A file whose ending says its form.
#[derive(Clone, Debug)]
struct Picture {
    destination: Destination,
    is_png: bool,
}

impl FromStr for Picture {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let ending = Path::new(text).extension().unwrap_or_default().to_ascii_lowercase();
        let is_png = match ending.to_str() {
            Some("png") => true,
            Some("svg") => false,
            _ => bail!("'{text}' does not say its form: a card is a file .svg or .png"),
        };
        Ok(Self { destination: Destination::File(text.into()), is_png })
    }
}

impl Card {
    /// Runs the command and returns its exit code.
    ///
    /// # Errors
    /// If the record cannot be read or has no headline, or the picture cannot be written.
    pub fn run(&self) -> Result<u8> {
        let file = one(&self.record)?;
        let record = read_record(&file)?;
        let to = match &self.out {
            Some(picture) => picture.clone(),
            None => name(&record).parse()?,
        };
        spare([&*file], &to.destination)?;
        let drawn = if to.is_png {
            card_png(&record, self.theme)
        } else {
            card_svg(&record, self.theme).map(String::into_bytes)
        };
        let drawn = drawn.with_context(|| file.display().to_string())?;
        to.destination.write(&drawn)?;
        say(&format!("wrote {} ({} KiB)", to.destination, drawn.len().div_ceil(1024)));
        Ok(EXIT_RIGHT)
    }
}

/// The file of a card for which none is named: `bloom-card.svg`.
pub fn name(record: &Record) -> String {
    format!("{}-card.svg", plain(&record.sample))
}

/// A sample's name with nothing in it that has a meaning in a path.
pub fn plain(sample: &str) -> String {
    sample.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}
