//! What `drain_fill` concludes from its figures, a line a question. Only an interval that leaves out
//! what would be no effect decides; where none does, the sentence says so.

use common::record::published;
use common::{Figures, Summary, Time};
use samples::words::with_interval;

use crate::device::PLACES;
use crate::format::{both, decided, each, positive, times, told};
use crate::sizes::{Machine, SHARES, Work, name_of, share_of};
use crate::traced::{Seen, added};

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
pub fn conclude(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let sentences = [
        barriers(figures, plan.work.passes),
        clears(figures),
        chains_traced(figures, plan),
        code(figures, plan.work.passes),
        constants(figures, plan.work.passes),
        relaunch(figures, plan),
        irregular(figures, plan),
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

/// `39 %, 50 %`: the part of a chain's time that its bound does not take, isolated and pipelined. The first has
/// what a submit costs in both.
fn idle(figures: &Figures<'_>, chained: &str, bound: &str) -> Option<String> {
    let part = |ratio: Summary| format!("{:.0} %", 100.0 * (1.0 - 1.0 / ratio.median).max(0.0));
    let isolated = part(figures.ratio(chained, bound)?);
    Some(match figures.pipelined_ratio(chained, bound) {
        Some(pipelined) => format!("{isolated}, {}", part(pipelined)),
        None => isolated,
    })
}

/// The same from traces, beside the formula.
fn chains_traced(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let Plan { work, machine, .. } = plan;
    let chain = |share: u32| {
        let chained = format!("barrier_{share}");
        let waves = work.waves(share_of(work.items, share));
        let formula = machine.map(|machine| machine.first_fill(waves));
        let unordered = figures.trace(&format!("no_barrier_{share}")).map(|trace| trace.whole.idle);
        let seen = Seen::of(figures.trace(&chained)?)?;
        Some(seen.told(&name_of(share), formula, unordered, figures.traced_overhead(&chained)))
    };
    let chains: Vec<String> = SHARES.into_iter().filter_map(chain).collect();
    (!chains.is_empty()).then(|| format!("In the traces, {}.", chains.join("; ")))
}

/// What a pass of another kernel costs more than one of the same, long and short.
fn code(figures: &Figures<'_>, passes: u32) -> Option<String> {
    let cost =
        |length: &str| figures.difference_us(&format!("{length}code_cold"), &format!("{length}code_warm"));
    let short = cost("short_").map_or_else(|| "not measured".into(), |cost| told(&cost, passes - 1));
    Some(format!(
        "A pass of a kernel that has not run in this submit costs {} more than one of the kernel that just ran, of short \
         code {short}{}.",
        told(&cost("")?, passes - 1),
        once_more(figures, "code_cold", "code_warm")
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
    Some(format!(
        "Constants that no pass of this submit has read yet, {PLACES} fetches that each need the one before, cost {} a \
         pass{kept}{}.",
        told(&cold, passes - 1),
        once_more(figures, "constants_cold", "constants_warm")
    ))
}

/// What is left of the difference where the same chain has run just before.
fn once_more(figures: &Figures<'_>, cold: &str, warm: &str) -> String {
    figures.pipelined_ratio(cold, warm).map_or_else(String::new, |ratio| match decided(&ratio) {
        true => format!("; behind the same chain it takes {} times as long", with_interval(&ratio, 1.0, 2)),
        false => "; behind the same chain no difference is left".into(),
    })
}

/// What a loop over tiles wins, and which part of that is the constants.
fn relaunch(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let against = |other: &str| figures.ratio("tiles_1", other);
    let mut text = format!(
        "Waves that loop over 16 tiles are {} as waves of one tile",
        both(figures, "tiles_1", "tiles_16")?
    );
    if let Some(anew) = against("tiles_16_loaded_anew") {
        text += &format!(" ({} if they load their constants for each)", times(&anew));
    }
    text += &gap(figures, plan);
    for (name, words) in
        [("tiles_filling_once", "as many as there is room for"), ("tiles_a_simd", "one a SIMD")]
    {
        if let Some(ratio) = against(name) {
            text += &format!("; waves that take all tiles, {words}, {}", times(&ratio));
        }
    }
    Some(text + ".")
}

/// How long a slot is empty between two waves: what all slots together waste, if all of them are held but
/// for that. Where they are not, another limit keeps them empty.
fn gap(figures: &Figures<'_>, plan: &Plan) -> String {
    const HELD: f64 = 0.9;
    let Some((machine, trace)) = plan.machine.zip(figures.trace("tiles_1")) else { return String::new() };
    let held = trace.whole.mean / f64::from(machine.slots());
    let cost = figures.difference_us("tiles_1", "tiles_16").filter(positive);
    match cost {
        Some(cost) if held > HELD => {
            let saved = f64::from(plan.work.waves(plan.work.items)) * 15.0 / 16.0;
            let gap = 1e3 * cost.median * f64::from(machine.slots()) / saved;
            format!(", {gap:.0} ns a relaunch of a slot")
        }
        _ => format!(
            "; what a relaunch costs a slot cannot be told, for waves of one tile hold {:.0} % of the slots",
            100.0 * held
        ),
    }
}

/// Whether irregular work prefers workgroups of one wave, more than regular work does.
fn irregular(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let gain = |kind: &str| both(figures, &format!("{kind}_8"), &format!("{kind}_1"));
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

/// One wave a workgroup, and no longer than as many empty ones take to start.
fn is_launch_bound(figures: &Figures<'_>, plan: &Plan, variant: &str) -> bool {
    let pipelined = |name: &str| figures.us(Time::Pipelined, name);
    let groups = f64::from(plan.work.items.div_ceil(plan.work.wave));
    let bound = pipelined("launch_1").map(|us| us * groups / f64::from(plan.launched));
    pipelined(variant).zip(bound).is_some_and(|(us, bound)| us < 1.1 * bound)
}

/// How fast waves start, alone and eight at a time.
fn launch(figures: &Figures<'_>, plan: &Plan) -> Option<String> {
    let rate = |waves: u32| {
        let name = format!("launch_{waves}");
        let us = figures.us(Time::Pipelined, &name).or_else(|| figures.us(Time::Isolated, &name))?;
        let a_ns = f64::from(plan.launched) / us / 1e3;
        let clocks = |mhz: u32| format!(", {:.2} a clock at {mhz} MHz", 1e3 * a_ns / f64::from(mhz));
        let traced = figures.trace(&name).and_then(|trace| trace.whole.launch_rate);
        let overhead = added(figures.traced_overhead(&name));
        let traced =
            traced.map(|a_us| format!(", {:.2} a ns in the fill of its trace{overhead}", a_us / 1e3));
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
            true => format!("{} times as long", with_interval(&ratio, 1.0, 2)),
            false => "as long, as far as these samples tell,".into(),
        }
    ))
}

/// A figure of the talk.
fn talk(key: &str) -> Option<f64> {
    Some(published::find("lottes2018", key).ok()?.value)
}

#[cfg(test)]
mod tests;
