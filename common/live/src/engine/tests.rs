//! Tests the engine through a hand-off, without a display: commands are sent, and snapshots are checked.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, bail, ensure};
use bench::host::Sample;
use bench::lab::{ImageSet, LabOptions};
use record::error::NoRoom;
use record::{Record, Status, fixture};
use vulkan::gpu::OpenOptions;

use super::*;
use crate::messages::{Command, Picture, View};

const PATIENCE: Duration = Duration::from_secs(20);

/// A program whose sample adds one to each of `--count` texels, and refuses more than 64.
struct Adder;

impl Program for Adder {
    fn certify(&self, gpu: Gpu) -> Result<Option<Gpu>> {
        Ok(Some(gpu))
    }

    fn declare(&self, lab: &mut Experiment, arguments: &[String]) -> Result<()> {
        let count =
            arguments.first().map_or(Ok(8), |word| word.trim_start_matches("--count=").parse::<u32>())?;
        ensure!(count <= 64, "--count takes 64 at the most");
        if count == 32 && lab.reserved_elsewhere > 0 {
            bail!(NoRoom("32 need the device for themselves".into()));
        }
        ensure!(count != 16 || lab.reserved_elsewhere > 0, "16 are declared beside another lab");
        ensure!(count != 31, NoRoom("31 never fit".into()));
        let kernel = lab.kernel("lab/increment.comp").build();
        let images =
            lab.output("counted", ImageSet::new(2, [count, 1], vulkan::Format::R32_UINT, [99; 4]))?;
        lab.variant("adds", move |cmd, rep| {
            let [from, to] = [0, 1].map(|index| images.get(rep.index, index));
            cmd.dispatch(kernel, &[from, to], &(), [count.div_ceil(8), 1, 1]);
        });
        lab.seed(images, 0, move || (0..count).collect());
        lab.expect(images, 1, move || (1..=count).collect());
        lab.report.setting("count", count);
        lab.make()
    }

    fn record(&self, lab: &Experiment, arguments: &[String], so_far: SoFar, _: Timing) -> Record {
        let SoFar { method, rows, .. } = so_far;
        let kernels = lab.gpu.kernel_facts();
        Record { method, rows, kernels, command: arguments.to_vec(), ..fixture::record() }
    }

    fn write(&self, record: &Record) -> Result<String> {
        let rows: Vec<_> = record.rows.iter().map(|row| format!("{:?}", row.status)).collect();
        let checks = record.kernels.iter().any(|kernel| kernel.name == "lab/compare.comp");
        Ok(format!("{:?} {} {checks}", record.command, rows.join(", ")))
    }

    fn leave(&self, record: Option<&Record>) -> Result<u8> {
        ensure!(record.is_some(), "nothing was measured");
        Ok(7)
    }
}

/// An engine on its own thread, and a test that reads its snapshots.
struct Stand {
    handoff: Arc<Handoff>,
    ended: mpsc::Receiver<Result<u8>>,
}

impl Stand {
    fn open() -> Self {
        let handoff = Arc::new(Handoff::default());
        let (sender, ended) = mpsc::channel();
        let engines = Arc::clone(&handoff);
        thread::spawn(move || {
            let wanted = Wanted {
                sample: Sample { name: "adder", commit: None, dirty: None, all_queues: false, samples: None },
                open: OpenOptions { validate: true, ..OpenOptions::default() },
                lab: LabOptions { repetitions: Some(2), ..LabOptions::default() },
                arguments: Vec::new(),
                seed: 1,
                in_step: true,
            };
            let code = Engine::run(&engines, &Adder, &wanted);
            engines.close();
            sender.send(code).unwrap();
        });
        Self { handoff, ended }
    }

    /// Sends a command, and reads snapshots until one shows its effect.
    fn command(&self, command: Command, what: &str, shows: impl Fn(&Snapshot) -> bool) -> Snapshot {
        self.handoff.send(command);
        self.until(what, shows)
    }

    fn until(&self, what: &str, shows: impl Fn(&Snapshot) -> bool) -> Snapshot {
        let (began, mut seen) = (Instant::now(), 0);
        loop {
            assert!(
                began.elapsed() < PATIENCE && !self.handoff.is_over(),
                "no snapshot on which {what}: {:?}",
                self.handoff.snapshot().1.state
            );
            self.handoff.await_snapshot(seen, PATIENCE);
            let (number, snapshot) = self.handoff.snapshot();
            self.handoff.has_drawn(number);
            seen = number;
            if shows(&snapshot) {
                return snapshot;
            }
        }
    }

    fn close(self) {
        self.handoff.send(Command::Quit);
        assert_eq!(self.ended.recv_timeout(PATIENCE).unwrap().unwrap(), 7, "what was left decides the code");
    }
}

fn arrange(count: u32) -> Command {
    Command::Arrange(vec![format!("--count={count}")])
}

fn said(snapshot: &Snapshot, about: About) -> &str {
    let notice = snapshot.notices.iter().find(|notice| notice.about == about);
    notice.map_or("", |notice| &notice.text)
}

fn counts(snapshot: &Snapshot, count: u32) -> bool {
    snapshot.settings.get("count") == Some(&count.to_string()) && snapshot.state == State::Running
}

#[test]
fn a_refused_value_costs_none_of_the_figures() {
    let stand = Stand::open();
    let before = stand.until("there are rounds", |snapshot| snapshot.figures.rounds > 20).figures.rounds;
    let refused =
        stand.command(arrange(65), "65 are refused", |snapshot| !said(snapshot, About::Knob).is_empty());
    assert!(said(&refused, About::Knob).contains("64 at the most"));
    let after = stand.until("it goes on", |snapshot| {
        assert!(snapshot.figures.rounds >= before, "{} rounds were {before}", snapshot.figures.rounds);
        snapshot.state == State::Running && snapshot.figures.rounds > before
    });
    assert!(counts(&after, 8));
    // Returning to the arguments in use changes nothing, but removes the refusal.
    let rounds = after.figures.rounds;
    let back = stand.command(Command::Arrange(Vec::new()), "nothing is refused", |snapshot| {
        said(snapshot, About::Knob).is_empty()
    });
    assert!(back.figures.rounds >= rounds);
    stand.close();
}

#[test]
fn a_value_that_is_taken_is_declared_beside_the_last() {
    let stand = Stand::open();
    stand.until("there are rounds", |snapshot| snapshot.figures.rounds > 20);
    let new =
        stand.command(arrange(16), "16 run", |snapshot| counts(snapshot, 16) && snapshot.figures.rounds > 0);
    assert_eq!(new.figures.rows()[0].status, Status::Ok);
    stand.close();
}

#[test]
fn where_there_is_no_room_for_two_the_last_goes_first_and_comes_back() {
    let stand = Stand::open();
    stand.command(arrange(32), "32 run", |snapshot| counts(snapshot, 32) && snapshot.figures.rounds > 0);
    let refused =
        stand.command(arrange(31), "31 are refused", |snapshot| !said(snapshot, About::Knob).is_empty());
    assert!(said(&refused, About::Knob).contains("31 never fit"));
    stand.until("32 run again", |snapshot| counts(snapshot, 32) && snapshot.figures.rounds > 0);
    stand.close();
}

/// Of several commands in quick succession the last one holds, at any stage of the current run.
#[test]
fn the_last_of_many_values_is_the_one_that_runs() {
    let stand = Stand::open();
    for count in [9, 10, 11, 12, 13] {
        stand.handoff.send(arrange(count));
        thread::sleep(Duration::from_millis(15));
    }
    stand.handoff.send(Command::Reset);
    stand.command(Command::Trace(false), "13 run", |snapshot| {
        counts(snapshot, 13) && snapshot.figures.rounds > 0
    });
    stand.close();
}

#[test]
fn a_paused_lab_gives_way_too() {
    let stand = Stand::open();
    stand.command(Command::Pause(true), "it is paused", |snapshot| snapshot.state == State::Paused);
    let refused =
        stand.command(arrange(65), "65 are refused", |snapshot| !said(snapshot, About::Knob).is_empty());
    assert_eq!(refused.state, State::Paused);
    stand.command(arrange(16), "16 stand still", |snapshot| {
        snapshot.settings.get("count").is_some_and(|count| count == "16") && snapshot.state == State::Paused
    });
    stand.close();
}

/// A sample that nothing moves is traced from the start. What the user chose instead holds for the next lab too.
#[test]
fn waves_are_large_until_the_user_wants_the_picture() {
    let stand = Stand::open();
    let first = stand.until("there is a picture", |snapshot| snapshot.frame > 0);
    assert!(first.traces);
    stand.command(Command::Trace(false), "the picture is large", |snapshot| !snapshot.traces);
    let next = stand.command(arrange(9), "9 run", |snapshot| counts(snapshot, 9));
    assert!(!next.traces);
    stand.command(Command::Trace(true), "the waves are large", |snapshot| {
        snapshot.traces && (!snapshot.timelines.is_empty() || snapshot.untraced.is_some())
    });
    stand.close();
}

#[test]
fn a_record_holds_the_figures_and_a_picture_the_result() {
    let stand = Stand::open();
    let view = View { pixels: [64, 8], at: None, cursor: Some([3, 0]) };
    let snapshot = stand.command(Command::Look(view), "the cursor's texel is told", |snapshot| {
        snapshot.picture.as_ref().is_some_and(|picture| picture.texel.is_some())
    });
    let picture: &Picture = snapshot.picture.as_ref().unwrap();
    assert_eq!(
        (picture.size, picture.wrong, picture.texel.as_ref().unwrap().value.as_str()),
        ([64, 8], 0, "4")
    );
    let told = stand.command(Command::Record, "a record is told", |snapshot| {
        said(snapshot, About::News).starts_with("[]")
    });
    assert_eq!(said(&told, About::News), "[] Ok true");
    stand.close();
}
