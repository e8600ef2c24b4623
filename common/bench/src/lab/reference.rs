//! The variants that all others are divided by.

/// One variant, or the fastest of several, which only a run can tell.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    names: Vec<String>,
}

impl Reference {
    pub(crate) fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { names: names.into_iter().map(Into::into).collect() }
    }

    /// A variant is one of those that are in question.
    pub fn holds(&self, variant: &str) -> bool {
        self.names.iter().any(|name| name == variant)
    }

    /// All that are in question.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }

    /// The one with the least time; the first of them where none has one.
    pub fn fastest(&self, time: impl Fn(&str) -> Option<f64>) -> Option<&str> {
        let timed = self.names.iter().filter_map(|name| Some((name, time(name)?)));
        let fastest = timed.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name);
        fastest.or(self.names.first()).map(String::as_str)
    }

    /// Forgets those that do not run.
    pub fn keep(&mut self, runs: impl Fn(&str) -> bool) {
        self.names.retain(|name| runs(name));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_that_has_a_time_is_taken() {
        let mut reference = Reference::of(["a", "b", "c"]);
        let times = |name: &str| match name {
            "b" => Some(2.0),
            "c" => Some(3.0),
            _ => None,
        };
        assert_eq!(reference.fastest(times), Some("b"));
        assert_eq!(reference.fastest(|_| None), Some("a"));
        reference.keep(|name| name == "c");
        assert_eq!((reference.fastest(times), reference.holds("b")), (Some("c"), false));
        assert_eq!(Reference::default().fastest(times), None);
    }
}
