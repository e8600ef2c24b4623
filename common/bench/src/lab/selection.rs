//! Which of a sample's variants run.

use anyhow::{Context, Result, bail, ensure};
use glob::Pattern;

use super::Lab;
use crate::variant::Variant;

/// Which variants the user wants.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Names and glob patterns; none selects what runs by default.
    pub names: Vec<String>,
    /// Names and patterns of what is left out.
    pub without: Vec<String>,
    /// Every variant.
    pub all: bool,
    /// Every variant with a place in the cross tables, shown there.
    pub matrix: bool,
}

impl Lab {
    /// Names the variants that run without being asked for; those that follow and have another name are
    /// [on request](Variant::on_request).
    pub fn by_default(&mut self, variants: impl IntoIterator<Item = impl Into<String>>) {
        self.by_default = Some(variants.into_iter().map(Into::into).collect());
    }

    /// Whether a variant will run: because the user asks for it, by default where nobody is asked for, or
    /// as the reference of others, which is named before. A sample with dozens of kernels does not build
    /// those of other variants; they are offered to the user all the same.
    pub fn wants(&mut self, variant: &str) -> bool {
        let references = || self.references().any(|name| name == variant);
        let by_default = self.selection.names.is_empty() && self.runs_by_default(variant);
        let wanted = by_default || self.asks_for(variant) || references();
        if !wanted {
            self.unbuilt.push(variant.to_owned());
        }
        wanted
    }

    pub(super) fn runs_by_default(&self, variant: &str) -> bool {
        self.by_default.as_ref().is_none_or(|names| names.contains(variant))
    }

    /// The user asks for this variant, which does not run by default.
    #[must_use]
    pub fn asks_for(&self, variant: &str) -> bool {
        let named = |name: &String| Pattern::new(name).is_ok_and(|pattern| pattern.matches(variant));
        self.selection.all || self.selection.matrix || self.selection.names.iter().any(named)
    }

    /// Keeps the variants that are wanted, the two that ratios need and the limits they are set against.
    ///
    /// # Errors
    /// A name or pattern that no variant has; cross tables of a sample that has none.
    pub fn select(&mut self) -> Result<()> {
        let wanted = self.selection.clone();
        ensure!(
            !wanted.matrix || self.matrix.is_some(),
            "this sample has no cross table: leave --matrix out"
        );
        self.matrix_is_shown |= wanted.matrix;
        let mut kept = self.selected(&wanted)?.into_iter();
        self.variants.retain(|_| kept.next().unwrap_or_default());
        ensure!(!self.variants.is_empty(), "--without leaves no variant");
        // A record names no reference that it has no row of.
        for reference in [&mut self.bound, &mut self.baseline] {
            reference.keep(|name| self.variants.iter().any(|v| v.name == name));
        }
        Ok(())
    }

    /// Which variants run where nobody asks for any, in the order of their declaration: with all of them
    /// declared, what a plain run keeps.
    pub fn default_selection(&self) -> Result<Vec<bool>> {
        self.selected(&Selection::default())
    }

    /// Which variants are kept, in the order of their declaration.
    fn selected(&self, wanted: &Selection) -> Result<Vec<bool>> {
        let patterns = self.patterns(&wanted.names)?;
        let chosen = |v: &Variant| match () {
            () if wanted.all => true,
            () if wanted.matrix => v.cell.is_some(),
            () if patterns.is_empty() => !v.on_request,
            () => patterns.iter().any(|p| p.matches(&v.name)),
        };
        let mut references: Vec<String> = self.references().cloned().collect();
        let kept = |v: &&Variant| chosen(v) || references.contains(&v.name);
        let limits =
            |v: &Variant| -> Vec<String> { v.declared.costs().map(|cost| cost.variant.to_owned()).collect() };
        let limits: Vec<String> = self.variants.iter().filter(kept).flat_map(limits).collect();
        references.extend(limits);
        let without = self.patterns(&wanted.without)?;
        let left_out = |v: &Variant| without.iter().any(|p| p.matches(&v.name));
        let kept = |v: &Variant| (chosen(v) || references.contains(&v.name)) && !left_out(v);
        Ok(self.variants.iter().map(kept).collect())
    }

    /// What to ask for in place of `name`.
    fn offer(&self, name: &str) -> String {
        let mut names: Vec<&str> = self.variants.iter().map(|v| &*v.name).collect();
        // One that nobody wants may have been declared all the same, beside one that shares its buffers.
        names.extend(self.unbuilt.iter().map(String::as_str).filter(|&name| self.position(name).is_none()));
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
            let declared = self.variants.iter().map(|v| &v.name);
            if !declared.chain(&self.unbuilt).any(|name| pattern.matches(name)) {
                bail!("no variant is called '{name}'; {}", self.offer(name));
            }
            Ok(pattern)
        };
        names.iter().map(pattern).collect()
    }
}

#[cfg(test)]
mod tests {
    use vulkan::gpu::{Gpu, OpenOptions};

    use super::super::LabOptions;
    use super::*;

    fn wanted(names: &[&str], all: bool) -> Vec<&'static str> {
        let names = names.iter().map(|&name| name.to_owned()).collect();
        let selection = Selection { names, all, ..Selection::default() };
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let mut lab = Lab::new(gpu, &LabOptions { selection, ..LabOptions::default() });
        lab.by_default(["base", "usual"]);
        lab.baseline("base");
        ["base", "usual", "rare"].into_iter().filter(|name| lab.wants(name)).collect()
    }

    #[test]
    fn references_and_what_is_asked_for_are_built() {
        assert_eq!(wanted(&[], false), ["base", "usual"]);
        assert_eq!(wanted(&["ra*"], false), ["base", "rare"]);
        assert_eq!(wanted(&[], true), ["base", "usual", "rare"]);
    }

    #[test]
    fn what_runs_by_default_is_known_where_all_is_wanted() {
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let selection = Selection { all: true, ..Selection::default() };
        let mut lab = Lab::new(gpu, &LabOptions { selection, ..LabOptions::default() });
        lab.by_default(["usual"]);
        lab.baseline("base");
        for name in ["base", "usual", "rare", record::COPY_LIMIT, record::FMA_LIMIT] {
            lab.variant(name, |_, _| {});
        }
        lab.variants[1].moves(8);
        lab.select().unwrap();
        assert_eq!(lab.default_selection().unwrap(), [true, true, false, true, false]);
    }

    #[test]
    fn what_is_not_built_is_offered() {
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let mut lab = Lab::new(gpu, &LabOptions::default());
        lab.by_default(["usual"]);
        assert!(!lab.wants("rare_one"));
        lab.variant("usual", |_, _| {});
        assert!(lab.variant("other", |_, _| {}).on_request);
        assert_eq!(lab.offer("rare"), "'rare*' takes all that begin so");
        assert_eq!(lab.offer("x"), "there are usual, other, rare_one");
        lab.variant("rare_one", |_, _| {});
        assert_eq!(lab.offer("x"), "there are usual, other, rare_one", "declared beside another");
    }

    #[test]
    fn what_is_not_built_may_be_left_out() {
        let strings = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let selection =
            Selection { names: strings(&["usual"]), without: strings(&["rare*"]), ..Selection::default() };
        let gpu = Gpu::open(&OpenOptions::default()).unwrap();
        let mut lab = Lab::new(gpu, &LabOptions { selection, ..LabOptions::default() });
        assert!(lab.wants("usual") && !lab.wants("rare_one"));
        lab.variant("usual", |_, _| {});
        lab.select().unwrap();
        assert_eq!(lab.variants.len(), 1);
    }

    #[test]
    fn a_name_that_is_none_is_told_where_nothing_is_wanted() {
        let names = vec!["none_such".to_owned()];
        let options =
            LabOptions { selection: Selection { names, ..Selection::default() }, ..LabOptions::default() };
        let mut lab = Lab::new(Gpu::open(&OpenOptions::default()).unwrap(), &options);
        assert!(!lab.wants("usual"));
        lab.validate().unwrap();
        let error = lab.select().unwrap_err().to_string();
        assert_eq!(error, "no variant is called 'none_such'; there are usual");
    }
}
