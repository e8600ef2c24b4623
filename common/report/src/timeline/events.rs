//! Exports waves in the trace-event format, which Perfetto and Chrome's tracer open.

use anyhow::Result;
use record::Record;
use record::trace::{Lanes, Part, PartWaves, TimeStamp, Wave};
use serde_json::{Value, json};

use super::axes::{real, whole};
use super::bins::{Binned, Grid};
use super::lane::{Lane, checked};
use super::{spans, words};

/// Most waves in a file; viewers get slow with more.
const WAVES: usize = 60_000;
/// Points of a counter, unless there are many dispatches.
const POINTS: usize = 2000;
/// Most points of all counters of a variant together.
const ALL_POINTS: usize = 200_000;

/// The panels as trace events: one process per variant, with counters of the waves in flight (per dispatch and in
/// total), the dispatches, and the waves by multiprocessor.
///
/// # Errors
/// Those of [`super::timeline_svg`].
pub fn timeline_events(record: &Record, panels: &[Lane<'_>]) -> Result<String> {
    checked(record, panels)?;
    let all: usize = panels.iter().flat_map(|lane| &lane.trace.dispatches).map(|d| d.waves.len()).sum();
    let one_in = all.div_ceil(WAVES).max(1);
    let mut file = File { events: Vec::new(), pid: 0, tid: 0 };
    for lane in panels {
        file.pid += 1;
        file.meta("process_name", json!({ "name": lane.row.variant }));
        file.meta("process_sort_index", json!({ "sort_index": file.pid }));
        counters(&mut file, lane);
        dispatches(&mut file, lane);
        time_stamps(&mut file, lane);
        waves(&mut file, lane, one_in);
    }
    let text = json!({
        "traceEvents": file.events,
        "displayTimeUnit": "ns",
        "otherData": about(record, panels, one_in),
    });
    Ok(text.to_string() + "\n")
}

/// The events written so far, and the ids of the current process and thread.
struct File {
    events: Vec<Value>,
    pid: u32,
    /// Unique across processes: not all viewers accept the same thread id in two processes.
    tid: u32,
}

impl File {
    fn meta(&mut self, name: &str, args: Value) {
        let event = json!({ "ph": "M", "name": name, "pid": self.pid, "tid": self.tid, "args": args });
        self.events.push(event);
    }

    /// Starts a thread, which is shown below the previous ones.
    fn thread(&mut self, name: &str) {
        self.tid += 1;
        self.meta("thread_name", json!({ "name": name }));
        self.meta("thread_sort_index", json!({ "sort_index": self.tid }));
    }

    fn complete(&mut self, name: &str, (begin, end): (u64, u64), args: Value) {
        self.events.push(json!({
            "ph": "X", "name": name, "pid": self.pid, "tid": self.tid,
            "ts": us(begin), "dur": us(end - begin), "args": args,
        }));
    }

    fn counter(&mut self, name: &str, at: u64, waves: f64) {
        let waves = (1e3 * waves).round() / 1e3;
        self.events.push(json!({
            "ph": "C", "name": name, "pid": self.pid, "ts": us(at), "args": { "waves": waves },
        }));
    }
}

/// Whole nanoseconds, so that spans that do not overlap still do not after a round trip.
fn ns(us: f64) -> u64 {
    whole((us * 1e3).round()) as u64
}

#[expect(clippy::cast_precision_loss, reason = "a trace is shorter than 2^52 ns")]
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

fn about(record: &Record, panels: &[Lane<'_>], one_in: usize) -> Value {
    let waves = match one_in {
        1 => "all that were recorded".to_owned(),
        one_in => format!("of each dispatch the first and every {one_in}th after it, by their begin"),
    };
    let variants: Vec<Value> = panels
        .iter()
        .map(|lane| {
            let recorded: Vec<u32> = lane.trace.dispatches.iter().map(|d| d.one_in).collect();
            json!({
                "variant": lane.row.variant,
                "one_workgroup_recorded_in": recorded,
                "tracing_overhead": words::overhead(lane),
                "estimate_us": lane.figures.estimate_us,
                "pipelined_us": lane.row.pipelined_us.map(|time| time.median),
            })
        })
        .collect();
    json!({
        "tool": format!("{} {}", record.tool.name, record.tool.version),
        "sample": record.sample,
        "command": record.command,
        "configuration": record.configuration,
        "device": record.device.name,
        "driver": record.device.driver(),
        "started": record.started,
        "times": "from each variant's own first wave: variants ran one after the other",
        "waves": waves,
        "slots": "rows to draw in: the lowest that is free takes a wave; no place in the hardware",
        "variants": variants,
    })
}

/// Counters of the mean waves in flight over equal parts of the span.
fn counters(file: &mut File, lane: &Lane<'_>) {
    let columns = POINTS.min(ALL_POINTS / lane.trace.dispatches.len()).max(8);
    let range_us = lane.figures.whole.end_us();
    let binned = Binned::of(lane.trace, Grid { range_us, columns });
    let mut all = vec![0.0; columns];
    let time = |column: usize| ns(range_us * real(column) / real(columns));
    for (at, stack) in (1..).zip(&binned.stacks) {
        all[stack.first..].iter_mut().zip(&stack.means).for_each(|(sum, mean)| *sum += mean);
        counter(file, &format!("waves in flight, dispatch {at}"), stack.first, &stack.means, time);
    }
    counter(file, "waves in flight", 0, &all, time);
}

/// Adds a point wherever the mean changes, and a 0 after the last column.
fn counter(file: &mut File, name: &str, first: usize, means: &[f64], time: impl Fn(usize) -> u64) {
    let mut last = None;
    for (at, &mean) in means.iter().enumerate().filter(|(_, mean)| mean.is_finite()) {
        if last != Some(mean) {
            file.counter(name, time(first + at), mean);
        }
        last = Some(mean);
    }
    file.counter(name, time(first + means.len()), 0.0);
}

/// Dispatches from first wave to last, on as many threads as overlapping dispatches need.
fn dispatches(file: &mut File, lane: &Lane<'_>) {
    let phases: Vec<_> = lane.figures.dispatches.iter().map(|d| d.phases).collect();
    let spans: Vec<(f64, f64)> = phases.iter().map(|p| (p.begin_us, p.end_us())).collect();
    let rows = spans::rows(&spans);
    for row in 0..rows.iter().max().map_or(0, |most| most + 1) {
        file.thread(&if row == 0 { "dispatches".to_owned() } else { format!("dispatches {}", row + 1) });
        for (at, _) in rows.iter().enumerate().filter(|(_, own)| **own == row) {
            let figures = &lane.figures.dispatches[at];
            let args = json!({ "dispatch": at + 1, "kernel": figures.kernel, "groups": figures.groups, "figures": figures });
            file.complete(
                &named(at, &figures.kernel, figures.part.as_ref()),
                (ns(spans[at].0), ns(spans[at].1)),
                args,
            );
        }
    }
}

/// The variant's timestamps, on a thread of their own. Viewers have no time before 0.
fn time_stamps(file: &mut File, lane: &Lane<'_>) {
    if !lane.trace.time_stamps.is_empty() {
        file.thread("timestamps");
    }
    for TimeStamp { stage, at_us } in &lane.trace.time_stamps {
        file.events.push(json!({
            "ph": "i", "s": "p", "name": stage, "pid": file.pid, "tid": file.tid,
            "ts": us(ns(at_us.max(0.0))), "args": { "at_us": at_us },
        }));
    }
}

fn named(at: usize, kernel: &str, part: Option<&Part>) -> String {
    part.map_or(format!("{} {kernel}", at + 1), |part| format!("{} {} of {kernel}", part.what, part.number))
}

/// A wave, the index of its dispatch, and its index among the dispatch's waves.
type Kept = (Wave, (usize, usize));

/// The time that a wave spent on each stretch, in microseconds.
fn stretches(part: &PartWaves, wave: usize) -> Value {
    let told = part.stretches.iter().zip(part.each().nth(wave).unwrap_or_default());
    told.map(|(what, us)| ((*what).to_owned(), json!((us * 1e3).round() / 1e3)))
        .collect::<serde_json::Map<String, Value>>()
        .into()
}

/// One thread per multiprocessor and slot, since slices of one thread must not overlap.
fn waves(file: &mut File, lane: &Lane<'_>, one_in: usize) {
    let kept = |(at, d): (usize, &record::trace::Dispatch)| -> Vec<Kept> {
        d.waves.iter().enumerate().step_by(one_in).map(|(own, wave)| (*wave, (at, own))).collect()
    };
    let mut all: Vec<Kept> = lane.trace.dispatches.iter().enumerate().flat_map(kept).collect();
    all.sort_by(|a, b| a.0.lane.cmp(&b.0.lane).then(a.0.begin_us.total_cmp(&b.0.begin_us)));
    for of_lane in all.chunk_by(|a, b| a.0.lane == b.0.lane) {
        let slots = slots(of_lane);
        let lane_number = of_lane[0].0.lane;
        for slot in 0..slots.iter().max().map_or(0, |most| most + 1) {
            file.thread(&match lane.trace.lanes {
                Lanes::Multiprocessors(_) => format!("SM {lane_number} slot {slot}"),
                Lanes::Packed(_) => format!("lane {lane_number} slot {slot}"),
            });
            for ((wave, (at, own)), _) in of_lane.iter().zip(&slots).filter(|(_, own)| **own == slot) {
                let dispatch = &lane.trace.dispatches[*at];
                let mut args = json!({ "dispatch": at + 1, "groups": dispatch.groups });
                if let Some(part) = &dispatch.part {
                    args["stretches_us"] = stretches(part, *own);
                }
                let part = dispatch.part.as_ref().map(|waves| &waves.part);
                file.complete(
                    &named(*at, &dispatch.kernel, part),
                    (ns(wave.begin_us), ns(wave.end_us)),
                    args,
                );
            }
        }
    }
}

/// Assigns each wave the lowest free slot; `waves` are sorted by their begin.
fn slots(waves: &[Kept]) -> Vec<usize> {
    let mut ends: Vec<u64> = Vec::new();
    let slot = |(wave, _): &Kept| {
        let free = ends.iter().position(|end| *end <= ns(wave.begin_us)).unwrap_or(ends.len());
        if free == ends.len() {
            ends.push(0);
        }
        ends[free] = ns(wave.end_us);
        free
    };
    waves.iter().map(slot).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tests::{examples, lanes};

    fn parsed(record: &Record, panels: &[Lane<'_>]) -> Value {
        serde_json::from_str(&timeline_events(record, panels).unwrap()).unwrap()
    }

    fn of_phase<'v>(file: &'v Value, phase: &str) -> Vec<&'v Value> {
        file["traceEvents"].as_array().unwrap().iter().filter(|event| event["ph"] == phase).collect()
    }

    /// The slices of each thread, in nanoseconds.
    fn threads(file: &Value) -> std::collections::BTreeMap<u64, Vec<(u64, u64)>> {
        let mut threads = std::collections::BTreeMap::new();
        for event in of_phase(file, "X") {
            let [ts, dur] = ["ts", "dur"].map(|name| ns(event[name].as_f64().unwrap()));
            threads.entry(event["tid"].as_u64().unwrap()).or_insert_with(Vec::new).push((ts, ts + dur));
        }
        threads
    }

    #[test]
    fn slices_of_a_thread_never_cross() {
        for (name, record, traces) in examples() {
            let file = parsed(record, &lanes(record, traces));
            for (tid, mut slices) in threads(&file) {
                slices.sort_unstable();
                assert!(slices.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{name}, thread {tid}");
            }
        }
    }

    #[test]
    fn every_wave_is_there_where_there_are_few() {
        let (_, record, traces) = examples()[3].clone();
        let file = parsed(&record, &lanes(&record, &traces));
        let waves: usize = traces.iter().flat_map(|t| &t.dispatches).map(|d| d.waves.len()).sum();
        assert_eq!(of_phase(&file, "X").len(), waves + 6, "three dispatches of each of two variants");
        assert_eq!(file["otherData"]["waves"], "all that were recorded");
        let names: Vec<&Value> =
            of_phase(&file, "M").into_iter().filter(|e| e["name"] == "process_name").collect();
        assert_eq!(names[0]["args"]["name"], "full_barrier");
        let named = |name: &str| of_phase(&file, "M").iter().any(|e| e["args"]["name"] == name);
        assert!(named("lane 7 slot 0") && named("dispatches"));
    }

    #[test]
    fn waves_of_parts_say_what_they_did() {
        let (_, record, traces) = examples()[4].clone();
        let file = parsed(&record, &lanes(&record, &traces));
        let name = "pass 2 of chain/tiles.comp [CHAINED STAGED]";
        let slices = of_phase(&file, "X");
        let wave =
            slices.iter().find(|slice| slice["name"] == name && slice["args"]["stretches_us"].is_object());
        let wave = wave.expect("a wave of the second pass");
        let told = wave["args"]["stretches_us"].as_object().unwrap().values();
        let sum: f64 = told.map(|us| us.as_f64().unwrap()).sum();
        assert!((sum - wave["dur"].as_f64().unwrap()).abs() < 0.004, "{wave}");
        assert!(slices.iter().all(|s| s["pid"] == 2 || s["args"].get("stretches_us").is_none()));
    }

    #[test]
    fn many_waves_are_thinned_by_the_rule_that_it_states() {
        let (_, record, traces) = examples()[0].clone();
        let all: usize = traces.iter().flat_map(|t| &t.dispatches).map(|d| d.waves.len()).sum();
        let one_in = all.div_ceil(WAVES);
        assert!(one_in > 1);
        let file = parsed(&record, &lanes(&record, &traces));
        let kept: usize =
            traces.iter().flat_map(|t| &t.dispatches).map(|d| d.waves.len().div_ceil(one_in)).sum();
        let dispatches = 12 + 12 + 24;
        assert_eq!(of_phase(&file, "X").len(), kept + dispatches);
        let rule = file["otherData"]["waves"].as_str().unwrap();
        assert!(rule.contains(&format!("every {one_in}th")), "{rule}");
    }

    #[test]
    fn timestamps_are_marks_on_a_thread_of_their_own() {
        let (_, record, mut traces) = examples()[3].clone();
        let stamp = |at_us| TimeStamp { stage: "COPY".into(), at_us };
        traces[0].time_stamps = vec![stamp(-0.5), stamp(2.5)];
        let file = parsed(&record, &lanes(&record, &traces));
        let marks = of_phase(&file, "i");
        let times: Vec<_> = marks.iter().map(|mark| mark["ts"].as_f64().unwrap()).collect();
        assert_eq!((times, &marks[0]["args"]["at_us"]), (vec![0.0, 2.5], &json!(-0.5)));
        let threads: Vec<_> =
            of_phase(&file, "M").into_iter().filter(|e| e["args"]["name"] == "timestamps").collect();
        assert_eq!((threads.len(), &threads[0]["tid"]), (1, &marks[0]["tid"]));
    }

    #[test]
    fn counters_hold_the_waves_and_end_at_none() {
        let (_, record, traces) = examples()[1].clone();
        let panels = lanes(&record, &traces);
        let file = parsed(&record, &panels);
        let points: Vec<&Value> =
            of_phase(&file, "C").into_iter().filter(|e| e["name"] == "waves in flight").collect();
        assert!(points.len() > 100 && points.len() <= POINTS + 1, "{}", points.len());
        let waves = |event: &Value| event["args"]["waves"].as_f64().unwrap();
        let most = points.iter().map(|p| waves(p)).fold(0.0, f64::max);
        let peak = panels[0].figures.whole.peak;
        assert!(most <= peak + 0.001 && most > 0.98 * peak, "{most} of {peak}");
        assert_eq!(waves(points.last().unwrap()), 0.0);
    }
}
