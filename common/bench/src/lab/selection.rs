//! Selects the variants that run.

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;

use super::Lab;
use crate::variant::Variant;

/// The user's selection of variants.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Names and glob patterns; if empty, the default variants are selected.
    pub names: Vec<String>,
    /// Names and patterns of variants to leave out.
    pub without: Vec<String>,
    /// Selects every variant.
    pub all: bool,
    /// Selects every variant with a place in the cross tables, and shows the tables.
    pub matrix: bool,
}

impl Lab {
    /// Keeps the selected variants, the two references of the ratios, and the device limits that the variants are
    /// compared with.
    ///
    /// # Errors
    /// A name or pattern that matches no variant; `--matrix` for a sample without cross tables.
    pub(crate) fn select(&mut self) -> Result<()> {
        let wanted = self.selection.clone();
        ensure!(
            !wanted.matrix || self.report.matrix.is_some(),
            "this sample has no cross table: leave --matrix out"
        );
        self.report.matrix_is_shown |= wanted.matrix;
        let mut kept = self.selected(&wanted)?.into_iter();
        self.variants.retain(|_| kept.next().unwrap_or_default());
        ensure!(!self.variants.is_empty(), "--without leaves no variant");
        // A record must not name a reference without a row.
        for reference in [&mut self.report.bound, &mut self.report.baseline] {
            reference.retain(|name| self.variants.iter().any(|v| v.name == *name));
        }
        Ok(())
    }

    /// For each variant, whether it is kept, in the order of declaration.
    pub(super) fn selected(&self, wanted: &Selection) -> Result<Vec<bool>> {
        let patterns = self.patterns(&wanted.names)?;
        let chosen = |v: &Variant| match () {
            () if wanted.all => true,
            () if wanted.matrix => v.cell.is_some(),
            () if patterns.is_empty() => !v.on_request,
            () => patterns.iter().any(|p| p.matches(&v.name)),
        };
        let mut references: Vec<String> = self.report.references().cloned().collect();
        let kept = |v: &&Variant| chosen(v) || references.contains(&v.name);
        let costs = self.variants.iter().filter(kept).flat_map(|variant| variant.declared.costs());
        let limits: Vec<String> = costs.map(|cost| cost.variant.to_owned()).collect();
        references.extend(limits);
        let without = self.patterns(&wanted.without)?;
        let left_out = |v: &Variant| without.iter().any(|p| p.matches(&v.name));
        let kept = |v: &Variant| (chosen(v) || references.contains(&v.name)) && !left_out(v);
        Ok(self.variants.iter().map(kept).collect())
    }

    /// A suggestion for the unknown name `name`.
    fn offer(&self, name: &str) -> String {
        let fits = |known: &str| Pattern::new(known).is_ok_and(|known| known.matches(name));
        if let Some([_, with]) = self.declared_with.iter().find(|[known, _]| fits(known)) {
            return format!("{with} makes one, for example");
        }
        let names: Vec<&str> = self.variants.iter().map(|v| &*v.name).collect();
        if !name.is_empty() && names.iter().any(|known| known.starts_with(name)) {
            return format!("'{name}*' takes all that begin so");
        }
        let shown = names.len().min(12);
        let more = match names.len() - shown {
            0 => String::new(),
            more => format!(" and {more} more, which --list-variants lists"),
        };
        format!("there are {}{more}", names[..shown].join(", "))
    }

    fn patterns(&self, names: &[String]) -> Result<Vec<Pattern>> {
        let pattern = |name: &String| {
            let pattern = Pattern::new(name).with_context(|| format!("'{name}' is no pattern of names"))?;
            if !self.variants.iter().any(|v| pattern.matches(&v.name)) {
                bail!("no variant is called '{name}'; {}", self.offer(name));
            }
            Ok(pattern)
        };
        names.iter().map(pattern).collect()
    }
}

#[cfg(test)]
mod tests {
    use record::Declared;

    use super::super::LabOptions;
    use super::*;

    fn lab(selection: Selection) -> Lab {
        let mut lab = Lab::for_test(false, &LabOptions { selection, ..LabOptions::default() });
        for name in ["base", "usual", "rare_one", record::COPY_LIMIT, record::FMA_LIMIT] {
            lab.variant(name, |_, _| {});
        }
        for at in [0, 2, 3, 4] {
            lab.variants[at].on_request();
        }
        lab.variants[1].declares(Declared::default().bytes(8));
        lab.report.baseline.push("base".into());
        lab
    }

    fn selected(names: &[&str], without: &[&str], all: bool) -> Vec<String> {
        let [names, without] = [names, without].map(|names| names.iter().map(ToString::to_string).collect());
        let mut lab = lab(Selection { names, without, all, ..Selection::default() });
        lab.select().unwrap();
        lab.variants.into_iter().map(|v| v.name).collect()
    }

    #[test]
    fn references_and_limits_come_with_what_is_asked_for() {
        assert_eq!(selected(&[], &[], false), ["base", "usual", record::COPY_LIMIT]);
        assert_eq!(selected(&["ra*"], &[], false), ["base", "rare_one"]);
        assert_eq!(selected(&[], &["rare*"], true).len(), 4);
        let mut all = lab(Selection { all: true, ..Selection::default() });
        all.select().unwrap();
        assert_eq!(all.selected(&Selection::default()).unwrap(), [true, true, false, true, false]);
    }

    #[test]
    fn a_name_that_is_none_is_told_with_what_there_is() {
        let told = |name: &str| {
            let names = vec![name.to_owned()];
            lab(Selection { names, ..Selection::default() }).select().unwrap_err().to_string()
        };
        assert_eq!(told("rare"), "no variant is called 'rare'; 'rare*' takes all that begin so");
        assert!(
            told("x").ends_with("there are base, usual, rare_one, copy_limit, fma_limit"),
            "{}",
            told("x")
        );
    }
}
