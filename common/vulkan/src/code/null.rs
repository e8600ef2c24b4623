//! RADV's null device, which compiles kernels without hardware. Nothing else works on it: images, buffers and
//! command buffers crash it, and fences fail (Mesa 22.3.6).

use anyhow::{Context, Result};
use ash::{khr, vk};
use isa::{Line, Source};
use spirv::Capability;

use crate::fault::attempt;
use crate::gpu::{Instance, Physical, Reader};
use crate::kernel::{self, Stages};
use crate::names::text;
use crate::spirv::capabilities;

/// RADV's null device for one chip.
pub(super) struct Null {
    device: ash::Device,
    reader: Reader,
    /// Capabilities that the chip lacks, with their names.
    lacks: Vec<(Capability, &'static str)>,
    pub name: String,
    pub driver: String,
    // Fields are dropped in the order of declaration; the instance must be last.
    _instance: Instance,
}

impl Null {
    /// Opens the device for the chip that the environment selects.
    pub fn open() -> Result<Self> {
        let instance = Instance::new(false)?;
        let found = attempt("listing devices", || unsafe { instance.raw.enumerate_physical_devices() })?;
        let named = found
            .into_iter()
            .map(|raw| (raw, text(&unsafe { instance.raw.get_physical_device_properties(raw) }.device_name)));
        let null = named.into_iter().find(|(_, name)| name.starts_with("Null hardware"));
        let (raw, name) =
            null.context("RADV has no device without hardware here: is it older than Mesa 21?")?;
        let physical = Physical::new(&instance, raw)?;
        let vulkan12: vk::PhysicalDeviceVulkan12Properties<'_> = physical.properties();
        let driver = text(&vulkan12.driver_info);
        let (device, lacks) = create(&physical)?;
        let reader = khr::pipeline_executable_properties::Device::new(&instance.raw, &device);
        let reader = Reader::with(reader, true);
        Ok(Self { device, reader, lacks, name, driver, _instance: instance })
    }

    /// Compiles a kernel, or reports the capability that the chip lacks.
    pub fn compile(&self, source: &Source) -> Result<Line> {
        let asks =
            |capability: Capability| capabilities(&source.spirv).any(|found| found == capability as u32);
        if let Some((_, lacking)) = self.lacks.iter().find(|(capability, _)| asks(*capability)) {
            return Ok(Line::Refused(format!("it has no {lacking}")));
        }
        let bindings: Vec<_> = source.bindings.iter().map(|&raw| vk::DescriptorType::from_raw(raw)).collect();
        let (set, layout) =
            kernel::layouts(&self.device, vk::ShaderStageFlags::COMPUTE, &bindings, source.push_bytes)?;
        let flags = self.reader.flags();
        let (spirv, constants) = (&source.spirv, &source.constants);
        let stages = Stages { spirv, constants, raster: None, subgroup: None };
        let none = vk::PipelineCache::null();
        let pipeline = kernel::compile(&self.device, flags, &stages, layout, &source.name, none)?;
        let read = self.reader.read(pipeline);
        unsafe {
            self.device.destroy_pipeline(pipeline, None);
            self.device.destroy_pipeline_layout(layout, None);
            self.device.destroy_descriptor_set_layout(set, None);
        }
        let form = read?.into_iter().next().context("a pipeline without an executable")?;
        Ok(Line::Kernel(form))
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        unsafe { self.device.destroy_device(None) };
    }
}

/// Creates a device with every feature, except those that add checks to the code which no sample asks for. Also
/// returns the missing capabilities.
fn create(physical: &Physical<'_>) -> Result<(ash::Device, Vec<(Capability, &'static str)>)> {
    let mut executable: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'_> = physical.features();
    let mut vulkan11: vk::PhysicalDeviceVulkan11Features<'_> = physical.features();
    let mut vulkan12: vk::PhysicalDeviceVulkan12Features<'_> = physical.features();
    let core = vk::PhysicalDeviceFeatures { robust_buffer_access: vk::FALSE, ..physical.core_features() };
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default()
        .synchronization2(true)
        .maintenance4(true)
        .subgroup_size_control(true);
    let lacks = [
        (Capability::Float16, vulkan12.shader_float16, "16-bit floats"),
        (Capability::Int16, core.shader_int16, "16-bit integers"),
        (Capability::Int64, core.shader_int64, "64-bit integers"),
        (Capability::VulkanMemoryModel, vulkan12.vulkan_memory_model, "Vulkan memory model"),
    ];
    let lacks = lacks.into_iter().filter(|(_, here, _)| *here == vk::FALSE);
    let lacks = lacks.map(|(capability, _, words)| (capability, words)).collect();
    let extensions =
        [khr::push_descriptor::NAME.as_ptr(), khr::pipeline_executable_properties::NAME.as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&core)
        .push_next(&mut executable)
        .push_next(&mut vulkan11)
        .push_next(&mut vulkan12)
        .push_next(&mut vulkan13);
    let device = attempt("creating the device without hardware", || unsafe {
        physical.instance.raw.create_device(physical.raw, &info, None)
    })?;
    Ok((device, lacks))
}
