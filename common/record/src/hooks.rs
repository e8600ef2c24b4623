//! What tests change about a run that no user would: each of it by a variable of the environment, all of it read here.
//! Without the feature `hooks` there is none of it.

use std::ffi::OsString;
use std::sync::OnceLock;

/// What is changed, read once.
#[derive(Debug, Default)]
pub struct TestHooks {
    /// `HOTLAP_FAULT`: which call fails, see [`fault`](crate::fault).
    pub fault: Option<OsString>,
    /// `HOTLAP_DIE_AT=VARIANT:crash|hang`: what a driver can do to a process, at the first sample of a variant.
    pub die_at: Option<OsString>,
    /// `HOTLAP_NO_SELF_TEST`: no self-test before times are taken, for tests that start samples by the hundred.
    pub no_self_test: bool,
    /// `HOTLAP_NO_COMPILER`: what is not packed does not compile.
    pub no_compiler: bool,
    /// `HOTLAP_SMALLEST_DEVICE`: limits as low as Vulkan 1.3 lets any device have them, and no visibility chains.
    pub smallest_device: bool,
    /// `HOTLAP_FEWEST_BUFFERS`: as few storage buffers per kernel as Vulkan promises. Apart from `smallest_device`, or
    /// what has more of them would never meet its other limits.
    pub fewest_buffers: bool,
    /// `HOTLAP_ONE_QUEUE_AS_TWO`: where there is no second queue, the first stands for it.
    pub one_queue_as_two: bool,
    /// `HOTLAP_NO_WAVE_CLOCK`: kernels have no clock to read.
    pub no_wave_clock: bool,
    /// `HOTLAP_TRACE_SLOTS`: so many places for traced waves, so that not all of a small dispatch is recorded.
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
        one_queue_as_two: is_set("ONE_QUEUE_AS_TWO"),
        no_wave_clock: is_set("NO_WAVE_CLOCK"),
        trace_slots: value("TRACE_SLOTS"),
        icd_dir: value("ICD_DIR"),
    }
}
