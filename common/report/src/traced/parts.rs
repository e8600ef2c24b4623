//! Sums up where the time of dispatches with parts is spent: one paragraph per variant.

use record::Record;

use super::super::dispatch_parts::{early, shares};
use super::taken::Taken;
use crate::format::percent;

pub(super) fn paragraphs(record: &Record, taken: &[Taken<'_>]) -> Vec<String> {
    let knows_slots = record.device.multiprocessors.is_some();
    taken.iter().filter_map(|taken| paragraph(taken, knows_slots)).collect()
}

fn paragraph(Taken { row, figures, .. }: &Taken<'_>, knows_slots: bool) -> Option<String> {
    let shares = shares(figures)?;
    let early = early(figures).map_or_else(String::new, |early| format!("{early}. "));
    let idle = percent(figures.whole.idle);
    let idle = if knows_slots {
        format!("{idle} of the device's wave slots were empty")
    } else {
        format!("Waves in flight were {idle} below their peak on average")
    };
    Some(format!("{}: {early}Of its waves' time: {shares}. {idle}.", row.label()))
}
