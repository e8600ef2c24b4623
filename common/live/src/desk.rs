//! Where the engine and the stage meet: boards go one way, orders the other, and never do both use a device
//! at once. What is measured would be longer while something is drawn.
//!
//! ```text
//! engine  ▕ samples ▏ the frame's own sample, the picture ▏publish▕ ……waits…… ▏ samples ▏
//! stage                                                   ▕ draws, presents ▏
//! ```
//!
//! While kernels are compiled and CPU references computed the stage draws when it likes; what a sample counts on the device
//! then takes it like any sample.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::{Board, Order};

/// Between two looks at whether somebody has left.
const GLANCE: Duration = Duration::from_millis(200);
/// The engine lets a stage that waits go first for so long, and no longer.
const COURTESY: Duration = Duration::from_millis(20);

/// Wakes the stage when there is something new.
type Wake = Box<dyn Fn() + Send>;

/// The meeting place.
#[derive(Default)]
pub struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    board: Option<Board>,
    orders: VecDeque<Order>,
    /// Boards that were published, and the newest that was drawn.
    published: u64,
    drawn: u64,
    is_measuring: bool,
    is_drawing: bool,
    /// Stages that wait for the device.
    waiting: u32,
    /// Nobody looks: boards are not waited for.
    is_hidden: bool,
    /// The engine has ended.
    is_over: bool,
    /// How long a submit may take.
    timeout: Duration,
    wake: Option<Wake>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

/// The stage draws as long as it holds this.
#[derive(Debug)]
pub struct Drawing<'d>(&'d Desk);

impl Drop for Drawing<'_> {
    fn drop(&mut self) {
        self.0.change(|state| state.is_drawing = false);
    }
}

/// For the engine.
impl Desk {
    /// Shows a board; the last one that nobody has looked at is forgotten. Returns its number.
    pub(super) fn publish(&self, board: Board) -> u64 {
        let number = self.change(|state| {
            state.board = Some(board);
            state.published += 1;
            state.published
        });
        self.wake();
        number
    }

    /// Orders that have come.
    pub(super) fn orders(&self) -> Vec<Order> {
        self.lock().orders.drain(..).collect()
    }

    /// Waits for orders.
    pub(super) fn await_orders(&self, most: Duration) {
        self.wait_until(most, |state| !state.orders.is_empty());
    }

    /// Waits until a board was drawn, as long as somebody looks.
    pub(super) fn await_drawn(&self, number: u64, most: Duration) {
        self.wait_until(most, |state| state.drawn >= number || state.is_hidden);
    }

    /// Says how long a submit may take.
    pub(super) fn allow(&self, timeout: Duration) {
        self.change(|state| state.timeout = timeout);
    }

    /// Takes the device, once nothing is drawn any more.
    pub(super) fn take_device(&self) {
        // A stage that waits was there first; it is woken late on a busy machine.
        self.wait_until(COURTESY, |state| state.waiting == 0);
        let free = |state: &State| !state.is_drawing;
        while !self.take(GLANCE, free, |state| state.is_measuring = true) {}
    }

    /// Gives it back.
    pub(super) fn leave_device(&self) {
        self.change(|state| state.is_measuring = false);
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.change(|state| (state.is_over, state.is_measuring) = (true, false));
        self.wake();
    }
}

/// For the stage.
impl Desk {
    /// Calls `wake` from now on whenever there is a new board or an end.
    pub fn call(&self, wake: impl Fn() + Send + 'static) {
        self.change(|state| state.wake = Some(Box::new(wake)));
    }

    /// The newest board and its number.
    pub fn board(&self) -> Option<(u64, Board)> {
        let state = self.lock();
        state.board.clone().map(|board| (state.published, board))
    }

    /// Asks for something.
    pub fn order(&self, order: Order) {
        self.change(|state| state.orders.push_back(order));
    }

    /// The device for drawing, once no sample is under way; none where that lasts longer.
    pub fn draw(&self, most: Duration) -> Option<Drawing<'_>> {
        let free = |state: &State| !state.is_measuring;
        self.change(|state| state.waiting += 1);
        let is_taken = self.take(most, free, |state| state.is_drawing = true);
        self.change(|state| state.waiting -= 1);
        is_taken.then(|| Drawing(self))
    }

    /// A board was drawn.
    pub fn has_drawn(&self, number: u64) {
        self.change(|state| state.drawn = number);
    }

    /// Nothing is drawn for now, because nobody could see it; or is again.
    pub fn hide(&self, is_hidden: bool) {
        self.change(|state| state.is_hidden = is_hidden);
    }

    /// Waits for a board behind this one, or the end; whether there is one.
    pub fn await_board(&self, behind: u64, most: Duration) -> bool {
        self.wait_until(most, |state| state.published > behind || state.is_over);
        self.lock().published > behind
    }

    /// How long a submit of the engine's may take.
    pub fn timeout(&self) -> Duration {
        self.lock().timeout
    }

    /// The engine has ended.
    pub fn is_over(&self) -> bool {
        self.lock().is_over
    }
}

impl Desk {
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

    /// Whether `holds` came to hold.
    fn wait_until(&self, most: Duration, holds: impl Fn(&State) -> bool) -> bool {
        self.take(most, holds, |_| {})
    }

    /// As [`Desk::wait_until`], and changes something at that moment.
    fn take(&self, most: Duration, holds: impl Fn(&State) -> bool, take: impl FnOnce(&mut State)) -> bool {
        let (began, mut state) = (Instant::now(), self.lock());
        while !holds(&state) {
            let Some(left) = most.checked_sub(began.elapsed()) else { return false };
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        take(&mut state);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    const LONG: Duration = Duration::from_secs(5);
    const SHORT: Duration = Duration::from_millis(30);

    #[test]
    fn nothing_is_drawn_while_something_is_measured() {
        let desk = Desk::default();
        desk.take_device();
        assert!(desk.draw(SHORT).is_none());
        desk.leave_device();
        assert!(desk.draw(SHORT).is_some());
    }

    #[test]
    fn nothing_is_measured_while_something_is_drawn() {
        let desk = Arc::new(Desk::default());
        let (has_begun, other) = (Arc::new(AtomicBool::new(false)), Arc::clone(&desk));
        let begun = Arc::clone(&has_begun);
        let drawing = desk.draw(LONG);
        let engine = thread::spawn(move || {
            other.take_device();
            begun.store(true, Ordering::SeqCst);
        });
        thread::sleep(SHORT);
        assert!(!has_begun.load(Ordering::SeqCst));
        drop(drawing);
        engine.join().unwrap();
        assert!(has_begun.load(Ordering::SeqCst));
    }

    #[test]
    fn the_engine_does_not_wait_for_who_does_not_look() {
        let desk = Desk::default();
        let began = Instant::now();
        desk.hide(true);
        desk.await_drawn(7, LONG);
        assert!(began.elapsed() < LONG);
        desk.hide(false);
        desk.has_drawn(7);
        desk.await_drawn(7, LONG);
        assert!(began.elapsed() < LONG);
    }

    #[test]
    fn an_end_wakes_the_stage_and_gives_the_device_back() {
        let desk = Arc::new(Desk::default());
        let other = Arc::clone(&desk);
        desk.take_device();
        let stage = thread::spawn(move || other.await_board(0, LONG));
        desk.close();
        assert!(!stage.join().unwrap(), "there is no board");
        assert!(desk.is_over() && desk.draw(SHORT).is_some());
    }

    #[test]
    fn orders_come_as_they_were_given() {
        let desk = Desk::default();
        desk.order(Order::Pause(true));
        desk.order(Order::Step);
        desk.await_orders(LONG);
        assert_eq!(desk.orders(), [Order::Pause(true), Order::Step]);
        assert_eq!(desk.orders(), []);
    }
}
