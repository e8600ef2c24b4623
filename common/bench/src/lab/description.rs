//! A sample's `variants.toml`: labels, captions, places in the cross tables, published times, and which variants run by
//! default.
//!
//! An entry describes one variant, or a family of them: a placeholder in braces in its name stands for a run of
//! characters without `_`, or, where the file has words for it, for exactly one of those. Texts of the entry name the
//! placeholder again to show what it stands for.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use glob::Pattern;
use record::{Cell, Matrix, is_limit, published};
use serde::Deserialize;

use super::Lab;
use crate::variant::{LONGEST_LABEL, Variant};

/// Name of the file, for messages.
const FILE: &str = "variants.toml";

/// What the file says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Description {
    /// The published source that the sample rebuilds: the document, then the slide or chapter in quotes.
    source: Option<String>,
    /// Names and patterns of the variants that run by default, between spaces; without it, all run.
    default: Option<String>,
    /// Names and patterns of the variants that no correct one can beat, see [`Report`](super::Report).
    bound: Option<String>,
    /// Names and patterns of the variants that are the usual way, likewise.
    baseline: Option<String>,
    /// Names and patterns of the variants that a timeline shows first, in its order.
    trace: Option<String>,
    /// How the cross tables are shown.
    matrix: Option<Matrix>,
    /// By placeholder: all that it can stand for, and what texts say of each.
    #[serde(default)]
    words: BTreeMap<String, BTreeMap<String, Words>>,
    #[serde(rename = "variant")]
    entries: Vec<Entry>,
}

/// What texts say of a value of a placeholder.
#[derive(Deserialize)]
#[serde(untagged)]
enum Words {
    /// The same everywhere: `{placeholder}`.
    One(String),
    /// Several texts by name: `{placeholder.name}`.
    Several(BTreeMap<String, String>),
}

/// What the file says of a variant or a family. If several entries fit a variant, each of its texts is in one of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    label: Option<String>,
    caption: Option<String>,
    /// Table, row and column.
    cell: Option<[String; 3]>,
    /// The source's file under `results/published/` and the key in it, with a space between.
    published: Option<String>,
    /// The argument that declares these variants, if not every run does.
    with: Option<String>,
}

/// A part of a text: as it is, or what is in braces.
enum Piece<'t> {
    Text(&'t str),
    Placeholder(&'t str),
}

/// What the placeholders of an entry stand for in the name of one variant.
type Values<'a> = BTreeMap<&'a str, &'a str>;

impl Description {
    /// Reads the file and looks for placeholders that are unknown.
    pub fn read(text: &str) -> Result<Self> {
        let read: Self = toml::from_str(text).context(FILE)?;
        for entry in &read.entries {
            read.check(entry).with_context(|| format!("{FILE}: {}", entry.name))?;
        }
        Ok(read)
    }

    fn check(&self, entry: &Entry) -> Result<()> {
        let of_name = placeholders(&entry.name)?;
        for text in entry.texts() {
            for placeholder in placeholders(text)? {
                let (of, part) = split(placeholder);
                let words = self.words.get(of);
                let has = |words: &Words| match (words, part) {
                    (Words::One(_), None) => true,
                    (Words::Several(texts), Some(part)) => texts.contains_key(part),
                    _ => false,
                };
                let known = words.map_or(part.is_none(), |words| words.values().all(has));
                ensure!(
                    of_name.contains(&of) && known,
                    "'{text}' has the unknown placeholder '{placeholder}'"
                );
            }
        }
        Ok(())
    }

    /// Describes the lab and all of its variants.
    pub fn apply(&self, lab: &mut Lab) -> Result<()> {
        let mut fits = vec![false; self.entries.len()];
        for variant in lab.variants.iter_mut().filter(|variant| !is_limit(&variant.name)) {
            self.describe(variant, &mut fits).with_context(|| format!("{FILE}: variant {}", variant.name))?;
        }
        for (entry, _) in self.entries.iter().zip(fits).filter(|(_, fits)| !fits) {
            let with = entry.with.as_ref();
            let with = with.with_context(|| format!("{FILE}: no variant is called {}", entry.name))?;
            let any = |piece| if let Piece::Text(text) = piece { text } else { "*" };
            let pattern = pieces(&entry.name)?.into_iter().map(any).collect();
            lab.declared_with.push([pattern, with.clone()]);
        }
        if let Some(default) = &self.default {
            let names = self.select(lab, default)?;
            for variant in &mut lab.variants {
                variant.on_request |= !names.contains(&variant.name) && !is_limit(&variant.name);
            }
        }
        let named = |names: &Option<String>| self.select(lab, names.as_deref().unwrap_or_default());
        let [bound, baseline, drawn] = [named(&self.bound)?, named(&self.baseline)?, named(&self.trace)?];
        lab.report.bound.extend(bound);
        lab.report.baseline.extend(baseline);
        lab.report.drawn = drawn;
        lab.report.source = self.source.clone();
        lab.report.matrix = self.matrix.clone();
        Ok(())
    }

    /// Describes a variant from the entries that fit it, and notes these in `fits`.
    fn describe(&self, variant: &mut Variant, fits: &mut [bool]) -> Result<()> {
        let name = variant.name.clone();
        for (entry, fits) in self.entries.iter().zip(fits) {
            let Some(values) = self.values(&pieces(&entry.name)?, &name) else { continue };
            *fits = true;
            let fill = |text: &String| self.filled(text, &values);
            if let Some(label) = &entry.label {
                ensure!(variant.label.is_empty(), "a second label, in {}", entry.name);
                variant.label = fill(label)?;
                let length = variant.label.chars().count();
                ensure!(
                    length <= LONGEST_LABEL,
                    "'{}' has more than {LONGEST_LABEL} characters",
                    variant.label
                );
            }
            if let Some(caption) = &entry.caption {
                ensure!(variant.caption.is_empty(), "a second caption, in {}", entry.name);
                variant.caption = fill(caption)?;
            }
            if let Some([table, row, column]) = &entry.cell {
                ensure!(variant.cell.is_none(), "a second place in the tables, in {}", entry.name);
                variant.cell = Some(Cell { table: fill(table)?, row: fill(row)?, column: fill(column)? });
            }
            if let Some(key) = &entry.published {
                ensure!(variant.published.is_none(), "a second published time, in {}", entry.name);
                let key = fill(key)?;
                let (source, key) = key.split_once(' ').context("`published` is a file and a key")?;
                variant.published = Some(published::find(source, key)?);
            }
        }
        ensure!(!variant.label.is_empty(), "no entry has its label");
        ensure!(!variant.caption.is_empty(), "no entry has its caption");
        Ok(())
    }

    /// What the placeholders of a name stand for in a variant's name; `None` if the variant is not of this family.
    fn values<'a>(&'a self, pieces: &[Piece<'a>], name: &'a str) -> Option<Values<'a>> {
        let (placeholder, rest) = match pieces {
            [] => return name.is_empty().then(Values::new),
            [Piece::Text(text), rest @ ..] => return self.values(rest, name.strip_prefix(text)?),
            [Piece::Placeholder(placeholder), rest @ ..] => (*placeholder, rest),
        };
        let run = name.find('_').unwrap_or(name.len());
        let lengths: Vec<usize> = match self.words.get(placeholder) {
            Some(words) => words.keys().filter(|key| name.starts_with(*key)).map(String::len).collect(),
            None => (1..=run).filter(|&length| name.is_char_boundary(length)).collect(),
        };
        lengths.into_iter().rev().find_map(|length| {
            let (value, further) = name.split_at(length);
            let mut values = self.values(rest, further)?;
            values.insert(placeholder, value);
            Some(values)
        })
    }

    /// A text with words in place of its placeholders.
    fn filled(&self, text: &str, values: &Values<'_>) -> Result<String> {
        let word = |placeholder| {
            let (of, part) = split(placeholder);
            let value =
                *values.get(of).with_context(|| format!("the unknown placeholder '{placeholder}'"))?;
            Ok(match (self.words.get(of).and_then(|words| words.get(value)), part) {
                (Some(Words::One(text)), _) => text,
                (Some(Words::Several(texts)), Some(part)) => &texts[part],
                _ => value,
            })
        };
        let fill = |piece| match piece {
            Piece::Text(text) => Ok(text),
            Piece::Placeholder(placeholder) => word(placeholder),
        };
        pieces(text)?.into_iter().map(fill).collect()
    }

    /// The variants that a list of names and patterns selects.
    fn select(&self, lab: &Lab, patterns: &str) -> Result<Vec<String>> {
        let mut selected = Vec::new();
        for text in patterns.split_whitespace() {
            let pattern = Pattern::new(text).with_context(|| format!("{FILE}: '{text}' is no pattern"))?;
            let names = lab.variants.iter().map(|variant| &variant.name);
            let matching: Vec<String> = names.filter(|name| pattern.matches(name)).cloned().collect();
            // Other arguments may declare such a variant.
            let described = |entry: &Entry| {
                let pieces = pieces(&entry.name).unwrap_or_default();
                pattern.matches(&entry.name) || self.values(&pieces, text).is_some()
            };
            ensure!(
                !matching.is_empty() || self.entries.iter().any(described),
                "{FILE}: no variant is called '{text}'"
            );
            selected.extend(matching);
        }
        Ok(selected)
    }
}

impl Entry {
    fn texts(&self) -> impl Iterator<Item = &String> {
        self.label.iter().chain(&self.caption).chain(self.cell.iter().flatten()).chain(&self.published)
    }
}

/// The pieces of a text.
fn pieces(text: &str) -> Result<Vec<Piece<'_>>> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, after) = after.split_once('}').with_context(|| format!("'{text}' lacks a }}"))?;
        pieces.extend([Piece::Text(before), Piece::Placeholder(placeholder)]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The placeholders of a text.
fn placeholders(text: &str) -> Result<Vec<&str>> {
    let is = |piece| if let Piece::Placeholder(placeholder) = piece { Some(placeholder) } else { None };
    Ok(pieces(text)?.into_iter().filter_map(is).collect())
}

/// A placeholder's name, and the text of its words that is asked for.
fn split(placeholder: &str) -> (&str, Option<&str>) {
    placeholder.split_once('.').map_or((placeholder, None), |(of, part)| (of, Some(part)))
}

#[cfg(test)]
mod tests {
    use record::Shows;

    use super::super::LabOptions;
    use super::*;

    const TOML: &str = r#"
        default = "base events_*"
        bound = "base"
        baseline = "events*_2"
        matrix = { corner = "time", shows = "ratios" }

        [words.form]
        "" = { row = "plain", caption = "" }
        "_coherent" = { row = "coherent stores", caption = " with coherent stores" }

        [words.state]
        "" = "device-only"
        "_host" = "host-visible"

        [[variant]]
        name = "base"
        label = "barrier"
        caption = "The barrier."
        cell = ["Whole", "barrier", "one"]

        [[variant]]
        name = "events{form}{state}_{bands}"
        label = "events, {bands} bands"
        caption = "{bands} bands{form.caption}, {state} events."
        cell = ["{bands} bands", "{form.row}, {state}", "set and wait"]

        [[variant]]
        name = "events_2"
        published = "lottes2018 ladder/split_by_events"
        with = "--bands 2"
    "#;

    /// A lab with these variants, described by `toml`.
    fn described(toml: &str, variants: &[&str]) -> Result<Lab> {
        let mut lab = Lab::for_test(false, &LabOptions::default());
        lab.describe(toml)?;
        for name in variants {
            lab.variant(*name, |_, _| {});
        }
        let description = lab.description.take().unwrap();
        description.apply(&mut lab)?;
        Ok(lab)
    }

    /// The error for a text in place of another one of the file.
    fn refused(old: &str, new: &str) -> String {
        assert_eq!(TOML.matches(old).count(), 1, "{old}");
        let described = described(&TOML.replace(old, new), &["base", "events_2", "events_coherent_2"]);
        format!("{:#}", described.err().unwrap())
    }

    #[test]
    fn a_family_is_described_by_what_its_placeholders_stand_for() {
        let names = ["base", "events_2", "events_coherent_host_16", record::COPY_LIMIT];
        let lab = described(TOML, &names).unwrap();
        let [base, two, sixteen, limit] = &lab.variants[..] else { panic!() };
        assert_eq!((&*base.caption, &*limit.caption), ("The barrier.", ""));
        assert_eq!((&*base.label, &*sixteen.label), ("barrier", "events, 16 bands"));
        assert_eq!(two.caption, "2 bands, device-only events.");
        assert_eq!(sixteen.caption, "16 bands with coherent stores, host-visible events.");
        let cell = sixteen.cell.as_ref().unwrap();
        assert_eq!(
            [&cell.table, &cell.row, &cell.column],
            ["16 bands", "coherent stores, host-visible", "set and wait"]
        );
        assert_eq!(two.published.as_ref().unwrap().device, "Vega");
        assert!(base.published.is_none() && sixteen.published.is_none());
        assert_eq!(
            (&*lab.report.bound, &*lab.report.baseline),
            (&["base".to_owned()][..], &["events_2".to_owned()][..])
        );
        assert!(lab.report.matrix.is_some_and(|matrix| matrix.shows == Shows::Ratios));
    }

    #[test]
    fn only_the_variants_of_the_list_run_by_default() {
        let toml = TOML.replace("base events_*", "base *_2");
        let lab = described(&toml, &["base", "events_2", "events_4", record::FMA_LIMIT]).unwrap();
        let on_request: Vec<bool> = lab.variants.iter().map(|variant| variant.on_request).collect();
        assert_eq!(on_request, [false, false, true, false]);
    }

    #[test]
    fn what_other_arguments_declare_is_no_mistake() {
        // Without `events_2`, whose entry says what declares it; and without any variant of `baseline`.
        let lab = described(TOML, &["base", "events_4"]).unwrap();
        assert!(lab.report.baseline.is_empty());
        let toml = TOML.replace("with = \"--bands 2\"", "");
        let error = described(&toml, &["base", "events_4"]).err().unwrap();
        assert_eq!(error.to_string(), "variants.toml: no variant is called events_2");
    }

    #[test]
    fn mistakes_name_their_entry() {
        for (old, new, error) in [
            ("base events_*", "base evnts_*", "no variant is called 'evnts_*'"),
            ("\"base\"\n        label", "\"bass\"\n        label", "variant base: no entry has its label"),
            ("The barrier.", "The {form}.", "base: 'The {form}.' has the unknown placeholder 'form'"),
            ("{form.row}", "{form.raw}", "'{form.raw}, {state}' has the unknown placeholder 'form.raw'"),
            ("{form.row}", "{form}", "'{form}, {state}' has the unknown placeholder 'form'"),
            ("{form.row}", "{bands.row}", "has the unknown placeholder 'bands.row'"),
            (
                "ladder/split",
                "ladder/spilt",
                "variant events_2: results/published/lottes2018.json has no figure",
            ),
            ("published = ", "caption = ", "variant events_2: a second caption, in events_2"),
            ("\"_coherent\" =", "\"_coherant\" =", "variant events_coherent_2: no entry has its label"),
            ("with = ", "wiht = ", "unknown field `wiht`"),
        ] {
            let refused = refused(old, new);
            assert!(refused.starts_with("variants.toml: ") && refused.contains(error), "{refused}");
        }
    }
}
