//! Published figures from `results/published/`, which are shown next to measured ones.

use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};
use serde::Deserialize;

use crate::Published;

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../results/published");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: String,
    figures: Vec<Figure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Figure {
    key: String,
    value: f64,
    unit: String,
    device: String,
    place: String,
}

/// The figure `key` of `results/published/<source>.json`.
///
/// # Errors
/// If the source or the key does not exist, or the file has another format.
pub fn find(source: &str, key: &str) -> Result<Published> {
    let name = format!("{source}.json");
    let file = FILES.get_file(&name).with_context(|| format!("results/published/{name} does not exist"))?;
    let file: File =
        serde_json::from_slice(file.contents()).with_context(|| format!("results/published/{name}"))?;
    let Some(figure) = file.figures.into_iter().find(|f| f.key == key) else {
        bail!("results/published/{name} has no figure '{key}'");
    };
    Ok(Published {
        value: figure.value,
        unit: figure.unit,
        device: figure.device,
        source: format!("{}, {}", file.title, figure.place),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_talks_ladder_is_there() {
        let figure = find("lottes2018", "ladder/barrier").unwrap();
        assert_eq!((figure.value, figure.device.as_str()), (1.31, "Vega"));
    }

    #[test]
    fn a_figure_that_nobody_published_is_an_error() {
        assert!(find("lottes2018", "ladder/none").unwrap_err().to_string().contains("no figure"));
        assert!(find("nobody", "x").is_err());
    }
}
