//! The verdict of `drain_fill`, one line per question. An effect is stated only if its interval excludes "no
//! effect"; otherwise the sentence says that none was found.

use common::record::published;
use common::{Figures, Summary, Time};
use samples::words::{decided, of_ratio, times_as, with_interval};

use crate::device::PLACES;
use crate::sizes::{SHARES, Work, name_of};

/// What the figures were measured with.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The amount of work.
    pub work: Work,
    /// Number of empty waves that were launched.
    pub launched: u32,
    /// Clock in MHz, if the user gave one.
    pub mhz: Option<u32>,
}

/// All sentences for which there are figures.
pub fn conclude(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let barriers_a_chain = plan.work.passes - 1;
    let sentences = [
        barriers(figures, barriers_a_chain),
        clears(figures),
        code(figures, barriers_a_chain),
        constants(figures, barriers_a_chain),
        relaunch(figures),
        irregular(figures, plan),
        launch(figures, plan),
        usage(figures),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| format!("In short: {}", sentences.join("\n")))
}

/// The cost of a barrier for each share of the area, and the fraction of the time that it leaves the GPU idle.
fn barriers(figures: &Figures<'_>, of: u32) -> Option<String> {
    let part = |share: u32| {
        let [chained, bound] = [format!("barrier_{share}"), format!("no_barrier_{share}")];
        let cost = figures.difference_us(&chained, &bound)?;
        let (name, idle) = (name_of(share), idle(figures, &chained, &bound)?);
        Some(match cost.median_95.is_some_and(|interval| interval.low > 0.0) {
            true => format!("{name} {} ({idle})", with_interval(&cost, f64::from(of), 2)),
            false => format!("{name} nothing that these samples tell"),
        })
    };
    let parts: Vec<String> = SHARES.into_iter().filter_map(part).collect();
    let talk = talk("idle/quarter")?;
    (!parts.is_empty()).then(|| {
        format!(
            "a barrier costs, in µs by the area of its passes, with the part of the chain's time that the same passes do \
             not take without barriers (isolated, then pipelined): {}; the talk had the VALUs at least {talk} % idle at 1/4.",
            parts.join(", ")
        )
    })
}

fn clears(figures: &Figures<'_>) -> Option<String> {
    let idle = idle(figures, "barrier_4_clear", "no_barrier_4_clear")?;
    let talk = talk("idle/quarter_clear")?;
    Some(format!(
        "With a clear before each 1/4-area pass that part is {idle}, where the talk had at least {talk} %."
    ))
}

/// `39 %, 50 %`: the fraction of a chain's time that the chain without barriers does not need, isolated and
/// pipelined. The isolated times of both chains include the cost of a submit.
fn idle(figures: &Figures<'_>, chained: &str, bound: &str) -> Option<String> {
    let part = |ratio: Summary| format!("{:.0} %", 100.0 * (1.0 - 1.0 / ratio.median).max(0.0));
    let isolated = part(figures.ratio(chained, bound)?);
    let pipelined = figures.pipelined_ratio(chained, bound).map(|ratio| format!(", {}", part(ratio)));
    Some(isolated + &pipelined.unwrap_or_default())
}

/// The extra cost of a pass with another kernel over a pass with the same one, for long and short code.
fn code(figures: &Figures<'_>, of: u32) -> Option<String> {
    Some(format!(
        "A pass of a kernel that has not run in this submit costs {} more than one of the kernel that just ran, of short \
         code {}{}.",
        more(figures, "code_cold", "code_warm", of)?,
        more(figures, "short_code_cold", "short_code_warm", of).unwrap_or_else(|| "not measured".into()),
        once_more(figures, "code_cold", "code_warm")
    ))
}

fn constants(figures: &Figures<'_>, of: u32) -> Option<String> {
    let kept = more(figures, "constants_warm_flushed", "constants_warm", of);
    let kept =
        kept.map(|cost| format!(", a barrier that makes memory visible between passes of the same {cost}"));
    Some(format!(
        "Constants that no pass of this submit has read yet, {PLACES} fetches that each need the one before, cost {} a \
         pass{}{}.",
        more(figures, "constants_cold", "constants_warm", of)?,
        kept.unwrap_or_default(),
        once_more(figures, "constants_cold", "constants_warm")
    ))
}

/// `1.52 µs (1.48 to 1.55)`: the extra time of the first variant, divided by `of`, or that none was found.
fn more(figures: &Figures<'_>, one: &str, other: &str, of: u32) -> Option<String> {
    let difference = figures.difference_us(one, other)?;
    let Some(interval) = difference.median_95 else {
        return Some("not to be told from so few samples".into());
    };
    if interval.low <= 0.0 && interval.high >= 0.0 {
        return Some("nothing that these samples tell".into());
    }
    let [us, low, high] = [difference.median, interval.low, interval.high].map(|us| us / f64::from(of));
    Some(format!("{us:.2} µs ({low:.2} to {high:.2})"))
}

/// The difference that is left if the same chain has just run.
fn once_more(figures: &Figures<'_>, cold: &str, warm: &str) -> String {
    figures.pipelined_ratio(cold, warm).map_or_else(String::new, |ratio| match decided(&ratio) {
        true => format!("; behind the same chain it takes {} times as long", with_interval(&ratio, 1.0, 2)),
        false => "; behind the same chain no difference is left".into(),
    })
}

/// The gain of a loop over tiles, and the part of it that comes from the constants.
fn relaunch(figures: &Figures<'_>) -> Option<String> {
    let others = [
        ("tiles_16_loaded_anew", "of 16 that load their constants for each"),
        ("tiles_filling_once", "that take all tiles, as many as there is room for,"),
        ("tiles_a_simd", "that take all tiles, one a SIMD,"),
    ];
    let other = |(name, words)| {
        Some(format!("; waves {words} {}", times_as(&figures.ratio("tiles_1", name)?, "fast")))
    };
    let others: String = others.into_iter().filter_map(other).collect();
    let looped = as_fast(figures, "tiles_1", "tiles_16")?;
    Some(format!("Waves that loop over 16 tiles are {looped} as waves of one tile{others}."))
}

/// Whether irregular work gains more from workgroups of one wave than regular work does.
fn irregular(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let gain = |kind: &str| as_fast(figures, &format!("{kind}_8"), &format!("{kind}_1"));
    Some(format!(
        "Irregular work runs in workgroups of one wave {} as in those of eight, regular work of the same total {}{}.",
        gain("irregular")?,
        gain("regular")?,
        if is_launch_bound(figures, plan, "irregular_1") {
            ": those of one wave take as long as empty ones, so that the launch is what this measures; more --steps ask \
             the loops"
        } else {
            ""
        }
    ))
}

/// `2.37 (2.33 to 2.41) times as fast (pipelined 4.70 (…))`.
fn as_fast(figures: &Figures<'_>, slow: &str, fast: &str) -> Option<String> {
    let pipelined = figures.pipelined_ratio(slow, fast).filter(decided);
    let pipelined = pipelined.map(|ratio| format!(" (pipelined {})", of_ratio(&ratio, 2)));
    Some(times_as(&figures.ratio(slow, fast)?, "fast") + &pipelined.unwrap_or_default())
}

/// Whether a variant with one wave per workgroup takes no longer than the launch of as many empty waves.
fn is_launch_bound(figures: &Figures<'_>, plan: &Plan, variant: &str) -> bool {
    let pipelined = |name: &str| figures.us(Time::Pipelined, name);
    let groups = f64::from(plan.work.items.div_ceil(plan.work.wave));
    let bound = pipelined("launch_1").map(|us| us * groups / f64::from(plan.launched));
    pipelined(variant).zip(bound).is_some_and(|(us, bound)| us < 1.1 * bound)
}

/// The launch rate of waves, in workgroups of one wave and of eight.
fn launch(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let rate = |name: &str| {
        let us = figures.us(Time::Pipelined, name).or_else(|| figures.us(Time::Isolated, name))?;
        let a_ns = f64::from(plan.launched) / us / 1e3;
        let clocks = |mhz: u32| format!(", {:.2} a clock at {mhz} MHz", 1e3 * a_ns / f64::from(mhz));
        Some(format!("{a_ns:.2} waves a ns{}", plan.mhz.map(clocks).unwrap_or_default()))
    };
    Some(format!(
        "Empty waves start, one a workgroup, at {}; of eight at {}. By the talk a shader engine of GCN starts {} a clock.",
        rate("launch_1")?,
        rate("launch_8")?,
        talk("launch/shader_engine")?
    ))
}

/// Whether `SIMULTANEOUS_USE` keeps independent passes apart.
fn usage(figures: &Figures<'_>) -> Option<String> {
    let ratio = figures.ratio("apart_simultaneous_use", "apart")?;
    Some(format!(
        "Passes that do not need each other take {} with SIMULTANEOUS_USE as without.",
        times_as(&ratio, "long")
    ))
}

/// A published figure of the talk.
fn talk(key: &str) -> Option<f64> {
    Some(published::find("lottes2018", key).ok()?.value)
}

#[cfg(test)]
mod tests {
    use common::record::Record;

    use super::*;

    fn concluded(record: &Record) -> Option<String> {
        let setting = |name: &str| record.configuration.get(name).map(String::as_str);
        let number = |name| setting(name).unwrap().parse().unwrap();
        let size: common::Extent = setting("size").unwrap().parse().unwrap();
        let [passes, steps, wave] = ["passes", "steps", "wave_lanes"].map(number);
        let work = Work { size, items: size.width * size.height, passes, steps, wave };
        let mhz = setting("mhz").map(|mhz| mhz.parse().unwrap());
        conclude(&Figures::new(&record.rows), &Plan { work, launched: work.waves(work.items), mhz })
    }

    #[test]
    fn records_lead_to_their_own_verdicts() {
        let parts = [
            (
                "drain_fill",
                "whole 1.49 (1.45 to 1.54) (3 %, 3 %), 1/4 1.55 (1.52 to 1.60) (11 %, 11 %), 1/16 2.54",
            ),
            (
                "drain_fill",
                "With a clear before each 1/4-area pass that part is 12 %, 11 %, where the talk had at least 26 %.",
            ),
            (
                "drain_fill",
                "costs 11.77 µs (11.68 to 11.80) more than one of the kernel that just ran, of short code 0.49",
            ),
            ("drain_fill", "the launch is what this measures"),
            (
                "drain_fill-steps-1024",
                "In short: Irregular work runs in workgroups of one wave 0.97 (0.95 to 0.98) times as fast",
            ),
        ];
        for (folder, part) in parts {
            let text = concluded(&samples::recorded(folder).unwrap()).unwrap();
            assert!(text.contains(part), "{part}\n{text}");
        }
    }

    #[test]
    fn nothing_is_concluded_from_nothing() {
        let mut record = samples::recorded("drain_fill").unwrap();
        record.rows.clear();
        assert_eq!(concluded(&record), None);
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let mut record = samples::recorded("drain_fill").unwrap();
        for row in &mut record.rows {
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                let us = if row.variant.starts_with("no_barrier") || row.variant.contains("warm") {
                    1.0
                } else {
                    noise
                };
                (sample.one_us, sample.many_us) = (us, None);
            }
        }
        let text = concluded(&record).unwrap();
        for says in [
            "whole nothing that these samples tell,",
            "costs nothing that these samples tell more than",
            "in workgroups of one wave as fast, as far as these samples tell, as in those of eight",
        ] {
            assert!(text.contains(says), "'{says}' in {text}");
        }
    }
}
