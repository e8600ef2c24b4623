//! Instructions for capturing a run with this platform's profilers, for `--profile`.

use record::DeviceFacts;

use super::shell::quote;

const NVIDIA: u32 = 0x10de;

// Values of `VkDriverId`.
const AMD_PROPRIETARY: i32 = 1;
const AMD_OPEN_SOURCE: i32 = 2;
const MESA_RADV: i32 = 3;

/// Instructions for capturing `command` (program and arguments) on this device. `os` is one of
/// [`std::env::consts::OS`].
#[must_use]
pub fn capture_instructions(facts: &DeviceFacts, os: &str, command: &[String]) -> String {
    let line = words(command);
    let driver = facts.driver_id;
    let of_amd = [AMD_PROPRIETARY, AMD_OPEN_SOURCE].contains(&driver);
    let tools = match driver {
        MESA_RADV if os == "linux" => radv(&line, &facts.driver_info),
        _ if of_amd && os == "windows" => developer_panel(&line),
        _ if facts.vendor_id == NVIDIA && ["linux", "windows"].contains(&os) => nsight(&line, command),
        _ => renderdoc(&line),
    };
    format!("{tools}\n{ALWAYS}")
}

const ALWAYS: &str = "\
Each variant is three submits, or more on two queues: its preparation, its own commands in a region of
its name, its verification. Those in the middle are to look at; their numbers stand below, counted
from 1 with the submits of setting up. --variants ID and a single size leave less to search.
A capture sets its own clocks, as a rule the peak: its times do not compare with those of --bench.
";

/// The first major version of Mesa whose RADV captures single submits.
const CAPTURES_SUBMITS: u32 = 25;

fn radv(line: &str, driver_info: &str) -> String {
    if mesa_major(driver_info).is_some_and(|major| major < CAPTURES_SUBMITS) {
        return format!(
            "\
Radeon GPU Profiler needs RADV of Mesa 25.0 or newer: {driver_info} captures presents, of which there
are none.
{}",
            renderdoc(line)
        );
    }
    format!(
        "\
    MESA_VK_TRACE=rgp MESA_VK_TRACE_PER_SUBMIT=1 {line}
captures for Radeon GPU Profiler, through RADV of Mesa 25.0 or newer (untested with Hot Lap).
RADV writes one .rgp file per submit into /tmp and names it after the second, newer ones after the submit
too. --profile then waits a second before and behind each variant, so that no other submit takes its
name; without the submit in the name, a variant on two queues leaves the last of its own. A submit whose
buffer is said to be too small takes RADV_THREAD_TRACE_BUFFER_SIZE=BYTES."
    )
}

/// Mesa's major version: 25 for `Mesa 25.0.7-2`. `None` if the text has another form.
fn mesa_major(driver_info: &str) -> Option<u32> {
    driver_info.strip_prefix("Mesa ")?.split('.').next()?.parse().ok()
}

fn developer_panel(line: &str) -> String {
    format!(
        "\
Capture with Radeon Developer Panel and Radeon GPU Profiler (untested with Hot Lap):
    1. In the panel, switch profiling on, with the auto capture mode \"Dispatch range\" from dispatch 0.
    2. {line}
The queue labels AmdFrameBegin and AmdFrameEnd delimit each variant for the capture mode \"Frame\".
Programs that compute without presenting take Radeon GPU Profiler 2.4 and a driver of branch 24.30, or
newer ones; their captures are reported to fail with some drivers all the same."
    )
}

fn nsight(line: &str, command: &[String]) -> String {
    let (program, arguments) = command.split_first().map_or(("", [].as_slice()), |(p, a)| (p, a));
    format!(
        "\
    nsys profile --trace=vulkan-annotations --vulkan-gpu-workload=individual {line}
captures submits, command buffers and regions in time with Nsight Systems (untested with Hot Lap).
    ngfx --activity='GPU Trace Profiler' --exe={program} --args={arguments} --start-after-submits=N --limit-to-submits=1
captures the units of the GPU within one submit with Nsight Graphics (untested with Hot Lap). N is one
less than the submit's number below.",
        program = quote(program),
        arguments = quote(&words(arguments)),
    )
}

fn renderdoc(line: &str) -> String {
    format!(
        "\
    renderdoccmd capture --wait-for-exit {line}
captures with RenderDoc, on Linux or Windows (untested with Hot Lap).
Labels on the queue begin and end one .rdc file per variant; RenderDoc 1.24 was seen to follow them without
a present. It shows commands, regions and images; times of its replay are no measurement. Where a driver
lacks bufferDeviceAddressCaptureReplay, as lavapipe does, it offers Vulkan 1.2 only, and Hot Lap skips."
    )
}

fn words(command: &[String]) -> String {
    command.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use record::fixture;

    use super::*;

    const NVIDIA_PROPRIETARY: i32 = 4;
    const MESA_LLVMPIPE: i32 = 13;

    fn on(vendor_id: u32, driver_id: i32, os: &str) -> String {
        version_on("Mesa 25.0.7-2", vendor_id, driver_id, os)
    }

    fn version_on(info: &str, vendor_id: u32, driver_id: i32, os: &str) -> String {
        let driver_info = info.to_owned();
        let facts = DeviceFacts { vendor_id, driver_id, driver_info, ..fixture::record().device };
        let command =
            ["target/release/pipelined_events", "--profile", "--variants", "events_*"].map(str::to_owned);
        capture_instructions(&facts, os, &command)
    }

    #[test]
    fn on_radv() {
        insta::assert_snapshot!(on(0x1002, MESA_RADV, "linux"));
    }

    #[test]
    fn on_radv_that_captures_presents_alone() {
        let of = |info| version_on(info, 0x1002, MESA_RADV, "linux");
        assert_eq!(of("a version without a number"), on(0x1002, MESA_RADV, "linux"));
        insta::assert_snapshot!(of("Mesa 24.3.4"));
    }

    #[test]
    fn on_windows_with_an_amd_gpu() {
        insta::assert_snapshot!(on(0x1002, AMD_PROPRIETARY, "windows"));
    }

    #[test]
    fn on_nvidia() {
        let linux = on(NVIDIA, NVIDIA_PROPRIETARY, "linux");
        assert_eq!(linux, on(NVIDIA, NVIDIA_PROPRIETARY, "windows"));
        insta::assert_snapshot!(linux);
    }

    #[test]
    fn elsewhere() {
        let other = on(0x10005, MESA_LLVMPIPE, "linux");
        // AMD's driver on Linux does not support Radeon Developer Panel.
        assert_eq!(other, on(0x1002, AMD_OPEN_SOURCE, "linux"));
        insta::assert_snapshot!(other);
    }
}
