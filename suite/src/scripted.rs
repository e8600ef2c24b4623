//! Records for tests, of any times.

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use record::self_test::{Certificate, Check, CheckResult};
use record::stats::Summary;
use record::{About, Argument, Record, Row, Sample, Usable, read_record};

/// A record of a run with three variants of 100, 200 and 400 µs, 40 samples of each.
pub fn record() -> Record {
    of(1, &[("quick", 100.0), ("baseline", 200.0), ("slow", 400.0)])
}

/// A record of a run with these variants, whose samples scatter by some per mille as `seed` has it.
pub fn of(seed: u64, variants: &[(&str, f64)]) -> Record {
    let mut record: Record = serde_json::from_str(EMPTY).unwrap();
    let mut rng = Pcg64::seed_from_u64(seed);
    for (name, us) in variants {
        let mut row: Row = serde_json::from_str(ROW).unwrap();
        row.variant = (*name).to_owned();
        let sample = |round| {
            // Whole nanoseconds, as a device has them, above a floor and with a tail.
            let mut time = |us: f64| (us * 1e3 * (1.0 - 0.002 * rng.random::<f64>().ln())).round() / 1e3;
            let (one_us, many_us) = (time(*us), Some(time(us * 7.0)));
            let wrong = 0;
            Sample {
                round,
                one_us,
                many_us,
                one_mhz: None,
                many_mhz: None,
                one_wrong: wrong,
                many_wrong: Some(wrong),
                record_us: 1.5,
                submit_us: 2.5,
            }
        };
        row.samples = (0..40).map(sample).collect();
        record.rows.push(row);
    }
    summarise(&mut record);
    record
}

/// A record that was measured: `lds_blur` on a CPU device.
pub fn measured() -> Record {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    read_record(&results.join("2026-11-21-llvmpipe/lds_blur/record.json")).unwrap()
}

/// Makes the figures of each row with samples those of its samples.
pub fn summarise(record: &mut Record) {
    let further = f64::from(record.method.repetitions) - 1.0;
    for row in record.rows.iter_mut().filter(|row| !row.samples.is_empty()) {
        let isolated: Vec<f64> = row.samples.iter().map(|s| s.one_us).collect();
        let costs: Option<Vec<f64>> =
            row.samples.iter().map(|s| Some((s.many_us? - s.one_us) / further)).collect();
        row.isolated_us = Summary::of(&isolated);
        row.pipelined_us = costs.and_then(|costs| Summary::of(&costs));
    }
}

/// All times of a row times `factor`.
pub fn slow_down(record: &mut Record, variant: &str, factor: f64) {
    let row = record.rows.iter_mut().find(|row| row.variant == variant).unwrap();
    for sample in &mut row.samples {
        sample.one_us *= factor;
        sample.many_us = sample.many_us.map(|us| us * factor);
    }
    summarise(record);
}

/// What a sample tells that has some of each kind of argument.
pub fn about() -> About {
    let own = ["size=WxH", "gravity", "config=FILE"];
    let shared = [
        "check",
        "code=CHIPS",
        "device=DEVICE",
        "variant=NAME",
        "without=NAME",
        "no-self-test",
        "out=DIR",
        "json=FILE",
        "seed=N",
        "verbose",
    ];
    let argument = |text: &str, own| {
        let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
        let takes_path = value.is_some_and(|value| ["FILE", "DIR"].contains(&value));
        Argument { name: name.into(), own, takes_value: value.is_some(), takes_path }
    };
    let arguments = own.map(|text| argument(text, true)).into_iter();
    let arguments = arguments.chain(shared.map(|text| argument(text, false))).collect();
    let Record { tool, host, device: facts, .. } = record();
    About { tool, host, arguments, devices: vec![Usable { wish: facts.uuid.clone(), facts }] }
}

/// A self-test with these outcomes.
pub fn self_test(checks: &[(&str, CheckResult)]) -> Certificate {
    let checks = checks.iter().map(|(name, result)| Check::new(name, *result, "found")).collect();
    Certificate { seconds: 0.1, checks }
}

/// Gives each sample its clock.
pub fn clocked(record: &mut Record, mhz: f64) {
    for sample in record.rows.iter_mut().flat_map(|row| &mut row.samples) {
        (sample.one_mhz, sample.many_mhz) = (Some(mhz), Some(mhz));
    }
}

const EMPTY: &str = r#"{
    "schema": 4,
    "tool": { "name": "hot-lap", "version": "0.1.0", "commit": "0123abc", "dirty": false, "build": "release",
        "shaders": "embedded" },
    "sample": "drain_fill",
    "command": ["./drain_fill", "--size", "64x64", "--out", "x"],
    "started": "2030-01-02T03:04:05Z",
    "seconds": 8.5,
    "configuration": { "passes": "8", "size": "64x64" },
    "device": { "name": "Made-up GPU 9000", "kind": "discrete", "vendor_id": 1, "device_id": 2,
        "uuid": "00000000-0000-0000-0000-000000000001", "driver_id": 4, "driver_name": "Made-up driver",
        "driver_info": "1.2.3", "driver_version": 99, "api_version": "1.3.280",
        "conformance_version": "1.3.7.0", "queue_family": "0: graphics compute transfer",
        "second_queue_family": null, "timestamp_period_ns": 1.0, "timestamp_bits": 64, "subgroup_size": 32,
        "max_workgroup_invocations": 1024, "max_workgroup_size": [1024, 1024, 64],
        "max_shared_memory": 49152, "max_image_2d": 32768, "device_memory": 68719476736 },
    "host": { "system": "linux x86_64", "processor": null, "threads": 16 },
    "method": { "seed": 7, "repetitions": 8, "rule": { "min_samples": 10, "noise": 0.005,
            "min_gpu_time": { "secs": 0, "nanos": 50000000 }, "stable_window": 64, "stable_noise": 0.05,
            "fixed": null },
        "budget_s": 8.0, "warm_up": 2, "floor_us": 1.0, "caches": "warm", "clocks": "not read", "tools": [] },
    "kernels": [{ "name": "drain_fill/pass.comp", "spirv_sha256": "00ff", "constants": { "STEPS": 64 },
        "workgroup": [64, 1, 1] }],
    "notes": [],
    "bound": null,
    "baseline": "baseline",
    "matrix": null,
    "verdict": null,
    "rows": [],
    "ended": { "how": "complete" }
}"#;

const ROW: &str = r#"{
    "variant": "", "status": { "is": "ok" }, "promise": { "by": "law" }, "isolated_us": null,
    "pipelined_us": null, "to_bound": null, "to_baseline": null,
    "racy": { "samples": 40, "racy_samples": 0, "median": 0.0, "max": 0, "long_max": 0, "of": 4096 },
    "stop": { "reason": "precise" }, "near_floor": false, "record_us": null, "submit_us": null,
    "published": null, "cell": null, "samples": []
}"#;
