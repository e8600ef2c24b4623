//! Shows a record in place of a device that measures.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use record::figures::Figures;
use record::trace::{STORED_WAVES, Trace, read_waves};
use record::{Compared, Promise, Record, Row, is_limit, read_record};

use super::state::{EngineState, counts_trials};
use crate::handoff::Handoff;
use crate::messages::{self, About, Command, Entry, Frame, Snapshot, Timeline};
use crate::ui::finding_and_claim;

/// Time between two frames.
const PACE: Duration = Duration::from_millis(50);

/// A record, and the waves that were stored with it.
#[derive(Debug)]
pub struct Replay {
    sample: &'static str,
    record: Arc<Record>,
    waves: Vec<Timeline>,
}

impl Replay {
    /// Reads a record of `sample`, and the waves beside it where there are any.
    ///
    /// # Errors
    /// A file cannot be read, or the record is another sample's or has no rows.
    pub fn read(path: &Path, sample: &'static str) -> Result<Self> {
        let (record, waves) = parts(path, sample)?;
        Ok(Self { sample, record: Arc::new(record), waves })
    }

    /// Checks that [`Self::read`] can read it.
    ///
    /// # Errors
    /// Those of [`Self::read`].
    pub fn check(path: &Path, sample: &str) -> Result<()> {
        parts(path, sample).map(drop)
    }

    /// Shows it until the display quits.
    pub fn play(&self, handoff: &Handoff) {
        let mut state = EngineState::new(self.snapshot());
        state.caution(&self.record.notes);
        self.put_waves(&mut state);
        let mut played = 0;
        while !state.ends.quit {
            let began = Instant::now();
            if !state.snapshot.paused || std::mem::take(&mut state.step) {
                self.frame(state.snapshot.current, played).into_iter().for_each(|frame| state.add(frame));
                played += 1;
            }
            state.forget_news();
            state.snapshot.state = state.state();
            handoff.publish(state.snapshot.clone());
            while !state.ends.quit && began.elapsed() < PACE {
                handoff.await_commands(PACE.saturating_sub(began.elapsed()));
                handoff.commands().into_iter().for_each(|command| self.obey(&mut state, command));
            }
        }
    }

    fn snapshot(&self) -> Snapshot {
        let record = &self.record;
        let day = record.started.split('T').next().unwrap_or_default();
        let compared = record.headline.as_ref().and_then(|headline| headline.compared.as_ref());
        let at = |name: &str| record.rows.iter().position(|row| row.variant == name);
        // Where trials are counted, what was to be right and was not.
        let is_found = |row: &Row| {
            let is_meant = matches!(row.promise, Promise::Nothing { .. } | Promise::Fault { .. });
            !is_meant && row.racy.is_some_and(|racy| racy.racy_samples > 0)
        };
        let rows = || record.rows.iter();
        let first = || rows().position(is_found).or_else(|| rows().position(|row| !is_limit(&row.variant)));
        let measured = Duration::try_from_secs_f64(record.seconds).unwrap_or_default();
        let kept = record.rows.iter().filter_map(|row| Some(row.isolated_us?.n)).max();
        Snapshot {
            sample: self.sample,
            device: Arc::new(record.device.clone()),
            recorded: Some(format!("record of {day}").into()),
            variants: record.rows.iter().map(|row| entry(record, row)).collect(),
            current: compared.and_then(|compared| at(&compared.variant)).or_else(first).unwrap_or_default(),
            figures: Arc::new(messages::Figures {
                record: Some(Arc::clone(record)),
                rounds: kept.and_then(|kept| u32::try_from(kept).ok()).unwrap_or_default(),
                measured,
            }),
            traces: true,
            settings: Arc::new(record.configuration.clone()),
            ..Snapshot::default()
        }
    }

    /// The sample of a variant that comes next: after the last one the first again.
    fn frame(&self, variant: usize, played: usize) -> Option<Frame> {
        let samples = &self.record.rows.get(variant)?.samples;
        let sample = samples.get(played % samples.len().max(1))?;
        Some(Frame { variant, us: Some(sample.one_us), wrong: sample.one_wrong })
    }

    fn obey(&self, state: &mut EngineState, command: Command) {
        match command {
            Command::Reset | Command::Arrange(_) | Command::Record => {
                let why = "this is a record: nothing is measured";
                state.tell(About::Trouble, Some(why.into()));
            }
            Command::Trace(_) => {
                state.tell(About::Trouble, Some("a record has no picture of the result".into()));
            }
            command => {
                state.obey(command);
                self.put_waves(state);
            }
        }
    }

    /// Puts the waves of the shown and the compared variant into the snapshot.
    fn put_waves(&self, state: &mut EngineState) {
        let snapshot = &mut state.snapshot;
        let of = |at: usize| self.waves.iter().find(|timeline| timeline.variant == at).cloned();
        let shown = std::iter::once(snapshot.current).chain(snapshot.other);
        snapshot.timelines = shown.filter_map(of).collect();
        let label = |timeline: &Timeline| self.record.rows[timeline.variant].label();
        let stored: Vec<&str> = self.waves.iter().map(label).collect();
        snapshot.untraced = Some(match stored[..] {
            [] => format!("there is no {STORED_WAVES} beside the record"),
            _ => format!("only stored of {}", stored.join("; ")),
        });
    }
}

fn parts(path: &Path, sample: &str) -> Result<(Record, Vec<Timeline>)> {
    let shown = path.display();
    // Opening a pipe could block forever.
    ensure!(path.is_file(), "{shown} is no file");
    let record = read_record(path)?;
    ensure!(record.sample == sample, "{shown} is a record of {}, not of {sample}", record.sample);
    ensure!(!record.rows.is_empty(), "{shown} has no variants to show");
    let figures = Figures::new(&record.rows);
    let stored = path.with_file_name(STORED_WAVES);
    let traces = if stored.is_file() { read_waves(&stored, |name| figures.trace(name))? } else { Vec::new() };
    let timeline = |(name, trace): (String, Trace)| {
        let variant = record.rows.iter().position(|row| row.variant == name)?;
        let figures = Arc::new(figures.trace(&name)?.clone());
        Some(Timeline { variant, trace: Arc::new(trace), figures, tiles: Arc::new([]) })
    };
    let waves = traces.into_iter().filter_map(timeline).collect();
    Ok((record, waves))
}

fn entry(record: &Record, row: &Row) -> Entry {
    let is = |name: &Option<String>| name.as_ref() == Some(&row.variant);
    let is_in = |pair: &Compared| [&pair.variant, &pair.other].contains(&&row.variant);
    // The finding is about these; of the others nothing is recorded.
    let found = record.headline.as_ref().filter(|headline| headline.compared.as_ref().is_some_and(is_in));
    Entry {
        name: row.variant.clone(),
        label: row.label().to_owned(),
        caption: found.map_or_else(String::new, |headline| finding_and_claim(headline).join(" ")),
        promise: row.promise.clone(),
        cell: row.cell.clone().filter(|_| counts_trials(record.matrix.as_ref())),
        is_baseline: is(&record.baseline),
        is_bound: is(&record.bound),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use record::error::one_line;
    use record::figures;
    use record::fixture::{self, traces};
    use record::trace::waves;

    use super::*;
    use crate::messages::State;

    /// A record of `bloom` in a folder, with the waves of two of its variants.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let mut record = fixture::traced();
        record.sample = "bloom".into();
        let names = ("events_2".into(), "full_barrier".into());
        let compared = Compared { variant: names.0, other: names.1, time: figures::Time::Isolated };
        let headline = fixture::record().headline;
        record.headline = headline.map(|headline| record::Headline { compared: Some(compared), ..headline });
        std::fs::write(folder.path().join("record.json"), record::json(&record).unwrap()).unwrap();
        let kept = [("full_barrier", traces::passes(Some(1.5))), ("events_2", traces::bands())];
        let kept = kept.map(|(name, trace)| (name.to_owned(), trace));
        std::fs::write(folder.path().join(STORED_WAVES), waves(&kept).unwrap()).unwrap();
        folder
    }

    fn read(folder: &tempfile::TempDir, sample: &'static str) -> Result<Replay> {
        Replay::read(&folder.path().join("record.json"), sample)
    }

    #[test]
    fn a_record_is_shown_until_the_display_quits() {
        let replay = read(&folder(), "bloom").unwrap();
        let handoff = Handoff::default();
        thread::scope(|scope| {
            scope.spawn(|| {
                replay.play(&handoff);
                handoff.close();
            });
            let until = |holds: &dyn Fn(&Snapshot) -> bool| loop {
                let (number, snapshot) = handoff.snapshot();
                if number > 0 && holds(&snapshot) {
                    return snapshot;
                }
                handoff.await_snapshot(number, Duration::from_secs(10));
                assert!(!handoff.is_over());
            };
            let name = |snapshot: &Snapshot, at: usize| snapshot.variants[at].name.clone();
            let shown = |snapshot: &Snapshot| {
                snapshot.timelines.iter().map(|waves| name(snapshot, waves.variant)).collect::<Vec<_>>()
            };
            let first = until(&|snapshot| snapshot.frame > 2);
            assert_eq!(
                (name(&first, first.current), shown(&first)),
                ("events_2".into(), vec!["events_2".into()])
            );
            assert!(first.recorded.as_deref().unwrap().starts_with("record of 20"));
            assert!(first.traces && first.figures.rows().len() == first.variants.len());
            let at = |wanted: &str| first.variants.iter().position(|entry| entry.name == wanted).unwrap();

            handoff.send(Command::Compare(Some(at("full_barrier"))));
            let both = until(&|snapshot| snapshot.other.is_some());
            assert_eq!(shown(&both), ["events_2", "full_barrier"]);
            handoff.send(Command::Show(at("single")));
            let without = until(&|snapshot| snapshot.current == at("single"));
            assert_eq!(shown(&without), ["full_barrier"]);
            assert!(without.untraced.unwrap().contains("only stored of"));

            handoff.send(Command::Record);
            let told = until(&|snapshot| !snapshot.notices.is_empty());
            assert!(told.notices[0].text.starts_with("this is a record"), "{:?}", told.notices);
            handoff.send(Command::Pause(true));
            let paused = until(&|snapshot| snapshot.state == State::Paused);
            assert_eq!(until(&|_| true).frame, paused.frame);
            handoff.send(Command::Quit);
        });
        assert!(handoff.is_over());
    }

    #[test]
    fn what_cannot_be_shown_is_refused_on_one_line() {
        let folder = folder();
        let refusal = |sample| one_line(&read(&folder, sample).unwrap_err());
        assert!(refusal("codegen").ends_with("is a record of bloom, not of codegen"));
        let waves_of = |name: &str| waves(&[(name.to_owned(), traces::single())]).unwrap();
        let beside = folder.path().join(STORED_WAVES);
        std::fs::write(&beside, waves_of("unknown")).unwrap();
        assert!(refusal("bloom").ends_with("the record has no trace of unknown"));
        std::fs::write(&beside, "no waves").unwrap();
        assert!(refusal("bloom").contains("waves.json.gz"));
        std::fs::remove_file(beside).unwrap();
        assert!(read(&folder, "bloom").unwrap().waves.is_empty());
    }
}
