//! Where the engine and the stage meet: the newest board goes one way, orders the other, and each wakes whoever
//! waits for it.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::link::{Board, Order};

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
    board: Board,
    orders: VecDeque<Order>,
    /// Boards that were published, and the newest that was drawn.
    published: u64,
    drawn: u64,
    /// The stage has ordered the end: it draws no more.
    is_left: bool,
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

/// For the engine.
impl Desk {
    /// Shows a board in place of the last one, whether or not that was drawn. Returns its number.
    pub(super) fn publish(&self, board: Board) -> u64 {
        let number = self.change(|state| {
            state.board = board;
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

    /// Waits until a board was drawn, as long as there is who draws.
    pub(super) fn await_drawn(&self, number: u64, most: Duration) {
        self.wait_until(most, |state| state.drawn >= number || state.is_left);
    }

    /// Says how long a submit may take.
    pub(super) fn allow(&self, timeout: Duration) {
        self.change(|state| state.timeout = timeout);
    }

    /// Nothing more will come.
    pub fn close(&self) {
        self.change(|state| state.is_over = true);
        self.wake();
    }
}

/// For the stage.
impl Desk {
    /// Calls `wake` from now on whenever there is a new board or an end.
    pub fn call(&self, wake: impl Fn() + Send + 'static) {
        self.change(|state| state.wake = Some(Box::new(wake)));
    }

    /// The newest board and its number; an empty one with number 0 before the first.
    pub fn board(&self) -> (u64, Board) {
        let state = self.lock();
        (state.published, state.board.clone())
    }

    /// Asks for something.
    pub fn order(&self, order: Order) {
        self.change(|state| {
            state.is_left |= order == Order::Quit;
            state.orders.push_back(order);
        });
    }

    /// A board was drawn.
    pub fn has_drawn(&self, number: u64) {
        self.change(|state| state.drawn = number);
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

    const LONG: Duration = Duration::from_secs(5);

    #[test]
    fn the_engine_waits_for_a_drawing_but_not_for_a_stage_that_has_left() {
        let desk = Arc::new(Desk::default());
        let (began, other) = (Instant::now(), Arc::clone(&desk));
        let stage = thread::spawn(move || {
            assert!(other.await_board(0, LONG));
            other.has_drawn(other.board().0);
        });
        desk.await_drawn(desk.publish(Board::default()), LONG);
        stage.join().unwrap();
        assert_eq!(desk.lock().drawn, 1);
        desk.order(Order::Quit);
        desk.await_drawn(desk.publish(Board::default()), LONG);
        assert!(began.elapsed() < LONG);
    }

    #[test]
    fn an_end_wakes_the_stage() {
        let desk = Arc::new(Desk::default());
        let other = Arc::clone(&desk);
        let stage = thread::spawn(move || other.await_board(0, LONG));
        desk.close();
        assert!(!stage.join().unwrap(), "there is no board");
        assert!(desk.is_over());
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
