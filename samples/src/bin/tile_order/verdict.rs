//! Whether the order of tiles matters.

use common::{Figures, Headline, Holds, Time};
use samples::words::of_ratio;

use crate::{BOTH, ORDERS};

/// Both passes by columns, beside the usual way.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("the order of tiles changes the time of two passes").test_ratio(
        figures,
        Time::Isolated,
        ["square_columns_columns", "square_rows_rows"],
        &Holds::Outside(0.99..=1.01),
        |times| format!("tiles by columns take {times} as long as by rows"),
    )
}

/// The fastest and the slowest order, what starting from the end gains, and what other workgroups cost in the same orders.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let lines = [backwards(figures), spread(figures), remapped(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn backwards(figures: &Figures<'_>) -> Option<String> {
    let ratio = figures.ratio("square_rows_back", "square_rows_rows")?;
    Some(format!(
        "If the second pass starts with the last tiles, both take {} times as long.",
        of_ratio(&ratio, 2)
    ))
}

fn spread(figures: &Figures<'_>) -> Option<String> {
    let label = |name: &str| Some(figures.row(name)?.label().to_owned());
    let times: Option<Vec<(f64, String)>> =
        names("square").map(|name| Some((figures.us(Time::Isolated, &name)?, label(&name)?))).collect();
    let mut times = times?;
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ([(least, fastest), ..], [.., (most, slowest)]) = (&times[..], &times[..]) else { return None };
    Some(format!(
        "The slowest order ({slowest}) takes {:.2}x as long as the fastest ({fastest}).",
        most / least
    ))
}

fn remapped(figures: &Figures<'_>) -> Option<String> {
    let ratio = |(remap, square): (String, String)| Some(figures.ratio(&remap, &square)?.median);
    let ratios: Option<Vec<f64>> = names("remap").zip(names("square")).map(ratio).collect();
    let ratios = ratios?;
    let [least, most] = [f64::min, f64::max].map(|of| ratios.iter().copied().reduce(of).unwrap_or_default());
    Some(format!(
        "Workgroups of 64x1 in quads take {least:.2}x to {most:.2}x as long as of 8x8, order by order."
    ))
}

fn names(shape: &str) -> impl Iterator<Item = String> {
    BOTH.into_iter().map(move |orders| {
        let [first, second] = orders.map(|order| ORDERS[order as usize]);
        format!("{shape}_{first}_{second}")
    })
}

#[cfg(test)]
mod tests {
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    #[test]
    fn a_record_leads_to_its_verdict() {
        let mut record = samples::recorded("2026-11-28-nvidia-h200/tile_order").unwrap();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "tiles by columns take 1.015x as long as by rows");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        let backwards =
            "If the second pass starts with the last tiles, both take 1.003 (1.002 to 1.004) times as long.";
        assert_eq!(
            verdict(&Figures::new(&record.rows)).unwrap().lines().collect::<Vec<_>>(),
            [
                backwards,
                "The slowest order (8x8, columns, columns) takes 1.02x as long as the fastest (8x8, rows, columns).",
                "Workgroups of 64x1 in quads take 1.16x to 1.20x as long as of 8x8, order by order.",
            ]
        );
        record.rows.retain(|row| row.variant != "square_columns_rows");
        assert_eq!(verdict(&Figures::new(&record.rows)).unwrap(), backwards, "not all orders were measured");
        assert_eq!(verdict(&Figures::new(&[])), None);
    }
}
