use super::*;
use crate::report::fixture;

/// Rows of a record, with their traces.
fn traced(traces: &[(&str, Trace, Option<f64>)]) -> (Record, Vec<Trace>) {
    let mut record = fixture::record();
    let row = record.rows[0].clone();
    record.rows.clear();
    for (name, trace, overhead) in traces {
        let figures = Box::new(example::figures(trace));
        let mut row = row.clone();
        row.variant = (*name).into();
        let times = [figures.whole.span_us() * 0.93; 9];
        row.pipelined_us = crate::stats::Summary::of(&times);
        row.trace = Some(Traced::Ok { figures, overhead: *overhead });
        record.rows.push(row);
    }
    (record, traces.iter().map(|(_, trace, _)| trace.clone()).collect())
}

fn lanes<'t>(record: &'t Record, traces: &'t [Trace]) -> Vec<Lane<'t>> {
    let lane = |(row, trace): (&'t Row, &'t Trace)| {
        let Some(Traced::Ok { figures, .. }) = &row.trace else { panic!() };
        Lane { row, trace, figures }
    };
    record.rows.iter().filter(|row| matches!(row.trace, Some(Traced::Ok { .. }))).zip(traces).map(lane).collect()
}

fn examples() -> Vec<(&'static str, Record, Vec<Trace>)> {
    let mut all = Vec::new();
    let mut add = |name, traces: &[(&str, Trace, Option<f64>)]| {
        let (record, traces) = traced(traces);
        all.push((name, record, traces));
    };
    let mut sampled = example::bands();
    sampled.dispatches.iter_mut().for_each(|d| (d.one_in, d.weight) = (6, 6.0));
    add("passes", &[
        ("full_barrier", example::passes(Some(1.5)), Some(0.04)),
        ("no_barrier", example::passes(None), Some(0.07)),
        ("events_2", example::bands(), Some(0.31)),
    ]);
    add("single", &[("blur", example::single(), None)]);
    add("sampled", &[("events_2", sampled, Some(0.31))]);
    add("threads", &[("full_barrier", example::threads(8), Some(0.01)), ("packed_many", example::threads(300), None)]);
    all[3].1.device.kind = crate::facts::Kind::Cpu;
    all[3].1.device.name = "llvmpipe (LLVM 15.0.6, 256 bits)".into();
    let reason = "12 waves wrote no end: the kernel returns early".into();
    let mut refused = all[3].1.rows[0].clone();
    (refused.variant, refused.trace) = ("events_4".into(), Some(Traced::Refused { reason }));
    all[3].1.rows.push(refused);
    all
}

#[test]
#[ignore = "writes pictures to look at into the folder that TIMELINES names"]
fn write_examples() {
    let folder = std::path::PathBuf::from(std::env::var_os("TIMELINES").unwrap());
    for (name, record, traces) in examples() {
        let panels = lanes(&record, &traces);
        let write = |ending: &str, bytes: Vec<u8>| std::fs::write(folder.join(format!("{name}{ending}")), bytes).unwrap();
        write(".svg", timeline_svg(&record, &panels, Theme::Auto).unwrap().into());
        write(".json", timeline_events(&record, &panels).unwrap().into());
        write("-light.png", timeline_png(&record, &panels, Theme::Light).unwrap());
        write("-dark.png", timeline_png(&record, &panels, Theme::Dark).unwrap());
    }
}
