//! Workgroups that wait for each other within a dispatch: what kernels and devices need for it, and what it gains.

use common::record::{DeviceFacts, Promise};
use common::{Figures, Headline, Holds, KernelBuilder, Lab, Summary, Time};

use crate::words::fastest_right;

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

/// The fastest of the wanted variants that are correct by the Vulkan specification and were right in every sample.
pub fn fastest<'r>(figures: &Figures<'r>, wanted: impl Fn(&str) -> bool) -> Option<(&'r str, f64)> {
    let by_spec = |name: &str| figures.row(name).is_some_and(|row| row.promise == Promise::Law);
    fastest_right(figures, |name| wanted(name) && by_spec(name))
}

/// The fastest variant with barriers, whose name begins with `barriers` in each sample.
fn with_barriers<'r>(figures: &Figures<'r>) -> Option<(&'r str, f64)> {
    fastest(figures, |name| name.starts_with("barriers"))
}

/// The time of a variant over that of the fastest with barriers.
pub fn to_barriers(figures: &Figures<'_>, variant: &str) -> Option<Summary> {
    figures.ratio(variant, with_barriers(figures)?.0)
}

/// Tests the claim that one dispatch, in its fastest variant, takes less time than barriers.
pub fn headline(
    figures: &Figures<'_>,
    claim: &str,
    one_dispatch: Option<&str>,
    finding: impl FnOnce(&str) -> String,
) -> Headline {
    let pair = one_dispatch.zip(with_barriers(figures)).map(|(variant, (barriers, _))| [variant, barriers]);
    Headline::of(claim).test_ratio(figures, Time::Isolated, pair, &Holds::FASTER, finding)
}

/// The times behind the headline, of what was measured, and that of the variants whose names begin with `no_sync`.
pub fn times(figures: &Figures<'_>, one_dispatch_us: f64, no_sync: &str, measured: &str) -> Option<String> {
    let (_, barriers_us) = with_barriers(figures)?;
    let without = figures.fastest(Time::Isolated, |name| name.starts_with(no_sync));
    let without = without.map_or_else(String::new, |(_, us)| format!(" Without sync it takes {us:.1} µs."));
    Some(format!("{one_dispatch_us:.1} against {barriers_us:.1} µs: {measured}.{without}"))
}
