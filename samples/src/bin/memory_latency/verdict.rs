//! Plateaus of the curve of latency over size, and what they are.

use common::{Figures, Headline, Holds, Time};
use samples::words::published;

use crate::{named, size};

const TALK: &str = "lottes2018";
const GPU_BENCHES: &str = "gpu-benches";
const NVIDIA: u32 = 0x10DE;

/// In KiB. No cache is known to be as large, so that a plateau which reaches further is memory.
const LARGER_THAN_CACHES: u64 = 512 << 10;
const MEMORY: &str = "memory";
/// What NVIDIA's caches are called, the nearest first.
const NAMES: [&str; 3] = ["L1", "L2", "far L2"];

/// What was measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// PCI vendor id: how caches are called.
    pub vendor: u32,
    /// Sizes of `storage_*` in KiB, ascending.
    pub storage: Vec<u64>,
    /// Sizes of `spread_*`.
    pub spread: Vec<u64>,
}

/// A size in KiB, and what a load takes there.
#[derive(Clone, Copy)]
struct Point<'r> {
    kib: u64,
    variant: &'r str,
    ns: f64,
    clocks: f64,
}

/// Neighbouring sizes whose loads take as long.
struct Plateau<'p, 'r> {
    name: String,
    points: &'p [Point<'r>],
}

impl<'r> Plateau<'_, 'r> {
    fn middle(&self) -> Point<'r> {
        middle(self.points)
    }
}

/// The size in the middle, by time.
fn middle<'r>(points: &[Point<'r>]) -> Point<'r> {
    let mut points = points.to_vec();
    points.sort_by(|a, b| a.ns.total_cmp(&b.ns));
    points[points.len() / 2]
}

/// The sizes that have figures.
fn points<'r>(figures: &Figures<'r>, path: &str, sizes: &[u64]) -> Vec<Point<'r>> {
    let point = |kib: &u64| {
        let row = figures.row(&format!("{path}_{}", named(*kib)))?;
        let load = row.per_unit(row.isolated_us?.median)?;
        Some(Point { kib: *kib, variant: &row.variant, ns: load.ns, clocks: load.cycles? })
    };
    sizes.iter().filter_map(point).collect()
}

/// Finds plateaus in points of ascending size, and names them. Without the smallest size it is not known which cache is first.
fn plateaus<'p, 'r>(points: &'p [Point<'r>], plan: &Plan) -> Vec<Plateau<'p, 'r>> {
    if points.first().map(|point| &point.kib) != plan.storage.first() {
        return Vec::new();
    }
    let ns: Vec<f64> = points.iter().map(|point| point.ns).collect();
    let found = samples::plateaus::plateaus(&ns);
    let found: Vec<_> = found.into_iter().map(|level| &points[level]).collect();
    let names = names(&found, plan.vendor);
    found.into_iter().zip(names).map(|(points, name)| Plateau { name, points }).collect()
}

fn is_level(points: &[Point<'_>]) -> bool {
    samples::plateaus::is_level(&points.iter().map(|point| point.ns).collect::<Vec<_>>())
}

/// Names by order. Below 512 MiB the last level may be either, a cache or memory.
fn names(plateaus: &[&[Point<'_>]], vendor: u32) -> Vec<String> {
    let reaches =
        plateaus.last().and_then(|last| last.last()).is_some_and(|point| point.kib >= LARGER_THAN_CACHES);
    let caches = plateaus.len().saturating_sub(1);
    let cache = |at: usize| match (vendor, caches) {
        (NVIDIA, ..=3) => NAMES[at].to_owned(),
        _ => format!("cache {}", at + 1),
    };
    let last = if reaches { MEMORY } else { "cache or memory" };
    (0..plateaus.len()).map(|at| if at < caches { cache(at) } else { last.to_owned() }).collect()
}

/// Memory beside the nearest cache.
pub fn headline(figures: &Figures<'_>, plan: &Plan) -> Headline {
    let points = points(figures, "storage", &plan.storage);
    let plateaus = plateaus(&points, plan);
    let nearest = plateaus.first().map_or("", |first| first.middle().variant);
    let name = plateaus.first().map_or("a cache", |first| &first.name);
    let memory = plateaus.last().filter(|last| last.name == MEMORY);
    let memory = memory.map_or("", |memory| memory.middle().variant);
    let of_talk = || Some(published(TALK, "latency/memory")? / published(TALK, "latency/L1")?);
    Headline::of("a miss takes several times as long as a hit")
        .published(of_talk().map(|times| format!("talk: {times:.1}x")))
        .test_ratio(figures, Time::Isolated, [memory, nearest], &Holds::Above(2.0), |times| {
            format!("a load from memory takes {times} as long as from {name}")
        })
}

/// The plateaus, each beside published figures, and what the translation of addresses adds.
pub fn verdict(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let points = points(figures, "storage", &plan.storage);
    let plateaus = plateaus(&points, plan);
    let levels = plateaus.iter().map(|level| format!("{} {:.0}", level.name, level.middle().clocks));
    let levels: Vec<String> = levels.collect();
    let all = (!levels.is_empty()).then(|| format!("Clocks per load: {}.", levels.join(", ")));
    let lines = all.into_iter().chain(plateaus.iter().map(line)).chain(translation(figures, plan));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// `L1: 47.1 clocks (23.8 ns) in walks up to 128 KiB. The talk: 114 on GCN. gpu-benches: 32 on a GH200.`
fn line(plateau: &Plateau<'_, '_>) -> String {
    let Point { clocks, ns, .. } = plateau.middle();
    let up_to = plateau.points.iter().map(|point| point.kib).max().map_or_else(String::new, size);
    let key = format!("latency/{}", plateau.name.replace("cache 1", "L1"));
    let said = [("The talk", TALK, "GCN"), ("gpu-benches", GPU_BENCHES, "a GH200")].into_iter();
    let said =
        said.filter_map(|(who, source, on)| Some(format!(" {who}: {} on {on}.", published(source, &key)?)));
    format!(
        "{}: {clocks:.1} clocks ({ns:.1} ns) in walks up to {up_to}.{}",
        plateau.name,
        said.collect::<String>()
    )
}

/// What it costs that the same lines lie further apart.
fn translation(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let points = points(figures, "spread", &plan.spread);
    let [near, .., far] = points[..] else { return None };
    if Some(&near.kib) != plan.spread.first() || far.ns < near.ns {
        return None;
    }
    if is_level(&points) {
        return Some(format!("Lines that are spread over {} take less than 5 % longer.", size(far.kib)));
    }
    let level = (1..points.len()).take_while(|count| is_level(&points[..*count])).last()?;
    Some(format!(
        "{} of lines take {:.0} clocks per load, and {:.0} spread over {}: probably the translation of addresses (TLB). Up to {} \
         it adds less than 5 %.",
        size(near.kib),
        near.clocks,
        far.clocks,
        size(far.kib),
        size(points[level - 1].kib)
    ))
}
#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;
    use crate::storage;

    fn recorded() -> (Record, Plan) {
        let record = samples::recorded("2026-11-27-nvidia-h200/memory_latency").unwrap();
        let storage = storage::sizes(8 << 20).collect();
        let spread = storage::powers(storage::SPREAD, 8 << 20).collect();
        let plan = Plan { vendor: record.device.vendor_id, storage, spread };
        (record, plan)
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let (record, plan) = recorded();
        let headline = headline(&Figures::new(&record.rows), &plan);
        assert_eq!(headline.finding, "a load from memory takes 14.5x as long as from L1");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::Holds);
        assert_eq!(headline.published.unwrap(), "talk: 3.1x");
        assert_eq!(
            verdict(&Figures::new(&record.rows), &plan).unwrap().lines().collect::<Vec<_>>(),
            [
                "Clocks per load: L1 47, L2 297, far L2 535, memory 683.",
                "L1: 47.1 clocks (23.8 ns) in walks up to 128 KiB. The talk: 114 on GCN. gpu-benches: 32 on a GH200.",
                "L2: 297.0 clocks (150.0 ns) in walks up to 20 MiB. The talk: 190 on GCN. gpu-benches: 280 on a GH200.",
                "far L2: 535.1 clocks (270.2 ns) in walks up to 56 MiB.",
                "memory: 682.7 clocks (344.8 ns) in walks up to 2 GiB. The talk: 350 on GCN. gpu-benches: 680 on a GH200.",
                "1 MiB of lines take 295 clocks per load, and 506 spread over 8 GiB: probably the translation of addresses \
                 (TLB). Up to 2 GiB it adds less than 5 %.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[]), &plan), None);
    }

    /// Where memory was not reached, no cache is taken for it.
    #[test]
    fn the_last_cache_is_not_memory() {
        let (mut record, plan) = recorded();
        record.rows.retain(|row| !row.variant.ends_with("_gib") && row.variant != "storage_512_mib");
        let text = verdict(&Figures::new(&record.rows), &plan).unwrap();
        assert!(text.contains("\ncache or memory: ") && !text.contains("\nmemory"), "{text}");
        assert_eq!(headline(&Figures::new(&record.rows), &plan).outcome, Outcome::Undecided);
    }

    /// A level that drifts is not told as two.
    #[test]
    fn neighbouring_levels_that_are_nearly_alike_are_one() {
        let (record, plan) = recorded();
        let lines = |times: f64| {
            let mut record = record.clone();
            for kib in [1 << 19, 1 << 20, 1 << 21] {
                let name = format!("storage_{}", named(kib));
                let row = record.rows.iter_mut().find(|row| row.variant == name).unwrap();
                row.isolated_us.as_mut().unwrap().median *= times;
            }
            verdict(&Figures::new(&record.rows), &plan).unwrap().lines().count()
        };
        assert_eq!(lines(1.07), lines(1.0));
        assert_eq!(lines(0.94), lines(1.0));
        assert_eq!(lines(1.15), lines(1.0) + 1);
    }

    /// Of some sizes alone, it is not known which caches they are of.
    #[test]
    fn without_the_smallest_size_no_level_has_a_name() {
        let (mut record, plan) = recorded();
        record.rows.retain(|row| !row.variant.starts_with("spread") && row.variant.ends_with("_mib"));
        assert_eq!(verdict(&Figures::new(&record.rows), &plan), None);
    }

    /// Other vendors call their caches by other names.
    #[test]
    fn caches_of_other_vendors_are_numbered() {
        let (record, plan) = recorded();
        let text = verdict(&Figures::new(&record.rows), &Plan { vendor: 0x1002, ..plan }).unwrap();
        assert!(
            text.contains("\ncache 1: ") && text.contains("\ncache 3: ") && text.contains("\nmemory: "),
            "{text}"
        );
    }
}
