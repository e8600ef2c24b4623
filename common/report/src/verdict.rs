//! The verdict of a record: the cost of the baseline, and whether an alternative is faster.

use record::stats::Summary;
use record::{Kind, Promise, Record, Row, is_limit};

use super::format::{measured, times, word};

/// One sentence each for the baseline, the fastest alternative that is correct by the Vulkan specification, and the
/// fastest one that relies on hardware. `None` for a CPU device, whose times are meaningless.
pub(super) fn verdict(record: &Record) -> Option<String> {
    let (bound, baseline) = (record.bound.as_ref()?, record.baseline.as_ref()?);
    if record.device.kind == Kind::Cpu {
        return None;
    }
    let cost =
        record.rows.iter().find(|row| row.variant == *baseline).filter(|row| measured(row))?.to_bound?;
    let mut text = format!("In short: {baseline} takes {} {bound}.", times(&cost));
    let lawful = record.rows.iter().filter(|row| row.promise == Promise::Law && row.variant != *baseline);
    let relying = record.rows.iter().filter(|row| matches!(row.promise, Promise::Hardware { .. }));
    let best =
        [("lawful alternative", fastest(lawful)), ("alternative that relies on hardware", fastest(relying))];
    for (kind, found) in best {
        if let Some((row, ratio)) = found {
            text += &format!(
                " The fastest {kind}, {}, takes {} {baseline}: {}.",
                row.variant,
                times(&ratio),
                word(&ratio)
            );
        }
    }
    Some(text)
}

/// The row with the smallest ratio to the baseline. Rows with races are not compared, nor are the device's own
/// limits, which do other work.
fn fastest<'a>(rows: impl Iterator<Item = &'a Row>) -> Option<(&'a Row, Summary)> {
    rows.filter(|row| {
        measured(row) && !is_limit(&row.variant) && row.racy.is_none_or(|r| r.racy_samples == 0)
    })
    .filter_map(|row| Some((row, row.to_baseline?)))
    .min_by(|(_, a), (_, b)| a.median.total_cmp(&b.median))
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    fn ratio(values: impl Iterator<Item = f64>) -> Option<Summary> {
        Summary::of(&values.collect::<Vec<_>>())
    }

    #[test]
    fn says_what_is_slower_and_what_is_not_known() {
        let mut record = fixture::record();
        let near = |centre: f64| ratio((0..20).map(move |i| centre + (f64::from(i) - 9.5) / 200.0));
        record.rows[0].to_bound = near(1.31);
        record.rows[1].to_baseline = near(1.2);
        record.rows[2].to_baseline = near(1.0);
        record.rows[3].to_baseline = near(1.5);
        let text = verdict(&record).unwrap();
        assert!(
            text.starts_with("In short: full_barrier takes 1.31 times (1.29 to 1.33) no_barrier."),
            "{text}"
        );
        assert!(text.contains("image_barriers, takes 1.20 times") && text.contains(": slower."), "{text}");
        assert!(text.contains("split_barriers, takes 1.00 times"), "{text}");
        assert!(text.ends_with("full_barrier: no difference shown."), "{text}");
    }

    #[test]
    fn a_variant_that_raced_is_no_alternative() {
        let mut record = fixture::record();
        record.rows[0].to_bound = ratio([1.0, 1.1].into_iter());
        for row in &mut record.rows[1..] {
            row.promise = Promise::Nothing { leaves_out: String::new() };
        }
        record.rows[2].promise = Promise::Hardware { relies_on: String::new() };
        record.rows[2].racy.as_mut().unwrap().racy_samples = 1;
        assert!(!verdict(&record).unwrap().contains("split_barriers"));
    }

    #[test]
    fn a_limit_is_no_alternative() {
        let mut record = fixture::record();
        record.rows[0].to_bound = ratio([1.0, 1.1].into_iter());
        record.rows[1].to_baseline = ratio([0.5; 20].into_iter());
        assert!(verdict(&record).unwrap().contains("lawful alternative, image_barriers,"));
        record.rows[1].variant = record::COPY_LIMIT.into();
        assert!(!verdict(&record).unwrap().contains("copy_limit"));
    }

    #[test]
    fn a_cpu_device_gets_none() {
        assert_eq!(verdict(&fixture::cpu()), None);
    }
}
