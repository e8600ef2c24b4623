//! Tracy's client at work. It listens on localhost from before `main` on, at port 8086 or what
//! `TRACY_PORT` says, and keeps nothing as long as no profiler is connected.

use std::panic::Location;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ash::vk;
use record::hooks::hooks;
use tracy_client::{Client, GpuContext, GpuContextType};
use vulkan::gpu::{Calibrated, Gpu};

use super::counter::Steady;
use crate::counter::Counter;

/// Two clocks that are 20 parts in a million apart, as cheap ones are, drift by 5 µs in this time; and
/// Tracy's own measure of the CPU's clock was seen to be 200 parts in a million off.
const SYNC_EVERY: Duration = Duration::from_millis(250);

/// The shortest of so many readings of the device's clock is taken: in others the CPU was elsewhere.
const READINGS: usize = 8;

/// Shows how long something takes on the CPU.
#[track_caller]
pub fn span<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    let _span = begun(name, Location::caller());
    work()
}

/// None while all is muted.
fn begun(name: &'static str, at: &Location<'_>) -> Option<tracy_client::Span> {
    let shown = !MUTED.load(Ordering::Relaxed);
    shown.then(|| Client::start().span_alloc(Some(name), "", at.file(), at.line(), 0))
}

/// Waits for a profiler as long as `HOTLAP_TRACY_WAIT` says, in seconds: what happens before one is
/// connected is not shown. Returns what is to be told of one that did not come.
///
/// # Errors
/// A variable that is no number of seconds.
pub fn await_profiler() -> Result<Option<String>> {
    let Some(text) = std::env::var_os("HOTLAP_TRACY_WAIT") else { return Ok(None) };
    let seconds = text.to_str().and_then(|text| text.parse().ok()).filter(|s| (0.0..=3600.0).contains(s));
    let seconds = seconds.with_context(|| {
        format!("HOTLAP_TRACY_WAIT takes seconds from 0 to 3600, not '{}'", text.display())
    })?;
    let (began, limit) = (Instant::now(), Duration::from_secs_f64(seconds));
    while !Client::is_connected() {
        if began.elapsed() >= limit {
            return Ok(Some(format!(
                "no Tracy profiler has connected within {seconds} s; going on without one"
            )));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(None)
}

static MUTED: AtomicBool = AtomicBool::new(false);

/// Shows nothing of this: the self-test is no part of a run.
pub fn muted<T>(work: impl FnOnce() -> T) -> T {
    MUTED.store(true, Ordering::Relaxed);
    let done = work();
    MUTED.store(false, Ordering::Relaxed);
    done
}

/// The row of GPU zones in the profiler.
pub struct Timeline<'l> {
    gpu: &'l Gpu,
    /// None where the tests hide it.
    clock: Option<&'l Calibrated>,
    track: Option<Track>,
    /// For a stamp in a submit of its own, where the clock cannot be read otherwise.
    stamp: Option<vk::QueryPool>,
}

/// What there is once a profiler has connected.
struct Track {
    context: GpuContext,
    counter: Steady,
    /// When the profiler was last told which time of the device is now; never in this connection,
    /// where it is none.
    synced: Option<Instant>,
}

impl<'l> Timeline<'l> {
    /// A row that the profiler hears of with its first zone.
    pub fn new(gpu: &'l Gpu, clock: &'l Calibrated) -> Self {
        let clock = Some(clock).filter(|_| !hooks().tracy_stamp);
        Self { gpu, clock, track: None, stamp: None }
    }

    /// Shows a submit that has been waited for, from its two raw timestamps.
    ///
    /// # Errors
    /// Reading the device's clock, which is done here from time to time.
    pub fn zone(&mut self, name: &str, repetitions: u32, stamps: [u64; 2]) -> Result<()> {
        if MUTED.load(Ordering::Relaxed) {
            return Ok(());
        }
        // Beginning and end are sent in one go: an end whose beginning was not sent, because no profiler
        // was connected then, makes the profiler crash.
        if !Client::is_connected() {
            if let Some(track) = &mut self.track {
                track.synced = None;
            }
            return Ok(());
        }
        self.synchronise()?;
        let Some(track) = &mut self.track else { return Ok(()) };
        let Some([begin, end]) = track.counter.zone(stamps) else { return Ok(()) };
        let name = if repetitions > 1 { format!("{name} x{repetitions}") } else { name.to_owned() };
        let zone = track.context.span_alloc(&name, "", file!(), line!());
        // Each gives its identifiers back below, so there are always some.
        let mut zone = zone.ok().context("Tracy has no identifier left for a GPU zone")?;
        zone.end_zone();
        zone.upload_timestamp_start(begin);
        zone.upload_timestamp_end(end);
        Ok(())
    }

    /// What a record calls it, when a profiler was connected during a sample.
    pub fn profiler(&self) -> Option<&'static str> {
        self.track.as_ref().map(|_| "Tracy client")
    }

    /// Tells the profiler which time of the device is now, when that is due.
    fn synchronise(&mut self) -> Result<()> {
        let synced = self.track.as_ref().and_then(|track| track.synced);
        if synced.is_some_and(|at| at.elapsed() < SYNC_EVERY) {
            return Ok(());
        }
        let (raw, at) = self.device_time()?;
        let facts = &self.gpu.facts;
        let period = facts.timestamp_period_ns;
        // Tracy takes the CPU's time by itself, at the call.
        #[expect(clippy::cast_possible_truncation, reason = "the ticks of some microseconds")]
        let since = || (at.elapsed().as_secs_f64() * 1e9 / f64::from(period)) as i64;
        match &mut self.track {
            Some(track) => {
                let ticks = track.counter.settle(raw);
                track.context.sync_gpu_time(ticks + since());
                track.synced = Some(at);
            }
            None => {
                let mut counter = Steady::new(Counter::of(facts), raw);
                let ticks = counter.settle(raw);
                let (name, kind) = (Some(facts.name.as_str()), GpuContextType::Vulkan);
                let context = Client::start().new_gpu_context(name, kind, ticks + since(), period);
                let context = context.ok().context("Tracy has no GPU context left")?;
                self.track = Some(Track { context, counter, synced: Some(at) });
            }
        }
        Ok(())
    }

    /// A reading of the device's clock, and when it was taken: in the middle of the call, with half
    /// its length as the error.
    fn device_time(&mut self) -> Result<(u64, Instant)> {
        let mut best: Option<(Duration, u64, Instant)> = None;
        for _ in 0..READINGS {
            let began = Instant::now();
            let raw = self.read_clock()?;
            let took = began.elapsed();
            if best.is_none_or(|(shortest, ..)| took < shortest) {
                best = Some((took, raw, began + took / 2));
            }
        }
        best.map(|(_, raw, at)| (raw, at)).context("the device's clock was not read")
    }

    fn read_clock(&mut self) -> Result<u64> {
        match self.clock.map(Calibrated::device_time).transpose()?.flatten() {
            Some(ticks) => Ok(ticks),
            None => self.stamp_by_submit(),
        }
    }

    fn stamp_by_submit(&mut self) -> Result<u64> {
        let pool = match self.stamp {
            Some(pool) => pool,
            None => *self.stamp.insert(self.gpu.timestamps(1)?),
        };
        self.gpu.run_once("a timestamp", |cmd| {
            cmd.reset_query_pool(pool, 1);
            cmd.write_timestamp2(pool, 0);
        })?;
        let [stamp] = self.gpu.read_stamps(pool)?;
        ensure!(stamp != 0, "the device wrote no timestamp");
        Ok(stamp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_muted_makes_no_span() {
        let is_shown = || begun("shown", Location::caller()).is_some();
        assert!(!muted(is_shown) && is_shown());
    }
}
