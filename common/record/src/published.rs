//! Published figures from `results/published/`, which are shown next to measured ones.

use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};
use serde::Deserialize;
use serde::de::DeserializeOwned;

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
    let file: File = read(source)?;
    let Some(figure) = file.figures.into_iter().find(|f| f.key == key) else {
        bail!("results/published/{source}.json has no figure '{key}'");
    };
    Ok(Published {
        value: figure.value,
        unit: figure.unit,
        device: figure.device,
        source: format!("{}, {}", file.title, figure.place),
    })
}

/// The contents of `results/published/<source>.json`.
pub(crate) fn read<T: DeserializeOwned>(source: &str) -> Result<T> {
    let name = format!("results/published/{source}.json");
    let file = FILES.get_file(format!("{source}.json")).with_context(|| format!("{name} does not exist"))?;
    serde_json::from_slice(file.contents()).context(name)
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
