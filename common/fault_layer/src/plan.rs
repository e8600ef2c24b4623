//! Which call fails, and how.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ash::vk;

const VARIABLE: &str = "HOTLAP_LAYER";

/// No wait of the program may be as long: one that is has no end.
const FOR_EVER: Duration = Duration::from_secs(3600);

static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
static HANGS: AtomicBool = AtomicBool::new(false);

enum Plan {
    List(Mutex<File>),
    Fail { function: String, nth: usize, and_later: bool, result: vk::Result, seen: AtomicUsize },
}

/// What a call answers instead of being made; `None` where it is to be made.
pub(crate) fn answer(function: &str, words: &[usize]) -> Option<vk::Result> {
    if HANGS.load(Ordering::Acquire) && matches!(function, "vkDeviceWaitIdle" | "vkQueueWaitIdle") {
        wait_for_device();
    }
    let result = PLAN.get_or_init(read).as_ref()?.meet(function)?;
    if result == vk::Result::TIMEOUT {
        HANGS.store(true, Ordering::Release);
        // The time that vkWaitForFences is given.
        if function == "vkWaitForFences" && words.get(4).is_some_and(|&ns| is_for_ever(ns)) {
            wait_for_device();
        }
    }
    Some(result)
}

/// Waits for a queue: for ever, where it hangs.
pub(crate) fn wait_for_device() {
    while HANGS.load(Ordering::Acquire) {
        std::thread::sleep(FOR_EVER);
    }
}

fn is_for_ever(nanoseconds: usize) -> bool {
    u128::try_from(nanoseconds).is_ok_and(|nanoseconds| nanoseconds >= FOR_EVER.as_nanos())
}

/// An invalid plan ends the program: a test that injects nothing must not pass.
fn read() -> Option<Plan> {
    let value = std::env::var(VARIABLE).ok()?;
    let plan = parse(&value);
    if plan.is_none() {
        eprintln!("{VARIABLE}={value} is neither list:FILE (writable) nor FUNCTION#NUMBER[+]:CODE");
        std::process::abort();
    }
    plan
}

fn parse(value: &str) -> Option<Plan> {
    if let Some(path) = value.strip_prefix("list:") {
        let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
        return Some(Plan::List(Mutex::new(file)));
    }
    let (call, code) = value.rsplit_once(':')?;
    let (function, nth) = call.split_once('#')?;
    let (nth, and_later) = nth.strip_suffix('+').map_or((nth, false), |nth| (nth, true));
    let (nth, result) = (nth.parse().ok()?, vk::Result::from_raw(code.parse().ok()?));
    Some(Plan::Fail { function: function.to_owned(), nth, and_later, result, seen: AtomicUsize::new(0) })
}

impl Plan {
    fn meet(&self, met: &str) -> Option<vk::Result> {
        match self {
            Self::List(file) => {
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                // The test that reads the list misses what could not be written.
                let _ = writeln!(file, "{met}");
                None
            }
            Self::Fail { function, nth, and_later, result, seen } if function == met => {
                let at = seen.fetch_add(1, Ordering::Relaxed) + 1;
                (at == *nth || *and_later && at > *nth).then_some(*result)
            }
            Self::Fail { .. } => None,
        }
    }
}
