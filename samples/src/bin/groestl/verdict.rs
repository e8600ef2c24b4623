//! What code, registers and reads cost.

use common::{Figures, Headline, Holds, Time};
use samples::words::{fastest_right, published};

use crate::forms::FORMS;

const SOURCE: &str = "groestl-gcn";

/// Rounds in a loop beside all of them unrolled.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let of_source = ratio_of_source("code/25_kb", "registers/128");
    Headline::of("code that fits the instruction cache is faster")
        .published(of_source.map(|times| format!("realhet: {times:.2}x")))
        .test_ratio(
            figures,
            Time::Isolated,
            ["eight_tables", "eight_tables_unroll_14"],
            &Holds::FASTER,
            |times| format!("rounds in a loop take {times} as long as unrolled ones"),
        )
}

/// The hash rate, what binds it, and what code and registers cost beside the source's figures.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = [rate(figures), bound(figures), code(figures), registers(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How long a form takes beside another, where both were measured.
fn times(figures: &Figures<'_>, variant: &str, other: &str) -> Option<f64> {
    Some(figures.us(Time::Isolated, variant)? / figures.us(Time::Isolated, other)?)
}

/// The same for two figures of the source, which are speeds.
fn ratio_of_source(key: &str, other: &str) -> Option<f64> {
    Some(published(SOURCE, other)? / published(SOURCE, key)?)
}

/// `The fastest computes 788 million hashes per second: 16 copies, 9 % fewer reads.`
fn rate(figures: &Figures<'_>) -> Option<String> {
    let is_groestl = |name: &str| FORMS.iter().any(|form| form.name == name && form.reads_entries());
    let (fastest, us) = fastest_right(figures, is_groestl)?;
    let row = figures.row(fastest)?;
    #[expect(clippy::cast_precision_loss, reason = "far below 2^53")]
    let hashes = row.declared.work.as_ref()?.count as f64;
    Some(format!("The fastest computes {:.0} million hashes per second: {}.", hashes / us, row.label()))
}

/// What fewer reads bring, and what is left without any.
fn bound(figures: &Figures<'_>) -> Option<String> {
    let of_copies = |variant| Some(100.0 * times(figures, variant, "copies")?);
    Some(format!(
        "Of the time of 16 copies, 9 % fewer reads save {:.0} %; arithmetic without reads takes {:.0} %.",
        100.0 - of_copies("fewer_reads")?,
        of_copies("no_reads")?
    ))
}

/// What it costs to unroll all rounds.
fn code(figures: &Figures<'_>) -> Option<String> {
    let pairs = [
        ("eight tables", "eight_tables_unroll_14", "eight_tables"),
        ("in workgroups of 64", "eight_tables_64_unroll_14", "eight_tables_64"),
        ("without reads", "no_reads_unroll_14", "no_reads"),
    ];
    let costs: Vec<String> = pairs
        .into_iter()
        .filter_map(|(what, unrolled, looped)| {
            Some(format!("{:.2}x ({what})", times(figures, unrolled, looped)?))
        })
        .collect();
    let [reads, none] = [("registers/128", "code/25_kb"), ("no_reads/340_kb", "no_reads/25_kb")]
        .map(|(a, b)| ratio_of_source(a, b));
    (!costs.is_empty()).then_some(())?;
    Some(format!(
        "With all rounds unrolled it takes {} as long; in the source {:.2}x, without reads {:.2}x.",
        costs.join(", "),
        reads?,
        none?
    ))
}

/// What fewer registers bring, on request.
fn registers(figures: &Figures<'_>) -> Option<String> {
    let fewer = times(figures, "copies_768", "copies")?;
    let of_source = ratio_of_source("registers/84", "registers/85")?;
    Some(format!(
        "With registers for workgroups of 768, not 512, 16 copies take {fewer:.2}x as long; in the source 84 take {of_source:.2}x as long as 85."
    ))
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Row};

    use super::*;

    fn rows(run: &str) -> Vec<Row> {
        samples::recorded(&format!("2026-11-27-nvidia-h200/{run}")).unwrap().rows
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let rows = rows("groestl-all");
        let headline = headline(&Figures::new(&rows));
        assert_eq!(headline.finding, "rounds in a loop take 0.996x as long as unrolled ones");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::DoesNotHold);
        assert_eq!(headline.published.unwrap(), "realhet: 0.87x");
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap().lines().collect::<Vec<_>>(),
            [
                "The fastest computes 788 million hashes per second: 16 copies, 9 % fewer reads.",
                "Of the time of 16 copies, 9 % fewer reads save 8 %; arithmetic without reads takes 72 %.",
                "With all rounds unrolled it takes 1.00x (eight tables), 1.15x (in workgroups of 64), 1.19x (without reads) as \
                 long; in the source 1.15x, without reads 1.58x.",
                "With registers for workgroups of 768, not 512, 16 copies take 1.15x as long; in the source 84 take 0.64x as \
                 long as 85.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    /// The hash without a table is the fastest row, and no Groestl.
    #[test]
    fn what_was_not_measured_is_not_told() {
        let mut rows = rows("groestl");
        rows.retain(|row| ["no_reads", "copies", "eight_tables"].contains(&&*row.variant));
        assert_eq!(
            verdict(&Figures::new(&rows)).unwrap(),
            "The fastest computes 725 million hashes per second: 16 copies of one table."
        );
        assert_eq!(headline(&Figures::new(&rows)).outcome, Outcome::Undecided);
    }
}
