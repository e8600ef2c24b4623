//! What the counts of races say, and how variants are called.

use common::{Extent, Figures};

/// Says where races were seen, without a barrier and with an execution dependency alone.
pub fn verdict(figures: &Figures<'_>, sizes: &[Extent]) -> Option<String> {
    let seen = |variant: &str, ping_pong| {
        let racy = sizes.iter().filter_map(|&size| {
            let row = figures.row(&name(variant, size, ping_pong))?;
            Some((size, row.racy?))
        });
        let measured: Vec<_> = racy.collect();
        let raced: Vec<String> = measured
            .iter()
            .filter(|(_, racy)| racy.racy_samples > 0)
            .map(|(size, _)| size.to_string())
            .collect();
        let trials = measured.iter().map(|(_, racy)| racy.samples).min();
        match (raced.is_empty(), trials) {
            (_, None) => "not measured".into(),
            (true, Some(trials)) => {
                format!("seen at none of the {} sizes in {trials} trials each", measured.len())
            }
            (false, _) => format!("seen at {}", raced.join(", ")),
        }
    };
    Some(format!(
        "In short: without a barrier, races were {} with two images in turn, and {} with one image per pass. With an \
         execution dependency and coherent stores they were {} with two images in turn, and {} with one per pass.",
        seen("no_barrier", true),
        seen("no_barrier", false),
        seen("coherent_stores", true),
        seen("coherent_stores", false)
    ))
}

/// Name of a variant on images of one size.
pub fn name(variant: &str, size: Extent, ping_pong: bool) -> String {
    format!("{variant}_{size}{}", if ping_pong { "_ping_pong" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_verdict_speaks_of_what_was_measured() {
        let record = samples::recorded("data-race").unwrap();
        let sizes: Vec<Extent> = (5..=12).map(|n| Extent::square(1 << n)).collect();
        assert_eq!(record.verdict, verdict(&Figures::new(&record.rows), &sizes));
        let text = verdict(&Figures::new(&record.rows[..1]), &sizes).unwrap();
        assert!(text.contains("coherent stores they were not measured"), "{text}");
    }
}
