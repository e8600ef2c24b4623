//! Workgroups that wait for each other within a dispatch: what kernels and devices need for it, and the verdict on it.

use common::record::{DeviceFacts, Promise};
use common::{Figures, KernelBuilder, Lab, Time};

use crate::words::{decided, fastest_right, of_ratio};

/// Words between flags, so that each has a 32-byte sector: polls of neighbours then do not queue at one address. On an
/// H200 this takes 5 % less time at 512x512 than adjacent flags, and the same time at larger sizes.
pub const FLAG_STRIDE: u32 = 8;
/// Words before the flags: the ticket counter, alone in its cache line, as in `tickets.glsl`.
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

/// Why stores of one workgroup cannot reach another on a device, by the Vulkan specification; `None` if they can.
/// `chained` accesses are cached, and get from workgroup to workgroup by way of acquire and release.
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

/// Variants that a verdict compares with barriers: what their passes do, and which they are.
pub type Compared = (&'static str, fn(&str) -> bool);

/// A sentence for the fastest variant of each of `compared`, as times as fast as the fastest with barriers, whose names begin
/// with `barriers`; then the time without order, by variants whose names begin with `no_order`. Wrong rows and such as are
/// not correct by the specification do not count.
pub fn verdict(
    figures: &Figures<'_>,
    barriers: &str,
    compared: &[Compared],
    no_order: &str,
) -> Option<String> {
    let by_law = |name: &str| figures.row(name).is_some_and(|row| row.promise == Promise::Law);
    let (barrier, barrier_us) = fastest_right(figures, |name| by_law(name) && name.starts_with(barriers))?;
    let told = |&(what, is_of): &Compared| {
        let (name, us) = fastest_right(figures, |name| by_law(name) && is_of(name))?;
        let ratio = figures.ratio(barrier, name)?;
        let times = match ratio.median_95 {
            None => "too few samples to tell how much faster".into(),
            Some(_) if decided(&ratio) => format!("{} times as fast", of_ratio(&ratio, 2)),
            Some(_) => "as fast, as far as these samples tell".into(),
        };
        Some(format!(" {what}: {us:.1} µs ({name}), {times}."))
    };
    let sentences: Vec<String> = compared.iter().filter_map(told).collect();
    if sentences.is_empty() {
        return None;
    }
    let without = figures.fastest(Time::Isolated, |name| name.starts_with(no_order));
    let without =
        without.map_or_else(String::new, |(name, us)| format!(" Without any order: {us:.1} µs ({name})."));
    Some(format!(
        "With barriers the passes take {barrier_us:.1} µs ({barrier}).{}{without}",
        sentences.concat()
    ))
}
