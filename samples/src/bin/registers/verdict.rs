//! What registers cost.

use common::{Figures, Headline, Holds, Time};
use samples::words::published;

const SOURCE: &str = "hip-assembly";
/// Kernels of more and more live words.
const LADDER: [&str; 7] =
    ["live_112", "live_116", "live_120", "live_124", "live_128", "live_132", "live_136"];

/// The most that four words more cost.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let of_source = published(SOURCE, "mt/129_vgprs/speed").map(|speed| 1.0 / speed);
    // The largest of six ratios is taken. With as many waves in flight, four words more take up to 2.5 %.
    Headline::of("one register too many costs time")
        .published(of_source.map(|times| format!("HIP article: {times:.2}x")))
        .test_ratio(figures, Time::Isolated, steepest(figures), &Holds::Above(1.05), |times| {
            format!("four live words more take {times} as long")
        })
}

/// The neighbours among the kernels of more and more live words that differ most, the slower one first.
fn steepest(figures: &Figures<'_>) -> [&'static str; 2] {
    let pairs = LADDER.windows(2).map(|pair| [pair[1], pair[0]]);
    let times = |[more, fewer]: [&str; 2]| times(figures, more, fewer).unwrap_or_default();
    pairs.max_by(|a, b| times(*a).total_cmp(&times(*b))).unwrap_or_default()
}

/// How long one takes beside another, where both were measured.
fn times(figures: &Figures<'_>, variant: &str, other: &str) -> Option<f64> {
    Some(figures.ratio(variant, other)?.median)
}

/// Where the step of the headline is, and what spills and workgroups that end together cost.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = [step(figures), spills(figures), release(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `154.3 against 123.6 µs: 132 live words against 128, in workgroups of 128.`
fn step(figures: &Figures<'_>) -> Option<String> {
    let [more, fewer] = steepest(figures);
    let words = |name: &'static str| name.trim_start_matches("live_");
    Some(format!(
        "{:.1} against {:.1} µs: {} live words against {}, in workgroups of 128.",
        figures.us(Time::Isolated, more)?,
        figures.us(Time::Isolated, fewer)?,
        words(more),
        words(fewer)
    ))
}

/// What words cost that may find no register.
fn spills(figures: &Figures<'_>) -> Option<String> {
    let times = times(figures, "spill_1024", "spill_512")?;
    Some(format!("80 live words take {times:.2}x as long in workgroups of 1024 as in workgroups of 512."))
}

/// What it costs that the waves of a workgroup free their registers together.
fn release(figures: &Figures<'_>) -> Option<String> {
    let [of_512, of_64] = ["release_512", "release_64"].map(|other| times(figures, "release_1024", other));
    Some(format!(
        "Waves of many lengths take {:.2}x as long in workgroups of 1024 as in 512, and {:.2}x as long as in 64.",
        of_512?, of_64?
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Row};

    use super::*;

    fn rows() -> Vec<Row> {
        samples::recorded("2026-11-27-nvidia-h200/registers").unwrap().rows
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let rows = rows();
        let headline = headline(&Figures::new(&rows));
        assert_eq!(headline.finding, "four live words more take 1.25x as long");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        assert_eq!(headline.published.unwrap(), "HIP article: 1.09x");
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap().lines().collect::<Vec<_>>(),
            [
                "154.3 against 123.6 µs: 132 live words against 128, in workgroups of 128.",
                "80 live words take 4.80x as long in workgroups of 1024 as in workgroups of 512.",
                "Waves of many lengths take 1.12x as long in workgroups of 1024 as in 512, and 1.34x as long as in 64.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    /// The step is found where it is, and a device without one does not confirm the claim.
    #[test]
    fn the_steepest_step_decides() {
        let mut rows = rows();
        let base = rows.iter().find(|row| row.variant == "live_112").unwrap().samples.clone();
        let set = |rows: &mut [Row], from: usize, factor: f64| {
            for name in &LADDER[from..] {
                let row = rows.iter_mut().find(|row| row.variant == *name).unwrap();
                row.samples = base.clone();
                row.samples.iter_mut().for_each(|sample| sample.one_us *= factor);
            }
        };
        set(&mut rows, 0, 1.0);
        set(&mut rows, 3, 1.04);
        let figures = Figures::new(&rows);
        assert_eq!(steepest(&figures), ["live_124", "live_120"]);
        assert_eq!(headline(&figures).outcome, Outcome::DoesNotHold);
    }
}
