//! The parts of a submit's round trip.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use common::vulkan::gpu::{ClockReading, SubmitCall};
use common::{Counter, Summary};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The time of all submits, divided by their number.
    PerSubmit,
    /// From the begin of the call until the CPU knows.
    Whole,
    /// From the begin of the call to its end.
    Call,
    /// From the begin of the call to the first timestamp.
    ToGpu,
    /// From the first timestamp to the second.
    OnGpu,
    /// From the second timestamp until the CPU knows.
    ToCpu,
}

impl Part {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 6] =
        [Self::PerSubmit, Self::Whole, Self::Call, Self::ToGpu, Self::OnGpu, Self::ToCpu];

    /// The begin of variants' names.
    pub const fn name(self) -> &'static str {
        match self {
            Self::PerSubmit => "per_submit",
            Self::Whole => "whole",
            Self::Call => "call",
            Self::ToGpu => "to_gpu",
            Self::OnGpu => "on_gpu",
            Self::ToCpu => "to_cpu",
        }
    }

    /// Whether a time of the CPU's clock is compared with one of the device's.
    pub const fn needs_both_clocks(self) -> bool {
        matches!(self, Self::ToGpu | Self::ToCpu)
    }
}

/// When things happened to a submit.
#[derive(Clone, Copy, Debug)]
pub struct Trip {
    /// The call that submitted it.
    pub call: SubmitCall,
    /// When the CPU knew that the submit was complete.
    pub done: Instant,
    /// Timestamps before and behind the submit's work.
    pub stamps: [u64; 2],
}

/// The clock of timestamps beside that of the CPU.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// The clock of timestamps.
    pub counter: Counter,
    /// Readings of both before and behind all submits. None if the CPU cannot read the clock of timestamps.
    pub readings: Option<[ClockReading; 2]>,
}

impl Clocks {
    /// A part over these trips, in µs: the median, or the mean for all submits divided by their number.
    ///
    /// # Errors
    /// Timestamps that no right device writes: in another order than the submits, all alike, before the call, or behind the time at which
    /// the CPU knew.
    pub fn us(self, part: Part, trips: &[Trip]) -> Result<f64> {
        let (first, last) = trips.first().zip(trips.last()).context("there are no submits")?;
        let stamps: Vec<u64> = trips.iter().flat_map(|trip| trip.stamps).collect();
        let backwards = stamps.windows(2).filter(|pair| self.counter.ticks(pair[0], pair[1]) < 0).count();
        ensure!(
            backwards == 0,
            "{backwards} of {} timestamps lie before the one ahead of them",
            stamps.len()
        );
        let on_gpu: Vec<f64> = trips.iter().map(|trip| self.ticks_us(trip.stamps)).collect();
        ensure!(on_gpu.iter().any(|us| *us > 0.0), "the device wrote no time");
        let ways = trips.iter().map(|trip| self.ways(trip)).collect::<Result<Option<Vec<_>>>>()?;
        let way = |at: usize| {
            let ways = ways.as_ref().context("the CPU cannot read the clock of timestamps")?;
            anyhow::Ok(ways.iter().map(|ways| ways[at]).collect())
        };
        let times: Vec<f64> = match part {
            Part::PerSubmit => return Ok(signed_us(first.call.began, last.done) / trips.len() as f64),
            Part::Whole => trips.iter().map(|trip| signed_us(trip.call.began, trip.done)).collect(),
            Part::Call => trips.iter().map(|trip| us(trip.call.took)).collect(),
            Part::OnGpu => on_gpu,
            Part::ToGpu => way(0)?,
            Part::ToCpu => way(1)?,
        };
        Ok(Summary::of(&times).context("a time is not finite")?.median)
    }

    /// From the begin of the call to the first timestamp, and from the second until the CPU knew.
    fn ways(self, trip: &Trip) -> Result<Option<[f64; 2]>> {
        let Some(readings) = self.readings else { return Ok(None) };
        let [began, ended] = trip.stamps.map(|stamp| self.at_us(readings, stamp));
        let [called, done] = [trip.call.began, trip.done].map(|at| signed_us(readings[0].at, at));
        let ways = [began - called, done - ended];
        let slack = us(readings[0].within.max(readings[1].within)) + self.counter.tick_ns / 1e3;
        ensure!(
            ways.iter().all(|way| *way >= -slack),
            "a submit begins {:.1} µs after its call and ends {:.1} µs before the CPU knows, by clocks that are compared to \
             {slack:.1} µs",
            ways[0],
            ways[1]
        );
        Ok(Some(ways))
    }

    /// A timestamp by the CPU's clock, in µs behind the first reading. The clocks may run at different rates, so the second counts, too.
    fn at_us(self, [first, second]: [ClockReading; 2], stamp: u64) -> f64 {
        let between = self.ticks_us([first.ticks, second.ticks]);
        let rate = if between > 0.0 { signed_us(first.at, second.at) / between } else { 1.0 };
        self.ticks_us([first.ticks, stamp]) * rate
    }

    fn ticks_us(self, [from, to]: [u64; 2]) -> f64 {
        self.counter.ticks(from, to) as f64 * self.counter.tick_ns / 1e3
    }
}

fn us(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// From one time to another, which may be earlier.
fn signed_us(from: Instant, to: Instant) -> f64 {
    us(to.saturating_duration_since(from)) - us(from.saturating_duration_since(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MICRO: Duration = Duration::from_micros(1);

    /// A tick is half a µs by the device. A submit every 40 µs: 10 to the GPU, 4 there and 6 back.
    fn trips(count: u32) -> (Clocks, Vec<Trip>) {
        let at = Instant::now();
        let reading =
            |us: u32| ClockReading { ticks: 1000 + 2 * u64::from(us), at: at + us * MICRO, within: MICRO };
        let trip = |index: u32| {
            let began = at + 40 * index * MICRO;
            let first = 1000 + 2 * (40 * u64::from(index) + 10);
            let call = SubmitCall { began, took: 3 * MICRO };
            Trip { call, done: began + 20 * MICRO, stamps: [first, first + 8] }
        };
        let clocks = Clocks {
            counter: Counter { bits: 64, tick_ns: 500.0 },
            readings: Some([reading(0), reading(40 * count)]),
        };
        (clocks, (0..count).map(trip).collect())
    }

    fn is_close(us: f64, to: f64) -> bool {
        (us - to).abs() < 1e-6
    }

    #[test]
    fn a_trip_has_its_parts() {
        let (clocks, trips) = trips(3);
        for (part, us) in Part::ALL.into_iter().zip([100.0 / 3.0, 20.0, 3.0, 10.0, 4.0, 6.0]) {
            assert!(is_close(clocks.us(part, &trips).unwrap(), us), "{part:?}");
        }
        assert!(clocks.us(Part::Whole, &[]).is_err());
    }

    #[test]
    fn the_median_leaves_out_what_was_interrupted() {
        let (clocks, mut trips) = trips(5);
        trips[2].done += 1000 * MICRO;
        assert!(is_close(clocks.us(Part::ToCpu, &trips).unwrap(), 6.0));
    }

    /// By the device's own figure its clock is 1 % too slow: 400 µs are 396.
    #[test]
    fn clocks_of_different_rates_are_compared() {
        let (mut clocks, mut trips) = trips(10);
        let slow = |ticks: &mut u64| *ticks = 1000 + (*ticks - 1000) * 99 / 100;
        trips.iter_mut().flat_map(|trip| &mut trip.stamps).for_each(slow);
        clocks.readings.iter_mut().flatten().for_each(|reading| slow(&mut reading.ticks));
        let to_cpu = clocks.us(Part::ToCpu, &trips).unwrap();
        assert!((to_cpu - 6.0).abs() < 0.5, "{to_cpu}, and with one reading alone 4 µs more at the end");
    }

    #[test]
    fn without_both_clocks_some_parts_are_not_known() {
        let (clocks, trips) = trips(1);
        let clocks = Clocks { readings: None, ..clocks };
        for part in Part::ALL {
            assert_eq!(clocks.us(part, &trips).is_err(), part.needs_both_clocks(), "{part:?}");
        }
    }

    #[test]
    fn times_that_no_submit_has_are_refused() {
        let wrong = |change: fn(&mut Vec<Trip>)| {
            let (clocks, mut trips) = trips(2);
            change(&mut trips);
            clocks.us(Part::Call, &trips).unwrap_err().to_string()
        };
        let order = "1 of 4 timestamps lie before the one ahead of them";
        assert_eq!(wrong(|trips| trips.swap(0, 1)), order);
        assert_eq!(wrong(|trips| trips[1].stamps.swap(0, 1)), order);
        let early = wrong(|trips| trips[0].stamps[0] = 996);
        assert!(
            early.starts_with("a submit begins -2.0 µs after its call and ends 6.0 µs before"),
            "{early}"
        );
        let late = wrong(|trips| trips[1].done -= 8 * MICRO);
        assert!(late.contains("ends -2.0 µs before the CPU knows"), "{late}");
        let alike = wrong(|trips| trips.iter_mut().for_each(|trip| trip.stamps = [1100; 2]));
        assert_eq!(alike, "the device wrote no time");
        let (clocks, mut trips) = trips(2);
        trips[0].stamps[0] = 998;
        assert!(clocks.us(Part::Call, &trips).is_ok(), "within what the clocks are compared to");
    }
}
