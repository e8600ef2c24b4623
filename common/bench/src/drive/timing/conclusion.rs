//! What a run's rows say: the headline, and the sample's further conclusions.

use record::figures::{Figures, Time};
use record::{Headline, Holds, Promise, Row, Status, is_limit};

use crate::lab::{Lab, fastest};

/// What the rows say of the sample's claim. A sample that states none claims that something beats its usual way.
#[must_use]
pub fn headline(lab: &Lab, rows: &[Row]) -> Headline {
    let figures = Figures::new(rows);
    let stated = lab.report.headline.as_ref().map(|state| state(&figures));
    let headline = stated.unwrap_or_else(|| best(lab, rows));
    if lab.device().is_cpu() { headline.on_a_cpu(answers(rows)) } else { headline }
}

/// The sample's further conclusions; `None` on a CPU device.
#[must_use]
pub fn verdict(lab: &Lab, rows: &[Row]) -> Option<String> {
    let verdict = lab.report.verdict.as_ref().filter(|_| !lab.device().is_cpu())?;
    verdict(&Figures::new(rows))
}

/// The fastest variant that is correct by the specification, beside the usual way.
fn best(lab: &Lab, rows: &[Row]) -> Headline {
    let figures = Figures::new(rows);
    let row = |name: &str| rows.iter().find(|row| row.variant == name);
    let usual = fastest(&lab.report.baseline, |name| Some(row(name)?.isolated_us?.median)).and_then(row);
    let Some(usual) = usual else { return Headline::of("the sample states no claim") };
    let headline = Headline::of(format!("something beats {}", usual.label()));
    let others = rows.iter().filter(|row| row.promise == Promise::Law && row.variant != usual.variant);
    let ratios = others.filter_map(|row| Some((row, row.to_baseline?)));
    let Some((best, _)) = ratios.min_by(|a, b| a.1.median.total_cmp(&b.1.median)) else { return headline };
    let pair = [&*best.variant, &*usual.variant];
    headline.test_ratio(&figures, Time::Isolated, pair, &Holds::FASTER, |times| {
        format!("{} takes {times} as long as {}", best.label(), usual.label())
    })
}

/// `12 of 12 variants gave the expected answer`.
fn answers(rows: &[Row]) -> String {
    // Of a variant that nothing checks, nothing is known.
    let checked = |row: &&Row| {
        let is_wrong = matches!(row.status, Status::Wrong { .. } | Status::Error { .. });
        !is_limit(&row.variant) && (row.racy.is_some() || is_wrong)
    };
    let expected = |row: &&Row| {
        let may_race = matches!(row.promise, Promise::Nothing { .. } | Promise::Fault { .. });
        row.status == Status::Ok && (may_race || row.racy.is_none_or(|racy| racy.racy_samples == 0))
    };
    let of = rows.iter().filter(checked).count();
    if of == 0 {
        return "no variant was checked".into();
    }
    let expected = rows.iter().filter(checked).filter(expected).count();
    format!("{expected} of {of} variants gave the expected answer")
}

#[cfg(test)]
mod tests {
    use record::{Outcome, fixture};

    use super::*;
    use crate::lab::LabOptions;

    #[test]
    fn a_cpu_device_tells_of_answers_alone() {
        let rows = fixture::record().rows;
        let mut lab = Lab::for_test(true, &LabOptions::default());
        lab.report.headline(|_| Headline::of("a claim").published(Some("talk: 2x".into())));
        let headline = headline(&lab, &rows);
        assert_eq!(
            (&*headline.claim, headline.outcome, headline.value),
            ("a claim", Outcome::SaysNothing, None)
        );
        assert_eq!(headline.finding, "6 of 8 variants gave the expected answer");
        assert_eq!(verdict(&lab, &rows), None);
        assert_eq!(answers(&[]), "no variant was checked");
    }

    #[test]
    fn a_sample_without_a_claim_compares_with_its_usual_way() {
        let rows = fixture::record().rows;
        let mut lab = Lab::for_test(false, &LabOptions::default());
        assert_eq!(best(&lab, &rows).outcome, Outcome::Undecided);
        lab.report.baseline = vec!["full_barrier".into()];
        let best = best(&lab, &rows);
        assert_eq!(best.finding, "image barriers takes 0.996x as long as full barrier");
        assert_eq!((&*best.claim, best.outcome), ("something beats full barrier", Outcome::DoesNotHold));
    }
}
