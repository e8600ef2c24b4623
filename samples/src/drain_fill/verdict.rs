//! What `drain_fill` concludes from its figures, a sentence a question. Only an interval that leaves out
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
    (!sentences.is_empty()).then(|| format!("In short: {}", sentences.join(" ")))
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
    (!parts.is_empty()).then(|| {
        format!(
            "a barrier costs, in µs by the area of its passes (share of the chain's time that the same passes do not \
             take without barriers): {}; the talk had at least 14 % idle at 1/4.",
            parts.join(", ")
        )
    })
}

fn clears(figures: &Figures<'_>) -> Option<String> {
    let idle = idle(figures, "barrier_4_clear", "no_barrier_4_clear")?;
    let talk = published::find("lottes2018", "idle/quarter_clear").ok()?.value;
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
        "Workgroups of one empty wave start at {}; of eight at {}. A shader engine of GCN starts one every 4 clocks.",
        rate(1)?,
        rate(8)?
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
