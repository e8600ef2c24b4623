//! What a check says of one variant.

use std::fmt::Write as _;

use record::Promise;

use super::{Checked, Findings, line};
use crate::lab::Lab;
use crate::variant::Variant;

pub(super) fn conclude(checked: &mut Checked, lab: &Lab, v: usize, findings: Findings, not_run: &str) {
    let variant = &lab.variants[v];
    if findings.problems.is_empty() {
        let seen = if not_run.is_empty() {
            format!("{}, {}", result(lab, variant, &findings), alarms(variant, findings.alarms))
        } else {
            format!("not submitted as recorded, since {not_run}")
        };
        line(checked, &variant.name, &format!("ok: {seen}, {}", orders(&findings)));
        return;
    }
    line(checked, &variant.name, "FAILED");
    checked.failed += 1;
    for problem in findings.problems {
        let _ = writeln!(checked.report, "    {problem}");
    }
}

fn result(lab: &Lab, variant: &Variant, findings: &Findings) -> String {
    match (&variant.promise, findings.wrong) {
        _ if lab.checks.is_empty() => "no output compared".into(),
        (_, 0) => "every element right".into(),
        (Promise::Fault { .. }, _) => "just the texels of its fault wrong".into(),
        (_, wrong) => format!("{wrong} racy texels, as it may"),
    }
}

fn alarms(variant: &Variant, alarms: usize) -> String {
    match alarms {
        0 => "validation silent".to_owned(),
        _ if matches!(variant.promise, Promise::Nothing { .. }) => "its hazard was reported".to_owned(),
        1 => "validation silent beyond 1 listed alarm".to_owned(),
        n => format!("validation silent beyond {n} listed alarms"),
    }
}

fn orders(findings: &Findings) -> String {
    let tried = match (findings.orders, findings.possible) {
        (tried, possible) if tried < possible => format!("{tried} (of {possible}) other orders"),
        (1, _) => "1 other order".into(),
        (tried, _) => format!("{tried} other orders"),
    };
    match (findings.orders, findings.wrong_orders) {
        (0, _) => "its dispatches have one order".into(),
        (_, 0) => format!("right in {tried}"),
        (_, wrong) => format!("wrong in {wrong} of {tried}, as it must"),
    }
}
