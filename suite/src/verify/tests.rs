//! Tests the verdicts on repeated runs.

use record::self_test::CheckResult::{Failed, Passed, Warned};
use record::{Kind, Status};

use super::*;
use crate::scripted::{of, self_test, slow_down};

const VARIANTS: [(&str, f64); 3] = [("quick", 100.0), ("baseline", 200.0), ("slow", 400.0)];

/// The verdict after `spoil` has changed the old or the new record.
fn said(tolerance: Option<f64>, spoil: impl FnOnce(&mut Record, &mut Record)) -> (u8, String) {
    let (mut old, mut new) = (of(1, &VARIANTS), of(2, &VARIANTS));
    spoil(&mut old, &mut new);
    let found = |record| Found { path: "x".into(), record };
    let judged = judged(&found(old), &found(new), tolerance);
    assert!(!judged.sentence.contains('\n'));
    (judged.code, judged.sentence)
}

#[test]
fn the_same_is_confirmed() {
    let expected = "Confirmed: 3 variants take as long as recorded; none became wrong or slower.";
    assert_eq!(said(None, |_, _| ()), (EXIT_RIGHT, expected.into()));
    let expected = "Confirmed: 2 variants take as long as recorded, 1 variant takes less time; none became wrong \
                    or slower.";
    assert_eq!(said(None, |_, new| slow_down(new, "slow", 0.9)), (EXIT_RIGHT, expected.into()));
    let (code, sentence) = said(None, |_, new| slow_down(new, "slow", 1.0097));
    assert_eq!(code, EXIT_RIGHT);
    assert!(sentence.contains("of 1 variant the samples do not decide it"), "{sentence}");
}

#[test]
fn what_is_slower_is_not() {
    let expected = "Slower: 1 variant takes more time than recorded.";
    assert_eq!(said(None, |_, new| slow_down(new, "slow", 1.03)), (EXIT_SLOWER, expected.into()));
    assert_eq!(said(Some(0.1), |_, new| slow_down(new, "slow", 1.03)).0, EXIT_RIGHT);
}

#[test]
fn wrong_comes_before_slower() {
    let (code, sentence) = said(None, |_, new| {
        slow_down(new, "slow", 1.03);
        new.rows[0].status = Status::Wrong { elements: 1, first: String::new() };
    });
    assert_eq!((code, &sentence[..]), (EXIT_FAILED, "Wrong: 1 variant that had figures in the record."));
    let (code, sentence) =
        said(None, |_, new| new.rows[0].status = Status::Skipped { reason: String::new() });
    assert_eq!((code, &sentence[..13]), (EXIT_FAILED, "Not confirmed"));
}

#[test]
fn other_work_is_not_comparable() {
    type Spoil = fn(&mut Record, &mut Record);
    let cases: [(&str, Spoil); 4] = [
        ("the record is of Made-up GPU 9000, the run of Other", |_, new| {
            (new.device.name, new.device.uuid) = ("Other".into(), "2".into());
        }),
        ("the record is of passes 8, size 64x64, the run of passes 9, size 64x64", |_, new| {
            new.configuration.insert("passes".into(), "9".into());
        }),
        ("the run lacks quick", |_, new| drop(new.rows.remove(0))),
        ("the run failed: lost", |_, new| new.ended = Ended::Failed { reason: "lost".into() }),
    ];
    for (why, spoil) in cases {
        assert_eq!(said(None, spoil), (EXIT_FAILED, format!("Not comparable: {why}.")));
    }
}

#[test]
fn times_of_a_cpu_are_judged_when_asked_for() {
    let slow = |old: &mut Record, new: &mut Record| {
        (old.device.kind, new.device.kind) = (Kind::Cpu, Kind::Cpu);
        slow_down(new, "slow", 2.0);
    };
    let (code, sentence) = said(None, slow);
    assert!(code == EXIT_RIGHT && sentence.contains("are not judged"), "{sentence}");
    assert_eq!(said(Some(0.1), slow).0, EXIT_SLOWER);
}

#[test]
fn what_is_not_to_be_trusted_is_not_confirmed() {
    type Spoil = fn(&mut Record, &mut Record);
    let cases: [(&str, Spoil); 3] = [
        ("the self-test of the record failed (the same kernel twice)", |old, _| {
            old.self_test = Some(self_test(&[("the same kernel twice", Failed)]));
        }),
        ("the self-test of the run failed (results, idle)", |_, new| {
            new.self_test = Some(self_test(&[("results", Failed), ("waking", Warned), ("idle", Failed)]));
        }),
        ("the record was measured with tools in the way (Layer)", |old, new| {
            (old.method.tools, new.method.tools) = (vec!["Layer".into()], vec!["Layer".into()]);
        }),
    ];
    for (why, spoil) in cases {
        assert_eq!(said(None, spoil), (EXIT_FAILED, format!("Not comparable: {why}.")));
    }
    // If only results are compared, only checks that show wrong results matter.
    let of_a_cpu = |check: fn() -> Certificate| {
        said(None, |old, new| {
            (old.device.kind, new.device.kind) = (Kind::Cpu, Kind::Cpu);
            new.method.tools = vec!["Layer".into()];
            new.self_test = Some(check());
        })
    };
    assert_eq!(of_a_cpu(|| self_test(&[("results", Passed), ("idle", Failed)])).0, EXIT_RIGHT);
    let (code, sentence) = of_a_cpu(|| self_test(&[("results", Failed), ("idle", Failed)]));
    assert_eq!(
        (code, &sentence[..]),
        (EXIT_FAILED, "Not comparable: the self-test of the run failed (results).")
    );
}

fn wrong() -> Status {
    Status::Wrong { elements: 1, first: "element 3".into() }
}

#[test]
fn what_nothing_is_known_of_is_not_confirmed() {
    type Spoil = fn(&mut Record, &mut Record);
    let cases: [(&str, Spoil); 4] = [
        ("the record has no variant", |old, new| (old.rows, new.rows) = (Vec::new(), Vec::new())),
        ("of 3 variants the samples do not decide it", |_, new| {
            new.rows.iter_mut().for_each(|row| row.samples.truncate(5));
        }),
        ("3 variants have figures on neither side", |old, new| {
            old.rows.iter_mut().chain(&mut new.rows).for_each(|row| row.status = wrong());
        }),
        ("of 2 variants the samples do not decide it, 1 variant has figures on neither side", |old, new| {
            new.rows.iter_mut().for_each(|row| row.samples.truncate(5));
            (old.rows[0].status, new.rows[0].status) = (wrong(), wrong());
        }),
    ];
    for (why, spoil) in cases {
        assert_eq!(said(None, spoil), (EXIT_FAILED, format!("Undecided: {why}.")));
    }
}

#[test]
fn what_is_wrong_on_both_sides_is_not_right() {
    let both = |old: &mut Record, new: &mut Record| {
        (old.rows[0].status, new.rows[0].status) = (wrong(), wrong());
    };
    let (code, sentence) = said(None, both);
    let expected = "Confirmed: 2 variants take as long as recorded, 1 variant has figures on neither side; none \
                    became wrong or slower.";
    assert_eq!((code, &sentence[..]), (EXIT_RIGHT, expected));
    let (code, sentence) = said(None, |old, new| {
        (old.device.kind, new.device.kind) = (Kind::Cpu, Kind::Cpu);
        both(old, new);
    });
    let expected =
        "Confirmed: 2 variants are right as recorded, 1 variant has figures on neither side. Times";
    assert!(code == EXIT_RIGHT && sentence.starts_with(expected), "{sentence}");
    let (code, sentence) = said(None, |old, new| {
        (old.device.kind, new.device.kind) = (Kind::Cpu, Kind::Cpu);
        old.rows.iter_mut().chain(&mut new.rows).for_each(|row| row.status = wrong());
    });
    let expected = "Undecided: 3 variants have figures on neither side.";
    assert_eq!((code, &sentence[..]), (EXIT_FAILED, expected));
}

#[test]
fn the_worst_of_several_decides() {
    assert_eq!(worst(&[]), EXIT_RIGHT);
    assert_eq!(worst(&[EXIT_SKIPPED, EXIT_RIGHT]), EXIT_SKIPPED);
    assert_eq!(worst(&[EXIT_SLOWER, EXIT_SKIPPED]), EXIT_SLOWER);
    assert_eq!(worst(&[EXIT_SLOWER, EXIT_FAILED, EXIT_HUNG]), EXIT_FAILED);
}
