//! Tests the rules with scripted records and with two real runs.

use record::self_test::CheckResult::{Failed, Passed, Warned};
use record::stats::Summary;
use record::{Matrix, Racy, Shows, Status};

use super::*;
use crate::scripted::{clocked, of, self_test, slow_down, summarise};

const VARIANTS: [(&str, f64); 3] = [("quick", 100.0), ("baseline", 200.0), ("slow", 400.0)];

fn found(path: &str, record: Record) -> Found {
    Found { path: path.into(), record }
}

fn side(path: &str, records: Vec<Record>) -> Side {
    let records = records
        .into_iter()
        .enumerate()
        .map(|(at, record)| found(&format!("{path}/{at}/record.json"), record));
    Side { path: path.into(), records: records.collect() }
}

fn compared(before: Record, after: Record) -> Comparison {
    compare(&side("a", vec![before]), &side("b", vec![after]), TOLERANCE, false).unwrap()
}

/// The outcome of each variant.
fn outcomes(comparison: &Comparison) -> Vec<(&str, Outcome)> {
    comparison
        .pairs
        .iter()
        .flat_map(|pair| &pair.rows)
        .map(|row| (row.variant.as_str(), row.outcome))
        .collect()
}

fn outcome(comparison: &Comparison, variant: &str) -> Outcome {
    outcomes(comparison).into_iter().find(|(name, _)| *name == variant).unwrap().1
}

fn isolated<'c>(comparison: &'c Comparison, variant: &str) -> &'c outcome::Change {
    comparison.pairs[0].rows.iter().find(|row| row.variant == variant).unwrap()
}

fn shown(comparison: &Comparison, room: u16, all: bool) -> String {
    table(Charset::Utf8, room, comparison, all)
}

/// A comparison with every kind of outcome.
fn mixed() -> Comparison {
    let names = [
        ("quick", 100.0),
        ("baseline", 200.0),
        ("slow", 400.0),
        ("gone", 10.0),
        ("broken", 50.0),
        ("tiny", 3.0),
        ("few", 70.0),
        ("absent", 5.0),
    ];
    let (mut before, mut after) = (of(1, &names), of(2, &names));
    slow_down(&mut after, "slow", 1.03);
    slow_down(&mut after, "quick", 0.9);
    slow_down(&mut after, "tiny", 1.2);
    for record in [&mut before, &mut after] {
        record.rows[5].near_floor = true;
        record.rows[6].samples.truncate(5);
        record.rows[7].status = Status::Unsupported { reason: "no float16".into() };
        summarise(record);
    }
    after.rows[4].status = Status::Wrong { elements: 3, first: "texel (1, 2) of image 0".into() };
    after.rows[3].variant = "come".into();
    after.tool.commit = Some("4567def".into());
    after.kernels[0].spirv_sha256 = "11ff".into();
    after.device.driver_info = "1.2.4".into();
    after.method.caches = "cold, by a buffer of 256 MiB".into();
    after.method.floor_us = 4.0;
    compared(before, after)
}

#[test]
fn a_table_of_everything() {
    insta::assert_snapshot!(shown(&mixed(), 140, false));
}

#[test]
fn a_table_of_everything_and_the_same_in_80_columns() {
    insta::assert_snapshot!(shown(&mixed(), 80, true));
}

#[test]
fn a_narrow_table_in_ascii() {
    let text = table(Charset::Ascii, 60, &mixed(), true);
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn tables_fit_from_60_columns_on() {
    for (room, charset) in (60..160).flat_map(|room| [(room, Charset::Utf8), (room, Charset::Ascii)]) {
        let text = table(charset, room, &mixed(), true);
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= usize::from(room), "{widest} at {room}\n{text}");
    }
}

#[test]
fn the_tolerance_is_what_was_asked_for() {
    let mut after = of(2, &VARIANTS);
    slow_down(&mut after, "slow", 1.03);
    let (before, after) = (side("a", vec![of(1, &VARIANTS)]), side("b", vec![after]));
    let of = |tolerance| outcome(&compare(&before, &after, tolerance, false).unwrap(), "slow");
    assert_eq!([of(0.01), of(0.0304), of(0.05)], [Outcome::Slower, Outcome::Unsure, Outcome::Same]);
}

#[test]
fn one_of_the_two_times_is_enough() {
    // Launches became slower: T(1) and T(N) by the same time.
    let mut after = of(2, &VARIANTS);
    after.rows[0]
        .samples
        .iter_mut()
        .for_each(|s| (s.one_us, s.many_us) = (s.one_us + 5.0, Some(s.many_us.unwrap() + 5.0)));
    summarise(&mut after);
    let comparison = compared(of(1, &VARIANTS), after);
    let row = isolated(&comparison, "quick");
    let verdicts = [&row.isolated, &row.pipelined].map(|time| time.as_ref().unwrap().verdict.word());
    assert_eq!((row.outcome, verdicts), (Outcome::Slower, ["SLOWER", "SAME"]));
    // Only further repetitions became slower.
    let mut after = of(2, &VARIANTS);
    after.rows[0].samples.iter_mut().for_each(|s| s.many_us = Some(s.many_us.unwrap() * 1.05));
    summarise(&mut after);
    let comparison = compared(of(1, &VARIANTS), after);
    let row = isolated(&comparison, "quick");
    let verdicts = [&row.isolated, &row.pipelined].map(|time| time.as_ref().unwrap().verdict.word());
    assert_eq!((row.outcome, verdicts), (Outcome::Slower, ["SAME", "SLOWER"]));
}

#[test]
fn a_pipelined_time_that_is_lost_in_the_noise_takes_nothing_away() {
    let mut after = of(2, &VARIANTS);
    let rows = &mut after.rows;
    rows[0]
        .samples
        .iter_mut()
        .enumerate()
        .for_each(|(at, s)| s.many_us = Some(if at % 2 == 0 { 90.0 } else { 1500.0 }));
    rows[1].pipelined_us = None;
    let comparison = compared(of(1, &VARIANTS), after);
    let row = isolated(&comparison, "quick");
    let pipelined = row.pipelined.as_ref().unwrap();
    assert_eq!((row.outcome, pipelined.verdict.word()), (Outcome::Same, "UNSURE"));
    assert_eq!(pipelined.reason.as_deref(), Some("lost in the noise"));
    assert!(isolated(&comparison, "baseline").pipelined.is_none());
}

#[test]
fn what_another_clock_explains_is_no_slower_program() {
    let comparison = compared(at_clock(1, 1980.0, 1.0), at_clock(2, 1800.0, 1.1));
    let judged = isolated(&comparison, "slow").isolated.as_ref().unwrap();
    assert_eq!(judged.verdict.word(), "UNSURE");
    assert_eq!(judged.reason.as_deref(), Some("the clock ran at 1800 instead of 1980 MHz"));
    assert_eq!(comparison.count(Outcome::Slower), 0);
    // An equal clock explains nothing, and neither does a clock that only one side knows.
    assert_eq!(
        outcome(&compared(at_clock(1, 1980.0, 1.0), at_clock(2, 1980.0, 1.1)), "slow"),
        Outcome::Slower
    );
    assert_eq!(outcome(&compared(of(1, &VARIANTS), at_clock(2, 1800.0, 1.1)), "slow"), Outcome::Slower);
}

/// A run at the given clock, in which `slow` has `factor` times the work and takes `factor` times as long.
fn at_clock(seed: u64, mhz: f64, factor: f64) -> Record {
    let mut record = of(seed, &VARIANTS);
    clocked(&mut record, mhz);
    slow_down(&mut record, "slow", factor);
    record
}

#[test]
fn what_another_clock_hides_is_not_the_same_program() {
    // One variant has more work, and a faster clock that compensates for it.
    let hidden = |factor: f64| {
        let mut record = at_clock(2, 1980.0, 1.0);
        for sample in &mut record.rows[2].samples {
            (sample.one_mhz, sample.many_mhz) = (Some(1980.0 * factor), Some(1980.0 * factor));
        }
        compared(at_clock(1, 1980.0, 1.0), record)
    };
    for (factor, mhz) in [(1.03, "2039"), (0.97, "1921")] {
        let comparison = hidden(factor);
        let row = isolated(&comparison, "slow");
        for time in [&row.isolated, &row.pipelined] {
            let time = time.as_ref().unwrap();
            assert_eq!(time.verdict.word(), "UNSURE");
            let reason = format!("the clock ran at {mhz} instead of 1980 MHz");
            assert_eq!(time.reason.as_deref(), Some(&reason[..]));
        }
        assert_eq!((row.outcome, comparison.count(Outcome::Same)), (Outcome::Unsure, 2));
    }
    assert_eq!(hidden(1.003).count(Outcome::Same), 3);
}

#[test]
fn what_cycles_do_not_decide_is_said() {
    let mut after = at_clock(2, 1980.0, 1.03);
    // The clocks vary too much for a verdict in cycles.
    for (at, sample) in after.rows[2].samples.iter_mut().enumerate() {
        let mhz = if at % 2 == 0 { 1700.0 } else { 2200.0 };
        (sample.one_mhz, sample.many_mhz) = (Some(mhz), Some(mhz));
    }
    let comparison = compared(at_clock(1, 1980.0, 1.0), after);
    let row = isolated(&comparison, "slow");
    let judged = row.isolated.as_ref().unwrap();
    assert_eq!((row.outcome, judged.verdict.word()), (Outcome::Slower, "SLOWER"));
    assert_eq!(judged.reason.as_deref(), Some("not confirmed in cycles"));
    assert!(shown(&comparison, 100, false).contains("not confirmed in cycles."));
}

#[test]
fn a_sample_without_a_clock_does_not_switch_the_check_off() {
    let without = |count: usize| {
        let mut after = at_clock(2, 1800.0, 1.1);
        after.rows[2].samples[..count].iter_mut().for_each(|s| (s.one_mhz, s.many_mhz) = (None, None));
        compared(at_clock(1, 1980.0, 1.0), after)
    };
    for (count, expected) in [(1, Outcome::Unsure), (10, Outcome::Unsure), (11, Outcome::Slower)] {
        let comparison = without(count);
        assert_eq!(outcome(&comparison, "slow"), expected, "without {count}");
        let cycles = isolated(&comparison, "slow").isolated.as_ref().unwrap().cycles;
        assert_eq!(cycles.is_some(), expected == Outcome::Unsure);
    }
}

#[test]
fn near_the_floor_what_is_equal_is_the_same() {
    let near = |seed| {
        let mut record = of(seed, &VARIANTS);
        record.rows[0].near_floor = true;
        record
    };
    assert_eq!(outcome(&compared(near(1), near(2)), "quick"), Outcome::Same);
}

/// Times in steps of 32 ns, close to a step: their median shifts by a whole step.
#[test]
fn a_step_of_the_timestamps_is_no_difference() {
    let stepped = |us: f64| {
        let mut record = of(1, &[("quick", 1.0), ("baseline", 400.0)]);
        for (at, sample) in record.rows[0].samples.iter_mut().enumerate() {
            sample.one_us = us + if at % 9 == 0 { 0.032 } else { 0.0 };
            sample.many_us = None;
        }
        record.rows[0].pipelined_us = None;
        record.rows[0].isolated_us =
            Summary::of(&record.rows[0].samples.iter().map(|s| s.one_us).collect::<Vec<_>>());
        // No other row has a finer resolution.
        record.rows[1].samples.iter_mut().for_each(|s| s.one_us = (s.one_us / 0.032).round() * 0.032);
        record
    };
    let shifted = compared(stepped(2.400), stepped(2.432));
    let judged = isolated(&shifted, "quick").isolated.as_ref().unwrap();
    assert!((judged.tolerance - (0.01 + 0.064 / 2.4)).abs() < 1e-9, "{judged:?}");
    assert!(judged.shift.unwrap().interval.low > 1.0 + TOLERANCE);
    // Such steps could hide differences above the tolerance, so the verdict is not "same" either.
    assert_eq!(judged.verdict.word(), "UNSURE");
    assert_eq!(judged.reason.as_deref(), Some("the timestamps step by 1.3 % of it"));
    assert_eq!(outcome(&compared(stepped(2.4), stepped(2.4)), "quick"), Outcome::Same);
    assert_eq!(outcome(&compared(stepped(2.4), stepped(2.72)), "quick"), Outcome::Slower);
}

/// A failed self-test is reported whatever the verdicts on the rows are.
#[test]
fn a_self_test_that_failed_is_told() {
    let (mut before, mut after) = (of(1, &VARIANTS), of(2, &VARIANTS));
    before.self_test = Some(self_test(&[("results", Passed), ("the same kernel twice", Passed)]));
    after.self_test = Some(self_test(&[("results", Failed), ("the same kernel twice", Failed)]));
    let comparison = compared(before.clone(), after);
    let told = "the self-test of the second failed (results, the same kernel twice): its times are not to be trusted";
    assert_eq!(comparison.pairs[0].differences, [told]);
    assert!(shown(&comparison, 140, false).contains(told));
    let sound = before.clone();
    before.self_test = Some(self_test(&[("clock rate", Warned), ("the same kernel twice", Failed)]));
    let told = "the self-test of the first failed (the same kernel twice): its times are not to be trusted";
    assert_eq!(compared(before, sound).pairs[0].differences, [told]);
}

#[test]
fn tools_that_both_sides_have_are_told_too() {
    let with = |seed, tools: &[&str]| {
        let mut record = of(seed, &VARIANTS);
        record.method.tools = tools.iter().map(|tool| (*tool).to_owned()).collect();
        record
    };
    let told = |a: &[&str], b: &[&str]| compared(with(1, a), with(2, b)).pairs[0].differences.clone();
    assert_eq!(
        told(&["Layer", "Profiler"], &["Layer", "Profiler"]),
        ["tools in the way on both sides: Layer, Profiler; under a validation layer times are no times"]
    );
    assert_eq!(told(&["Layer"], &[]), ["tools in the way: Layer → none"]);
    assert!(told(&[], &[]).is_empty());
}

/// Samples in two groups that are 3 % apart. On the second side a few more samples are in the slow group, which
/// moves the median; the number of quotients near 1 hardly changes.
#[test]
fn a_factor_that_the_medians_contradict_is_marked() {
    let grouped = |seed: u64, far: usize| {
        let mut record = of(seed, &VARIANTS);
        for (at, sample) in record.rows[0].samples.iter_mut().enumerate() {
            sample.one_us = if at % 40 < far { 103.0 } else { 100.0 } + f64::from(sample.round) * 0.001;
        }
        summarise(&mut record);
        record
    };
    let comparison = compared(grouped(1, 19), grouped(2, 21));
    let row = isolated(&comparison, "quick");
    let judged = row.isolated.as_ref().unwrap();
    let (shift, quotient) = (judged.shift.unwrap(), judged.after_us / judged.before_us);
    let within = (shift.interval.low..=shift.interval.high).contains(&quotient);
    assert!(judged.medians_outside && !within, "{judged:?}");
    for room in [60, 100, 160] {
        let text = shown(&comparison, room, true);
        let marked = |line: &&str| line.contains("%*");
        assert_eq!(text.lines().filter(marked).count(), 1, "{text}");
        assert!(text.contains("*: the quotient of the two medians lies outside"), "{text}");
    }
    let json = serde_json::to_string(&comparison).unwrap();
    assert_eq!(json.matches(r#""medians_outside":true"#).count(), 1, "{json}");
    // Without marks, no note explains them.
    let plain = compared(of(1, &VARIANTS), of(2, &VARIANTS));
    let text = shown(&plain, 160, true);
    assert!(text.contains("the median of all quotients") && !text.contains('*'), "{text}");
}

#[test]
fn trials_are_compared_by_whether_any_was_wrong() {
    let trials = |seed, wrong: [usize; 3]| {
        let mut record = of(seed, &VARIANTS);
        record.matrix = Some(Matrix { corner: String::new(), shows: Shows::Races });
        for (row, wrong) in record.rows.iter_mut().zip(wrong) {
            row.racy =
                Some(Racy { samples: 200, racy_samples: wrong, median: 1.0, max: 9, long_max: 9, of: 64 });
        }
        record
    };
    let mut after = trials(2, [190, 3, 0]);
    // As in data_race, times say nothing.
    slow_down(&mut after, "slow", 1.5);
    let comparison = compared(trials(1, [200, 0, 0]), after);
    let expected = [("quick", Outcome::Same), ("baseline", Outcome::Changed), ("slow", Outcome::Same)];
    assert_eq!(outcomes(&comparison), expected);
    assert_eq!(exit(&comparison), EXIT_RIGHT);
    let text = shown(&comparison, 140, false);
    assert!(text.contains("baseline: wrong in 0 of 200 trials → wrong in 3 of 200 trials"), "{text}");
}

#[test]
fn what_was_wrong_and_is_right_is_no_failure() {
    let (mut before, after) = (of(1, &VARIANTS), of(2, &VARIANTS));
    before.rows[0].status = Status::Wrong { elements: 1, first: String::new() };
    let comparison = compared(before, after);
    assert_eq!((outcome(&comparison, "quick"), exit(&comparison)), (Outcome::Changed, EXIT_RIGHT));
}

#[test]
fn what_is_lost_fails_as_what_is_wrong() {
    type Spoil = fn(&mut Record);
    let cases: [(&str, Spoil); 6] = [
        ("quick of drain_fill: ok → skipped: made up", |r| {
            r.rows[0].status = Status::Skipped { reason: "made up".into() };
        }),
        ("quick of drain_fill: ok → throttled: at 300 MHz", |r| {
            r.rows[0].status = Status::Throttled { reason: "at 300 MHz".into() };
        }),
        ("quick of drain_fill: ok → unsupported: no float16", |r| {
            r.rows[0].status = Status::Unsupported { reason: "no float16".into() };
        }),
        ("quick, slow of drain_fill: not in b/0/record.json", |r| {
            r.rows.retain(|row| row.variant == "baseline");
        }),
        ("the run of drain_fill in b/0/record.json failed: device lost", |r| {
            r.ended = Ended::Failed { reason: "device lost".into() };
        }),
        ("the run of drain_fill in b/0/record.json was cut off", |r| r.ended = Ended::Unfinished),
    ];
    for (line, spoil) in cases {
        let mut after = of(2, &VARIANTS);
        spoil(&mut after);
        let comparison = compared(of(1, &VARIANTS), after.clone());
        assert_eq!((&comparison.lost[..], exit(&comparison)), (&[line.to_owned()][..], EXIT_FAILED));
        // Additional content of the second side is no loss.
        if after.ended == Ended::Complete {
            let comparison = compared(after, of(2, &VARIANTS));
            assert_eq!((comparison.lost.len(), exit(&comparison)), (0, EXIT_RIGHT), "{line}");
        }
    }
}

#[test]
fn a_record_that_is_lost_fails_where_it_was_asked_for() {
    let mut other = of(1, &VARIANTS);
    other.sample = "codegen".into();
    let before = side("a", vec![of(1, &VARIANTS), other]);
    let comparison = compare(&before, &side("b", vec![of(2, &VARIANTS)]), TOLERANCE, false).unwrap();
    assert_eq!(comparison.lost, ["codegen: what a/1/record.json records is not in b"]);
    assert_eq!(exit(&comparison), EXIT_FAILED);
    // Work that is there twice before and once after is not lost. A single record on the second side cannot lose
    // others.
    let before_twice = side("a", vec![of(1, &VARIANTS), of(3, &VARIANTS)]);
    let comparison = compare(&before_twice, &side("b", vec![of(2, &VARIANTS)]), TOLERANCE, false).unwrap();
    assert_eq!((comparison.lost.len(), exit(&comparison)), (0, EXIT_RIGHT));
    for (named, path) in [("b.json", "b.json"), ("b", "b/record.json")] {
        let one = Side { path: named.into(), records: vec![found(path, of(2, &VARIANTS))] };
        let comparison = compare(&before, &one, TOLERANCE, false).unwrap();
        assert_eq!((comparison.lost.len(), exit(&comparison)), (0, EXIT_RIGHT));
        assert_eq!(comparison.notes, ["The second side is one record: one of the first is not compared."]);
    }
}

#[test]
fn records_without_samples_decide_nothing() {
    let bare = || {
        let mut record = of(1, &VARIANTS);
        record.rows.iter_mut().for_each(|row| row.samples.clear());
        record
    };
    let comparison = compared(bare(), of(2, &VARIANTS));
    assert_eq!(comparison.count(Outcome::Unsure), 3);
    assert!(shown(&comparison, 100, false).contains("quick; baseline; slow: no samples are kept."));
}

#[test]
fn another_device_is_not_compared_unasked() {
    let mut other = of(2, &VARIANTS);
    (other.device.name, other.device.uuid) = ("Another".into(), "2".into());
    let (before, after) = (side("a", vec![of(1, &VARIANTS)]), side("b", vec![other.clone()]));
    let message = compare(&before, &after, TOLERANCE, false).unwrap_err().to_string();
    assert!(
        message.contains("Made-up GPU 9000; Another") && message.contains("--across-devices"),
        "{message}"
    );
    let across = compare(&before, &after, TOLERANCE, true).unwrap();
    assert_eq!(across.count(Outcome::Same), 3);
    assert!(across.pairs[0].differences.contains(&"device: Made-up GPU 9000 → Another".into()));
    // If other records can be compared, a note reports the device.
    let both = side(
        "a",
        vec![of(1, &VARIANTS), {
            let mut third = of(1, &VARIANTS);
            third.configuration.insert("passes".into(), "9".into());
            third
        }],
    );
    let mut third = both.records[1].record.clone();
    third.started = "2031-01-01T00:00:00Z".into();
    let mixed = compare(&both, &side("b", vec![other, third]), TOLERANCE, false).unwrap();
    assert_eq!((mixed.pairs.len(), mixed.notes.len()), (1, 1), "{:?}", mixed.notes);
    assert!(
        mixed.notes[0].starts_with("Different devices, Made-up GPU 9000 and Another"),
        "{:?}",
        mixed.notes
    );
    // A GPU of the same name counts as the same device.
    let mut same = of(2, &VARIANTS);
    same.device.uuid = "2".into();
    assert_eq!(compared(of(1, &VARIANTS), same).count(Outcome::Same), 3);
}

#[test]
fn work_is_matched_by_sample_and_configuration() {
    let with = |passes: &str, started: &str| {
        let mut record = of(1, &VARIANTS);
        record.configuration.insert("passes".into(), passes.into());
        record.started = started.into();
        record
    };
    let [old, new] = ["2030-01-01T00:00:00Z", "2030-02-01T00:00:00Z"];
    let before = side("a", vec![with("8", old), with("8", new), with("1", old)]);
    let after = side("b", vec![with("2", old), with("8", new)]);
    let comparison = compare(&before, &after, TOLERANCE, false).unwrap();
    let pairs: Vec<(&str, &str)> =
        comparison.pairs.iter().map(|pair| (pair.before.as_str(), pair.after.as_str())).collect();
    // By path, not by age: a/1 and b/1 have the same relative path.
    assert_eq!(pairs, [("a/1/record.json", "b/1/record.json")]);
    assert_eq!(
        comparison.notes,
        [
            "Work that is only in the first: a/2/record.json.",
            "Repeated work, only in the first, is not compared: a/0/record.json.",
            "Work that is only in the second: b/0/record.json."
        ]
    );
    let nothing =
        compare(&side("a", vec![with("1", old)]), &after, TOLERANCE, false).unwrap_err().to_string();
    assert!(nothing.contains("no record of the same sample with the same configuration"), "{nothing}");
}

const H200: &str = "2026-11-30-nvidia-h200-suite";
const H100: &str = "2026-11-26-nvidia-h100-suite";

/// Two complete runs on one device, in separate processes, as committed.
fn runs_on(device: &str) -> (Side, Side) {
    let side = |name: &str| {
        let path = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../results")).join(name);
        let mut records = collect(std::slice::from_ref(&path)).unwrap();
        // Its times are the CPU's. They depend on the core that the thread runs on.
        records.retain(|file| file.record.sample != "round_trip");
        Side { records, path }
    };
    (side(device), side(&format!("{device}-again")))
}

#[test]
fn an_unchanged_program_in_another_process_is_the_same() {
    for device in [H200, H100] {
        let (before, after) = runs_on(device);
        let comparison = compare(&before, &after, TOLERANCE, false).unwrap();
        let all: usize = comparison.counts.values().sum();
        let same = comparison.count(Outcome::Same);
        println!("{device}: {same} of {all} SAME: {:?}", comparison.counts);
        assert!(all >= 150 && same * 100 >= all * 95, "{:?}", comparison.counts);
        // One program differs by 2 % from one process to the next now and then.
        let changed = comparison.count(Outcome::Slower) + comparison.count(Outcome::Faster);
        assert!(changed * 100 <= all, "{:?}", comparison.counts);
    }
}

#[test]
fn three_per_cent_in_any_one_variant_are_found_and_nothing_else() {
    let (before, after) = runs_on(H200);
    let (mut planted, mut found) = (0, 0);
    for (old, new) in pairs::matched(&before, &after, false).pairs {
        let clean = pair(old, new, TOLERANCE);
        for row in &new.record.rows {
            let is_trial = outcome::counts_wrong_results(&new.record);
            if is_trial || row.isolated_us.is_none_or(|us| us.median < 50.0) {
                continue;
            }
            let mut slow = new.clone();
            slow_down(&mut slow.record, &row.variant, 1.03);
            let rows = pair(old, &slow, TOLERANCE).rows;
            planted += 1;
            for (was, is) in clean.rows.iter().zip(&rows) {
                if is.variant == row.variant {
                    found += usize::from(is.outcome == Outcome::Slower);
                } else {
                    assert_eq!(is.outcome, was.outcome, "{} by {}", is.variant, row.variant);
                }
            }
        }
    }
    println!("{found} of {planted} planted slowdowns found");
    assert!(planted >= 15 && found * 100 >= planted * 98, "{found} of {planted}");
}
