//! The conclusion of `wave_launch`.

use common::{Figures, Time};
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

/// Three sentences at the most: launch rate, loops over tiles, workgroups of waves that differ in length.
pub fn conclude(figures: &Figures<'_>, plan: Plan) -> Option<String> {
    let sentences: Vec<String> =
        [launch(figures, plan), tiles(figures), probes(figures)].into_iter().flatten().collect();
    (!sentences.is_empty()).then(|| sentences.join("\n"))
}

/// The launch rate, and how long workgroups have to run so that they fill the GPU at this rate.
fn launch(figures: &Figures<'_>, plan: Plan) -> Option<String> {
    let per_ns = launched_per_ns(figures, 1, plan)?;
    let clocks = |mhz: u32| format!(" ({:.2} per clock at {mhz} MHz)", 1e3 * per_ns / f64::from(mhz));
    let clocks = plan.mhz.map(clocks).unwrap_or_default();
    let break_even = |waves| {
        let room = f64::from(plan.machine?.slots() / waves);
        Some(room / launched_per_ns(figures, waves, plan)? / 1e3)
    };
    let fills = break_even(8)
        .map(|us| format!("; workgroups of eight waves that run for less than {us:.1} µs cannot fill it"));
    Some(format!(
        "This GPU starts {per_ns:.2} workgroups of one wave per ns{clocks}{}.",
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
    let times = times_as_long(figures, "tiles_16", "tiles_1")?;
    Some(format!("Workgroups that loop over 16 tiles take {times} as workgroups of one tile."))
}

/// What workgroups of one wave gain over those of eight: with room for few waves, and with room for all.
fn probes(figures: &Figures<'_>) -> Option<String> {
    let gain = |name: &str| times_as_long(figures, &format!("{name}_1"), &format!("{name}_8"));
    let irregular = gain("irregular");
    match (gain("probes"), irregular) {
        (Some(probes), irregular) => {
            let control =
                irregular.map_or_else(String::new, |times| format!("; {times} where more waves fit"));
            Some(format!(
                "With room for few waves, light probes in workgroups of one wave take {probes} as in \
                 workgroups of eight{control}."
            ))
        }
        (None, irregular) => Some(format!(
            "Irregular loops in workgroups of one wave take {} as in workgroups of eight.",
            irregular?
        )),
    }
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
    use common::record::{Record, Row};

    use super::*;

    fn concluded(record: &Record) -> Option<String> {
        let setting = |name: &str| record.configuration.get(name).unwrap().as_str();
        assert_eq!((setting("size"), setting("wave_lanes")), ("2560x1440", "32"));
        let machine = setting("machine").parse().ok();
        conclude(&Figures::new(&record.rows), Plan { waves: 2560 * 1440 / 32, machine, mhz: Some(1980) })
    }

    #[test]
    fn records_lead_to_their_own_verdicts() {
        // Recorded when these variants were part of drain_fill, and irregular loops had no fetches.
        let mut record = samples::recorded("drain_fill").unwrap();
        assert_eq!(
            concluded(&record).unwrap(),
            "This GPU starts 1.64 workgroups of one wave per ns (0.83 per clock at 1980 MHz); workgroups of eight \
             waves that run for less than 0.7 µs cannot fill it.\n\
             Workgroups that loop over 16 tiles take 0.38x as long (14.2 against 39.1 µs) as workgroups of one tile.\n\
             Irregular loops in workgroups of one wave take 1.42x as long (85.4 against 60.3 µs) as in workgroups of \
             eight."
        );
        // Rows of probes, with the figures of the irregular loops.
        for waves in ["1", "8"] {
            let row = record.rows.iter().find(|row| row.variant == format!("irregular_{waves}")).unwrap();
            let probes = Row { variant: format!("probes_{waves}"), ..row.clone() };
            record.rows.push(probes);
        }
        let text = concluded(&record).unwrap();
        assert!(
            text.contains("With room for few waves, light probes in workgroups of one wave take 1.42x"),
            "{text}"
        );
        assert!(text.ends_with(
            "as in workgroups of eight; 1.42x as long (85.4 against 60.3 µs) where more waves fit."
        ));
        record.rows.clear();
        assert_eq!(concluded(&record), None);
    }

    #[test]
    fn what_noise_hides_is_not_told() {
        let mut record = samples::recorded("drain_fill").unwrap();
        for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("tiles")) {
            let loops = row.variant.starts_with("tiles_16");
            for (sample, noise) in row.samples.iter_mut().zip([0.7, 1.3].into_iter().cycle()) {
                sample.one_us = if loops { noise } else { 1.0 };
            }
        }
        let text = concluded(&record).unwrap();
        assert!(text.contains("loop over 16 tiles take as long as workgroups of one tile."), "{text}");
    }
}
