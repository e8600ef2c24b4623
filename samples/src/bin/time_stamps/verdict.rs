//! What the timestamps mean.

use common::{Figures, Headline, Holds, Time, stage_name};
use samples::words::published;

use crate::STAGES;
use crate::lands::Lands;

/// More than this in µs is worth a word.
const MUCH_US: f64 = 1.0;

/// Whether a dispatch that could overlap another does so with a timestamp between them.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let claim = Headline::of("an ALL_COMMANDS timestamp lets two dispatches overlap");
    let Some(without) = overlaps(figures) else { return claim };
    let with = figures.metric(&variant(Lands::Second, "all"));
    claim.test(with, &Holds::Below(without + MUCH_US), |with| {
        format!("a timestamp delays the next dispatch from {without:.2} to {with}")
    })
}

/// When the second of two dispatches starts without a timestamp, if it overlaps the first then.
fn overlaps(figures: &Figures<'_>) -> Option<f64> {
    let both = figures.us(Time::Isolated, &variant(Lands::Second, "unstamped"))?;
    // Half is when it starts that waits for the first.
    us(figures, Lands::Second, "unstamped").filter(|start| *start < 0.25 * both)
}

/// A line for each question.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = [held_up(figures), behind(figures), barrier(figures), cost(figures), before(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn variant(lands: Lands, stage: &str) -> String {
    format!("{}_{stage}", lands.name())
}

fn us(figures: &Figures<'_>, lands: Lands, stage: &str) -> Option<f64> {
    Some(figures.metric(&variant(lands, stage))?.median)
}

/// The times of all stages that were measured, with Vulkan's names.
fn times(figures: &Figures<'_>, lands: Lands) -> Vec<(String, f64)> {
    let time = |(name, stage)| Some((stage_name(stage), us(figures, lands, name)?));
    STAGES.into_iter().filter_map(time).collect()
}

/// How long after the first a second dispatch starts that could overlap it.
fn held_up(figures: &Figures<'_>) -> Option<String> {
    let without = overlaps(figures)?;
    let starts = listed(&groups(times(figures, Lands::Second)), Group::range)?;
    Some(format!(
        "With a timestamp between two dispatches the second starts so long after the first: {starts}; without one {without:.2} µs."
    ))
}

/// When timestamps are taken that have work before them.
fn behind(figures: &Figures<'_>) -> Option<String> {
    let taken = listed(&groups(times(figures, Lands::Behind)), Group::around_the_end)?;
    Some(format!("Behind work a timestamp is taken {taken}."))
}

/// When timestamps are taken that have work and a barrier before them.
fn barrier(figures: &Figures<'_>) -> Option<String> {
    let taken = listed(&groups(times(figures, Lands::Barrier)), Group::around_the_end)?;
    let blade = published("blade", "top_of_pipe/early");
    let blade = blade.map_or_else(String::new, |us| {
        format!(" kvark/blade: TOP_OF_PIPE about {us} µs early on an Arc B570.")
    });
    Some(format!("Behind work and a barrier it is taken {taken}.{blade}"))
}

/// What a timestamp costs where a barrier makes the next dispatch wait in any case.
fn cost(figures: &Figures<'_>) -> Option<String> {
    let [with, without] = ["all", "unstamped"].map(|stage| us(figures, Lands::Gap, stage));
    let (with, without) = (with?, without?);
    Some(format!(
        "Between two dispatches with a barrier are {without:.2} µs, with ALL_COMMANDS too {with:.2} µs."
    ))
}

fn before(figures: &Figures<'_>) -> Option<String> {
    let starts = listed(&groups(times(figures, Lands::Before)), Group::range)?;
    Some(format!("Behind a timestamp work starts after {starts}."))
}

/// Stages with times in µs that are close together.
struct Group {
    stages: Vec<String>,
    least: f64,
    most: f64,
}

impl Group {
    fn range(&self) -> String {
        let [least, most] = [self.least, self.most].map(|us| format!("{us:.2}"));
        if least == most { format!("{least} µs") } else { format!("{least} to {most} µs") }
    }

    fn around_the_end(&self) -> String {
        if self.most > 0.0 {
            return format!("{} after its end", self.range());
        }
        let turned = Self { stages: Vec::new(), least: -self.most, most: -self.least };
        format!("{} before its end", turned.range())
    }
}

/// The stages in groups: times of two groups differ by more than a microsecond.
fn groups(mut times: Vec<(String, f64)>) -> Vec<Group> {
    times.sort_by(|a, b| a.1.total_cmp(&b.1));
    let groups = times.chunk_by(|a, b| b.1 - a.1 <= MUCH_US);
    let group = |group: &[(String, f64)]| {
        let stages = group.iter().map(|(stage, _)| stage.clone()).collect();
        Some(Group { stages, least: group.first()?.1, most: group.last()?.1 })
    };
    groups.filter_map(group).collect()
}

/// What is told of each group, and its stages. Those of the largest are not named.
fn listed(groups: &[Group], told: impl Fn(&Group) -> String) -> Option<String> {
    let largest = groups.iter().map(|group| group.stages.len()).max()?;
    let one = |group: &Group| {
        let stages = match group.stages.len() {
            count if count < largest => group.stages.join(" or "),
            _ if groups.len() == 1 => "every stage".into(),
            _ => "every other stage".into(),
        };
        format!("{} ({stages})", told(group))
    };
    Some(groups.iter().map(one).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::stats::Interval;
    use common::record::{Outcome, Record, Row};

    use super::*;

    fn recorded() -> Record {
        samples::recorded("2026-11-28-nvidia-h200/time_stamps").unwrap()
    }

    /// Lines of the verdict, with other times for some variants.
    fn lines(others: &[(&str, f64)]) -> Vec<String> {
        let mut record = recorded();
        for (name, median) in others {
            let row = record.rows.iter_mut().find(|row| row.variant == *name).unwrap();
            row.metric.as_mut().unwrap().figure.median = *median;
        }
        verdict(&Figures::new(&record.rows)).unwrap().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = recorded();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "a timestamp delays the next dispatch from 0.06 to 69.7 µs");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::DoesNotHold);
        assert_eq!(
            lines(&[]),
            [
                "With a timestamp between two dispatches the second starts so long after the first: 0.90 µs (NONE or TOP_OF_PIPE), 69.66 to \
                 69.70 µs (every other stage); without one 0.06 µs.",
                "Behind work a timestamp is taken 67.39 µs before its end (NONE or TOP_OF_PIPE), 1.41 to 1.44 µs after its end (every other stage).",
                "Behind work and a barrier it is taken 1.38 to 1.54 µs after its end (every stage). kvark/blade: TOP_OF_PIPE about 645 µs \
                 early on an Arc B570.",
                "Between two dispatches with a barrier are 1.82 µs, with ALL_COMMANDS too 2.56 µs.",
                "Behind a timestamp work starts after 1.15 µs (every stage).",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    #[test]
    fn where_dispatches_overlap_the_claim_holds() {
        let mut record = recorded();
        let seconds = |row: &&mut Row| row.variant.starts_with("second_");
        for row in record.rows.iter_mut().filter(seconds) {
            let figure = &mut row.metric.as_mut().unwrap().figure;
            (figure.median, figure.median_95) =
                (0.5, figure.median_95.map(|_| Interval { low: 0.4, high: 0.6 }));
        }
        assert_eq!(headline(&Figures::new(&record.rows)).outcome, Outcome::Holds);
        let line = held_up(&Figures::new(&record.rows)).unwrap();
        assert!(line.contains(": 0.50 µs (every stage); without one 0.50 µs"), "{line}");
    }

    /// A device that runs one dispatch after the other says nothing of the claim.
    #[test]
    fn where_nothing_overlaps_the_claim_is_not_tested() {
        let mut record = recorded();
        let row = record.rows.iter_mut().find(|row| row.variant == "second_unstamped").unwrap();
        row.metric.as_mut().unwrap().figure.median = 69.0;
        row.isolated_us.as_mut().unwrap().median = 139.0;
        let figures = Figures::new(&record.rows);
        assert_eq!((headline(&figures).outcome, held_up(&figures)), (Outcome::Undecided, None));
    }

    #[test]
    fn a_timestamp_that_is_early_behind_a_barrier_is_named() {
        let early = lines(&[("barrier_top", -645.0)]);
        assert!(
            early[2].contains(" 645.00 µs before its end (TOP_OF_PIPE), 1.38 to 1.54 µs after"),
            "{early:?}"
        );
    }
}
