use record::fixture::{self, traces as example};

use super::axes::real;
use record::trace::Trace;
use record::{Headline, Record, Traced};

use super::*;
use crate::scene::tests::decoded;
use crate::scene::text_width;

/// A record with one row per trace, and the traces.
fn traced(traces: &[(&str, Trace, Option<f64>)]) -> (Record, Vec<Trace>) {
    let mut record = fixture::record();
    let row = record.rows[0].clone();
    record.rows.clear();
    for (name, trace, overhead) in traces {
        let figures = Box::new(example::figures(trace));
        let mut row = row.clone();
        row.variant = (*name).into();
        let times = [figures.whole.span_us() * 0.93; 9];
        row.pipelined_us = record::stats::Summary::of(&times);
        row.trace = Some(Traced::Ok { figures, overhead: *overhead });
        record.rows.push(row);
    }
    (record, traces.iter().map(|(_, trace, _)| trace.clone()).collect())
}

pub(super) fn lanes<'t>(record: &'t Record, traces: &'t [Trace]) -> Vec<Lane<'t>> {
    let traced = record.rows.iter().filter(|row| matches!(row.trace, Some(Traced::Ok { .. })));
    traced.zip(traces).map(|(row, trace)| Lane::of(record, &row.variant, trace).unwrap()).collect()
}

/// A name, a record, and the traces of its rows.
type Example = (&'static str, Record, Vec<Trace>);

pub(super) fn examples() -> &'static [Example] {
    static MADE: std::sync::OnceLock<Vec<Example>> = std::sync::OnceLock::new();
    MADE.get_or_init(made)
}

fn made() -> Vec<Example> {
    let mut all = Vec::new();
    let mut add = |name, traces: &[(&str, Trace, Option<f64>)]| {
        let (record, traces) = traced(traces);
        all.push((name, record, traces));
    };
    let mut sampled = example::bands();
    sampled.dispatches.iter_mut().for_each(|d| (d.one_in, d.weight) = (6, 6.0));
    add(
        "passes",
        &[
            ("full_barrier", example::passes(Some(1.5)), Some(0.04)),
            ("no_barrier", example::passes(None), Some(0.07)),
            ("events_2", example::bands(), Some(0.31)),
        ],
    );
    add("single", &[("blur", example::single(), None)]);
    add("sampled", &[("events_2", sampled, Some(0.31))]);
    add(
        "threads",
        &[("full_barrier", example::threads(8), Some(0.01)), ("packed_many", example::threads(300), None)],
    );
    add(
        "parts",
        &[("full_barrier", example::passes(Some(1.5)), None), ("tile_flags", example::parts(), Some(0.04))],
    );
    all[3].1.device.kind = record::Kind::Cpu;
    all[3].1.device.name = "llvmpipe (LLVM 15.0.6, 256 bits)".into();
    let reason = "12 waves wrote no end: the kernel returns early".into();
    let mut refused = all[3].1.rows[0].clone();
    (refused.variant, refused.trace) = ("events_4".into(), Some(Traced::Refused { reason }));
    all[3].1.rows.push(refused);
    all
}

fn drawn_as(theme: Theme) -> String {
    let (_, record, traces) = examples()[0].clone();
    timeline_svg(&record, &lanes(&record, &traces), theme, Detail::Whole).unwrap()
}

#[test]
fn a_picture_names_everything_that_it_shows() {
    for (name, record, traces) in examples() {
        let panels = lanes(record, traces);
        let svg = timeline_svg(record, &panels, Theme::Auto, Detail::Whole).unwrap();
        let text = svg.replace("&#160;", " ");
        for part in [&record.sample, &record.device.name, &record.device.driver_name, "size 4096"] {
            assert!(text.contains(part), "no {part} in {name}");
        }
        for part in ["waves in flight</text>", "first wave (µs)</text>", "chain/step.comp"] {
            assert!(*name == "single" || text.contains(part), "no {part} in {name}");
        }
        for lane in &panels {
            assert!(text.contains(&format!(">{}</text>", lane.row.label())), "{name}");
        }
    }
}

#[test]
fn a_compact_picture_fits_a_page_and_names_its_variants() {
    for (name, record, traces) in examples() {
        let panels = lanes(record, traces);
        let svg = timeline_svg(record, &panels, Theme::Auto, Detail::Compact).unwrap();
        assert!(svg.contains("width=\"880\"") && !svg.contains("multiprocessor"), "{name}");
        assert!(panels.iter().all(|lane| svg.contains(lane.row.label())), "{name}");
        let sizes =
            svg.split("font-size=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse::<f64>());
        assert!(sizes.map(Result::unwrap).fold(99.0, f64::min) >= 14.0, "{name}");
        assert_eq!(svg.contains("Lighter: "), svg.contains("wave time: "), "{name}");
    }
    let (_, record, traces) = &examples()[0];
    let svg = timeline_svg(record, &lanes(record, traces), Theme::Auto, Detail::Compact).unwrap();
    assert!(svg.contains("tracing made it 31 % slower"));
    let untested = Record { headline: Some(Headline::of("a claim")), ..record.clone() };
    let svg = timeline_svg(&untested, &lanes(record, traces), Theme::Auto, Detail::Compact).unwrap();
    assert!(svg.contains(": waves in flight</text>") && !svg.contains("ot measured"));
}

#[test]
fn timestamps_are_lines_with_their_stages() {
    let (_, record, mut traces) = examples()[0].clone();
    let plain = timeline_svg(&record, &lanes(&record, &traces), Theme::Auto, Detail::Compact).unwrap();
    assert!(!plain.contains("imestamp"));
    let stamp = |at_us| record::trace::TimeStamp { stage: "COPY".into(), at_us };
    traces[0].time_stamps = vec![stamp(-1.5), stamp(20.25)];
    for detail in [Detail::Whole, Detail::Compact] {
        let svg = timeline_svg(&record, &lanes(&record, &traces), Theme::Auto, detail).unwrap();
        assert!(svg.contains("timestamp COPY at -1.5 µs<") && svg.contains("timestamp COPY at 20.25 µs<"));
        assert_eq!(svg.contains("Black:"), detail == Detail::Compact);
    }
}

#[test]
fn what_weighs_against_a_trace_stands_beside_it() {
    let svg = |at: usize| {
        let (_, record, traces) = examples()[at].clone();
        timeline_svg(&record, &lanes(&record, &traces), Theme::Light, Detail::Whole).unwrap()
    };
    assert!(svg(0).contains("tracing made it 31 % slower") && !svg(1).contains("slower"));
    assert!(svg(2).contains("1 workgroup in 6 recorded") && !svg(1).contains("recorded"));
    assert!(svg(3).contains("proves nothing about a GPU") && !svg(0).contains("proves nothing"));
    assert!(svg(3).contains("Not drawn: events_4: 12 waves wrote no end"));
}

#[test]
fn a_viewer_chooses_the_paper_only_where_it_may() {
    assert!(drawn_as(Theme::Auto).contains("prefers-color-scheme:dark"));
    let (light, dark) = (drawn_as(Theme::Light), drawn_as(Theme::Dark));
    assert!(!light.contains("@media") && !dark.contains("@media"));
    assert!(light.contains(".paper{fill:#ffffff}") && dark.contains(".paper{fill:#121418}"));
}

#[test]
fn pixels_show_the_same_picture_on_its_paper() {
    let (_, record, traces) = examples()[1].clone();
    let panels = lanes(&record, &traces);
    let (_, size) = drawn(&record, &panels, 1.0, Detail::Whole).unwrap();
    for (theme, paper) in [(Theme::Auto, [255; 3]), (Theme::Dark, [18, 20, 24])] {
        let (width, pixels) = decoded(&timeline_png(&record, &panels, theme, Detail::Whole).unwrap());
        assert_eq!([real(width), real(pixels.len() / width)], size.map(|side| 2.0 * side));
        assert_eq!(pixels[0], paper);
        let blue = pixels.iter().filter(|pixel| **pixel == [0, 114, 178]).count();
        // The area and the map of the only dispatch fill most of the plot.
        assert!(real(blue) > 0.6 * 4.0 * PLOT * 150.0, "{blue}");
    }
}

#[test]
fn no_gap_is_drawn_where_waves_follow_each_other() {
    let (_, record, traces) = examples()[0].clone();
    let brackets = |at: usize| {
        let svg =
            timeline_svg(&record, &lanes(&record, &traces)[at..=at], Theme::Light, Detail::Whole).unwrap();
        let (_, panel) = svg.split_once("class=\"steps").unwrap();
        panel.matches("<rect class=\"gap\"").count()
    };
    assert_eq!((brackets(0), brackets(1)), (3 * 11, 0), "eleven brackets of three strokes, and none");
}

#[test]
fn parts_are_drawn_as_passes_with_their_waits() {
    let (_, record, traces) = examples()[4].clone();
    let svg = timeline_svg(&record, &lanes(&record, &traces), Theme::Light, Detail::Whole)
        .unwrap()
        .replace('\u{a0}', " ");
    let told =
        [">passes</text>", ">dispatches</text>", ">ticket and wait</text>", "11 of 11 passes are at work"];
    for text in told.into_iter().chain(["load 41 %", "12288 tiles"]) {
        assert!(svg.contains(text), "no {text}");
    }
    let areas = |class: &str| svg.matches(&format!("<path class=\"steps {class}")).count();
    assert_eq!((areas("p"), areas("w")), (24, 12));
    assert!(!drawn_as(Theme::Light).contains("steps w"));
}

#[test]
fn a_long_name_in_the_legend_is_broken() {
    let (_, mut record, mut traces) = examples()[4].clone();
    let long = format!("chain/tiles.comp [{}CHAINED]", "COLUMNS=128 ".repeat(30));
    traces[1].dispatches.iter_mut().for_each(|dispatch| dispatch.kernel.clone_from(&long));
    let Some(Traced::Ok { figures, .. }) = &mut record.rows[1].trace else { panic!() };
    figures.dispatches.iter_mut().for_each(|dispatch| dispatch.kernel.clone_from(&long));
    let svg = timeline_svg(&record, &lanes(&record, &traces), Theme::Light, Detail::Whole).unwrap();
    let of = |line: &str, name: &str| -> Option<f64> {
        line.split_once(&format!(" {name}=\""))?.1.split('"').next()?.parse().ok()
    };
    let lines: Vec<&str> =
        svg.lines().filter(|line| line.contains("<text") && !line.contains("anchor")).collect();
    assert!(lines.len() > 10);
    for line in lines {
        let (x, size) = (of(line, "x").unwrap(), of(line, "font-size").unwrap());
        let text = line.split_once('>').unwrap().1.trim_end_matches("</text>");
        assert!(x + text_width(text, size, false) <= WIDTH, "{text}");
    }
}

#[test]
fn nothing_is_drawn_of_nothing_or_of_something_else() {
    let (_, record, traces) = examples()[3].clone();
    let error = timeline_svg(&record, &[], Theme::Auto, Detail::Whole).unwrap_err().to_string();
    assert!(error.contains("no variant was traced: events_4: 12 waves"), "{error}");
    let error = timeline_events(&fixture::record(), &[]).unwrap_err().to_string();
    assert!(error.contains("no variant was traced: none of those"), "{error}");
    let mut panels = lanes(&record, &traces);
    let mut backwards = traces[0].clone();
    backwards.dispatches[0].waves[3].end_us = -1.0;
    panels[0].trace = &backwards;
    assert!(timeline_svg(&record, &panels, Theme::Auto, Detail::Whole).is_err());
}

/// Dispatches that all run at the same time have the longest outlines.
#[test]
fn hundreds_of_dispatches_are_drawn_in_coarser_columns() {
    let mut machine = example::Machine::new(132, 32, 50.0, 60.0);
    let waves = machine.run(&[40; 400], None);
    let many = example::trace(waves, Lanes::Multiprocessors(132), &["chain/step.comp"]);
    let (record, traces) = traced(&["a", "b", "c"].map(|name| (name, many.clone(), None)));
    let svg = timeline_svg(&record, &lanes(&record, &traces), Theme::Auto, Detail::Whole).unwrap();
    assert!(svg.len() < LARGEST, "{}", svg.len());
    assert_eq!(svg.matches("class=\"steps").count(), 3 * 400);
}
