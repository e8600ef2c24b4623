//! What the parts of a round trip mean.

use common::{Figures, Headline, Holds, Time};
use samples::words::published;

/// A CPU that waits may be so much slower than one that polls and still count as no slower.
const NO_SLOWER: Holds = Holds::Below(1.05);
/// In µs: so much later is no noise.
const LATE_US: f64 = 10.0;

/// Whether it matters how the CPU learns that a submit is complete.
pub fn headline(figures: &Figures<'_>) -> Headline {
    let pair = ["whole_fence_1", "whole_fence_polled_1"];
    Headline::of("waiting for a fence takes no longer than polling it").test_ratio(
        figures,
        Time::Isolated,
        pair,
        &NO_SLOWER,
        |ratio| format!("a submit that is waited for takes {ratio} as long as polled"),
    )
}

/// A line for each question.
pub fn verdict(figures: &Figures<'_>) -> Option<String> {
    let us = |variant: &str| figures.us(Time::Isolated, variant);
    let lines = [parts(&us), polled(&us), timeline(&us), in_flight(&us), between(&us), cores(figures)];
    let lines: Vec<String> = lines.into_iter().flatten().collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// Median of a variant in µs.
type Us<'u> = &'u dyn Fn(&str) -> Option<f64>;

/// One submit in flight, beside the published figures.
fn parts(us: Us<'_>) -> Option<String> {
    let part = |part: &str| us(&format!("{part}_fence_1"));
    let (whole, call) = (part("whole")?, part("call")?);
    let (to_gpu, on_gpu, to_cpu) = (part("to_gpu")?, part("on_gpu")?, part("to_cpu")?);
    let clpeak = |key: &str| published("clpeak", &format!("latency/{key}"));
    let beside = clpeak("roundtrip").zip(clpeak("dispatch")).map_or_else(String::new, |(whole, to_gpu)| {
        format!(" (clpeak on a GeForce RTX 5060: {whole:.1}, {to_gpu:.1} to the GPU.)")
    });
    Some(format!(
        "With one submit in flight and a fence the round trip takes {whole:.1} µs.{beside} The GPU begins after {to_gpu:.1} µs, of which the \
         call takes {call:.1}. The work takes {on_gpu:.1} µs, and the CPU knows {to_cpu:.1} later."
    ))
}

/// What is left of the way back without sleep.
fn polled(us: Us<'_>) -> Option<String> {
    let (waits, polls) = (us("to_cpu_fence_1")?, us("to_cpu_fence_polled_1")?);
    Some(format!("A CPU that polls the fence knows after {polls:.1} µs, one that waits after {waits:.1}."))
}

fn timeline(us: Us<'_>) -> Option<String> {
    let (fence, timeline) = (us("whole_fence_1")?, us("whole_timeline_1")?);
    Some(format!("The round trip takes {timeline:.1} µs by timeline semaphore, {fence:.1} by fence."))
}

/// What more submits in flight bring.
fn in_flight(us: Us<'_>) -> Option<String> {
    let every = |count| us(&format!("per_submit_fence_{count}"));
    let (one, eight, whole) = (every(1)?, every(8)?, us("whole_fence_8")?);
    Some(format!(
        "A submit is complete every {one:.1} µs with one in flight, and every {eight:.1} with eight. With eight one takes {whole:.0} µs."
    ))
}

/// The time that is not work although the next submit is there.
fn between(us: Us<'_>) -> Option<String> {
    let (every, on_gpu) = (us("per_submit_fence_8")?, us("on_gpu_fence_8")?);
    let between = every - on_gpu;
    (between > 0.0).then(|| {
        format!("With eight in flight {between:.1} of the {every:.1} µs lie between the work of one submit and that of the next.")
    })
}

/// Whether the way back depends on where the thread runs.
fn cores(figures: &Figures<'_>) -> Option<String> {
    let row = figures.row("to_cpu_fence_polled_1")?;
    let late = row.isolated_us?.min + LATE_US;
    let count = row.samples.iter().filter(|sample| sample.one_us > late).count();
    (20 * count > row.samples.len()).then(|| {
        format!(
            "In {count} of {} samples a CPU that polls the fence knows at least {LATE_US:.0} µs later than in the quickest. It may be that \
             the thread runs on the core of the GPU's interrupts then. --core N keeps it to one (Linux).",
            row.samples.len()
        )
    })
}

#[cfg(test)]
mod tests {
    use common::record::headline::LONGEST;
    use common::record::{Outcome, Record};

    use super::*;

    fn recorded(run: &str) -> Record {
        samples::recorded(&format!("2026-11-28-nvidia-h200/{run}")).unwrap()
    }

    #[test]
    fn a_record_leads_to_its_verdict() {
        let record = recorded("round_trip");
        let headline = headline(&Figures::new(&record.rows));
        assert_eq!(headline.finding, "a submit that is waited for takes 2.82x as long as polled");
        assert!(headline.finding.chars().count() <= LONGEST && headline.claim.chars().count() <= LONGEST);
        assert_eq!(headline.outcome, Outcome::DoesNotHold);
        assert_eq!(
            verdict(&Figures::new(&record.rows)).unwrap().lines().collect::<Vec<_>>(),
            [
                "With one submit in flight and a fence the round trip takes 45.3 µs. (clpeak on a GeForce RTX 5060: 41.6, 5.8 to the GPU.) The \
                 GPU begins after 11.3 µs, of which the call takes 4.3. The work takes 3.7 µs, and the CPU knows 28.5 later.",
                "A CPU that polls the fence knows after 2.1 µs, one that waits after 28.5.",
                "The round trip takes 40.8 µs by timeline semaphore, 45.3 by fence.",
                "A submit is complete every 47.2 µs with one in flight, and every 13.5 with eight. With eight one takes 108 µs.",
                "With eight in flight 9.8 of the 13.5 µs lie between the work of one submit and that of the next.",
            ]
        );
        assert_eq!(verdict(&Figures::new(&[])), None);
    }

    /// Some of its samples were taken on the core that serves the GPU's interrupts.
    #[test]
    fn a_thread_that_moves_is_noticed() {
        let record = recorded("round_trip-any-core");
        let line = cores(&Figures::new(&record.rows)).unwrap();
        assert!(
            line.starts_with("In 16 of 46 samples a CPU that polls the fence knows at least 10 µs later"),
            "{line}"
        );
        assert_eq!(cores(&Figures::new(&recorded("round_trip").rows)), None);
    }

    /// Where all is as slow the claim holds.
    #[test]
    fn a_wait_that_is_as_quick_holds() {
        let mut record = recorded("round_trip");
        let polled = record.rows.iter().find(|row| row.variant == "whole_fence_polled_1").unwrap().clone();
        let waits = record.rows.iter_mut().find(|row| row.variant == "whole_fence_1").unwrap();
        (waits.isolated_us, waits.samples) = (polled.isolated_us, polled.samples);
        assert_eq!(headline(&Figures::new(&record.rows)).outcome, Outcome::Holds);
    }
}
