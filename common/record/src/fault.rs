//! Fault injection for tests. Every Vulkan call that can fail and every write of a result checks here first, so that
//! a test can make any single one fail.
//!
//! `HOTLAP_FAULT=list:FILE` logs the calls in order; `HOTLAP_FAULT=LABEL#N:KIND` makes the N-th call with this label
//! fail before it is executed. Without the variable the check costs one load.

#[cfg(feature = "fixture")]
use std::cell::RefCell;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use anyhow::{Context, Result, anyhow};

use crate::hooks::hooks;

/// The environment variable that holds a plan.
pub const VARIABLE: &str = "HOTLAP_FAULT";

/// Set only if the environment contains a plan, and before the first call.
static PLAN: OnceLock<Plan> = OnceLock::new();

/// What to do with each call.
#[derive(Debug)]
enum Plan {
    List(Mutex<File>),
    Fail { label: String, nth: usize, kind: Kind, seen: AtomicUsize },
}

/// How a call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The device is lost.
    Lost,
    /// Out of device memory.
    Memory,
    /// Out of host memory.
    HostMemory,
    /// A wait runs into its time-out.
    Timeout,
    /// A write finds no room on the disk.
    DiskFull,
    /// An unspecified error.
    Unknown,
}

/// The type of a call. The list contains it, so that a test knows which failures are possible.
#[derive(Clone, Copy, Debug)]
pub enum Site {
    /// A Vulkan call.
    Call,
    /// A Vulkan call that waits and may time out.
    Wait,
    /// An allocation of device memory.
    Allocation,
    /// A write of a result.
    Write,
}

#[cfg(feature = "fixture")]
type Listener = Box<dyn Fn(&str)>;

#[cfg(feature = "fixture")]
thread_local! {
    static LISTENER: RefCell<Option<Listener>> = const { RefCell::new(None) };
}

/// Calls `listener` for every later call of this thread.
#[cfg(feature = "fixture")]
pub fn listen(listener: impl Fn(&str) + 'static) {
    LISTENER.set(Some(Box::new(listener)));
}

/// Reads the plan from the environment.
///
/// # Errors
/// If the value is no valid plan, or the list cannot be written.
pub fn arm() -> Result<()> {
    let Some(value) = &hooks().fault else { return Ok(()) };
    let plan = Plan::parse(&value.to_string_lossy())?;
    // A second run in one process keeps the plan of the first.
    let _ = PLAN.set(plan);
    Ok(())
}

/// Performs a write, which `what` names in a plan.
///
/// # Errors
/// The error of `write`, or the planned one.
pub fn write<T>(what: impl Display, write: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    before(Site::Write, &what).map_err(Kind::of_system)?;
    write()
}

/// Fails if the plan says that the call named `what` is to fail.
///
/// # Errors
/// The planned failure.
// Called on the timed host path of every sample: the rest must not be inlined into it.
#[inline]
pub fn before(site: Site, what: &impl Display) -> Result<(), Kind> {
    #[cfg(feature = "fixture")]
    LISTENER.with_borrow(|listener| listener.iter().for_each(|tell| tell(&what.to_string())));
    match PLAN.get() {
        None => Ok(()),
        Some(plan) => plan.meet(site, what),
    }
}

impl Plan {
    fn parse(value: &str) -> Result<Self> {
        if let Some(path) = value.strip_prefix("list:") {
            let file = File::create(path).with_context(|| format!("{VARIABLE}: cannot write {path}"))?;
            return Ok(Self::List(Mutex::new(file)));
        }
        Self::fail(value).ok_or_else(|| {
            anyhow!(
                "{VARIABLE}={value} is neither list:FILE nor LABEL#NUMBER:KIND with one of the kinds lost, \
                 memory, host-memory, timeout, disk-full and unknown; it is for tests, unset it to measure"
            )
        })
    }

    fn fail(value: &str) -> Option<Self> {
        let (call, kind) = value.rsplit_once(':')?;
        let (label, nth) = call.rsplit_once('#')?;
        let nth = nth.parse().ok().filter(|&nth| nth > 0)?;
        Some(Self::Fail { label: label.to_owned(), nth, kind: Kind::parse(kind)?, seen: AtomicUsize::new(0) })
    }

    #[cold]
    fn meet(&self, site: Site, what: &dyn Display) -> Result<(), Kind> {
        let what = what.to_string();
        match self {
            Self::List(file) => {
                let site = format!("{site:?}").to_lowercase();
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                // The test that reads the list notices missing lines.
                let _ = writeln!(file, "{site}\t{what}");
                Ok(())
            }
            Self::Fail { label, nth, kind, seen } if *label == what => {
                let met = seen.fetch_add(1, Ordering::Relaxed) + 1;
                if met == *nth { Err(*kind) } else { Ok(()) }
            }
            Self::Fail { .. } => Ok(()),
        }
    }
}

impl Kind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "lost" => Self::Lost,
            "memory" => Self::Memory,
            "host-memory" => Self::HostMemory,
            "timeout" => Self::Timeout,
            "disk-full" => Self::DiskFull,
            "unknown" => Self::Unknown,
            _ => return None,
        })
    }

    fn of_system(self) -> io::Error {
        match self {
            Self::DiskFull => ErrorKind::StorageFull.into(),
            other => io::Error::other(format!("{other:?}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_call_that_is_named_fails() {
        let plan = Plan::parse("running a: b#2:lost").unwrap();
        let meet = |what: &str| plan.meet(Site::Call, &what);
        assert_eq!(meet("running a: b"), Ok(()));
        assert_eq!(meet("running a"), Ok(()));
        assert_eq!(meet("running a: b"), Err(Kind::Lost));
        assert_eq!(meet("running a: b"), Ok(()));
    }

    #[test]
    fn what_is_no_plan_is_refused_on_one_line() {
        for value in ["1", "submitting", "submitting#1", "submitting:lost", "submitting#0:lost", "a#1:bad"] {
            let message = Plan::parse(value).unwrap_err().to_string();
            assert!(message.starts_with(&format!("HOTLAP_FAULT={value} is neither")), "{message}");
            assert!(!message.contains('\n'));
        }
        assert!(Plan::parse("list:/absent/list").is_err());
    }

    #[test]
    fn a_full_disk_is_told_as_the_system_tells_it() {
        assert_eq!(
            Kind::parse("disk-full").map(|kind| kind.of_system().kind()),
            Some(ErrorKind::StorageFull)
        );
    }
}
