//! Traces in the folder of a run, so that its waves can be shown again.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

use super::parts::PartWaves;
use super::{Dispatch, DispatchFigures, Lanes, Trace, TraceFigures, Wave};
use crate::files;

/// Name of the file of waves in the folder of a run.
pub const STORED_WAVES: &str = "waves.json.gz";

/// Most waves of a trace that are stored, or one per dispatch more: a plot of one wave per pixel has fewer.
const MOST_WAVES: usize = 16_384;
/// More lanes than any device has, so that a damaged file asks for no more memory than a screen has.
const MOST_LANES: u32 = 1 << 16;

/// The waves of a variant. The record has what else is known of the trace.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    variant: String,
    dispatches: Vec<StoredDispatch>,
}

/// The waves of a dispatch, with one list per property, which packs better than one per wave.
#[derive(Debug, Serialize, Deserialize)]
struct StoredDispatch {
    /// Number of waves that each stands for.
    weight: f64,
    /// Time from the begin of the previous wave, or of the trace.
    begin_ns: Vec<u32>,
    length_ns: Vec<u32>,
    lane: Vec<u32>,
    /// First stretch of each wave, where waves report stretches: it waits for a unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    wait_ns: Vec<u32>,
}

/// The content of a [`STORED_WAVES`] file: traces by variant, each with about 16,384 of its waves at most, evenly chosen,
/// and of the stretches of their parts the first. Times are rounded to nanoseconds.
///
/// # Errors
/// Only if memory runs out.
pub fn waves(traces: &[(String, Trace)]) -> Result<Vec<u8>> {
    let stored: Vec<Stored> = traces.iter().map(|(variant, trace)| Stored::of(variant, trace)).collect();
    let text = serde_json::to_string(&stored).context("the waves have no form in JSON")?;
    files::packed(text.as_bytes()).context("packing the waves")
}

/// Reads a [`STORED_WAVES`] file. `figures` gives those of a variant in the record of the same run.
///
/// # Errors
/// If it cannot be read, holds no waves, or those of another run. The message begins with the path.
pub fn read_waves<'f>(
    path: &Path,
    figures: impl Fn(&str) -> Option<&'f TraceFigures>,
) -> Result<Vec<(String, Trace)>> {
    let read = || -> Result<Vec<(String, Trace)>> {
        let stored: Vec<Stored> = serde_json::from_str(&files::text(path)?)?;
        let trace = |stored: Stored| {
            let of = figures(&stored.variant);
            let of = of.with_context(|| format!("the record has no trace of {}", stored.variant))?;
            Ok((stored.variant, trace(stored.dispatches, of)?))
        };
        stored.into_iter().map(trace).collect()
    };
    read().with_context(|| format!("reading {}", path.display()))
}

fn trace(stored: Vec<StoredDispatch>, figures: &TraceFigures) -> Result<Trace> {
    let (Lanes::Multiprocessors(lanes) | Lanes::Packed(lanes)) = figures.lanes;
    ensure!(lanes <= MOST_LANES, "{lanes} lanes are more than a device has");
    ensure!(stored.len() == figures.dispatches.len(), "the record has another number of dispatches");
    let each = stored.into_iter().zip(&figures.dispatches);
    Ok(Trace {
        dispatches: each.map(|(stored, figures)| stored.dispatch(figures, lanes)).collect::<Result<_>>()?,
        lanes: figures.lanes,
        stamps_us: figures.stamps_us,
        step_us: figures.step_us,
        time_stamps: figures.time_stamps.clone(),
    })
}

impl Stored {
    fn of(variant: &str, trace: &Trace) -> Self {
        let all: usize = trace.dispatches.iter().map(|dispatch| dispatch.waves.len()).sum();
        let step = all.div_ceil(MOST_WAVES).max(1);
        let dispatches = trace.dispatches.iter().map(|dispatch| StoredDispatch::of(dispatch, step));
        Self { variant: variant.to_owned(), dispatches: dispatches.collect() }
    }
}

impl StoredDispatch {
    /// Stores every wave whose number is a multiple of `step`.
    #[expect(clippy::cast_precision_loss, reason = "counts of waves")]
    fn of(dispatch: &Dispatch, step: usize) -> Self {
        let waves: Vec<&Wave> = dispatch.waves.iter().step_by(step).collect();
        let waits = dispatch.part.iter().flat_map(|part| part.each().step_by(step));
        let begins: Vec<u32> = waves.iter().map(|wave| ns(wave.begin_us)).collect();
        let before = std::iter::once(0).chain(begins.iter().copied());
        Self {
            weight: dispatch.weight * dispatch.waves.len() as f64 / waves.len().max(1) as f64,
            begin_ns: begins.iter().zip(before).map(|(begin, before)| begin.saturating_sub(before)).collect(),
            length_ns: waves.iter().map(|wave| ns(wave.end_us).saturating_sub(ns(wave.begin_us))).collect(),
            lane: waves.iter().map(|wave| wave.lane).collect(),
            wait_ns: waits.filter_map(|stretches| Some(ns(*stretches.first()?))).collect(),
        }
    }

    fn dispatch(self, figures: &DispatchFigures, lanes: u32) -> Result<Dispatch> {
        let count = self.begin_ns.len();
        ensure!(count > 0 && [self.length_ns.len(), self.lane.len()] == [count; 2], "waves are missing");
        ensure!([0, count].contains(&self.wait_ns.len()), "waits are missing");
        ensure!(self.lane.iter().all(|lane| *lane < lanes), "a wave has a lane that does not exist");
        ensure!(self.weight.is_finite() && self.weight > 0.0, "a weight is not positive");
        let mut begin_us = 0.0;
        let wave = |((gap, length), lane): ((&u32, &u32), &u32)| {
            begin_us += us(*gap);
            Wave { begin_us, end_us: begin_us + us(*length), lane: *lane }
        };
        let waves = self.begin_ns.iter().zip(&self.length_ns).zip(&self.lane).map(wave).collect();
        let part = figures.part.clone().map(|part| PartWaves {
            part,
            in_a_row: false,
            stretches: if self.wait_ns.is_empty() { &[] } else { &["waiting"] },
            waits: 0,
            stretches_us: self.wait_ns.iter().copied().map(us).collect(),
        });
        let DispatchFigures { kernel, groups, one_in, .. } = figures;
        Ok(Dispatch {
            kernel: kernel.clone(),
            groups: *groups,
            one_in: *one_in,
            weight: self.weight,
            waves,
            ends_us: Vec::new(),
            part,
        })
    }
}

/// A trace lasts less than the four seconds that fit.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` keeps to the range")]
fn ns(us: f64) -> u32 {
    (us * 1e3).round() as u32
}

fn us(ns: u32) -> f64 {
    f64::from(ns) / 1e3
}

#[cfg(test)]
mod tests {
    use super::super::TimeStamp;
    use super::super::parts::Part;
    use super::*;

    /// Two dispatches of `count` waves each, on four multiprocessors.
    fn trace(count: u32) -> Trace {
        let waves = (0..count).map(|at| {
            let begin_us = f64::from(at / 4);
            Wave { begin_us, end_us: begin_us + 1.5, lane: at % 4 }
        });
        let part = Part { what: "pass".into(), number: 2, of: 3, unit: "tile".into(), units: 12 };
        let stretches_us = (0..count).flat_map(|at| [f64::from(at % 8) / 8.0, 0.5]).collect();
        let part = PartWaves { part, in_a_row: true, stretches: &["a", "b"], waits: 1, stretches_us };
        let dispatch = |part| Dispatch {
            kernel: "hash.comp".into(),
            groups: [count, 1, 1],
            one_in: 1,
            weight: 1.0,
            waves: waves.clone().collect(),
            ends_us: Vec::new(),
            part,
        };
        let dispatches = vec![dispatch(None), dispatch(Some(part))];
        let time_stamps = vec![TimeStamp { stage: "COPY".into(), at_us: 2.5 }];
        Trace { dispatches, lanes: Lanes::Multiprocessors(4), stamps_us: 9.25, step_us: 0.032, time_stamps }
    }

    /// What is read of a file, beside the figures of `expected`.
    fn read(packed: &[u8], expected: &Trace) -> Result<Trace> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(STORED_WAVES);
        std::fs::write(&path, packed)?;
        let figures = TraceFigures::of(expected, None).unwrap();
        let mut read = read_waves(&path, |name| (name == "events").then_some(&figures))?;
        assert_eq!(read.len(), 1);
        Ok(read.remove(0).1)
    }

    fn of_events(trace: &Trace) -> Vec<u8> {
        waves(&[("events".into(), trace.clone())]).unwrap()
    }

    #[test]
    fn waves_come_back() {
        let mut expected = trace(400);
        let read = read(&of_events(&expected), &expected).unwrap();
        let part = expected.dispatches[1].part.as_mut().unwrap();
        (part.in_a_row, part.stretches, part.waits) = (false, &["waiting"], 0);
        part.stretches_us = (0..400).map(|at| f64::from(at % 8) / 8.0).collect();
        assert_eq!(read, expected);
    }

    #[test]
    fn many_waves_are_thinned_and_stand_for_the_rest() {
        let many = trace(100_000);
        let read = read(&of_events(&many), &many).unwrap();
        let stored: usize = read.dispatches.iter().map(|dispatch| dispatch.waves.len()).sum();
        assert!((MOST_WAVES / 2..=MOST_WAVES).contains(&stored), "{stored}");
        for (read, all) in read.dispatches.iter().zip(&many.dispatches) {
            let stand_for = |d: &Dispatch| d.weight * f64::from(u32::try_from(d.waves.len()).unwrap());
            assert!((stand_for(read) - stand_for(all)).abs() < 1e-6);
            let last_us = |d: &Dispatch| d.waves.last().unwrap().begin_us;
            assert!((last_us(read) - last_us(all)).abs() < 10.0);
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        type Spoil = fn(&mut Stored);
        let text = |spoil: Spoil| {
            let mut stored = Stored::of("events", &trace(4));
            spoil(&mut stored);
            files::packed(serde_json::to_string(&[stored]).unwrap().as_bytes()).unwrap()
        };
        let all: [(Spoil, &str); 6] = [
            (|stored| stored.variant = "other".into(), "the record has no trace of other"),
            (|stored| stored.dispatches[0].lane[2] = 4, "a lane that does not exist"),
            (|stored| stored.dispatches[1].length_ns.truncate(2), "waves are missing"),
            (|stored| stored.dispatches[1].wait_ns.truncate(2), "waits are missing"),
            (|stored| stored.dispatches.truncate(1), "another number of dispatches"),
            (|stored| stored.dispatches[0].weight = 0.0, "a weight is not positive"),
        ];
        for (spoil, reason) in all {
            let message = format!("{:#}", read(&text(spoil), &trace(4)).unwrap_err());
            assert!(message.contains(STORED_WAVES) && message.contains(reason), "{message}");
        }
        let packed = Trace { lanes: Lanes::Packed(1 << 30), ..trace(4) };
        let message = format!("{:#}", read(&of_events(&packed), &packed).unwrap_err());
        assert!(message.contains("more than a device has"), "{message}");
        assert!(read(b"no gzip", &trace(4)).is_err());
        assert!(read(&text(|_| ()), &trace(4)).is_ok());
    }
}
