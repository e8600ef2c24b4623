//! What is concluded from made-up rows.

use super::*;
use crate::traced::tests::trace;
use common::record::{Row, Sample, Traced as Taken};

fn plan(machine: Option<&str>, mhz: Option<u32>) -> Plan {
    let size = "2560x1440".parse().unwrap();
    let work = Work { size, items: 2560 * 1440, passes: 9, steps: 64, wave: 64 };
    Plan { work, machine: machine.map(|text| text.parse().unwrap()), launched: 57_600, mhz }
}

/// Rows of twelve rounds, each variant's time with `noise` of it added in every other round.
fn rows(times: &[(&str, f64, f64)]) -> Vec<Row> {
    let record = samples::recorded("512-12-passes").unwrap();
    let row = |(variant, us, noise): &(&str, f64, f64)| {
        let mut row = record.rows[0].clone();
        let sample = row.samples[0];
        let at = |round: u32| {
            let us = us * (1.0 + noise * f64::from(round % 2));
            Sample { round, one_us: us, many_us: Some(us), ..sample }
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
         passes do not take without barriers (isolated, then pipelined): whole 1.00 (1.00 to 1.00) (7 %), 1/4 1.25 \
         (1.25 to 1.25) (25 %); the talk had the VALUs at least 14 % idle at 1/4.\nWith a clear before each 1/4-area pass \
         that part is 25 %, where the talk had at least 26 %."
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
        "has not run in this submit costs nothing that these samples tell more",
        "in workgroups of one wave as fast, as far as these samples tell, as in those of eight, regular work of the \
         same total 1.50 (1.50 to 1.50) times as fast.",
        "take as long, as far as these samples tell, with SIMULTANEOUS_USE",
    ] {
        assert!(text.contains(says), "'{says}' in {text}");
    }
}

#[test]
fn relaunches_are_counted_where_slots_are_held() {
    let times = [
        ("tiles_1", 100.0, 0.0),
        ("tiles_16", 80.0, 0.0),
        ("tiles_16_loaded_anew", 90.0, 0.0),
        ("tiles_a_simd", 200.0, 0.0),
    ];
    let mut rows = rows(&times);
    // 28 waves are in flight on average.
    rows[0].trace = Some(Taken::Ok { figures: Box::new(trace(1, 0.0)), overhead: None });
    let told = |machine: &str| conclude(&Figures::new(&rows), &plan(Some(machine), None)).unwrap();
    // 54,000 waves fewer on 28 slots: 20 µs are 1929 relaunches of each.
    let text = told("7x1x4");
    for says in [
        "loop over 16 tiles are 1.25 (1.25 to 1.25) times as fast",
        "(1.11 (1.11 to 1.11) times as fast if they load",
        "10 ns a relaunch of a slot",
        "one a SIMD, 0.50 (0.50 to 0.50) times as fast",
    ] {
        assert!(text.contains(says), "'{says}' in {text}");
    }
    let text = told("64x4x10");
    assert!(text.contains("cannot be told, for waves of one tile hold 1 % of the slots"), "{text}");
    assert!(!concluded(&times, &plan(Some("64x4x10"), None)).unwrap().contains("a relaunch"));
}

#[test]
fn waves_that_take_as_long_as_empty_ones_measure_the_launch() {
    let loops = |irregular: f64| {
        [
            ("regular_1", 60.0, 0.0),
            ("regular_8", 50.0, 0.0),
            ("irregular_1", irregular, 0.0),
            ("irregular_8", 50.0, 0.0),
            ("launch_1", 57.6, 0.0),
        ]
    };
    let bound = |irregular| {
        concluded(&loops(irregular), &plan(None, None)).unwrap().contains("the launch is what this measures")
    };
    assert!(bound(60.0) && !bound(100.0));
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
        row.trace = Some(Taken::Ok { figures: Box::new(trace(3, 50.0)), overhead: None });
    }
    let text = conclude(&Figures::new(&rows), &plan(Some("64x4x10"), None)).unwrap();
    assert!(
        text.contains("In the traces, whole: 14 % of the room for waves idle, 20.0 % (formula 4.4)"),
        "{text}"
    );
    // 32 waves in 300 µs.
    assert!(text.contains("1.00 waves a ns, 0.00 a ns in the fill of its trace"), "{text}");
}

#[test]
fn nothing_is_concluded_from_nothing() {
    assert_eq!(concluded(&[], &plan(Some("64x4x10"), Some(1000))), None);
    assert_eq!(concluded(&[("barrier_1", 1.0, 0.0)], &plan(None, None)), None);
}

#[test]
fn a_record_leads_to_its_own_verdict() {
    let record = samples::recorded("drain_fill").unwrap();
    let setting = |name: &str| record.configuration[name].as_str();
    let size: common::Extent = setting("size").parse().unwrap();
    let work = Work {
        size,
        items: size.width * size.height,
        passes: setting("passes").parse().unwrap(),
        steps: setting("steps").parse().unwrap(),
        wave: setting("wave_lanes").parse().unwrap(),
    };
    let machine = setting("machine").parse().ok();
    let mhz = setting("mhz").parse().ok();
    let plan = Plan { work, machine, launched: work.waves(work.items), mhz };
    assert!(record.verdict.as_ref().is_some_and(|text| text.contains("In the traces")));
    assert_eq!(record.verdict, conclude(&Figures::new(&record.rows), &plan));
}
