//! Records for tests, with any given times.

use std::collections::BTreeMap;
use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use record::self_test::{Certificate, Check, CheckResult};
use record::stats::Summary;
use record::{
    About, Argument, KernelFacts, Promise, Racy, Record, Row, Sample, Status, Stop, Usable, fixture,
    read_record,
};

/// A record of a run with three variants of 100, 200 and 400 µs, 40 samples of each.
pub fn record() -> Record {
    of(1, &[("quick", 100.0), ("baseline", 200.0), ("slow", 400.0)])
}

/// A record of a run with these variants; `seed` determines the scatter of their samples by a few per mille.
pub fn of(seed: u64, variants: &[(&str, f64)]) -> Record {
    let mut rng = Pcg64::seed_from_u64(seed);
    // Whole nanoseconds as on a device, above a minimum and with a tail.
    let mut time = |us: f64| (us * 1e3 * (1.0 - 0.002 * rng.random::<f64>().ln())).round() / 1e3;
    let mut sample = |round, us: f64| {
        let (one_us, many_us) = (time(us), Some(time(us * 7.0)));
        Sample {
            round,
            one_us,
            many_us,
            many_wrong: Some(0),
            record_us: Some(1.5),
            submit_us: Some(2.5),
            ..Sample::default()
        }
    };
    let rows = variants.iter().map(|&(name, us)| Row {
        racy: Some(Racy { samples: 40, racy_samples: 0, median: 0.0, max: 0, long_max: 0, of: 4096 }),
        stop: Some(Stop::Precise),
        samples: (0..40).map(|round| sample(round, us)).collect(),
        ..Row::unmeasured(name, Promise::Law, Status::Ok)
    });
    let kernel = KernelFacts {
        name: "drain_fill/pass.comp".into(),
        spirv_sha256: "00ff".into(),
        ..KernelFacts::default()
    };
    let mut record = Record {
        sample: "drain_fill".into(),
        command: ["./drain_fill", "--size", "64x64", "--out", "x"].map(str::to_owned).into(),
        configuration: BTreeMap::from(
            [("passes", "8"), ("size", "64x64")].map(|(k, v)| (k.into(), v.into())),
        ),
        kernels: vec![kernel],
        notes: Vec::new(),
        bound: None,
        baseline: Some("baseline".into()),
        rows: rows.collect(),
        ..fixture::record()
    };
    record.tool.dirty = Some(false);
    (record.method.repetitions, record.method.floor_us) = (8, 1.0);
    summarise(&mut record);
    record
}

/// A measured record: `lds_blur` on a CPU device.
pub fn measured() -> Record {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results");
    read_record(&results.join("2026-11-26-llvmpipe/lds_blur/record.json")).unwrap()
}

/// Recomputes the figures of each row from its samples.
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

/// Multiplies all times of a row by `factor`.
pub fn slow_down(record: &mut Record, variant: &str, factor: f64) {
    let row = record.rows.iter_mut().find(|row| row.variant == variant).unwrap();
    for sample in &mut row.samples {
        sample.one_us *= factor;
        sample.many_us = sample.many_us.map(|us| us * factor);
    }
    summarise(record);
}

/// The answer to `--about` of a sample with some arguments of each kind.
pub fn about() -> About {
    let own = ["size=WxH", "gravity", "config=FILE"];
    let shared = [
        "check",
        "code=CHIPS",
        "device=DEVICE",
        "variants=NAME",
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

/// A self-test with the given results.
pub fn self_test(checks: &[(&str, CheckResult)]) -> Certificate {
    let checks = checks.iter().map(|(name, result)| Check::new(name, *result, "found")).collect();
    Certificate { seconds: 0.1, checks }
}

/// Sets the clock of each sample.
pub fn clocked(record: &mut Record, mhz: f64) {
    for sample in record.rows.iter_mut().flat_map(|row| &mut row.samples) {
        (sample.one_mhz, sample.many_mhz) = (Some(mhz), Some(mhz));
    }
}
