//! The list of a sample's variants for `--list-variants`.

use super::charset::Charset;
use super::charset::width;
use super::paper::wrapped;

/// Whether a variant runs without being requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// In a run without a selection.
    ByDefault,
    /// With `--all`, or if a name or pattern selects it.
    OnRequest,
    /// Never on this device or with these arguments.
    NotHere,
}

impl Runs {
    fn words(self) -> &'static str {
        match self {
            Self::ByDefault => "by default",
            Self::OnRequest => "on request",
            Self::NotHere => "not here",
        }
    }
}

/// A variant in the list.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// Its name.
    pub name: &'a str,
    /// When it runs.
    pub runs: Runs,
    /// What it shows, in a sentence.
    pub caption: &'a str,
}

/// One line per variant (name, when it runs, caption), then the source after an empty line. If a line is wider than
/// `room`, captions are on lines of their own below the names. Without `room`, as for a file, lines are not wrapped.
#[must_use]
pub fn listing(charset: Charset, room: Option<u16>, variants: &[Listed<'_>], source: Option<&str>) -> String {
    let head = ["Variant", "Runs", "What it shows"];
    let rows = variants.iter().map(|v| [v.name, v.runs.words(), v.caption]);
    let rows: Vec<[&str; 3]> = std::iter::once(head).chain(rows).collect();
    let [first, second] = [0, 1].map(|cell| rows.iter().map(|row| width(row[cell])).max().unwrap_or(0));
    let lines = rows.iter().map(|[name, runs, caption]| {
        format!("{name:first$}  {runs:second$}  {caption}").trim_end().to_owned() + "\n"
    });
    let mut text: String = lines.collect();
    if let Some(room) = room.filter(|&room| text.lines().any(|line| width(line) > usize::from(room))) {
        text = variants.iter().map(|variant| stacked(variant, room)).collect();
    }
    if let Some(source) = source {
        let line = format!("Source: {source}\n");
        text = text + "\n" + &room.map_or(line.clone(), |room| wrapped(&line, room));
    }
    charset.fit(&text).into_owned()
}

/// The name and when it runs on one line, and the indented caption below.
fn stacked(variant: &Listed<'_>, room: u16) -> String {
    let caption = wrapped(variant.caption, room.saturating_sub(2));
    let indented: String = caption.lines().map(|line| format!("  {line}\n")).collect();
    format!("{} ({})\n{indented}", variant.name, variant.runs.words())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VARIANTS: [Listed<'_>; 3] = [
        Listed { name: "none", runs: Runs::ByDefault, caption: "Nothing orders the passes." },
        Listed {
            name: "full_barrier",
            runs: Runs::OnRequest,
            caption: "A barrier between passes drains the GPU before the next pass may fill it again.",
        },
        Listed { name: "two_queues", runs: Runs::NotHere, caption: "" },
    ];

    #[test]
    fn a_file_has_a_line_a_variant() {
        let source = Some("A Title, 2018, \"Slide\"");
        insta::assert_snapshot!(listing(Charset::Utf8, None, &VARIANTS, source));
    }

    #[test]
    fn captions_stand_below_names_where_room_is_short() {
        let text = listing(Charset::Utf8, Some(60), &VARIANTS, Some("A Title, 2018, \"Slide\""));
        assert!(text.lines().all(|line| width(line) <= 60), "{text}");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn room_for_all_of_it_needs_no_second_line() {
        let [file, wide] = [None, Some(140)].map(|room| listing(Charset::Utf8, room, &VARIANTS, None));
        assert_eq!(file, wide);
    }
}
