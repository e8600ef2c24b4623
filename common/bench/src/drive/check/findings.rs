//! Findings of the checks of one variant, and their summary in words.

use record::Promise;

use crate::drive::tour::Said;
use crate::lab::Lab;
use crate::variant::Variant;

/// Findings of the checks of one variant.
#[derive(Default)]
pub(super) struct Findings {
    /// Most wrong elements in a sample.
    pub wrong: u64,
    /// How many other orders of the dispatches were tried, how many are possible, and how many gave a wrong result.
    pub orders: usize,
    pub possible: usize,
    pub wrong_orders: usize,
    /// Number of message ids that were raised, expected or not.
    pub messages: usize,
    pub problems: Vec<String>,
}

impl Findings {
    /// A summary in words; `not_run` says why the variant was not submitted as recorded.
    pub fn said(self, lab: &Lab, variant: &Variant, not_run: Option<&str>) -> Said {
        if !self.problems.is_empty() {
            return Said::listed(self.problems);
        }
        let seen = match not_run {
            None => format!("{}, {}", self.result(lab, variant), self.messages(variant)),
            Some(reason) => format!("not submitted as recorded, since {reason}"),
        };
        Said::Fine(format!("ok: {seen}, {}", self.orders()))
    }

    fn result(&self, lab: &Lab, variant: &Variant) -> String {
        match (&variant.promise, self.wrong) {
            _ if lab.checks.is_empty() => "no result to compare".into(),
            (_, 0) => "correct".into(),
            (Promise::Fault { .. }, _) => "only the texels of its seeded bug wrong".into(),
            (_, wrong) => format!("{wrong} wrong pixels (expected)"),
        }
    }

    fn messages(&self, variant: &Variant) -> String {
        match self.messages {
            0 => "no message".to_owned(),
            _ if matches!(variant.promise, Promise::Nothing { .. }) => "race reported".to_owned(),
            1 => "1 expected message".to_owned(),
            n => format!("{n} expected messages"),
        }
    }

    fn orders(&self) -> String {
        let tried = match (self.orders, self.possible) {
            (tried, possible) if tried < possible => format!("{tried} (of {possible}) other orders"),
            (1, _) => "1 other order".into(),
            (tried, _) => format!("{tried} other orders"),
        };
        match (self.orders, self.wrong_orders) {
            (0, _) => "only one order".into(),
            (_, 0) => format!("correct in {tried}"),
            (_, wrong) => format!("race found in {wrong} of {tried} (expected)"),
        }
    }
}
