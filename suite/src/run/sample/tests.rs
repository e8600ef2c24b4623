//! Tests the decision after an attempt, and what is kept of it.

use super::*;

fn record(ended: End) -> Record {
    Record { ended, ..crate::scripted::measured() }
}

fn ended(how: How, phase: Phase, variant: &str) -> Ended {
    let progress = Progress { phase, variant: variant.to_owned(), spent: 0.5 };
    Ended { how, said: Some("lds_blur: the last word".into()), progress, took: Duration::from_secs(7) }
}

/// Calls `ask` with a sample that traces or not, and that the user has stopped or not.
fn with_subject<T>(trace: bool, stop: bool, ask: impl FnOnce(&Subject<'_>) -> T) -> T {
    let asked = Stop::default();
    if stop {
        asked.ask();
    }
    let settings = Settings::of_a_test(trace);
    let path = Path::new("/absent");
    ask(&Subject {
        own: Vec::new(),
        name: "lds_blur",
        binary: path,
        device: "0",
        settings: &settings,
        folder: path,
        stop: &asked,
    })
}

fn next(ended: &Ended, record: Option<&Record>, before: &[&str]) -> Next {
    let death = |variant: &&str| Death {
        variant: (*variant).to_owned(),
        reason: String::new(),
        hung: false,
        checkpoint: None,
    };
    let history = History { deaths: before.iter().map(death).collect(), ..History::default() };
    with_subject(false, false, |subject| subject.next(ended, record, &history))
}

fn crash(phase: Phase, variant: &str) -> Ended {
    ended(How::Signal("SIGABRT".into()), phase, variant)
}

#[test]
fn a_crash_is_repeated_without_its_variant_and_twice_at_most() {
    let (a, unfinished) = (crash(Phase::Measuring, "a"), record(End::Unfinished));
    assert_eq!(next(&a, Some(&unfinished), &[]), Next::Without("a".into()));
    assert_eq!(next(&a, None, &["b"]), Next::Without("a".into()));
    assert_eq!(next(&a, None, &["b", "c"]), Next::Keep);
    assert_eq!(next(&a, None, &["a"]), Next::Keep);
    assert_eq!(next(&crash(Phase::Starting, "a"), None, &[]), Next::Keep);
    assert_eq!(next(&crash(Phase::Measuring, ""), None, &[]), Next::Keep);
    // The process died after the last sample, or the disk was full.
    assert_eq!(next(&a, Some(&record(End::Complete)), &[]), Next::Keep);
    let unwritten = ended(How::Code(EXIT_FAILED.into()), Phase::Measuring, "a");
    assert_eq!(next(&unwritten, Some(&unfinished), &[]), Next::Keep);
}

#[test]
fn a_hang_and_a_lost_device_are_repeated_too() {
    let lost = record(End::Failed { reason: "the device was lost".into() });
    let measuring = |how| ended(how, Phase::Measuring, "a");
    let without = Next::Without("a".into());
    assert_eq!(next(&measuring(How::Hung), None, &[]), without);
    assert_eq!(next(&measuring(How::Code(EXIT_HUNG.into())), Some(&lost), &[]), without);
    assert_eq!(next(&measuring(How::Code(EXIT_FAILED.into())), Some(&lost), &[]), without);
}

#[test]
fn what_came_to_its_end_is_kept() {
    let complete = record(End::Complete);
    for how in [0, 2].map(How::Code).into_iter().chain([How::TooLong]) {
        assert_eq!(next(&ended(how, Phase::Measuring, "a"), Some(&complete), &[]), Next::Keep);
    }
    let history = History::default();
    let a = crash(Phase::Measuring, "a");
    with_subject(false, true, |stopped| assert_eq!(stopped.next(&a, None, &history), Next::Keep));
}

#[test]
fn without_a_clock_for_waves_it_is_measured_all_the_same() {
    let skipped = ended(How::Code(EXIT_SKIPPED.into()), Phase::Starting, "");
    let crashed = crash(Phase::Tracing, "a");
    let (none, mut history) = (History::default(), History::default());
    history.untraced = Some(Untraced { reason: "x".into(), died: false });
    with_subject(true, false, |subject| {
        assert_eq!(subject.next(&skipped, None, &none), Next::WithoutTraces);
        assert_eq!(subject.next(&crashed, Some(&record(End::Unfinished)), &none), Next::WithoutTraces);
        assert_eq!(subject.next(&skipped, None, &history), Next::Keep);
    });
    assert_eq!(next(&skipped, None, &[]), Next::Keep);
}

fn kept(ended: &Ended, record: Option<Record>) -> Measured {
    with_subject(false, false, |subject| subject.kept(ended, record, History::default()))
}

#[test]
fn states_and_reasons() {
    let measuring = |how| ended(how, Phase::Measuring, "direct_sampled");
    let of = |how, record| {
        let kept = kept(&measuring(how), record);
        (kept.state, kept.reason.unwrap_or_default())
    };
    let complete = || Some(record(End::Complete));
    assert_eq!(of(How::Code(0), complete()), (State::Right, String::new()));
    assert_eq!(of(How::Code(130), Some(record(End::Interrupted))), (State::Interrupted, String::new()));
    assert_eq!(of(How::Code(130), Some(record(End::Unfinished))), (State::Interrupted, HURRIED.into()));
    assert_eq!(of(How::Code(1), None), (State::Failed, "the last word".into()));
    let (state, reason) = of(How::TooLong, Some(record(End::Interrupted)));
    assert!(state == State::Failed && reason.contains("time limit of 9 s"), "{reason}");
    let (state, reason) = of(How::Hung, Some(record(End::Unfinished)));
    assert!(
        state == State::Hung
            && reason.contains("hung and was killed: no end within 9 s; the last it said: the last word"),
        "{reason}"
    );
    let (state, reason) = of(How::Signal("SIGSEGV".into()), None);
    assert!(state == State::Failed && reason.contains("SIGSEGV") && reason.contains("the last word"));
    assert!(reason.starts_with("direct_sampled: "), "{reason}");
    let (state, reason) = of(How::Code(101), None);
    assert!(state == State::Failed && reason.contains("exit code 101"), "{reason}");
    assert_eq!(of(How::Code(0), None).0, State::Failed);
}

#[test]
fn what_was_complete_before_the_user_was_heard_is_complete() {
    let state = |how, end| {
        let (ended, history) = (ended(how, Phase::Measuring, "a"), History::default());
        with_subject(false, true, |stopped| stopped.kept(&ended, Some(record(end)), history).state)
    };
    assert_eq!(state(How::Code(0), End::Complete), State::Right);
    assert_eq!(state(How::Stopped, End::Complete), State::Right);
    assert_eq!(state(How::Code(0), End::Interrupted), State::Interrupted);
    assert_eq!(state(How::Stopped, End::Unfinished), State::Interrupted);
}

#[test]
fn an_introduction_is_no_last_word() {
    let record = record(End::Unfinished);
    let device = format!("lds_blur on {} (CPU device, x)", record.device.name);
    for said in [record.notes[0].clone(), listed(&record.configuration), device] {
        let ended = Ended { said: Some(said), ..crash(Phase::Measuring, "direct_sampled") };
        let reason = kept(&ended, Some(record.clone())).reason.unwrap();
        assert_eq!(reason, "direct_sampled: it crashed (SIGABRT)");
    }
}

#[test]
fn a_variant_that_died_last_is_an_error_too() {
    let kept = kept(&crash(Phase::Measuring, "direct_sampled"), Some(record(End::Unfinished)));
    let record = kept.record.unwrap();
    let row = record.rows.iter().find(|row| row.variant == "direct_sampled").unwrap();
    assert!(matches!(&row.status, Status::Error { reason } if reason.contains("SIGABRT")), "{row:?}");
    assert!(matches!(record.ended, End::Failed { .. }));
}

#[test]
fn the_command_repeats_it() {
    let command = "/x/lds_blur --device 0 --seed=7 --json /w/record.json --trace /w/waves.svg --trace /w/waves.json.gz --without a                        --progress /w/progress";
    let command: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let kept = plain_command("lds_blur", &command);
    assert_eq!(
        kept.join(" "),
        "lds_blur --device 0 --seed=7 --trace waves.svg --trace waves.json.gz --without a"
    );
}
