//! How `round_trip` submits and learns of the end, as the driver is asked for it. Its times depend on nothing else.

use anyhow::{Context, Result, ensure};

use crate::LAYER;
use crate::support::Call;

/// The ends of its variants' names, and the calls by which they ask.
const METHODS: [(&str, &str); 4] = [
    ("fence", "vkWaitForFences"),
    ("fence_polled", "vkGetFenceStatus"),
    ("timeline", "vkWaitSemaphores"),
    ("timeline_polled", "vkGetSemaphoreCounterValue"),
];

/// Each variant has as many submits in flight as its name says, and asks for their end by its own call alone. The runner waits
/// for fences, too.
pub fn submits_are_in_flight() -> Result<()> {
    for (method, own) in METHODS {
        for in_flight in [1, 2, 8] {
            let variant = format!("whole_{method}_{in_flight}");
            submits(&variant, own, in_flight).with_context(|| variant.clone())?;
        }
    }
    Ok(())
}

fn submits(variant: &str, own: &str, in_flight: usize) -> Result<()> {
    let layer = LAYER.get().context("the layer is built first")?.as_ref().map_err(anyhow::Error::msg)?;
    let call = Call::new("round_trip")?.words("--submits 16 --samples 2").args(["--variants", variant]);
    let calls = layer.list(call)?;
    for (_, other) in METHODS.iter().filter(|(_, other)| *other != "vkWaitForFences") {
        let count = calls.iter().filter(|call| call == other).count();
        ensure!((count > 0) == (*other == own), "{count} calls of {other}");
    }
    let asks = |call: &String| METHODS.iter().any(|(_, ask)| call == ask);
    let between =
        calls.split(asks).map(|calls| calls.iter().filter(|call| *call == "vkQueueSubmit2").count());
    let most = between.max().unwrap_or_default();
    ensure!(most == in_flight, "{most} submits before the first is asked for");
    Ok(())
}
