//! Made-up snapshots for tests, similar to an engine's.

use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use record::fixture::{self, traces};
use record::stats::{Summary, paired_ratio};
use record::trace::Trace;
use record::{BEFORE_ITS_FIRST, Promise, Racy, Record, Row, Sample, Status};

use crate::messages::{
    About, Entry, Figures, Focus, Frame, Notice, Picture, Snapshot, State, Texel, Timeline, View,
};

const NAMES: [(&str, f64, &str); 9] = [
    ("no_barrier", 46.31, "Nothing orders the passes: the fastest there can be, and a race."),
    ("full_barrier", 75.2, "A memory barrier: each pass waits until the one before has left the GPU."),
    ("image_barrier", 74.9, "The same barrier, for the image alone."),
    ("split_barrier", 80.15, "Barriers for each of two bands: one may run while the other drains."),
    ("events_2", 143.7, "Two bands ordered by events: on paper the GPU stays full."),
    ("events_4", 250.9, "Four bands ordered by events."),
    ("execution_only", 71.4, "An execution barrier without memory access, with coherent stores."),
    ("late_acquire", 350.0, "The acquire comes one pass too late."),
    ("two_queues", 0.0, "The bands on two queues, ordered by a timeline semaphore."),
];

/// Skewed like real times: a floor and a tail.
fn samples(us: f64, seed: u64) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut one = || {
        us * (0.992
            + 0.02 * random.random_range(0.0..1.0_f64).powi(3)
            + 0.006 * random.random_range(0.0..1.0))
    };
    (0..240).map(|_| one()).collect()
}

fn row(entry: &Entry, us: f64, [bound, baseline]: [&[f64]; 2], seed: u64) -> Row {
    let times = samples(us, seed);
    let mut row = Row::unmeasured(&entry.name, entry.promise.clone(), Status::Ok);
    row.isolated_us = Summary::of(&times);
    row.pipelined_us = Summary::of(&times.iter().map(|us| 0.8 * us).collect::<Vec<_>>());
    row.to_bound = paired_ratio(&times, bound);
    row.to_baseline = paired_ratio(&times, baseline);
    let kept = (0..).zip(&times).map(|(round, us)| Sample {
        round,
        one_us: *us,
        record_us: Some(3.0),
        submit_us: Some(8.0),
        ..Sample::default()
    });
    row.samples = kept.collect();
    row
}

fn entry(at: usize) -> (Entry, f64) {
    let (name, us, caption) = NAMES[at % NAMES.len()];
    let turn = at / NAMES.len();
    let name = if turn == 0 { name.to_owned() } else { format!("{name}_{}", turn + 1) };
    let promise = match at {
        0 => Promise::Nothing { leaves_out: "every barrier between the passes".into() },
        _ => Promise::Law,
    };
    let entry = Entry {
        label: name.replace('_', " "),
        name,
        caption: caption.into(),
        promise,
        cell: None,
        is_baseline: at == 1,
        is_bound: at == 0,
    };
    (entry, us)
}

fn status(row: &mut Row) {
    match row.variant.as_str() {
        "no_barrier" => {
            row.racy = Some(Racy {
                samples: 240,
                racy_samples: 240,
                median: 12_345.0,
                max: 20_001,
                long_max: 90_000,
                of: 1_327_104,
            });
        }
        "late_acquire" => {
            let wrong =
                Status::Wrong { elements: 8191, first: "texel (63, 511): 17, CPU reference 18".into() };
            *row = Row::unmeasured(&row.variant, Promise::Law, wrong);
        }
        name if name.starts_with("two_queues") => {
            let skipped = Status::Skipped { reason: "the device has one queue".into() };
            *row = Row::unmeasured(&row.variant, Promise::Law, skipped);
        }
        _ => {}
    }
}

fn picture(size: [u32; 2], wrong: u64) -> Picture {
    #[expect(clippy::cast_precision_loss, reason = "small")]
    let scale = size[0].min(size[1]) as f32 / 1152.0;
    Picture {
        size,
        pixels: [40, 70, 90, 255].repeat((size[0] * size[1]) as usize),
        view: View { pixels: size, at: None, cursor: None },
        whole: [1152; 2],
        focus: Focus { centre: [576.0; 2], scale },
        wrong,
        caption: "the image after the last pass".into(),
        ..Picture::default()
    }
}

fn timeline(variant: usize, trace: Trace) -> Timeline {
    let figures = Arc::new(traces::figures(&trace));
    Timeline { variant, trace: Arc::new(trace), figures, tiles: Arc::new([]) }
}

/// A snapshot with `count` variants after a few seconds of measuring; its picture has `pixels`.
pub(crate) fn snapshot(count: usize, pixels: [u32; 2]) -> Snapshot {
    let entries: Vec<_> = (0..count).map(entry).collect();
    let [bound, baseline] = [0, 1].map(|at| samples(entry(at).1, u64::try_from(at).unwrap()));
    let rows = (0..).zip(&entries).map(|(at, (entry, us))| {
        let mut row = row(entry, *us, [&bound, &baseline], at);
        status(&mut row);
        row
    });
    let record = Record { rows: rows.collect(), ..fixture::record() };
    let figures = Figures {
        record: Some(Arc::new(record.clone())),
        rounds: 240,
        measured: Duration::from_millis(10_250),
    };
    let times = samples(75.2, 5);
    let frame = |(at, us): (usize, &f64)| Frame {
        variant: if at % 5 == 4 { 0 } else { 1 },
        us: Some(if at % 5 == 4 { us * 0.62 } else { *us }),
        wrong: if at % 5 == 4 && at % 3 == 0 { 77 } else { 0 },
    };
    let settings =
        [("size", "1152x1152"), ("passes", "12"), ("radius", "2"), ("bands", "2,4"), ("workgroup", "8x8")];
    Snapshot {
        sample: "pipelined_events",
        device: Arc::new(record.device),
        state: State::Running,
        variants: entries.into_iter().map(|(entry, _)| entry).collect(),
        current: 1.min(count.saturating_sub(1)),
        figures: Arc::new(figures),
        frames: times.iter().enumerate().take(160).map(frame).collect(),
        picture: Some(Arc::new(picture(pixels, 0))),
        settings: Arc::new(settings.map(|(name, value)| (name.into(), value.into())).into()),
        source: Some("Breaking Down Barriers, part 3, and the talk’s slide 41".into()),
        frame: 1234,
        ..Snapshot::default()
    }
}

/// A split with two timelines on the stage, wrong pixels, and a texel under the cursor.
pub(super) fn split(pixels: [u32; 2]) -> Snapshot {
    let mut snapshot = snapshot(9, pixels);
    snapshot.other = Some(0);
    let mut shown = picture(pixels, 12_345);
    shown.texel = Some(Texel { at: [63, 511], value: "17".into(), expected: Some("18".into()) });
    snapshot.picture = Some(Arc::new(shown));
    snapshot.traces = true;
    snapshot.timelines =
        Arc::new([timeline(1, traces::passes(Some(1.4))), timeline(0, traces::passes(None))]);
    snapshot
}

/// A snapshot of a sample that counts trials. In its first table one cell waits for its first trial, one was wrong in
/// 12 of 40, one is wrong that must not be, and one does not run.
pub(super) fn trials(pixels: [u32; 2]) -> Snapshot {
    let mut record = fixture::races();
    record.rows[1] = pending(&record.rows[1]);
    record.rows[5].racy = record.rows[5].racy.map(|racy| Racy { samples: 40, racy_samples: 12, ..racy });
    let first = "texel (63, 511): 17, CPU reference 18".into();
    record.rows[6].status = Status::Wrong { elements: 8191, first };
    record.rows[9].status = Status::Unsupported { reason: "no coherent stores".into() };
    let entry = |row: &Row| Entry {
        name: row.variant.clone(),
        label: row.label().to_owned(),
        caption: "Nothing keeps a dispatch from reading too early: count the wrong pixels.".into(),
        promise: row.promise.clone(),
        cell: row.cell.clone(),
        is_baseline: false,
        is_bound: false,
    };
    Snapshot {
        sample: "data_race",
        traces: true,
        variants: record.rows.iter().map(entry).collect(),
        current: 5,
        other: Some(0),
        figures: Arc::new(Figures { record: Some(Arc::new(record)), ..Figures::default() }),
        ..snapshot(0, pixels)
    }
}

/// The row before its first sample.
fn pending(row: &Row) -> Row {
    let status = Status::Skipped { reason: BEFORE_ITS_FIRST.into() };
    Row { cell: row.cell.clone(), ..Row::unmeasured(&row.variant, row.promise.clone(), status) }
}

/// A shader that does not compile, a refused knob value, and a CPU device.
pub(super) fn troubled(pixels: [u32; 2]) -> Snapshot {
    let mut snapshot = snapshot(9, pixels);
    snapshot.state = State::Building("chain/step.comp, CPU reference of 12 passes".into());
    let notice = |about, text: &str| Notice { about, text: text.into() };
    snapshot.notices = Arc::new([
        notice(About::Caution, "CPU device: its times prove nothing about a GPU."),
        notice(About::Knob, "--size 9000x9000: larger than the device's largest image, 8192"),
        notice(
            About::Shader,
            "shaders/chain/step.comp:41: error: 'radius' : undeclared identifier\n    for (int at = -radius; at <= radius; at++)",
        ),
        notice(About::News, "Wrote record.json"),
    ]);
    snapshot.traces = true;
    snapshot.untraced = Some("the device has no clock that shaders can read (VK_KHR_shader_clock)".into());
    snapshot
}

/// A snapshot before the first sample.
pub(super) fn empty() -> Snapshot {
    let Snapshot { sample, device, frame, .. } = snapshot(0, [64, 64]);
    Snapshot { sample, device, frame, state: State::Building("kernels".into()), ..Snapshot::default() }
}
