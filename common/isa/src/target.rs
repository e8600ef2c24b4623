//! The value of `--code`.

use std::str::FromStr;

use anyhow::{Result, bail, ensure};

/// Chips of a vendor whose compiler does not need the hardware.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// AMD's chips by Mesa's names, in the order given and in capitals.
    pub chips: Vec<String>,
}

impl FromStr for Target {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let Some((vendor, chips)) = text.split_once(':') else {
            bail!("'{text}' names no vendor; amd:polaris10,vega10 names two chips");
        };
        ensure!(
            vendor.eq_ignore_ascii_case("amd"),
            "only for chips of amd is there a compiler that runs without them, not for '{vendor}'"
        );
        let mut named: Vec<String> = Vec::new();
        for chip in chips.split(',').map(|chip| chip.trim().to_uppercase()) {
            let is_name = !chip.is_empty() && chip.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
            ensure!(is_name, "'{chip}' in '{text}' is no name of a chip; amd:polaris10,vega10 names two");
            if !named.contains(&chip) {
                named.push(chip);
            }
        }
        Ok(Self { chips: named })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chips_are_named_once_and_in_capitals() {
        let target: Target = "amd:polaris10,Vega10,POLARIS10".parse().unwrap();
        assert_eq!(target.chips, ["POLARIS10", "VEGA10"]);
    }

    #[test]
    fn what_names_no_chip_is_refused() {
        for (text, says) in [
            ("polaris10", "names no vendor"),
            ("nvidia:ga102", "not for 'nvidia'"),
            ("amd:", "no name of a chip"),
            ("amd:vega10,", "no name of a chip"),
            ("amd:vega 10", "no name of a chip"),
        ] {
            let error = text.parse::<Target>().unwrap_err().to_string();
            assert!(error.contains(says) && !error.contains('\n'), "{error}");
        }
    }
}
