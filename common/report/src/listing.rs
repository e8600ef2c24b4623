//! The list of a sample's variants for `--list-variants`.

use super::charset::{Charset, width};
use super::paper::wrapped;

/// Whether a variant runs without being requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// In a run without a selection.
    ByDefault,
    /// With `--all`, or if an id or pattern selects it.
    OnRequest,
    /// Never on this device or with these arguments.
    NotHere,
}

/// A variant in the list.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name for readers.
    pub label: &'a str,
    /// When it runs.
    pub runs: Runs,
    /// What it shows, in a sentence.
    pub caption: &'a str,
}

/// The id and the label of each variant on a line, its caption below, then how many more there are, and the source.
/// Variants that do not run by default are listed with `all`.
#[must_use]
pub fn listing(
    charset: Charset,
    room: u16,
    variants: &[Listed<'_>],
    all: bool,
    source: Option<&str>,
) -> String {
    let (shown, more): (Vec<&Listed<'_>>, Vec<_>) =
        variants.iter().partition(|v: &&Listed<'_>| all || v.runs == Runs::ByDefault);
    let longest = shown.iter().map(|variant| width(variant.id)).max().unwrap_or(0);
    let mut text = String::new();
    for Listed { id, label, runs, caption } in shown {
        let when = match runs {
            Runs::ByDefault => "",
            Runs::OnRequest => " (on request)",
            Runs::NotHere => " (not here)",
        };
        text += &format!("{id:longest$}  {label}{when}\n");
        let caption = wrapped(caption, room.saturating_sub(4));
        text.extend(caption.lines().map(|line| format!("    {line}\n")));
    }
    if !more.is_empty() {
        text += &format!("\n{} more with --all.\n", more.len());
    }
    if let Some(source) = source {
        text += &format!("\n{}", wrapped(&format!("Source: {source}\n"), room));
    }
    charset.fit(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARIANTS: [Listed<'_>; 3] = [
        Listed {
            id: "full_barrier",
            label: "barrier after each pass",
            runs: Runs::ByDefault,
            caption: "A barrier between passes drains the GPU before the next pass may fill it again.",
        },
        Listed { id: "none", label: "no sync", runs: Runs::OnRequest, caption: "Nothing orders the passes." },
        Listed { id: "two_queues", label: "2 queues", runs: Runs::NotHere, caption: "" },
    ];

    #[test]
    fn what_runs_by_default_and_how_many_more_there_are() {
        let source = Some("A Title, 2018, \"Slide\"");
        insta::assert_snapshot!(listing(Charset::Utf8, 96, &VARIANTS, false, source));
    }

    #[test]
    fn every_variant_in_sixty_columns() {
        let text = listing(Charset::Utf8, 60, &VARIANTS, true, None);
        assert!(text.lines().all(|line| width(line) <= 60), "{text}");
        insta::assert_snapshot!(text);
    }
}
