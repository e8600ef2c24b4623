//! Invented records for tests, with every status, promise and stop.

use std::collections::BTreeMap;

use crate::self_test::{Certificate, Check, CheckResult, STEP};
use crate::stats::{Interval, Summary};
use crate::trace::Trace;
use crate::{
    COPY_LIMIT, Cell, Declared, DeviceFacts, Ended, FMA_LIMIT, Headline, Host, Kind, Matrix, Method,
    Multiprocessors, Outcome, Predicted, Promise, Published, Racy, Record, Row, Rule, SCHEMA, Sample, Shows,
    Status, Stop, Tool, Traced, Value, Work,
};

pub mod traces;

const OF: u64 = 1_327_104;

/// A complete run on a GPU.
pub fn record() -> Record {
    let mut rows = vec![
        row("full_barrier", 61, 463.123_456_789, Stop::Precise),
        row("image_barriers", 300, 461.9, Stop::NoiseStable),
        row("split_barriers", 24, 353.7, budget(&["mean to ±1.2 %, asked ±0.5 %"])),
        row("events", 24, 349.9, budget(&["mean to ±1.2 %, asked ±0.5 %"])),
        row("no_barrier", 4, 46.31, budget(&["4 of at least 10 samples", "2 of 50 ms GPU time"])),
        row("execution_only", 61, 0.912_34, Stop::FixedCount),
        row("two_queues", 9, 350.0, Stop::Precise),
        row("mesh_queue", 9, 350.0, Stop::Precise),
        row("late_acquire", 9, 350.0, Stop::Precise),
        row("cold", 9, 350.0, Stop::Precise),
    ];
    rows[2].promise = Promise::relies_on("caches that are coherent between workgroups");
    rows[3].promise = Promise::relies_on("caches that are coherent between workgroups");
    rows[3].published = Some(published(1.31));
    rows[4].promise = Promise::races("every barrier between the passes");
    rows[4].racy = raced(4, 4, 12345.0, 20001);
    rows[4].to_bound = Summary::of(&[1.0; 4]);
    rows[1].to_baseline = Some(around_median(1.0, 300));
    rows[5].promise = Promise::races("the visibility of the first pass's writes");
    rows[5].racy = raced(61, 3, 0.0, 7);
    rows[5].near_floor = true;
    rows[5].pipelined_us = None;
    rows[2].isolated_us.as_mut().unwrap().outliers = 3;
    statuses(&mut rows[6..]);
    let mut record = around(rows);
    record.notes = vec!["Clocks were not locked: `sudo nvidia-smi -lgc 1980` locks them.".into()];
    record
}

/// A run that is shown as cross tables of ratios.
pub fn ratios() -> Record {
    let mut record = record();
    let mut rows = Vec::new();
    let mut add = |name: &str, ratio: f64, table: &str, head: &str, column: &str| {
        let mut new = row(name, 61, 46.31 * ratio, Stop::Precise);
        new.cell = Some(Cell { table: table.into(), row: head.into(), column: column.into() });
        rows.push(new);
    };
    let whole = "Whole passes and bands";
    add("no_barrier", 1.0, whole, "no order", "whole");
    add("full_barrier", 1.71, whole, "memory barrier", "whole");
    add("bands_no_sync_2", 1.0, whole, "no order", "2 bands");
    add("two_queues", 5.3, whole, "two queues, timeline semaphore", "2 bands");
    for (sync, suffix) in [("sync1", "_sync1"), ("sync2", "")] {
        for (bands, ratio) in [(2, 2.94), (4, 4.95)] {
            let head = format!("{sync}, write→read, device-only");
            for (name, what) in [("events", "set and wait"), ("sets", "set only"), ("waits", "wait only")] {
                let table = format!("{bands} bands ordered by events");
                add(&format!("{name}{suffix}_{bands}"), ratio, &table, &head, what);
            }
        }
    }
    rows[0].to_bound = Summary::of(&[1.0; 61]);
    rows[2].to_bound = Summary::of(&[0.99, 1.0, 1.01]);
    for raced in
        rows.iter_mut().filter(|row| row.variant.starts_with("sets") || row.variant.starts_with("no_"))
    {
        raced.promise = Promise::races("every wait");
        raced.racy = self::raced(61, 3, 0.0, 7);
    }
    rows[3].status = Status::Skipped { reason: "the device has one queue".into() };
    record.matrix = Some(Matrix { corner: "÷ no_barrier".into(), shows: Shows::Ratios });
    record.verdict = Some("In short: a barrier costs 2.36 (2.34 to 2.40) µs here.".into());
    Record { rows, notes: Vec::new(), ..record }
}

/// A run of trials that is shown as cross tables of races.
pub fn races() -> Record {
    let mut rows = Vec::new();
    for (table, suffix) in [("Two images in turn", "_ping_pong"), ("One image per pass", "")] {
        for side in [32, 512, 4096] {
            for name in ["no_barrier", "coherent_stores", "full_barrier", "seeded_fault"] {
                let (promise, races) = match name {
                    "no_barrier" => (Promise::races("every dependency"), true),
                    "coherent_stores" => (Promise::relies_on("caches without the lines"), !suffix.is_empty()),
                    "seeded_fault" => (Promise::has_bug(64), false),
                    _ => (Promise::Law, false),
                };
                let count: u32 = match name {
                    "seeded_fault" => 64,
                    _ if races && side < 4096 => side * side,
                    _ => 0,
                };
                let (max, median) = (count.into(), f64::from(count) * 0.75);
                let racy = raced(200, if count > 0 { 200 } else { 0 }, median, max);
                let cell = Cell { table: table.into(), row: format!("{side}x{side}"), column: name.into() };
                rows.push(Row {
                    promise,
                    cell: Some(cell),
                    racy: racy.map(|racy| Racy { long_max: 0, of: max, ..racy }),
                    ..row(&format!("{name}_{side}x{side}{suffix}"), 200, 12.0, Stop::FixedCount)
                });
            }
        }
    }
    let mut record = around(rows);
    record.sample = "data_race".into();
    (record.bound, record.baseline) = (None, None);
    record.matrix = Some(Matrix { corner: "Image".into(), shows: Shows::Races });
    record.method.repetitions = 1;
    record
}

/// A run whose variants declare the bytes, operations and work of a repetition, with the device's own limits.
pub fn limits() -> Record {
    let bytes = |bytes| Declared { bytes: Some(bytes), ..Declared::default() };
    let border = |value| Some(Predicted { what: "border %".into(), value });
    let solved = Some(Work { count: 12_345_678, unit: "constraints".into() });
    let rows = [
        ("direct", [500.0, 400.0], Declared { flops: Some(1_000_000_000), ..bytes(900_000_000) }),
        ("shared", [300.0, 200.0], Declared { predicted: border(56.25), ..bytes(900_000_000) }),
        ("shared_cached", [200.0, 210.0], Declared { predicted: border(13.0), ..bytes(900_000_000) }),
        ("solver", [50.0, 49.0], Declared { flops: Some(2_000_000_000), work: solved, ..bytes(10_000_000) }),
        ("blank", [300.0, 290.0], Declared::default()),
        (COPY_LIMIT, [250.0, 240.0], bytes(1_000_000_000)),
        (FMA_LIMIT, [100.0, 99.0], Declared { flops: Some(5_000_000_000), ..Declared::default() }),
    ];
    let mut rows: Vec<Row> =
        rows.into_iter().map(|(name, times, declared)| Row { declared, ..steady(name, times) }).collect();
    rows[0].to_baseline = Summary::of(&[1.0; 12]);
    rows[1].to_baseline = Summary::of(&[0.6; 12]);
    let reason = "32 KiB of shared memory a workgroup are not possible here: it has 16 KiB".into();
    rows.insert(3, Row { status: Status::Skipped { reason }, ..empty("shared_large") });
    let mut record = around(rows);
    record.sample = "lds_blur".into();
    (record.bound, record.baseline) = (None, Some("direct".into()));
    let step = Check::new(STEP, CheckResult::Passed, "32 ns").with("step", 32.0, "ns");
    record.self_test = Some(Certificate { seconds: 0.1, checks: vec![step] });
    record
}

/// A row of twelve samples with the same time alone and back to back.
fn steady(variant: &str, [one_us, further]: [f64; 2]) -> Row {
    Row {
        isolated_us: Summary::of(&[one_us; 12]),
        pipelined_us: Summary::of(&[further; 12]),
        racy: raced(12, 0, 0.0, 0),
        record_us: Summary::of(&[3.3; 12]),
        stop: Some(Stop::Precise),
        samples: (0..12).map(|round| sample(round, one_us, Some(one_us + 15.0 * further))).collect(),
        ..empty(variant)
    }
}

/// A run with traces: with barriers, without, sampled in bands, too short for its clock, in parts, and refused.
pub fn traced() -> Record {
    let mut sampled = traces::bands();
    sampled.dispatches.iter_mut().for_each(|d| (d.one_in, d.weight) = (6, 6.0));
    let mut short = traces::single();
    short.step_us = 1.0;
    let traces = [
        ("full_barrier", traces::passes(Some(1.5)), Some(0.042)),
        ("no_barrier", traces::passes(None), Some(-0.004)),
        ("events_2", sampled, Some(0.31)),
        ("single", short, None),
        ("tile_flags", traces::parts(), Some(0.087)),
    ];
    let row_of = |(name, trace, overhead): (&str, Trace, Option<f64>)| {
        let figures = Box::new(traces::figures(&trace));
        let span = figures.whole.span_us();
        Row { trace: Some(Traced::Ok { figures, overhead }), ..steady(name, [1.03 * span, 0.93 * span]) }
    };
    let mut rows: Vec<Row> = traces.into_iter().map(row_of).collect();
    let reason = "12 of 4096 waves wrote no end: the kernel returns early".into();
    rows.push(Row { trace: Some(Traced::Refused { reason }), ..steady("events_4", [99.0, 98.0]) });
    around(rows)
}

/// An interrupted run on a CPU device, without times back to back.
pub fn cpu() -> Record {
    let mut rows = vec![
        row("full_barrier", 12, 41_234.5, Stop::Interrupted),
        row("events", 12, 41_300.0, Stop::Interrupted),
        row("no_barrier", 12, 41_250.0, Stop::Interrupted),
    ];
    for row in &mut rows {
        row.pipelined_us = None;
        row.to_bound = None;
        row.to_baseline = Some(around_median(1.0003, 12));
        row.samples.iter_mut().for_each(|s| (s.many_us, s.many_wrong) = (None, None));
    }
    rows[0].to_baseline = Summary::of(&[1.0; 12]);
    rows[2].isolated_us = None;
    rows[2].to_baseline = None;
    rows[2].racy = None;
    let mut record = around(rows);
    record.device.name = "llvmpipe (LLVM 19.1.7, 256 bits)".into();
    record.device.kind = Kind::Cpu;
    record.method.repetitions = 1;
    record.notes = vec!["CPU device: dispatches never overlap, so every ratio should be near 1.".into()];
    record.ended = Ended::Interrupted;
    record.headline = Some(headline().on_a_cpu("3 of 3 variants gave the expected answer".into()));
    record.bound = None;
    record
}

fn statuses(rows: &mut [Row]) {
    let statuses = [
        Status::Skipped { reason: "the device has one compute queue, two are needed".into() },
        Status::Unsupported { reason: "VK_EXT_mesh_shader; a driver that has it is needed".into() },
        Status::Wrong {
            elements: 3,
            first: "texel (17, 4) of image 2, repetition 0: 0.5, expected 0.25".into(),
        },
        Status::Error { reason: "zero interval between two timestamps".into() },
    ];
    for (row, status) in rows.iter_mut().zip(statuses) {
        let variant = std::mem::take(&mut row.variant);
        *row = Row { status, ..empty(&variant) };
    }
}

fn published(value: f64) -> Published {
    Published {
        value,
        unit: "÷ full_barrier".into(),
        device: "Vega 64".into(),
        source: "Made-up talk, slide 12".into(),
    }
}

fn budget(unmet: &[&str]) -> Stop {
    Stop::Budget { unmet: unmet.iter().map(|&x| x.into()).collect() }
}

fn empty(variant: &str) -> Row {
    let label = variant.replace('_', " ");
    Row { label, ..Row::unmeasured(variant, Promise::Law, Status::Ok) }
}

/// `n` values around `median`, spread by 0.4 %.
fn spread(median: f64, n: u32) -> Vec<f64> {
    (0..n).map(|i| median * (0.998 + 0.004 * f64::from(i) / f64::from(n - 1))).collect()
}

fn around_median(median: f64, n: u32) -> Summary {
    Summary::of(&spread(median, n)).unwrap()
}

fn sample(round: u32, one_us: f64, many_us: Option<f64>) -> Sample {
    let many_wrong = many_us.map(|_| 0);
    Sample {
        round,
        one_us,
        many_us,
        many_wrong,
        record_us: Some(10.0 / 3.0),
        submit_us: Some(8.1),
        ..Sample::default()
    }
}

fn raced(samples: usize, racy_samples: usize, median: f64, max: u64) -> Option<Racy> {
    Some(Racy { samples, racy_samples, median, max, long_max: max, of: OF })
}

fn row(variant: &str, n: u32, us: f64, stop: Stop) -> Row {
    let of_round = |(round, us): (u32, f64)| sample(round, us, (round != 1).then_some(us * 12.3));
    let us_of = |median| Some(around_median(median, n));
    Row {
        isolated_us: us_of(us),
        pipelined_us: us_of(us * 0.81),
        to_bound: us_of(us / 46.31),
        to_baseline: if us > 463.0 { Summary::of(&[1.0; 61]) } else { us_of(us / 463.123) },
        racy: raced(n as usize, 0, 0.0, 0),
        stop: Some(stop),
        record_us: us_of(3.3),
        submit_us: us_of(8.1),
        samples: (0..).zip(spread(us, n)).map(of_round).collect(),
        ..empty(variant)
    }
}

fn around(rows: Vec<Row>) -> Record {
    Record {
        schema: SCHEMA,
        tool: Tool {
            name: "hot-lap".into(),
            version: "0.1.0".into(),
            commit: Some("0123abc".into()),
            dirty: Some(true),
            build: "release".into(),
            shaders: "embedded".into(),
        },
        sample: "pipelined_events".into(),
        command: ["/tmp/x/pipelined_events", "--size", "64..4096*2", "--note", "it's hot"]
            .map(Into::into)
            .into(),
        bound: Some("no_barrier".into()),
        baseline: Some("full_barrier".into()),
        started: "2030-01-02T03:04:05Z".into(),
        seconds: 8.25,
        configuration: BTreeMap::from([("size".into(), "4096".into())]),
        device: device(),
        host: Host { system: "linux x86_64".into(), processor: None, threads: 16 },
        method: Method {
            seed: 7,
            repetitions: 16,
            rule: Rule::default(),
            budget_s: 8.0,
            warm_up: 2,
            floor_us: 0.32,
            caches: "warm".into(),
            clocks: "not read".into(),
            reference_mhz: None,
            tools: Vec::new(),
        },
        self_test: None,
        kernels: vec![],
        notes: vec![],
        matrix: None,
        headline: Some(headline()),
        verdict: None,
        samples_file: None,
        rows,
        ended: Ended::Complete,
    }
}

fn device() -> DeviceFacts {
    DeviceFacts {
        name: "Made-up GPU 9000".into(),
        kind: Kind::Discrete,
        vendor_id: 0x10de,
        device_id: 0x2335,
        uuid: "00000000-0000-0000-0000-000000000001".into(),
        driver_id: 4,
        driver_name: "Made-up driver".into(),
        driver_info: "1.2.3".into(),
        driver_version: 99,
        api_version: "1.3.280".into(),
        conformance_version: "1.3.7.0".into(),
        queue_family: "0: graphics compute transfer".into(),
        second_queue_family: None,
        timestamp_period_ns: 1.0,
        timestamp_bits: 64,
        subgroup_size: 32,
        max_workgroup_invocations: 1024,
        max_workgroup_size: [1024, 1024, 64],
        max_shared_memory: 49152,
        max_image_2d: 32768,
        max_image_3d: 16384,
        multiprocessors: Some(Multiprocessors { count: 36, simds: 4, subgroups_per_simd: 8 }),
        float16: false,
        int16: true,
        atomics64: true,
        ballot: true,
        shuffle: true,
        device_scope: true,
        visibility_chains: true,
        device_clock: true,
        device_memory: 1 << 36,
    }
}

fn headline() -> Headline {
    Headline {
        claim: "events in place of barriers save time".into(),
        finding: "events take 1.20x as long as a barrier".into(),
        value: Some(Value {
            median: 1.2,
            interval: Some(Interval { low: 1.19, high: 1.21 }),
            unit: "x".into(),
        }),
        published: Some("talk: 0.79x".into()),
        outcome: Outcome::DoesNotHold,
        compared: None,
    }
}
