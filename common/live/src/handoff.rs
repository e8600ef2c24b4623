//! The hand-off between engine and display. The engine publishes its newest snapshot, the display sends commands,
//! and each wakes the other when it waits.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::messages::{Command, Snapshot};

/// Callback that wakes the display when there is a new snapshot or the engine has ended.
type Wake = Box<dyn Fn() + Send>;

/// State shared between the engine's and the display's thread.
#[derive(Default)]
pub struct Handoff {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    snapshot: Snapshot,
    commands: VecDeque<Command>,
    /// Number of published snapshots, and the number of the newest one that was drawn.
    published: u64,
    drawn: u64,
    /// The display has sent [`Command::Quit`] and draws no more.
    is_left: bool,
    /// The engine has ended.
    is_over: bool,
    /// Longest time that a submit may take.
    timeout: Duration,
    wake: Option<Wake>,
}

impl std::fmt::Debug for Handoff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Handoff").finish_non_exhaustive()
    }
}

/// Used by the engine.
impl Handoff {
    /// Replaces the current snapshot, drawn or not. Returns the number of the new one.
    pub(super) fn publish(&self, snapshot: Snapshot) -> u64 {
        let number = self.change(|state| {
            state.snapshot = snapshot;
            state.published += 1;
            state.published
        });
        self.wake();
        number
    }

    /// Takes all commands that have arrived.
    pub(super) fn commands(&self) -> Vec<Command> {
        self.lock().commands.drain(..).collect()
    }

    /// Waits at most `most` for a command.
    pub(super) fn await_commands(&self, most: Duration) {
        self.wait_until(most, |state| !state.commands.is_empty());
    }

    /// Waits at most `most` until the display has drawn this snapshot or has quit.
    pub(super) fn await_drawn(&self, number: u64, most: Duration) {
        self.wait_until(most, |state| state.drawn >= number || state.is_left);
    }

    /// Sets the longest time that a submit may take.
    pub(super) fn allow(&self, timeout: Duration) {
        self.change(|state| state.timeout = timeout);
    }

    /// Marks the engine as ended and wakes the display.
    pub fn close(&self) {
        self.change(|state| state.is_over = true);
        self.wake();
    }
}

/// Used by the display.
impl Handoff {
    /// Sets the callback that is called for each new snapshot and when the engine ends.
    pub fn call(&self, wake: impl Fn() + Send + 'static) {
        self.change(|state| state.wake = Some(Box::new(wake)));
    }

    /// The newest snapshot and its number; before the first, an empty snapshot with number 0.
    pub fn snapshot(&self) -> (u64, Snapshot) {
        let state = self.lock();
        (state.published, state.snapshot.clone())
    }

    /// Sends a command to the engine.
    pub fn send(&self, command: Command) {
        self.change(|state| {
            state.is_left |= command == Command::Quit;
            state.commands.push_back(command);
        });
    }

    /// Reports that the snapshot of this number was drawn.
    pub fn has_drawn(&self, number: u64) {
        self.change(|state| state.drawn = number);
    }

    /// Waits at most `most` for a snapshot newer than number `behind` or for the end of the engine. Returns
    /// whether there is a newer snapshot.
    pub fn await_snapshot(&self, behind: u64, most: Duration) -> bool {
        self.wait_until(most, |state| state.published > behind || state.is_over);
        self.lock().published > behind
    }

    /// Longest time that one of the engine's submits may take.
    pub fn timeout(&self) -> Duration {
        self.lock().timeout
    }

    /// Whether the engine has ended.
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }
}

impl Handoff {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let changed = change(&mut self.lock());
        self.changed.notify_all();
        changed
    }

    fn wake(&self) {
        if let Some(wake) = &self.lock().wake {
            wake();
        }
    }

    fn wait_until(&self, most: Duration, holds: impl Fn(&State) -> bool) {
        let (began, mut state) = (Instant::now(), self.lock());
        while !holds(&state) {
            let Some(left) = most.checked_sub(began.elapsed()) else { return };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(600);

    #[test]
    fn the_engine_waits_for_a_drawing_but_not_for_a_display_that_has_quit() {
        let handoff = Arc::new(Handoff::default());
        let (began, other) = (Instant::now(), Arc::clone(&handoff));
        let display = thread::spawn(move || {
            assert!(other.await_snapshot(0, LONG));
            other.has_drawn(other.snapshot().0);
        });
        handoff.await_drawn(handoff.publish(Snapshot::default()), LONG);
        assert_eq!(handoff.lock().drawn, 1, "it was waited for");
        display.join().unwrap();
        handoff.send(Command::Quit);
        handoff.await_drawn(handoff.publish(Snapshot::default()), LONG);
        assert!(began.elapsed() < LONG);
    }

    #[test]
    fn an_end_wakes_the_display() {
        let handoff = Arc::new(Handoff::default());
        let other = Arc::clone(&handoff);
        let display = thread::spawn(move || other.await_snapshot(0, LONG));
        handoff.close();
        assert!(!display.join().unwrap(), "there is no snapshot");
        assert!(handoff.is_over());
    }

    #[test]
    fn commands_come_as_they_were_given() {
        let handoff = Handoff::default();
        handoff.send(Command::Pause(true));
        handoff.send(Command::Step);
        handoff.await_commands(LONG);
        assert_eq!(handoff.commands(), [Command::Pause(true), Command::Step]);
        assert_eq!(handoff.commands(), []);
    }
}
