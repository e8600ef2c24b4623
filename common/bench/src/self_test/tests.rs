//! Tests of the complete self-test, on the device that tests run on.

use std::cell::Cell;

use record::error::EXIT_INTERRUPTED;
use record::self_test::CheckResult::{Failed, Passed, Skipped, Warned};
use vulkan::gpu::OpenOptions;
use vulkan::memory::Place;

use super::*;
use crate::lab::Lab;

fn gpu() -> Gpu {
    let gpu = Gpu::open(&OpenOptions { device: Some("llvmpipe".into()), ..OpenOptions::default() }).unwrap();
    gpu.prepare_once().unwrap();
    gpu
}

fn check<'c>(certificate: &'c Certificate, name: &str) -> &'c Check {
    certificate.checks.iter().find(|check| check.name == name).unwrap()
}

#[test]
fn a_cpu_device_passes_without_verdicts_on_times_and_says_so() {
    let certified = certify(gpu(), &|| false).unwrap();
    let certificate = &certified.certificate;
    let names: Vec<&str> = certificate.checks.iter().map(|check| check.name.as_str()).collect();
    assert_eq!(names, SHOWN);
    assert!(certificate.passed() && !certified.interrupted, "{certificate:?}");
    assert_eq!(exit_code(certificate, certified.interrupted), EXIT_RIGHT);
    for check in &certificate.checks {
        let times = [verdicts::SAME, verdicts::SLOWER, waking::NAME, idle::NAME].contains(&&*check.name);
        assert_eq!(check.result == Skipped, times, "{check:?}");
        assert!(!times || check.found.starts_with("a CPU device"), "{check:?}");
    }
    assert_eq!(check(certificate, verdicts::RESULTS).result, Passed);
    assert!(certificate.seconds > 0.0);
}

#[test]
fn nothing_is_left_on_the_device_which_works_on() {
    let gpu = gpu();
    let (before, labels) = (gpu.mark(), gpu.debug.is_some());
    let gpu = certify(gpu, &|| false).unwrap().gpu;
    assert_eq!(gpu.mark(), before);
    assert!(gpu.kernel_facts().is_empty());
    assert_eq!(gpu.debug.is_some(), labels);
    // Objects that are made here reuse the places of the freed ones.
    let lab = Lab::new(gpu, &LabOptions::default());
    let device = lab.gpu.buffer("new", 16, Place::Device).unwrap();
    let seen = lab.gpu.buffer("new (CPU)", 16, Place::Readback).unwrap();
    lab.gpu
        .run_once("a fill", |cmd| {
            cmd.fill_buffer(device, 7);
            cmd.full_barrier();
            cmd.copy_buffer(device, seen, 16);
            cmd.host_barrier();
        })
        .unwrap();
    assert_eq!(lab.gpu.read(seen).unwrap(), [7; 4]);
}

#[test]
fn the_validation_layer_finds_nothing_to_say_of_any_check() {
    let options = OpenOptions { device: Some("llvmpipe".into()), validate: true, ..OpenOptions::default() };
    for times_tell in [false, true] {
        let gpu = Gpu::open(&options).unwrap();
        let certified = certify_by(gpu, &|| false, times_tell).unwrap();
        for name in [verdicts::SAME, verdicts::SLOWER] {
            let verdict = check(&certified.certificate, name);
            assert_eq!(verdict.result != Skipped, times_tell, "{verdict:?}");
            let figures = ["low", "ratio", "high", "rounds"].map(|name| verdict.figure(name));
            let [Some(low), Some(ratio), Some(high), Some(rounds)] = figures else {
                assert!(!times_tell, "{verdict:?}");
                continue;
            };
            assert!(
                low <= ratio && ratio <= high && (0.2..5.0).contains(&ratio) && rounds >= 10.0,
                "{verdict:?}"
            );
        }
        let said: Vec<String> =
            certified.gpu.take_messages().into_iter().map(|message| message.text).collect();
        assert!(said.is_empty(), "{said:#?}");
    }
}

#[test]
fn a_user_can_stop_it_at_any_sample() {
    for after in [0, 1, 9, 17] {
        let asked = Cell::new(0);
        let stopped = || asked.replace(asked.get() + 1) >= after;
        let gpu = gpu();
        let before = gpu.mark();
        let certified = certify(gpu, &stopped).unwrap();
        assert!(certified.interrupted, "after {after}");
        assert_eq!(exit_code(&certified.certificate, true), EXIT_INTERRUPTED);
        assert_eq!(asked.get(), after + 1, "nothing runs once it was asked to end");
        assert_eq!(certified.gpu.mark(), before);
    }
}

#[test]
fn a_kernel_that_differs_from_its_reference_fails() {
    let of = |reference: fn(u32, u32) -> Vec<u32>| {
        let mut lab = Lab::new(gpu(), &LabOptions { repetitions: Some(1), ..LabOptions::default() });
        let kernel = lab.kernel("lab/chains.comp").build();
        work::declare(&mut lab, kernel, Size::SMALL, reference).unwrap();
        let mut session = Session::new(&lab).unwrap();
        answers(&lab, &mut session, Stop(&|| false)).unwrap()
    };
    assert_eq!(of(sums).result, Passed);
    // Changes the sixth word of the variant with more work.
    let check = of(|groups, steps| {
        let mut words = sums(groups, steps);
        words[5] += u32::from(steps == 51);
        words
    });
    assert_eq!(check.result, Failed);
    assert!(check.found.starts_with("two_percent_more: 1 words differ"), "{check:?}");
    assert!(check.found.contains("word 5 of repetition 0"), "{check:?}");
}

#[test]
fn a_failed_certificate_has_an_exit_code_of_its_own() {
    let of = |result| Certificate { seconds: 0.1, checks: vec![Check::new(idle::NAME, result, "made up")] };
    assert_eq!(exit_code(&of(Passed), false), EXIT_RIGHT);
    assert_eq!(exit_code(&of(Warned), false), EXIT_RIGHT);
    assert_eq!(exit_code(&of(Failed), false), EXIT_FAILED);
    assert_eq!(exit_code(&of(Failed), true), EXIT_INTERRUPTED);
}
