//! What traces of waves need of a device: a clock that all waves share, and who ran them.

use std::ffi::CStr;

use ash::{arm, khr, nv, vk};

use crate::wrap::LaneSource;
use record::hooks::hooks;

/// What was found and is switched on.
#[derive(Clone, Copy, Debug)]
pub struct WaveClock {
    /// `shaderDeviceClock`: without it there are no traces.
    pub clock: bool,
    /// `shaderSubgroupClock`, too: a counter of cycles, where it is one.
    pub cycles: bool,
    /// Where a wave is told on which multiprocessor it runs.
    pub lanes: LaneSource,
    /// The fewest invocations that a subgroup can have.
    pub least_subgroup: u32,
}

impl WaveClock {
    /// Asks for the features whose extensions the device has.
    pub fn of(
        instance: &ash::Instance,
        physical: vk::PhysicalDevice,
        has: impl Fn(&CStr) -> bool,
        subgroup: u32,
    ) -> Self {
        let mut clock = vk::PhysicalDeviceShaderClockFeaturesKHR::default();
        let mut sm = vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV::default();
        let mut core = vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM::default();
        let mut features = vk::PhysicalDeviceFeatures2::default();
        if has(khr::shader_clock::NAME) {
            features = features.push_next(&mut clock);
        }
        if has(nv::shader_sm_builtins::NAME) {
            features = features.push_next(&mut sm);
        }
        if has(arm::shader_core_builtins::NAME) {
            features = features.push_next(&mut core);
        }
        unsafe { instance.get_physical_device_features2(physical, &mut features) };
        let lanes = match (sm.shader_sm_builtins, core.shader_core_builtins) {
            (vk::TRUE, _) => LaneSource::Sm,
            (_, vk::TRUE) => LaneSource::Core,
            _ => LaneSource::None,
        };
        let mut sizes = vk::PhysicalDeviceSubgroupSizeControlProperties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut sizes);
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        // A device before Vulkan 1.3 may leave it at 0.
        let least_subgroup = if sizes.min_subgroup_size > 0 { sizes.min_subgroup_size } else { subgroup };
        let hidden = hooks().no_wave_clock;
        Self {
            clock: clock.shader_device_clock == vk::TRUE && !hidden,
            cycles: [clock.shader_device_clock, clock.shader_subgroup_clock] == [vk::TRUE; 2] && !hidden,
            lanes,
            least_subgroup: least_subgroup.max(1),
        }
    }

    /// The extensions to switch on.
    pub fn extensions(&self) -> impl Iterator<Item = &'static CStr> {
        let lanes = match self.lanes {
            LaneSource::Sm => Some(nv::shader_sm_builtins::NAME),
            LaneSource::Core => Some(arm::shader_core_builtins::NAME),
            LaneSource::None => None,
        };
        self.clock.then_some(khr::shader_clock::NAME).into_iter().chain(lanes.filter(|_| self.clock))
    }
}

/// The features that go with the extensions, to be chained to a device's creation.
#[derive(Default)]
pub(super) struct Chain {
    clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    sm: vk::PhysicalDeviceShaderSMBuiltinsFeaturesNV<'static>,
    core: vk::PhysicalDeviceShaderCoreBuiltinsFeaturesARM<'static>,
}

impl Chain {
    /// Adds what is there to the creation of a device.
    pub fn onto<'c>(
        &'c mut self,
        found: &WaveClock,
        info: vk::DeviceCreateInfo<'c>,
    ) -> vk::DeviceCreateInfo<'c> {
        if !found.clock {
            return info;
        }
        self.clock.shader_device_clock = vk::TRUE;
        self.clock.shader_subgroup_clock = found.cycles.into();
        let info = info.push_next(&mut self.clock);
        match found.lanes {
            LaneSource::Sm => {
                self.sm.shader_sm_builtins = vk::TRUE;
                info.push_next(&mut self.sm)
            }
            LaneSource::Core => {
                self.core.shader_core_builtins = vk::TRUE;
                info.push_next(&mut self.core)
            }
            LaneSource::None => info,
        }
    }
}
