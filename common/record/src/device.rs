//! The facts about a device that a record holds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Identity, driver and limits of the device that was measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFacts {
    /// Marketing name.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub kind: Kind,
    /// PCI vendor id.
    pub vendor_id: u32,
    /// PCI device id.
    pub device_id: u32,
    /// Device UUID, hex with dashes.
    pub uuid: String,
    /// `VkDriverId`, as a number.
    pub driver_id: i32,
    /// Name of the driver.
    pub driver_name: String,
    /// Free text of the driver, usually its version.
    pub driver_info: String,
    /// Vendor-specific version number.
    pub driver_version: u32,
    /// Vulkan version, `1.3.230`.
    pub api_version: String,
    /// Version of the conformance test that the driver passed, `1.3.1.1`.
    pub conformance_version: String,
    /// Queue family that ran the work, with its capabilities: `0: graphics compute transfer`.
    pub queue_family: String,
    /// The family of the second queue, for variants that use two; `None` where there is one queue.
    pub second_queue_family: Option<String>,
    /// Nanoseconds a timestamp tick.
    pub timestamp_period_ns: f32,
    /// Bits of a timestamp that count.
    pub timestamp_bits: u32,
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// Largest number of invocations in a workgroup.
    pub max_workgroup_invocations: u32,
    /// Largest workgroup, x, y, z.
    pub max_workgroup_size: [u32; 3],
    /// Bytes of shared memory a workgroup can have.
    pub max_shared_memory: u32,
    /// Largest side of a 2D image.
    pub max_image_2d: u32,
    /// Largest side of a 3D image; 0 in records before schema 3.
    #[serde(default)]
    pub max_image_3d: u32,
    /// What runs workgroups, where the driver tells.
    #[serde(default)]
    pub multiprocessors: Option<Multiprocessors>,
    /// Kernels can compute with 16-bit floats (`shaderFloat16`).
    #[serde(default)]
    pub float16: bool,
    /// Kernels can compute with 16-bit integers (`shaderInt16`).
    #[serde(default)]
    pub int16: bool,
    /// Kernels can access 64-bit words of a buffer atomically (`shaderInt64`, `shaderBufferInt64Atomics`).
    #[serde(default)]
    pub atomics64: bool,
    /// Kernels can collect a bit of each invocation of a subgroup
    /// (`VK_SUBGROUP_FEATURE_BALLOT_BIT`).
    #[serde(default)]
    pub ballot: bool,
    /// Kernels can read what another invocation of a subgroup has (`VK_SUBGROUP_FEATURE_SHUFFLE_BIT`, `SHUFFLE_RELATIVE_BIT`),
    /// and know the subgroup's size.
    #[serde(default)]
    pub shuffle: bool,
    /// Kernels may order their accesses by the Vulkan memory model, for the whole device
    /// (`vulkanMemoryModelDeviceScope`).
    #[serde(default)]
    pub device_scope: bool,
    /// What an invocation stores may come to another by way of each one's workgroup
    /// (`vulkanMemoryModelAvailabilityVisibilityChains`).
    #[serde(default)]
    pub visibility_chains: bool,
    /// Kernels can read a clock that all of them share (`shaderDeviceClock`).
    #[serde(default)]
    pub device_clock: bool,
    /// Bytes of the largest device-local heap.
    pub device_memory: u64,
}

impl DeviceFacts {
    /// Whether the device is a software implementation: sizes should be reduced, and times are meaningless.
    #[must_use]
    pub fn is_cpu(&self) -> bool {
        self.kind == Kind::Cpu
    }

    /// Name and version of the driver.
    #[must_use]
    pub fn driver(&self) -> String {
        format!("{} {}", self.driver_name, self.driver_info).trim_end().to_owned()
    }

    /// Ticks per second of the clock that kernels read. It is assumed to be that of timestamps, as on all known
    /// devices.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number, which stays at the greatest"
    )]
    pub fn ticks_per_second(&self) -> u32 {
        (1e9 / f64::from(self.timestamp_period_ns)).round() as u32
    }
}

/// What runs workgroups: compute units (AMD), streaming multiprocessors (NVIDIA).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Multiprocessors {
    /// How many there are.
    pub count: u32,
    /// Units in each that issue instructions, with subgroups of their own: SIMDs, or an SM's
    /// sub-partitions.
    pub simds: u32,
    /// Subgroups that one of these holds at the most.
    pub subgroups_per_simd: u32,
}

impl Multiprocessors {
    /// The most subgroups that all multiprocessors together hold.
    #[must_use]
    pub fn slots(self) -> u32 {
        self.count * self.simds * self.subgroups_per_simd
    }
}

/// What a device is, in the order of preference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A GPU with its own memory.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU behind a virtual machine.
    Virtual,
    /// A software implementation: right answers, meaningless times.
    Cpu,
    /// Anything else.
    #[default]
    Other,
}

impl Kind {
    /// The name for users.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Discrete => "discrete GPU",
            Self::Integrated => "integrated GPU",
            Self::Virtual => "virtual GPU",
            Self::Cpu => "CPU device",
            Self::Other => "other device",
        }
    }
}
