//! What `drain_fill` concludes from its figures, a line a question. Only an interval that leaves out
//! what would be no effect decides; where none does, the sentence says so.

use common::{Figures, Summary, Time, published};

use super::device::Work;
use super::traced::{self, Seen};
use super::{Machine, SHARES, name_of, share_of};

/// What the figures are of.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// How much there was to do.
    pub work: Work,
    /// What runs waves, where that is known.
    pub machine: Option<Machine>,
    /// Waves that were launched to do nothing.
    pub launched: u32,
    /// The clock that the caller names.
    pub mhz: Option<u32>,
}

/// All sentences for which there are figures.
#[must_use]
pub fn conclude(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let sentences = [
        barriers(figures, plan.work.passes),
        clears(figures),
        chains_traced(figures, plan),
        code(figures, plan.work.passes),
        constants(figures, plan.work.passes),
        relaunch(figures, plan),
        irregular(figures),
        launch(figures, plan),
        usage(figures),
    ];
    let sentences: Vec<String> = sentences.into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| format!("In short: {}", sentences.join("\n")))
}

/// What a barrier costs at each share of the area, and how much of the time that leaves idle.
fn barriers(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let part = |share: u32| {
        let [chained, bound] = [format!("barrier_{share}"), format!("no_barrier_{share}")];
        let cost = figures.difference_us(&chained, &bound)?;
        let (name, idle) = (name_of(share), idle(figures, &chained, &bound)?);
        Some(match positive(&cost) {
            true => format!("{name} {} ({idle})", each(&cost, passes - 1)),
            false => format!("{name} nothing that these samples tell"),
        })
    };
    let parts: Vec<String> = SHARES.into_iter().filter_map(part).collect();
    let talk = talk("idle/quarter")?;
    (!parts.is_empty()).then(|| {
        format!(
            "a barrier costs, in µs by the area of its passes, with the part of the chain's time that the same passes do \
             not take without barriers: {}; the talk had at least {talk} % idle at 1/4.",
            parts.join(", ")
        )
    })
}

fn clears(figures: &Figures<'_>) -> Option<String> {
    let idle = idle(figures, "barrier_4_clear", "no_barrier_4_clear")?;
    let talk = talk("idle/quarter_clear")?;
    Some(format!(
        "With a clear before each 1/4-area pass it is {idle}, where the talk had at least {talk} %."
    ))
}

/// `12 %`: the part of a chain's time that its bound does not take.
fn idle(figures: &Figures<'_>, chained: &str, bound: &str) -> Option<String> {
    let ratio = figures.ratio(chained, bound)?;
    Some(format!("{:.0} %", 100.0 * (1.0 - 1.0 / ratio.median).max(0.0)))
}

/// The same from traces, beside the formula.
fn chains_traced(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let Plan { work, machine, .. } = plan;
    let chain = |share: u32| {
        let seen = Seen::of(figures.trace(&format!("barrier_{share}"))?)?;
        let waves = work.waves(share_of(work.items, share));
        Some((name_of(share), seen, machine.map(|machine| machine.first_fill(waves))))
    };
    traced::sentence(&SHARES.into_iter().filter_map(chain).collect::<Vec<_>>())
}

/// What a pass of another kernel costs more than one of the same, long and short.
fn code(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let cost =
        |length: &str| figures.difference_us(&format!("{length}code_cold"), &format!("{length}code_warm"));
    let short = cost("short_").map_or_else(|| "not measured".into(), |cost| told(&cost, passes - 1));
    Some(format!(
        "A pass of a kernel that has not run yet costs {} more than one of the kernel that just ran, of short code {short}.",
        told(&cost("")?, passes - 1)
    ))
}

fn constants(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let cold = figures.difference_us("constants_cold", "constants_warm")?;
    let kept = figures.difference_us("constants_warm_flushed", "constants_warm");
    let kept = kept.map_or_else(String::new, |cost| {
        format!(
            ", a barrier that makes memory visible between passes of the same {}",
            told(&cost, passes - 1)
        )
    });
    Some(format!("Constants from another place cost {} a pass{kept}.", told(&cold, passes - 1)))
}

/// What a loop over tiles wins, and which part of that is the constants.
fn relaunch(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let against = |other: &str| figures.ratio("tiles_1", other);
    let mut text =
        format!("Waves that loop over 16 tiles are {} as waves of one tile", times(&against("tiles_16")?));
    if let Some(anew) = against("tiles_16_loaded_anew") {
        text += &format!(" ({} if they load their constants for each)", times(&anew));
    }
    if let (Some(machine), Some(cost)) = (plan.machine, figures.difference_us("tiles_1", "tiles_16"))
        && positive(&cost)
    {
        let waves = plan.work.waves(plan.work.items);
        let saved = f64::from(waves) * 15.0 / 16.0;
        let gap = 1e3 * cost.median * f64::from(machine.slots()) / saved;
        text += &format!(", {gap:.0} ns a relaunch of a slot if all slots are held");
    }
    for (name, words) in
        [("tiles_filling_once", "as many as there is room for"), ("tiles_a_simd", "one a SIMD")]
    {
        if let Some(ratio) = against(name) {
            text += &format!("; waves that take all tiles, {words}, {}", times(&ratio));
        }
    }
    Some(text + ".")
}

/// Whether irregular work prefers workgroups of one wave, more than regular work does.
fn irregular(figures: &Figures<'_>) -> Option<String> {
    let gain = |kind: &str| figures.ratio(&format!("{kind}_8"), &format!("{kind}_1"));
    Some(format!(
        "Irregular work runs in workgroups of one wave {} as in those of eight, regular work of the same total {}.",
        times(&gain("irregular")?),
        times(&gain("regular")?)
    ))
}

/// How fast waves start, alone and eight at a time.
fn launch(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let rate = |waves: u32| {
        let name = format!("launch_{waves}");
        let us = figures.us(Time::Pipelined, &name).or_else(|| figures.us(Time::Isolated, &name))?;
        let a_ns = f64::from(plan.launched) / us / 1e3;
        let clocks = |mhz: u32| format!(", {:.2} a clock at {mhz} MHz", 1e3 * a_ns / f64::from(mhz));
        let traced = figures.trace(&name).and_then(traced::launch_rate);
        let traced = traced.map(|a_us| format!(", {:.2} in the fill of its trace", a_us / 1e3));
        Some(format!(
            "{a_ns:.2} waves a ns{}{}",
            plan.mhz.map(clocks).unwrap_or_default(),
            traced.unwrap_or_default()
        ))
    };
    Some(format!(
        "Empty waves start, one a workgroup, at {}; of eight at {}. By the talk a shader engine of GCN starts {} a clock.",
        rate(1)?,
        rate(8)?,
        talk("launch/shader_engine")?
    ))
}

/// Whether the flag keeps passes apart that do not need each other.
fn usage(figures: &Figures<'_>) -> Option<String> {
    let ratio = figures.ratio("apart_simultaneous_use", "apart")?;
    Some(format!(
        "Passes that do not need each other take {} with SIMULTANEOUS_USE as without.",
        match decided(&ratio) {
            true => format!("{} times as long", with_interval(&ratio, 1.0)),
            false => "as long, as far as these samples tell,".into(),
        }
    ))
}

/// A figure of the talk.
fn talk(key: &str) -> Option<f64> {
    Some(published::find("lottes2018", key).ok()?.value)
}

/// The interval leaves 1 out.
fn decided(ratio: &Summary) -> bool {
    ratio.median_95.is_some_and(|interval| interval.low > 1.0 || interval.high < 1.0)
}

/// The interval is above 0.
fn positive(difference: &Summary) -> bool {
    difference.median_95.is_some_and(|interval| interval.low > 0.0)
}

/// `1.52 µs (1.48 to 1.55)`, of each of so many, or that it is none.
fn told(difference: &Summary, of: u32) -> String {
    let Some(interval) = difference.median_95 else { return "not to be told from so few samples".into() };
    match interval.low <= 0.0 && interval.high >= 0.0 {
        true => "nothing that these samples tell".into(),
        false => {
            let each = |us: f64| us / f64::from(of.max(1));
            let (low, high) = (each(interval.low), each(interval.high));
            format!("{:.2} µs ({low:.2} to {high:.2})", each(difference.median))
        }
    }
}

/// `1.52 (1.48 to 1.55)`, of each of so many.
fn each(difference: &Summary, of: u32) -> String {
    with_interval(difference, f64::from(of.max(1)))
}

/// `1.22 (1.20 to 1.24) times as fast`, or that they are as fast.
fn times(ratio: &Summary) -> String {
    match decided(ratio) {
        true => format!("{} times as fast", with_interval(ratio, 1.0)),
        false => "as fast, as far as these samples tell,".into(),
    }
}

fn with_interval(summary: &Summary, divided_by: f64) -> String {
    let interval = summary.median_95.map_or_else(String::new, |interval| {
        format!(" ({:.2} to {:.2})", interval.low / divided_by, interval.high / divided_by)
    });
    format!("{:.2}{interval}", summary.median / divided_by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drain_fill::traced::tests::trace;
    use common::record::{Row, Traced};

    fn plan(machine: Option<&str>, mhz: Option<u32>) -> Plan {
        let size = "2560x1440".parse().unwrap();
        let work = Work { size, items: 2560 * 1440, passes: 9, steps: 64, wave: 64 };
        Plan { work, machine: machine.map(|text| text.parse().unwrap()), launched: 57_600, mhz }
    }

    /// Rows of twelve rounds, each variant's time with `noise` of it added in every other round.
    fn rows(times: &[(&str, f64, f64)]) -> Vec<Row> {
        let record = crate::recorded("default").unwrap();
        let row = |(variant, us, noise): &(&str, f64, f64)| {
            let mut row = record.rows[0].clone();
            let sample = row.samples[0];
            let at = |round: u32| {
                let us = us * (1.0 + noise * f64::from(round % 2));
                common::record::Sample { round, one_us: us, many_us: Some(us), ..sample }
            };
            row.samples = (0..12).map(at).collect();
            let times: Vec<f64> = row.samples.iter().map(|sample| sample.one_us).collect();
            row.isolated_us = Summary::of(&times);
            row.pipelined_us = row.isolated_us;
            Row { variant: (*variant).to_owned(), ..row }
        };
        times.iter().map(row).collect()
    }

    fn concluded(times: &[(&str, f64, f64)], plan: &Plan) -> Option<String> {
        conclude(&Figures::new(&rows(times)), plan)
    }

    const CHAINS: [(&str, f64, f64); 6] = [
        ("barrier_1", 108.0, 0.0),
        ("no_barrier_1", 100.0, 0.0),
        ("barrier_4", 40.0, 0.0),
        ("no_barrier_4", 30.0, 0.0),
        ("barrier_4_clear", 60.0, 0.0),
        ("no_barrier_4_clear", 45.0, 0.0),
    ];

    #[test]
    fn barriers_cost_what_the_chain_takes_longer() {
        assert_eq!(
            concluded(&CHAINS, &plan(None, None)).unwrap(),
            "In short: a barrier costs, in µs by the area of its passes, with the part of the chain's time that the same \
             passes do not take without barriers: whole 1.00 (1.00 to 1.00) (7 %), 1/4 1.25 (1.25 to 1.25) (25 %); the \
             talk had at least 14 % idle at 1/4.\nWith a clear before each 1/4-area pass it is 25 %, where the talk had at \
             least 26 %."
        );
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let noisy = [
            ("barrier_1", 100.0, 0.3),
            ("no_barrier_1", 110.0, 0.0),
            ("code_warm", 100.0, 0.3),
            ("code_cold", 110.0, 0.0),
            ("irregular_1", 100.0, 0.3),
            ("irregular_8", 110.0, 0.0),
            ("regular_1", 100.0, 0.0),
            ("regular_8", 150.0, 0.0),
            ("apart", 100.0, 0.3),
            ("apart_simultaneous_use", 110.0, 0.0),
        ];
        let text = concluded(&noisy, &plan(None, None)).unwrap();
        for says in [
            "whole nothing that these samples tell;",
            "has not run yet costs nothing that these samples tell more",
            "in workgroups of one wave as fast, as far as these samples tell, as in those of eight, regular work of the \
             same total 1.50 (1.50 to 1.50) times as fast.",
            "take as long, as far as these samples tell, with SIMULTANEOUS_USE",
        ] {
            assert!(text.contains(says), "'{says}' in {text}");
        }
    }

    #[test]
    fn relaunches_are_counted_by_slots() {
        let times = [
            ("tiles_1", 100.0, 0.0),
            ("tiles_16", 80.0, 0.0),
            ("tiles_16_loaded_anew", 90.0, 0.0),
            ("tiles_a_simd", 200.0, 0.0),
        ];
        // 54,000 waves fewer on 2560 slots: 20 µs are 21 relaunches of each.
        let text = concluded(&times, &plan(Some("64x4x10"), None)).unwrap();
        for says in [
            "loop over 16 tiles are 1.25 (1.25 to 1.25) times as fast",
            "(1.11 (1.11 to 1.11) times as fast if they load",
            "948 ns a relaunch",
            "one a SIMD, 0.50 (0.50 to 0.50) times as fast",
        ] {
            assert!(text.contains(says), "'{says}' in {text}");
        }
        assert!(!concluded(&times, &plan(None, None)).unwrap().contains("relaunch"));
    }

    #[test]
    fn waves_a_clock_need_a_clock() {
        let times = [("launch_1", 57.6, 0.0), ("launch_8", 28.8, 0.0)];
        let text = concluded(&times, &plan(None, None)).unwrap();
        assert!(text.contains("at 1.00 waves a ns; of eight at 2.00 waves a ns."), "{text}");
        let text = concluded(&times, &plan(None, Some(2000))).unwrap();
        assert!(text.contains("1.00 waves a ns, 0.50 a clock at 2000 MHz; of eight at 2.00"), "{text}");
    }

    #[test]
    fn traces_stand_beside_the_formula() {
        let mut rows = rows(&[("barrier_1", 1.0, 0.0), ("launch_1", 57.6, 0.0), ("launch_8", 57.6, 0.0)]);
        for row in &mut rows {
            row.trace = Some(Traced::Ok { figures: Box::new(trace(3, 50.0)), overhead: None });
        }
        let text = conclude(&Figures::new(&rows), &plan(Some("64x4x10"), None)).unwrap();
        assert!(text.contains("In the traces, whole: 14 % of the area idle, 20.0 % (formula 4.4)"), "{text}");
        // 32 waves in 300 µs.
        assert!(text.contains("1.00 waves a ns, 0.00 in the fill of its trace"), "{text}");
    }

    #[test]
    fn nothing_is_concluded_from_nothing() {
        assert_eq!(concluded(&[], &plan(Some("64x4x10"), Some(1000))), None);
        assert_eq!(concluded(&[("barrier_1", 1.0, 0.0)], &plan(None, None)), None);
    }
}
