//! The headline of a run: what it found of the sample's claim, in one line.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::figures::{Figures, Time};
use crate::stats::{Interval, Summary};

/// Longest claim and longest finding, in characters.
pub const LONGEST: usize = 60;

/// What a run found of the claim that its sample tests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Headline {
    /// The claim, at most 60 characters: `events in place of barriers save time`.
    pub claim: String,
    /// What this run found, at most 60 characters: `events take 1.32x as long as a barrier`.
    pub finding: String,
    /// The figure in the finding, where it has one.
    pub value: Option<Value>,
    /// The figure of the claim's source, with the source's name: `talk: 0.79x`.
    pub published: Option<String>,
    /// Whether the claim holds on this device.
    pub outcome: Outcome,
    /// The variants that the figure compares, where it compares times.
    #[serde(default)]
    pub compared: Option<Compared>,
}

/// Two variants, and the time by which a figure compares them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Compared {
    /// The variant that the figure is about.
    pub variant: String,
    /// The variant beside it: 1.00x.
    pub other: String,
    /// Which of their times.
    pub time: Time,
}

/// A figure with its interval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Value {
    /// Median.
    pub median: f64,
    /// 95 % interval of the median; `None` where there were too few samples.
    pub interval: Option<Interval>,
    /// `x` for a ratio, else the unit.
    pub unit: String,
}

/// Whether a claim holds on the device of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The interval lies where the claim says.
    Holds,
    /// The interval lies where the claim says that it does not.
    DoesNotHold,
    /// The interval lies on both sides, or there is none.
    Undecided,
    /// A run on a CPU device says nothing about a GPU.
    SaysNothing,
}

impl Outcome {
    /// The words shown to users.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Undecided => "undecided",
            Self::SaysNothing => "not tested",
        }
    }

    /// One character for tables.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Holds => "✓",
            Self::DoesNotHold => "✗",
            Self::Undecided => "?",
            Self::SaysNothing => "–",
        }
    }
}

/// Where the interval of a figure has to lie for a claim to hold.
#[derive(Clone, Debug, PartialEq)]
pub enum Holds {
    /// Below this figure; above it the claim does not hold.
    Below(f64),
    /// Above this figure; below it the claim does not hold.
    Above(f64),
    /// Outside of this range; within it the claim does not hold.
    Outside(RangeInclusive<f64>),
}

impl Holds {
    /// For a ratio of times: at least 1 % less time. Two processes that run one program differ by almost as much.
    pub const FASTER: Self = Self::Below(0.99);
    /// For a ratio of times: at least 1 % more time.
    pub const SLOWER: Self = Self::Above(1.01);

    fn outcome(&self, interval: Option<Interval>) -> Outcome {
        let Some(Interval { low, high }) = interval else { return Outcome::Undecided };
        let (holds, fails) = match self {
            Self::Below(limit) => (high < *limit, low > *limit),
            Self::Above(limit) => (low > *limit, high < *limit),
            Self::Outside(range) => {
                (high < *range.start() || low > *range.end(), range.contains(&low) && range.contains(&high))
            }
        };
        match (holds, fails) {
            (true, _) => Outcome::Holds,
            (_, true) => Outcome::DoesNotHold,
            _ => Outcome::Undecided,
        }
    }
}

impl Headline {
    /// A claim that is not tested yet.
    #[must_use]
    pub fn of(claim: impl Into<String>) -> Self {
        Self {
            claim: claim.into(),
            finding: "not measured: a variant that the claim needs has no time".into(),
            value: None,
            published: None,
            outcome: Outcome::Undecided,
            compared: None,
        }
    }

    /// Tests the claim by a figure; without one it stays undecided. `finding` words the result, given the figure as
    /// text: `1.32x`, `2.5 µs`.
    #[must_use]
    pub fn test(self, value: Option<Value>, holds: &Holds, finding: impl FnOnce(&str) -> String) -> Self {
        let Some(value) = value else { return self };
        let outcome = holds.outcome(value.interval);
        Self { finding: finding(&value.text()), outcome, value: Some(value), ..self }
    }

    /// Tests the claim by a time of one variant over that of another; if a time is missing it stays undecided.
    #[must_use]
    pub fn test_ratio<'v>(
        self,
        figures: &Figures<'_>,
        time: Time,
        pair: impl Into<Option<[&'v str; 2]>>,
        holds: &Holds,
        finding: impl FnOnce(&str) -> String,
    ) -> Self {
        let Some(pair) = pair.into() else { return self };
        let ratio = figures.ratio_of(time, pair[0], pair[1]);
        self.test(ratio.as_ref().map(Value::ratio), holds, finding).compares(pair, time)
    }

    /// Names the variants that the figure compares, if there is a figure.
    #[must_use]
    pub fn compares(self, [variant, other]: [&str; 2], time: Time) -> Self {
        let compared = Compared { variant: variant.to_owned(), other: other.to_owned(), time };
        Self { compared: self.value.is_some().then_some(compared), ..self }
    }

    /// The figure of the claim's source, with the source's name: `talk: 0.79x`.
    #[must_use]
    pub fn published(self, figure: Option<String>) -> Self {
        Self { published: figure, ..self }
    }

    /// A finding that says nothing about the claim, because the device is a CPU.
    #[must_use]
    pub fn on_a_cpu(self, finding: String) -> Self {
        Self { finding, value: None, compared: None, outcome: Outcome::SaysNothing, ..self }
    }
}

impl Value {
    /// A ratio.
    #[must_use]
    pub fn ratio(ratio: &Summary) -> Self {
        Self::of(ratio, 1.0, "x")
    }

    /// The summary in another unit: each figure of it times `factor`.
    #[must_use]
    pub fn of(summary: &Summary, factor: f64, unit: &str) -> Self {
        let interval = summary
            .median_95
            .map(|interval| Interval { low: interval.low * factor, high: interval.high * factor });
        Self { median: summary.median * factor, interval, unit: unit.to_owned() }
    }

    /// `1.32x`, `2.5 µs`, `11 %`.
    #[must_use]
    pub fn text(&self) -> String {
        self.shown(self.median, 0)
    }

    /// `1.31x to 1.33x`; `None` where there is no interval, or where its ends round alike: then it says no more than the
    /// figure.
    #[must_use]
    pub fn interval_text(&self) -> Option<String> {
        let [low, high] = self.ends(0)?;
        (low != high).then(|| format!("{low} to {high}"))
    }

    /// The interval with as many digits as tell its ends apart: `0.777x to 0.780x`.
    #[must_use]
    pub fn interval_apart(&self) -> Option<String> {
        let ends: Option<Vec<_>> = (0..=MOST_FURTHER).map(|further| self.ends(further)).collect();
        let ends = ends?;
        let [low, high] = ends.iter().find(|[low, high]| low != high).or(ends.first())?;
        Some(format!("{low} to {high}"))
    }

    fn ends(&self, further: usize) -> Option<[String; 2]> {
        let Interval { low, high } = self.interval?;
        Some([low, high].map(|end| self.shown(end, further)))
    }

    /// A figure in this one's unit, with `further` digits more than it needs.
    fn shown(&self, value: f64, further: usize) -> String {
        let digits = further
            + match value.abs() {
                _ if self.unit == "%" => 0,
                // Two digits would not tell it from 1.
                size if self.unit == "x" && (1e-9..0.02).contains(&(size - 1.0).abs()) => 3,
                size if size < 10.0 => 2,
                size if size < 100.0 => 1,
                _ => 0,
            };
        let blank = if self.unit == "x" { "" } else { " " };
        format!("{value:.digits$}{blank}{}", self.unit)
    }
}

/// Most digits that are added to tell the ends of an interval apart.
const MOST_FURTHER: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn between(low: f64, high: f64) -> Option<Value> {
        let interval = Some(Interval { low, high });
        Some(Value { median: f64::midpoint(low, high), interval, unit: "x".into() })
    }

    fn outcome(value: Option<Value>, holds: &Holds) -> Outcome {
        Headline::of("a claim").test(value, holds, |value| format!("takes {value}")).outcome
    }

    #[test]
    fn a_claim_is_decided_by_its_whole_interval() {
        use Outcome::{DoesNotHold, Holds as Held, Undecided};
        for (low, high, faster, slower, matters) in [
            (0.5, 0.6, Held, DoesNotHold, Held),
            (0.98, 1.0, Undecided, DoesNotHold, Undecided),
            (0.995, 1.005, DoesNotHold, DoesNotHold, DoesNotHold),
            (0.9, 1.2, Undecided, Undecided, Undecided),
            (1.02, 1.03, DoesNotHold, Held, Held),
        ] {
            let test = |holds: &Holds| outcome(between(low, high), holds);
            let tested = [test(&Holds::FASTER), test(&Holds::SLOWER), test(&Holds::Outside(0.99..=1.01))];
            assert_eq!(tested, [faster, slower, matters], "{low} to {high}");
        }
        let too_few = Value { interval: None, ..between(0.5, 0.6).unwrap() };
        assert_eq!(outcome(Some(too_few), &Holds::FASTER), Undecided);
        assert_eq!(outcome(None, &Holds::FASTER), Undecided);
    }

    #[test]
    fn a_figure_names_what_it_compares() {
        let rows = crate::fixture::record().rows;
        let figures = Figures::new(&rows);
        let of = |pair: Option<[&'static str; 2]>| {
            let finding = |times: &str| format!("takes {times}");
            Headline::of("a claim").test_ratio(&figures, Time::Isolated, pair, &Holds::FASTER, finding)
        };
        let headline = of(Some(["image_barriers", "full_barrier"]));
        let compared = headline.compared.clone().unwrap();
        assert_eq!((&*compared.variant, &*compared.other), ("image_barriers", "full_barrier"));
        let ratio = figures.ratio_of(compared.time, &compared.variant, &compared.other).unwrap();
        assert_eq!(headline.value, Some(Value::ratio(&ratio)));
        assert_eq!(headline.on_a_cpu("no times".into()).compared, None);
        for pair in [None, Some(["image_barriers", "unknown"])] {
            assert_eq!((of(pair).compared, of(pair).outcome), (None, Outcome::Undecided));
        }
    }

    #[test]
    fn figures_have_as_many_digits_as_a_reader_needs() {
        let value = |median, unit: &str| Value { median, interval: None, unit: unit.into() }.text();
        let all = [
            value(1.316, "x"),
            value(1.0052, "x"),
            value(11.31, "µs"),
            value(0.314, "x"),
            value(10.6, "%"),
            value(1231.0, "µs"),
        ];
        assert_eq!(all, ["1.32x", "1.005x", "11.3 µs", "0.31x", "11 %", "1231 µs"]);
        let apart = |low, high| between(low, high).unwrap().interval_apart().unwrap();
        let ends = [apart(0.7774, 0.7797), apart(1.28, 1.29), apart(0.5, 0.5)];
        assert_eq!(ends, ["0.777x to 0.780x", "1.28x to 1.29x", "0.50x to 0.50x"]);
        let interval = |low, high| between(low, high).unwrap().interval_text();
        assert_eq!(
            (interval(1.311, 1.329).as_deref(), interval(1.311, 1.312)),
            (Some("1.31x to 1.33x"), None)
        );
    }
}
