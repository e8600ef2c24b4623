//! Workgroups that wait for each other within a dispatch: what kernels and devices need for it, and the verdict on it.

use common::record::{DeviceFacts, Promise, Row};
use common::{Figures, KernelBuilder, Lab, Time};

use crate::words::{fastest_right, times_as};

/// Words between flags, so that each has a 32-byte sector: polls of neighbours then do not queue at one address. On an
/// H200 this takes 5 % less time at 512x512 than adjacent flags, and the same time at larger sizes.
pub const FLAG_STRIDE: u32 = 8;
/// Words before the flags: the ticket counter, alone in its cache line.
pub const HEAD: u32 = 32;

/// Bounds the waits of a kernel: one second by the device's clock, if there is one.
pub fn with_timeout<'l>(kernel: KernelBuilder<'l>, lab: &Lab) -> KernelBuilder<'l> {
    let device = lab.device();
    let kernel = kernel.constant("ON_CPU", u32::from(device.is_cpu()));
    if device.device_clock {
        kernel.define("CLOCK").constant("TICKS_PER_SECOND", device.ticks_per_second())
    } else {
        kernel
    }
}

/// Why stores of one workgroup cannot lawfully reach another on a device; `None` if they can. `chained` accesses are
/// cached, and get from workgroup to workgroup by way of acquire and release.
pub fn lacking(facts: &DeviceFacts, chained: bool) -> Option<String> {
    let what = match chained {
        _ if !facts.device_scope => "the memory model's device scope (vulkanMemoryModelDeviceScope)",
        true if !facts.visibility_chains => {
            "availability and visibility chains (vulkanMemoryModelAvailabilityVisibilityChains)"
        }
        _ => return None,
    };
    Some(format!("{} has no {what}, without which no workgroup sees what another stored", facts.name))
}

/// Whether a row counts as a form of `kind`: its variant's name begins so and it is correct by the specification.
fn is_of(row: &Row, kinds: &[&str]) -> bool {
    row.promise == Promise::Law && kinds.iter().any(|kind| row.variant.starts_with(kind))
}

/// Compares the fastest of the variants with barriers, of those that fuse passes, and of those whose tiles wait for
/// each other; `waiting`, `fused` and `barriers` are beginnings of names.
pub fn verdict(figures: &Figures<'_>, barriers: &[&str], fused: &[&str], waiting: &[&str]) -> Option<String> {
    let fastest = |kinds: &[&str]| {
        fastest_right(figures, |name| figures.row(name).is_some_and(|row| is_of(row, kinds)))
    };
    let (barrier, barrier_us) = fastest(barriers)?;
    let against = |(name, us): (&str, f64), what: &str| {
        let ratio = figures.ratio(barrier, name)?;
        Some(format!(" {what} {us:.1} µs ({name}): {} as with barriers.", times_as(&ratio, "fast")))
    };
    let mut text = format!("In short: with barriers the passes take {barrier_us:.1} µs ({barrier}).");
    let waiting = against(fastest(waiting)?, "In one dispatch, whose tiles wait for each other, they take")?;
    text += &waiting;
    if let Some(told) =
        fastest(fused).and_then(|fused| against(fused, "With several passes fused per dispatch they take"))
    {
        text += &told;
    }
    if let Some((free, us)) = figures.fastest(Time::Isolated, |name| name.starts_with("no_order")) {
        text += &format!(" Without any order they take {us:.1} µs ({free}).");
    }
    Some(text)
}
