//! What an L2 hit and a miss cost in L1 hits, and how many hits hide them.

use common::record::Value;
use common::record::stats::Interval;
use common::{Figures, Headline, Holds};
use samples::words::published;

use crate::{HITS, WAVES, up_to_most};

const TALK: &str = "lottes2018";
/// A load is hidden if at most this share is left of the time that it adds to a turn without hits.
const HIDDEN: f64 = 0.1;
/// The loads: level, name, and key of what the talk computes.
const LOADS: [(&str, &str, &str); 2] =
    [("l2", "an L2 hit", "hidden/L2"), ("memory", "a miss", "hidden/memory")];

/// A time in ns.
#[derive(Clone, Copy)]
struct Nanoseconds {
    median: f64,
    interval: Option<Interval>,
}

impl Nanoseconds {
    /// What a turn takes.
    fn of(figures: &Figures<'_>, level: &str, waves: u32, hits: u32) -> Option<Self> {
        let row = figures.row(&format!("{level}_{waves}_{hits}"))?;
        let time = row.isolated_us?;
        let ns = |us| Some(row.per_unit(us)?.ns);
        let interval =
            time.median_95.map(|Interval { low, high }| Some(Interval { low: ns(low)?, high: ns(high)? }));
        Some(Self { median: ns(time.median)?, interval: interval.flatten() })
    }

    fn less(self, other: Self) -> Self {
        let interval = self.interval.zip(other.interval);
        let interval = interval.map(|(a, b)| Interval { low: a.low - b.high, high: a.high - b.low });
        Self { median: self.median - other.median, interval }
    }

    /// How many of another time, if that is known not to be 0.
    fn over(self, other: Self) -> Option<Value> {
        let of = other.interval.filter(|of| of.low > 0.0)?;
        let interval = self.interval.map(|own| Interval { low: own.low / of.high, high: own.high / of.low });
        Some(Value { median: self.median / other.median, interval, unit: "L1 hits".into() })
    }
}

/// What an L2 hit takes longer than an L1 hit, in L1 hits. `most`: waves that the device can run.
pub fn headline(figures: &Figures<'_>, most: u32) -> Headline {
    Headline::of("an L2 hit costs at most 5 L1 hits")
        .published(published(TALK, "hidden/L2").map(|hits| format!("talk: {hits} on GCN")))
        .test(cost(figures, "l2", most), &Holds::Below(5.0), |hits| format!("an L2 hit costs {hits}"))
}

/// A line for each number of waves, the most first, and what the loads cost.
pub fn verdict(figures: &Figures<'_>, most: u32) -> Option<String> {
    let costs = LOADS.iter().filter_map(|(level, name, key)| {
        let talk = published(TALK, key).map_or_else(String::new, |hits| format!(" (the talk: {hits})"));
        Some(format!("{name} costs {:.0} L1 hits{talk}", cost(figures, level, most)?.median))
    });
    let costs: Vec<String> = costs.collect();
    let costs = (!costs.is_empty()).then(|| format!("Beyond an L1 hit, {}.", costs.join(", and ")));
    let waves = WAVES.into_iter().rev().filter_map(|waves| line(figures, waves, most));
    let lines: Vec<String> = waves.chain(costs).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `With 16 waves 5 hits per wave hide an L2 hit, which takes as long as 4.6; 64 hits per wave leave …`
fn line(figures: &Figures<'_>, waves: u32, most: u32) -> Option<String> {
    let part = |(level, name, _): &(&str, &str, &str)| {
        let hidden = hidden(figures, level, name, waves)?;
        let whole = Nanoseconds::of(figures, level, 1, 0)?.over(per_hit(figures, most)?)?.median;
        Some(format!("{hidden}, which takes as long as {:.1}", whole / f64::from(waves)))
    };
    let parts: Vec<String> = LOADS.iter().filter_map(part).collect();
    let plural = if waves == 1 { "" } else { "s" };
    (!parts.is_empty()).then(|| format!("With {waves} wave{plural} {}.", parts.join("; ")))
}

/// `5 hits per wave hide an L2 hit`: the fewest from which on it is hidden.
/// `64 hits per wave leave 5.6 ns of a miss`: of one, since the waves share what is left of a turn.
fn hidden(figures: &Figures<'_>, level: &str, name: &str, waves: u32) -> Option<String> {
    let longer = |hits: u32| {
        let [load, l1] = [level, "l1"].map(|level| Nanoseconds::of(figures, level, waves, hits));
        Some(load?.less(l1?).median)
    };
    let limit = HIDDEN * longer(0)?;
    let left: Vec<(u32, f64)> = HITS
        .into_iter()
        .filter_map(|hits| Some((hits, longer(hits)?)))
        .filter(|(hits, _)| *hits > 0)
        .collect();
    let (most, last) = left.last()?;
    Some(match left.iter().rev().take_while(|(_, left)| *left <= limit).last() {
        Some((hits, _)) => format!("{hits} hits per wave hide {name}"),
        None => format!("{most} hits per wave leave {:.1} ns of {name}", last / f64::from(waves)),
    })
}

/// What a load takes longer than an L1 hit, over what another hit takes.
fn cost(figures: &Figures<'_>, level: &str, most: u32) -> Option<Value> {
    let [load, l1] = [level, "l1"].map(|level| Nanoseconds::of(figures, level, 1, 0));
    load?.less(l1?).over(per_hit(figures, most)?)
}

/// What another hit of a wave takes where nothing else takes time: with the most waves and hits.
fn per_hit(figures: &Figures<'_>, most: u32) -> Option<Nanoseconds> {
    let mut hits = up_to_most(&HITS, most).rev();
    let (many, few) = (hits.next()?, hits.next()?);
    let [with_many, with_few] = [many, few].map(|hits| Nanoseconds::of(figures, "l1", most, hits));
    let more = with_many?.less(with_few?);
    let each = f64::from(most * (many - few));
    let interval =
        more.interval.map(|Interval { low, high }| Interval { low: low / each, high: high / each });
    Some(Nanoseconds { median: more.median / each, interval })
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded() -> Record {
        samples::recorded("2026-11-28-nvidia-h200/hidden_latency").unwrap()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = recorded();
        let figures = Figures::new(&record.rows);
        let headline = headline(&figures, 32);
        assert_eq!(headline.finding, "an L2 hit costs 62.0 L1 hits");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::DoesNotHold);
        assert_eq!(headline.published.unwrap(), "talk: 4.75 on GCN");
        assert_eq!(
            verdict(&figures, 32).unwrap().lines().collect::<Vec<_>>(),
            [
                "With 32 waves 3 hits per wave hide an L2 hit, which takes as long as 2.3; \
                 32 hits per wave leave 3.7 ns of a miss, which takes as long as 5.3.",
                "With 16 waves 5 hits per wave hide an L2 hit, which takes as long as 4.6; \
                 64 hits per wave leave 4.3 ns of a miss, which takes as long as 10.5.",
                "With 4 waves 64 hits per wave leave 19.6 ns of an L2 hit, which takes as long as 18.5; \
                 64 hits per wave leave 61.9 ns of a miss, which takes as long as 42.1.",
                "With 1 wave 64 hits per wave leave 54.8 ns of an L2 hit, which takes as long as 74.1; \
                 64 hits per wave leave 247.1 ns of a miss, which takes as long as 168.4.",
                "Beyond an L1 hit, an L2 hit costs 62 L1 hits (the talk: 4.75), and a miss costs 156 L1 hits (the talk: 14.75).",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[]), 32), None);
    }

    /// What a hit costs is known of the most waves alone.
    #[test]
    fn without_the_most_waves_nothing_is_claimed() {
        let mut record = recorded();
        record.rows.retain(|row| !row.variant.contains("_32_"));
        let figures = Figures::new(&record.rows);
        assert_eq!(headline(&figures, 32).outcome, Outcome::Undecided);
        assert_eq!(verdict(&figures, 32), None);
        assert_eq!(headline(&figures, 16).outcome, Outcome::DoesNotHold);
    }

    /// Too few samples give a median and no interval.
    #[test]
    fn without_an_interval_nothing_is_claimed() {
        let mut record = recorded();
        let row = record.rows.iter_mut().find(|row| row.variant == "l1_32_32").unwrap();
        row.isolated_us.as_mut().unwrap().median_95 = None;
        assert_eq!(headline(&Figures::new(&record.rows), 32).outcome, Outcome::Undecided);
    }
}
