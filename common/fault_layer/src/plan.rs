//! Which call fails, and how.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ash::vk;

use crate::{events, labels};

const VARIABLE: &str = "HOTLAP_LAYER";

/// No wait of the program may be as long: one that is has no end.
const FOR_EVER: Duration = Duration::from_secs(3600);

static PLAN: OnceLock<Option<Plan>> = OnceLock::new();
/// The device that hangs, as `device_of` has it; 0 where none does.
static HANGS: AtomicUsize = AtomicUsize::new(0);

enum Plan {
    /// Writes lines of calls.
    Log { file: Mutex<File>, what: Logged },
    Fail {
        function: String,
        nth: usize,
        and_later: bool,
        result: vk::Result,
        seen: AtomicUsize,
        /// Written once it has failed: a run that never makes the call must not count as one that bore the fault.
        met: Option<PathBuf>,
    },
}

/// What is written of calls.
enum Logged {
    /// Their names.
    Names,
    /// What a capture tool sees of them.
    Labels,
    /// Sets of events and waits for them.
    Events,
}

/// What a call answers instead of being made; `None` where it is to be made.
pub(crate) fn answer(function: &str, words: &[usize]) -> Option<vk::Result> {
    let handle = words.first().copied().unwrap_or_default();
    if matches!(function, "vkDeviceWaitIdle" | "vkQueueWaitIdle" | "vkDestroyDevice") {
        wait_for_device(handle);
    }
    let result = PLAN.get_or_init(read).as_ref()?.meet(function, words)?;
    if result == vk::Result::TIMEOUT {
        HANGS.store(device_of(handle), Ordering::Release);
        // The time that vkWaitForFences is given.
        if function == "vkWaitForFences"
            && words.get(4).is_some_and(|&ns| Duration::from_nanos(ns as u64) >= FOR_EVER)
        {
            wait_for_device(handle);
        }
    }
    Some(result)
}

/// Changes the results of a call that was made.
pub(crate) fn after(function: &str, words: &[usize]) {
    if let Some(Some(Plan::Log { what: Logged::Events, .. })) = PLAN.get() {
        events::extend(function, words);
    }
}

/// Waits for a device, or for a queue of one: for ever, where it hangs.
fn wait_for_device(handle: usize) {
    while HANGS.load(Ordering::Acquire) == device_of(handle) {
        std::thread::sleep(FOR_EVER);
    }
}

/// What a device and its queues have in common: the loader's table of functions, which their first word points to.
fn device_of(handle: usize) -> usize {
    // SAFETY: a handle of a device or of a queue, as the loader passes it, points to its object.
    unsafe { (handle as *const usize).read() }
}

/// An invalid plan ends the program: a test that injects nothing must not pass.
fn read() -> Option<Plan> {
    let value = std::env::var(VARIABLE).ok()?;
    let plan = parse(&value);
    if plan.is_none() {
        eprintln!(
            "{VARIABLE}={value} is neither list:FILE, labels:FILE nor events:FILE (writable) nor FUNCTION#NUMBER[+]:CODE[:FILE]"
        );
        std::process::abort();
    }
    plan
}

fn parse(value: &str) -> Option<Plan> {
    let log = |path: &str, what| {
        let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
        Some(Plan::Log { file: Mutex::new(file), what })
    };
    match value.split_once(':') {
        Some(("list", path)) => return log(path, Logged::Names),
        Some(("labels", path)) => return log(path, Logged::Labels),
        Some(("events", path)) => return log(path, Logged::Events),
        _ => {}
    }
    let (function, rest) = value.split_once('#')?;
    let (nth, code) = rest.split_once(':')?;
    let (code, met) = code.split_once(':').map_or((code, None), |(code, path)| (code, Some(path.into())));
    let (nth, and_later) = nth.strip_suffix('+').map_or((nth, false), |nth| (nth, true));
    let (nth, result) = (nth.parse().ok()?, vk::Result::from_raw(code.parse().ok()?));
    Some(Plan::Fail { function: function.to_owned(), nth, and_later, result, seen: AtomicUsize::new(0), met })
}

impl Plan {
    fn meet(&self, called: &str, words: &[usize]) -> Option<vk::Result> {
        match self {
            Self::Log { file, what: Logged::Labels } => write(file, &labels::line(called, words)?),
            Self::Log { file, what: Logged::Events } => write(file, &events::lines(called, words)?),
            Self::Log { file, .. } if !labels::cannot_fail(called) => write(file, &format!("{called}\n")),
            Self::Fail { function, nth, and_later, result, seen, met } if function == called => {
                let at = seen.fetch_add(1, Ordering::Relaxed) + 1;
                if at == *nth
                    && let Some(path) = met
                {
                    // The test takes the fault for one that was not met, and says how many.
                    let _ = File::create(path);
                }
                (at == *nth || *and_later && at > *nth).then_some(*result)
            }
            _ => None,
        }
    }
}

/// Writes what was called, which is then made.
fn write(file: &Mutex<File>, text: &str) -> Option<vk::Result> {
    let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
    // The test that reads it misses what could not be written.
    let _ = file.write_all(text.as_bytes());
    None
}
