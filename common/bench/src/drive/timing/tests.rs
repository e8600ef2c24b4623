use std::ops::ControlFlow;
use std::time::Duration;

use crate::lab::{BufferSet, ImageSet};
use record::figures::{Figures, Time};
use record::{COPY_LIMIT, COPY_LIMIT_BUFFER, Status, Stop};
use record::{Declared, Promise};

use super::run::with_first;
use super::*;
use crate::drive::uses::Uses;
use crate::lab::LabOptions;

fn lab() -> Lab {
    Lab::for_test(false, &LabOptions { repetitions: Some(2), maps_races: true, ..LabOptions::default() })
}

/// Declares a variant that does nothing and a correct one that adds one to the seed.
fn declare(lab: &mut Lab) {
    let kernel = lab.kernel("lab/increment.comp").build();
    let images = lab.output("counted", ImageSet::new(2, [5, 3], ash::vk::Format::R32_UINT, [99; 4])).unwrap();
    for (name, to) in [("wrong", 0), ("right", 1)] {
        lab.variant(name, move |cmd, rep| {
            let [from, to] = [1 - to, to].map(|index| images.get(rep.index, index));
            cmd.dispatch(kernel, &[from, to], &(), [1, 1, 1]);
        });
    }
    lab.seed(images, 0, || (0..15).collect());
    lab.expect(images, 1, || (1..=15).collect());
    lab.report.show(images, 1, [5, 3], "the sums", |words| {
        words.iter().map(|w| [u8::try_from(*w).unwrap(); 3]).collect()
    });
}

fn measured(lab: &Lab) -> Measured {
    let options = BenchOptions { samples: Some(1), ..BenchOptions::default() };
    measure(lab, &options, &mut |_| ControlFlow::Continue(()), None).unwrap()
}

#[test]
fn the_picture_is_of_the_first_variant_that_was_right() {
    let mut lab = lab();
    declare(&mut lab);
    lab.make().unwrap();
    let measured = measured(&lab);
    assert!(matches!(measured.rows[0].status, Status::Wrong { elements: 15, .. }), "{measured:?}");
    let painting = measured.painting.unwrap();
    assert_eq!((painting.variant.as_str(), painting.size), ("right", [5, 3]));
    assert_eq!(painting.pixels, (1..=15).map(|sum| [sum; 3]).collect::<Vec<_>>());
    assert!(measured.maps.is_empty(), "the sample's own picture stands for the map of races");
}

#[test]
fn a_count_declared_first_takes_no_image_its_map() {
    let mut lab = lab();
    let [adds, touches] = ["increment", "touch"].map(|name| lab.kernel(&format!("lab/{name}.comp")).build());
    let counts = lab.output("counts", BufferSet::new(1, 1, 0)).unwrap();
    lab.expect(counts, 0, || vec![0]).counts("touches");
    let images = lab.output("counted", ImageSet::new(2, [5, 3], ash::vk::Format::R32_UINT, [99; 4])).unwrap();
    lab.variant("one texel off", move |cmd, rep| {
        let [from, to] = [0, 1].map(|index| images.get(rep.index, index));
        cmd.dispatch(adds, &[from, to], &(), [1, 1, 1]);
        cmd.dispatch(touches, &[counts.get(rep.index, 0)], &(), [0, 1, 1]);
    })
    .promise(Promise::races("one texel"));
    lab.seed(images, 0, || (0..15).collect());
    lab.expect(images, 1, || (0..15).map(|texel| if texel == 7 { 0 } else { texel + 1 }).collect());
    lab.make().unwrap();
    let maps = measured(&lab).maps;
    let [map] = &maps[..] else { panic!("{maps:?}") };
    assert_eq!((map.size, map.counts.iter().filter(|&&count| count > 0).count()), ([5, 3], 1));
    assert_eq!(u64::from(map.counts[7]), map.trials);
}

/// A run that is interrupted at its first step of this phase.
fn ended_at(phase: Phase) -> Measured {
    let mut lab = lab();
    declare(&mut lab);
    lab.make().unwrap();
    let options = BenchOptions { samples: Some(1), ..BenchOptions::default() };
    measure(
        &lab,
        &options,
        &mut |step| {
            let rows = step.so_far().rows;
            let sampled = rows
                .iter()
                .filter(|row| matches!(row.status, Status::Wrong { .. }) || !row.samples.is_empty());
            let is_due = step.phase == phase && sampled.count() == usize::from(phase == Phase::Measuring) + 1;
            if is_due { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
        None,
    )
    .unwrap()
}

#[test]
fn what_was_sampled_before_any_round_outlasts_the_end_of_the_run() {
    let probing = ended_at(Phase::Probing);
    assert_eq!(probing.ended, Ended::Interrupted);
    let [wrong, right] = &probing.rows[..] else { panic!("{probing:?}") };
    assert!(matches!(wrong.status, Status::Wrong { elements: 15, .. }), "{wrong:?}");
    assert!(matches!(right.status, Status::Skipped { .. }), "{right:?}");
    let measuring = ended_at(Phase::Measuring);
    assert_eq!(measuring.ended, Ended::Interrupted);
    let [wrong, right] = &measuring.rows[..] else { panic!("{measuring:?}") };
    assert!(matches!(wrong.status, Status::Wrong { elements: 15, .. }), "{wrong:?}");
    assert_eq!((&right.status, right.samples.len(), &right.stop), (&Status::Ok, 1, &Some(Stop::Interrupted)));
}

#[test]
fn a_row_that_failed_in_a_round_has_no_figure_of_a_first_sample() {
    let pairs = vec![measure::Pair { round: 0, one: measure::Reading::for_test(1.0), many: None }];
    let first = measure::Row { pairs, ..measure::Row::default() };
    let failed = measure::Row { failure: Some("no stamps".into()), ..measure::Row::default() };
    let throttled = measure::Row { discarded: 1, ..measure::Row::default() };
    let engine = [measure::Row::default(), failed.clone(), throttled.clone()];
    let rows = with_first(&engine, &[first.clone(), first.clone(), first.clone()]);
    assert_eq!(rows, [first, failed, throttled]);
}

#[test]
fn limits_are_sampled_as_long_as_any_variant_and_have_no_ratio() {
    let mut lab = lab();
    declare(&mut lab);
    lab.limits([16, 16], ash::vk::Format::R32_SFLOAT).unwrap();
    lab.variants.retain(|variant| !["wrong", COPY_LIMIT_BUFFER].contains(&&*variant.name));
    lab.variants[0].declares(Declared::default().bytes(120));
    lab.report.baseline.push("right".into());
    lab.make().unwrap();
    let mut session = Session::new(&lab).unwrap();
    session.dry_run().unwrap();
    let plan = plan::plan(&lab, &session.uses, &BenchOptions::default());
    assert_eq!(plan.rows.iter().map(|row| row.reference).collect::<Vec<_>>(), [true; 3]);
    let rows = measured(&lab).rows;
    let ratios: Vec<bool> = rows.iter().map(|row| row.to_baseline.is_some()).collect();
    assert_eq!(ratios, [true, false, false]);
    let figures = Figures::new(&rows);
    let [own, part] = [COPY_LIMIT, "right"].map(|name| figures.share_of_limit(name).unwrap().share);
    assert_eq!((own.min, own.max), (1.0, 1.0));
    // The variant moves 120 bytes, the copy 2 KiB.
    let times =
        figures.us(Time::Isolated, COPY_LIMIT).unwrap() / figures.us(Time::Isolated, "right").unwrap();
    assert!((part.median / times - 120.0 / 2048.0).abs() < 1e-9, "{part:?} of {times}");
}

#[test]
fn variants_that_need_each_other_are_sampled_to_the_end() {
    let mut lab = lab();
    declare(&mut lab);
    lab.make().unwrap();
    let stay = |lab: &Lab| -> Vec<bool> {
        let mut session = Session::new(lab).unwrap();
        session.dry_run().unwrap();
        let plan = plan::plan(lab, &session.uses, &BenchOptions::default());
        plan.rows.iter().map(|row| row.reference).collect()
    };
    assert_eq!(stay(&lab), [false, false]);
    lab.report.sample_together();
    assert_eq!(stay(&lab), [true, true]);
}

/// Measures a variant whose kernel leaves the words 1 and 7, in which `figure` is found.
fn told(figure: impl Fn(&[u32]) -> Result<Option<f64>> + 'static) -> record::Row {
    let mut lab = lab();
    lab.alone();
    let kernel = lab.kernel("lab/touch.comp").build();
    let notes = lab.output("notes", BufferSet::new(1, 2, 7)).unwrap();
    lab.expect(notes, 0, || vec![1, 7]);
    lab.variant("tells", move |cmd, rep| {
        cmd.dispatch(kernel, &[notes.get(rep.index, 0)], &(), [1, 1, 1]);
    })
    .metric("touches", notes.get(0, 0), 2, figure);
    lab.make().unwrap();
    measured(&lab).rows.remove(0)
}

#[test]
fn kernels_tell_a_figure_of_each_sample() {
    let row = told(|words| Ok(Some(f64::from(words[0]) - 10.0)));
    let metric = row.metric.unwrap();
    assert_eq!((metric.unit.as_str(), metric.figure.median), ("touches", -9.0));
    assert!(!row.samples.is_empty() && row.samples.iter().all(|sample| sample.metric == Some(-9.0)));
}

#[test]
fn what_no_right_kernel_tells_is_no_figure() {
    let nothing = told(|_| Ok(None));
    assert!(nothing.status == Status::Ok && nothing.metric.is_none() && !nothing.samples.is_empty());
    let wrong = told(|words| anyhow::bail!("{} of 0 notes", words.len()));
    assert_eq!(wrong.status, Status::Error { reason: "2 of 0 notes".into() });
}

#[test]
fn a_budget_that_the_user_sets_is_spent_once() {
    let lab = Lab::for_test(false, &LabOptions::default());
    let patience = |budget| {
        plan::plan(&lab, &Uses::default(), &BenchOptions { budget, ..BenchOptions::default() }).patience
    };
    assert_eq!([patience(None), patience(Some(Duration::from_secs(3)))], [2, 1]);
}
