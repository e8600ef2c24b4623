//! What is said of a driver's source beside a run.

use common::Figures;
use common::record::{DeviceFacts, Record};

use super::as_read::AsRead;

/// What is said of a driver if this record were its own.
fn lines(record: &Record, driver_id: i32, driver_info: &str) -> Vec<String> {
    let device = DeviceFacts { driver_id, driver_info: driver_info.into(), ..record.device.clone() };
    AsRead::of(&device).unwrap().beside(&Figures::new(&record.rows), 12, 2)
}

#[test]
fn source_and_run_are_set_side_by_side() {
    let record = samples::recorded("2026-11-26-nvidia-h200/event_matrix").unwrap();
    let nvk = lines(&record, 24, "Mesa 25.3.1");
    assert_eq!(
        nvk,
        [
            "What NVK's source says of events (read in Mesa 25.0.7, this is Mesa 25.3.1), beside this run, where a \
             barrier in place costs 1.55 µs:",
            "sync2, no access, coherent stores: a set does not drain as read, but drains here (2.59 to 2.63 µs); a \
             wait does not drain as read, but drains here (1.47 to 1.49 µs). Source and run disagree.",
            "sync2, write→read: a set drains as read and here (2.47 to 2.50 µs); a wait does not drain as read, but \
             drains here (1.56 µs). Source and run disagree.",
            "sync1: a set does not drain as read, but drains here (2.45 to 2.61 µs); a wait drains as read and here \
             (1.47 to 1.58 µs). Source and run disagree.",
        ]
    );
    let anv = lines(&record, 6, "Mesa 25.0.9 (git-1)");
    assert!(anv[0].contains("(read in Mesa 25.0.7), beside"), "the same release: {anv:?}");
    assert_eq!(
        anv[1..],
        [
            "sync2, no access, coherent stores; sync2, write→read; sync1: a set drains as read and here (2.45 to 2.63 \
             µs); a wait drains as read and here (1.47 to 1.58 µs)."
        ]
    );
    let amdvlk = lines(&record, 2, "2025.Q2.1");
    assert!(amdvlk[2].starts_with("sync1: a set drains here (2.45"), "not read: {amdvlk:?}");
}

#[test]
fn what_cannot_be_read_is_one_line() {
    let record = samples::recorded("2026-11-26-nvidia-h200/event_matrix").unwrap();
    assert_eq!(
        lines(&record, 4, "580.159.04"),
        ["What its source says of events is not known: the source of NVIDIA's proprietary driver is not \
         public."]
    );
    assert_eq!(
        lines(&record, 10, "5.0.0"),
        ["Nobody has read what the driver with VkDriverId 10 does with events."]
    );
}

#[test]
fn a_set_that_costs_nothing_does_not_drain() {
    let mut record = samples::recorded("2026-11-26-nvidia-h200/event_matrix").unwrap();
    let of = |record: &Record, name: &str| record.rows.iter().position(|row| row.variant == name).unwrap();
    for (variant, like) in [
        ("sets_coherent_2", "bands_no_sync_coherent_2"),
        ("sets_coherent_host_2", "bands_no_sync_coherent_2"),
        ("sets_2", "bands_no_sync_2"),
    ] {
        let samples = record.rows[of(&record, like)].samples.clone();
        let at = of(&record, variant);
        record.rows[at].samples = samples;
    }
    let nvk = lines(&record, 24, "Mesa 25.0.7");
    assert!(nvk[1].contains("stores: a set does not drain as read and here (0.00 µs)"), "{nvk:?}");
    // One of two variants drains, the other does not.
    assert!(nvk[2].contains("a set drains as read, undecided here (0.00 to 2.4"), "{nvk:?}");
}

#[test]
fn traces_decide() {
    let mut record = samples::recorded("2026-11-26-nvidia-h200/event_matrix-512").unwrap();
    let drains = lines(&record, 24, "Mesa 25.0.7");
    assert!(drains[1].contains("a set does not drain as read, but drains here"), "{drains:?}");
    let trace =
        |record: &Record, name| record.rows.iter().find(|row| row.variant == name).unwrap().trace.clone();
    let free = trace(&record, "bands_no_sync_coherent_2");
    for row in record.rows.iter_mut().filter(|row| row.variant.starts_with("sets_coherent")) {
        row.trace = free.clone();
    }
    let overlapping = lines(&record, 24, "Mesa 25.0.7");
    assert!(overlapping[1].contains("a set does not drain as read and here"), "{overlapping:?}");
}

#[test]
fn without_times_the_reading_stands_alone() {
    let alone = |driver_id, driver_info: &str| {
        let device = DeviceFacts { driver_id, driver_info: driver_info.into(), ..DeviceFacts::default() };
        AsRead::of(&device).unwrap().alone()
    };
    assert_eq!(
        alone(13, "Mesa 22.3.6 (LLVM 15.0.6)"),
        [
            "What lavapipe's source says of events (read in Mesa 25.0.7, this is Mesa 22.3.6):",
            "sync2, no access, coherent stores; sync2, write→read; sync1: a set may drain; a wait drains."
        ]
    );
    let nvk = alone(24, "Mesa 26.2.0");
    assert_eq!(nvk[4], "asymmetric (read in Mesa 26.2.2): a set drains; a wait does not drain.");
    let mut record = samples::recorded("2026-11-26-nvidia-h200/event_matrix").unwrap();
    record.rows.retain(|row| !row.variant.starts_with("barrier_bands"));
    assert_eq!(lines(&record, 24, "Mesa 25.0.7"), [""; 0], "no bands");
}
