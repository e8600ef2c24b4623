//! The table of what drivers do with an event, as read in their source.

use anyhow::Result;
use record::event_drivers::{Drains, Driver, Form, drivers};

use super::block::{Made, cell};

const FORMS: [(Form, &str); 4] = [
    (Form::Sync2NoAccess, "sync2, no access, coherent stores"),
    (Form::Sync2, "sync2, with accesses"),
    (Form::Sync1, "sync1"),
    (Form::Asymmetric, "asymmetric"),
];

/// A row per driver: where each form of event drains the GPU, and the release that was read.
///
/// # Errors
/// If the file of the drivers has another format.
pub(super) fn expected() -> Result<Made> {
    let heads = FORMS.map(|(_, head)| head).join(" | ");
    let head = format!("| Driver | {heads} | Read in |\n|{}\n", "---|".repeat(FORMS.len() + 2));
    let body = drivers()?.iter().map(row).fold(head, |table, row| table + &row);
    Ok(Made { label: "events".into(), body, drawing: None })
}

fn row(driver: &Driver) -> String {
    let forms = FORMS.map(|(form, _)| {
        // The newest reading that has the form.
        let found = driver.readings.iter().rev().find_map(|reading| {
            let read = reading.forms.iter().find(|read| read.of.contains(&form))?;
            Some(drains(read.set, read.wait))
        });
        found.unwrap_or("–").to_owned()
    });
    let mut releases: Vec<&str> = driver.readings.iter().map(|reading| &*reading.read_in).collect();
    releases.dedup();
    let read_in = driver.unread.clone().unwrap_or_else(|| releases.join(", "));
    format!("| {} | {} | {} |\n", cell(&driver.name), forms.join(" | "), cell(&read_in))
}

fn drains(set: Drains, wait: Drains) -> &'static str {
    use Drains::{No, Unknown, Yes};
    match (set, wait) {
        (Yes, Yes) => "set and wait drain",
        (Yes, No) => "the set drains",
        (No, Yes) => "the wait drains",
        (No, No) => "**may overlap**",
        (Yes, Unknown) => "the set drains, the wait is open",
        (Unknown, Yes) => "the wait drains, the set is open",
        (No, Unknown) => "the set does not drain, the wait is open",
        (Unknown, No) => "the wait does not drain, the set is open",
        (Unknown, Unknown) => "open",
    }
}
