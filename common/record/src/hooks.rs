//! Changes to a run that only tests make, each controlled by an environment variable. All of them are read here.
//! Without the feature `hooks` they do not exist.

use std::ffi::OsString;
use std::sync::OnceLock;

/// The values of the variables, read once.
#[derive(Debug, Default)]
pub struct TestHooks {
    /// `HOTLAP_FAULT`: the call that fails, see [`fault`](crate::fault).
    pub fault: Option<OsString>,
    /// `HOTLAP_DIE_AT=VARIANT:crash|hang`: the process crashes or hangs at the first sample of a variant, as with a
    /// faulty driver.
    pub die_at: Option<OsString>,
    /// `HOTLAP_NO_SELF_TEST`: skips the self-test before the measurement, for tests that start hundreds of samples.
    pub no_self_test: bool,
    /// `HOTLAP_NO_COMPILER`: kernels that are not embedded do not compile.
    pub no_compiler: bool,
    /// `HOTLAP_SMALLEST_DEVICE`: the lowest limits that Vulkan 1.3 allows, and no visibility chains.
    pub smallest_device: bool,
    /// `HOTLAP_FEWEST_BUFFERS`: the smallest number of storage buffers per kernel that Vulkan guarantees. It is
    /// separate from `smallest_device`, since kernels that need more buffers would otherwise never be tested against
    /// its other limits.
    pub fewest_buffers: bool,
    /// `HOTLAP_ONE_QUEUE_AS_SEVERAL`: without a second queue, the first one is used as 32.
    pub one_queue_as_several: bool,
    /// `HOTLAP_NO_WAVE_CLOCK`: kernels cannot read a clock.
    pub no_wave_clock: bool,
    /// `HOTLAP_TRACE_SLOTS`: the number of slots for traced waves, so that even a small dispatch is recorded only in
    /// part.
    pub trace_slots: Option<OsString>,
    /// `HOTLAP_ICD_DIR`: the one folder where Vulkan drivers are looked for.
    pub icd_dir: Option<OsString>,
}

/// The hooks of this process.
pub fn hooks() -> &'static TestHooks {
    static HOOKS: OnceLock<TestHooks> = OnceLock::new();
    HOOKS.get_or_init(read)
}

#[cfg(not(feature = "hooks"))]
fn read() -> TestHooks {
    TestHooks::default()
}

#[cfg(feature = "hooks")]
fn read() -> TestHooks {
    let value = |name: &str| std::env::var_os(format!("HOTLAP_{name}")).filter(|value| !value.is_empty());
    let is_set = |name: &str| value(name).is_some();
    TestHooks {
        fault: value("FAULT"),
        die_at: value("DIE_AT"),
        no_self_test: is_set("NO_SELF_TEST"),
        no_compiler: is_set("NO_COMPILER"),
        smallest_device: is_set("SMALLEST_DEVICE"),
        fewest_buffers: is_set("FEWEST_BUFFERS"),
        one_queue_as_several: is_set("ONE_QUEUE_AS_SEVERAL"),
        no_wave_clock: is_set("NO_WAVE_CLOCK"),
        trace_slots: value("TRACE_SLOTS"),
        icd_dir: value("ICD_DIR"),
    }
}
