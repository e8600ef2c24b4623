//! What launching waves takes, and what workgroups of one wave gain.

use common::{Figures, Headline, Holds, Time};
use samples::machine::Machine;
use samples::words::decided;

/// What the figures were measured with.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Empty waves that were launched.
    pub waves: u32,
    /// How many waves the device holds, if that is known.
    pub machine: Option<Machine>,
    /// Clock in MHz, if the user gave one.
    pub mhz: Option<u32>,
}

const LOOP: &str = "tiles_16";
const LAUNCH_EACH: &str = "tiles_1";

/// Loops over tiles in place of launches.
pub fn headline(figures: &Figures<'_>) -> Headline {
    Headline::of("a loop over tiles beats a workgroup per tile").test_ratio(
        figures,
        Time::Isolated,
        [LOOP, LAUNCH_EACH],
        &Holds::FASTER,
        |times| format!("tiles in loops of 16 take {times} as long as a workgroup each"),
    )
}

/// The times behind the headline, workgroups of waves that differ in length, and the launch rate.
pub fn verdict(figures: &Figures<'_>, plan: Plan) -> Option<String> {
    let lines: Vec<String> =
        [tiles(figures), probes(figures), launch(figures, plan)].into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The launch rate, and how long workgroups have to run so that they fill the GPU at this rate.
fn launch(figures: &Figures<'_>, plan: Plan) -> Option<String> {
    let per_ns = launched_per_ns(figures, 1, plan)?;
    let talk = figures.row("launch_1").and_then(|row| row.published.as_ref());
    let talk = talk.map_or_else(String::new, |talk| {
        format!("; the talk: {} waves per clock and shader engine", talk.value)
    });
    let clocks = |mhz: u32| format!(" ({:.2} per clock at {mhz} MHz{talk})", 1e3 * per_ns / f64::from(mhz));
    let clocks = plan.mhz.map(clocks).unwrap_or_default();
    let break_even = |waves| {
        let room = f64::from(plan.machine?.slots() / waves);
        Some(room / launched_per_ns(figures, waves, plan)? / 1e3)
    };
    let fills = break_even(8)
        .map(|us| format!(" Workgroups of eight waves that run for less than {us:.1} µs cannot fill it."));
    Some(format!(
        "This GPU starts {per_ns:.2} workgroups of one wave per ns{clocks}.{}",
        fills.unwrap_or_default()
    ))
}

/// Empty workgroups of so many waves that start per ns.
fn launched_per_ns(figures: &Figures<'_>, waves: u32, plan: Plan) -> Option<f64> {
    let name = format!("launch_{waves}");
    let us = figures.us(Time::Pipelined, &name).or_else(|| figures.us(Time::Isolated, &name))?;
    Some(f64::from(plan.waves.div_ceil(waves)) / us / 1e3)
}

fn tiles(figures: &Figures<'_>) -> Option<String> {
    let us = |variant| figures.us(Time::Isolated, variant);
    Some(format!(
        "{:.1} against {:.1} µs: workgroups that loop over 16 tiles, and workgroups of one tile.",
        us(LOOP)?,
        us(LAUNCH_EACH)?
    ))
}

/// What workgroups of one wave gain over those of eight, with rays of many lengths and room for few waves. The controls
/// have room for more waves, or rays of one length.
fn probes(figures: &Figures<'_>) -> Option<String> {
    let gain = |name: &str| times_as_long(figures, &format!("{name}_1"), &format!("{name}_8"));
    let Some(probes) = gain("probes") else {
        let times = gain("irregular")?;
        return Some(format!(
            "Rays of many lengths take {times} in workgroups of one wave as in workgroups of eight."
        ));
    };
    let controls = [("irregular", "Where more waves fit"), ("even_probes", "With rays of one length")];
    let controls: String = controls
        .into_iter()
        .filter_map(|(name, words)| Some(format!(" {words} they take {}.", gain(name)?)))
        .collect();
    Some(format!(
        "With room for few waves, rays of many lengths take {probes} in workgroups of one wave as in workgroups of \
         eight.{controls}"
    ))
}

/// `0.36x as long (14.2 against 39.1 µs)`, or that no difference was found.
fn times_as_long(figures: &Figures<'_>, variant: &str, other: &str) -> Option<String> {
    let ratio = figures.ratio(variant, other)?;
    let [us, other_us] = [variant, other].map(|name| figures.us(Time::Isolated, name));
    Some(match decided(&ratio) {
        true => format!("{:.2}x as long ({:.1} against {:.1} µs)", ratio.median, us?, other_us?),
        false => "as long".into(),
    })
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn concluded(record: &Record) -> Option<String> {
        let setting = |name: &str| record.configuration.get(name).unwrap().as_str();
        assert_eq!((setting("size"), setting("wave_lanes")), ("2560x1440", "32"));
        let machine = setting("machine").parse().ok();
        verdict(&Figures::new(&record.rows), Plan { waves: 2560 * 1440 / 32, machine, mhz: Some(1980) })
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let mut record = samples::recorded("2026-11-26-nvidia-h200/wave_launch").unwrap();
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "tiles in loops of 16 take 0.36x as long as a workgroup each");
        assert!(headline.finding.chars().count() <= LONGEST);
        assert_eq!((headline.outcome, headline.published), (Outcome::Holds, None));
        assert_eq!(
            concluded(&record).unwrap(),
            "14.3 against 39.1 µs: workgroups that loop over 16 tiles, and workgroups of one tile.\n\
             With room for few waves, rays of many lengths take 0.91x as long (3137.6 against 3451.7 µs) in \
             workgroups of one wave as in workgroups of eight. Where more waves fit they take 1.08x as long (2042.6 \
             against 1901.1 µs). With rays of one length they take 0.98x as long (1861.5 against 1892.4 µs).\n\
             This GPU starts 1.64 workgroups of one wave per ns (0.83 per clock at 1980 MHz; the talk: 0.25 waves per \
             clock and shader engine). Workgroups of eight waves that run for less than 0.7 µs cannot fill it."
        );
        record.rows.retain(|row| !row.variant.contains("probes"));
        let text = concluded(&record).unwrap();
        assert!(
            text.contains(
                "\nRays of many lengths take 1.08x as long (2042.6 against 1901.1 µs) in workgroups of one wave as in \
                 workgroups of eight."
            ),
            "{text}"
        );
        record.rows.clear();
        assert_eq!(concluded(&record), None);
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let mut record = samples::recorded("2026-11-26-nvidia-h200/wave_launch").unwrap();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("even_probes")) {
            let of_one = row.variant.ends_with('1');
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if of_one { noise } else { 1.0 };
            }
        }
        let text = concluded(&record).unwrap();
        assert!(text.contains("With rays of one length they take as long.\n"), "{text}");
    }
}
