//! What waiting and fusing gain, apart from each other.

use common::record::Row;
use common::report::format;
use common::{Figures, Headline};
use samples::waits::{self, fastest, to_barriers};
use samples::words::fastest_right;

use crate::kernels::Chain;

/// What a way does, and whether a variant does it.
type Way = (&'static str, fn(&str) -> bool);

/// The ways to fuse passes.
const FUSED: [Way; 2] = [
    ("Several passes per tile, in one dispatch", |name| in_one_dispatch(name) && is_fused(name)),
    ("Several passes per dispatch, with barriers between dispatches", |name| name == "fused"),
];

fn in_one_dispatch(name: &str) -> bool {
    name.starts_with("tags") || name.starts_with("flags")
}

fn is_fused(name: &str) -> bool {
    name.ends_with("_fused")
}

/// One dispatch in place of barriers, with one pass per tile: fusing passes saves time without any waits.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let one = fastest(figures, |name| in_one_dispatch(name) && !is_fused(name)).map(|(name, _)| name);
    waits::headline(figures, "one dispatch whose tiles wait beats barriers", one, |times| {
        format!("one dispatch takes {times} as long as barriers between passes")
    })
}

/// The times behind the headline, then the fastest variant of each way to fuse passes beside barriers.
pub fn verdict(figures: &Figures<'_>, chain: Chain) -> Option<String> {
    let (_, us) = fastest(figures, |name| in_one_dispatch(name) && !is_fused(name))?;
    let Chain { size, passes, radius } = chain;
    let first =
        waits::times(figures, us, "no_order", &format!("{size}, {passes} passes of radius {radius}"))?;
    let others = FUSED.iter().filter_map(|(what, is_of)| {
        let (name, us) = fastest(figures, is_of)?;
        let times = format::ratio(&to_barriers(figures, name)?);
        Some(format!("\n{what}: {us:.1} µs, {times}x as long as barriers."))
    });
    Some(first + &others.collect::<String>() + &another_api(figures).unwrap_or_default())
}

/// The fastest of another API beside the fastest here.
fn another_api(figures: &Figures<'_>) -> Option<String> {
    let (there, us) = fastest_right(figures, |name| name.starts_with("library"))?;
    let (here, _) = fastest(figures, |_| true)?;
    let times = format::ratio(&figures.ratio(there, here)?);
    let [there, here] = [there, here].map(|name| figures.row(name).map_or(name, Row::label));
    Some(format!(
        "\n{there}: {us:.1} µs, {times}x as long as '{here}', the fastest here by the specification."
    ))
}

#[cfg(test)]
mod tests {
    use common::Extent;
    use common::record::Outcome;
    use common::record::headline::LONGEST;

    use super::*;

    fn verdict_of(rows: &[Row]) -> Option<String> {
        verdict(&Figures::new(rows), Chain { size: Extent::square(512), passes: 12, radius: 2 })
    }

    #[test]
    fn waiting_is_not_given_the_gain_of_fusing() {
        let mut rows = samples::recorded("2026-11-30-nvidia-h200/tiles-512").unwrap().rows;
        let stated = headline(&Figures::new(&rows));
        assert_eq!(stated.finding, "one dispatch takes 0.58x as long as barriers between passes");
        assert!(stated.finding.chars().count() < LONGEST);
        assert_eq!((stated.outcome, stated.published), (Outcome::Holds, None));
        assert_eq!(
            verdict_of(&rows).unwrap(),
            "21.0 against 36.2 µs: 512x512, 12 passes of radius 2. Without sync it takes 9.3 µs.\n\
             Several passes per tile, in one dispatch: 15.0 µs, 0.41x as long as barriers.\n\
             Several passes per dispatch, with barriers between dispatches: 15.1 µs, 0.42x as long as barriers.\n\
             CUDA 13.0, passes fused: 12.7 µs, 0.85x as long as 'one dispatch, tags, fused', the fastest here by the \
             specification."
        );
        // What is not correct by the specification does not count, however fast.
        let racing = rows.iter().find(|row| row.variant == "no_order").unwrap().promise.clone();
        rows.iter_mut().find(|row| row.variant == "tags_fused").unwrap().promise = racing;
        assert!(verdict_of(&rows).unwrap().contains("in one dispatch: 15.7 µs"));
        // Of what was wrong nothing is told.
        rows.iter_mut().filter(|row| row.variant == "tags").for_each(|row| {
            row.racy.as_mut().unwrap().racy_samples = 1;
        });
        assert!(verdict_of(&rows).unwrap().starts_with("30.4 against 36.2 µs"));
        rows.retain(|row| !["flags", "flags_chained"].contains(&&*row.variant));
        assert_eq!(headline(&Figures::new(&rows)).outcome, Outcome::Undecided);
        rows.retain(|row| !row.variant.starts_with("barriers"));
        assert!(headline(&Figures::new(&rows)).finding.starts_with("not measured"));
        assert_eq!(verdict_of(&rows), None);
    }
}
