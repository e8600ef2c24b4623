//! RADV's device without hardware, which compiles and does nothing else: images, buffers and command
//! buffers crash it, and fences fail (Mesa 22.3.6).

use anyhow::{Context, Result};
use ash::{khr, vk};

use isa::{Line, Raw, Source};

use crate::fault::attempt;
use crate::gpu::Reader;
use crate::{kernel, spirv};

/// The device and the loader that it came from.
pub(super) struct Null {
    device: ash::Device,
    reader: Reader,
    features: Features,
    pub name: String,
    pub driver: String,
    instance: ash::Instance,
    _entry: ash::Entry,
}

/// What kernels may ask for and not every chip has.
struct Features {
    float16: bool,
    int16: bool,
    int64: bool,
    memory_model: bool,
}

impl Null {
    /// Opens the device of the chip that the environment names.
    pub fn open() -> Result<Self> {
        // SAFETY: the loader's initialisation routines are trusted like every system library's.
        let entry = unsafe { ash::Entry::load() }.context("loading Vulkan")?;
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let instance =
            attempt("creating the Vulkan instance", || unsafe { entry.create_instance(&info, None) })?;
        let physical = attempt("listing devices", || unsafe { instance.enumerate_physical_devices() })?;
        let named = physical.into_iter().map(|physical| {
            let properties = unsafe { instance.get_physical_device_properties(physical) };
            let name = properties.device_name_as_c_str().map(|name| name.to_string_lossy().into_owned());
            (physical, name.unwrap_or_default())
        });
        let null = named.into_iter().find(|(_, name)| name.starts_with("Null hardware"));
        let (physical, name) =
            null.context("RADV has no device without hardware here: is it older than Mesa 21?")?;
        let mut vulkan12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut vulkan12);
        unsafe { instance.get_physical_device_properties2(physical, &mut properties) };
        let driver = vulkan12.driver_info_as_c_str().map(|info| info.to_string_lossy().into_owned());
        let (device, features) = create(&instance, physical)?;
        let reader = khr::pipeline_executable_properties::Device::new(&instance, &device);
        let reader = Reader::Executables { device: reader, assembly: true };
        Ok(Self {
            device,
            reader,
            features,
            name,
            driver: driver.unwrap_or_default(),
            instance,
            _entry: entry,
        })
    }

    /// Compiles, or says what the chip lacks.
    pub fn compile(&self, source: &Source) -> Result<Line> {
        if let Some(lacking) = self.lacking(&source.spirv) {
            return Ok(Line::Refused(format!("it has no {lacking}")));
        }
        let bindings: Vec<_> = source.bindings.iter().map(|&raw| vk::DescriptorType::from_raw(raw)).collect();
        let (set, layout) = kernel::layouts(&self.device, &bindings, source.push_bytes)?;
        let flags = self.reader.flags();
        let pipeline =
            kernel::compile(&self.device, flags, &source.spirv, &source.constants, layout, &source.name)?;
        let read = self.reader.read(pipeline);
        unsafe {
            self.device.destroy_pipeline(pipeline, None);
            self.device.destroy_pipeline_layout(layout, None);
            self.device.destroy_descriptor_set_layout(set, None);
        }
        let form = read?.into_iter().next().context("a pipeline without an executable")?;
        Ok(Line::Kernel(Raw::from(form)))
    }

    /// What the kernel asks for and the chip does not have, in words.
    fn lacking(&self, spirv: &[u32]) -> Option<&'static str> {
        use ::spirv::Capability;
        let has = |capability| spirv::capabilities(spirv).any(|found| found == capability as u32);
        let asked = [
            (Capability::Float16, self.features.float16, "16-bit floats"),
            (Capability::Int16, self.features.int16, "16-bit integers"),
            (Capability::Int64, self.features.int64, "64-bit integers"),
            (Capability::VulkanMemoryModel, self.features.memory_model, "Vulkan memory model"),
        ];
        asked.into_iter().find(|(capability, here, _)| !here && has(*capability)).map(|(_, _, words)| words)
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

/// A device with every feature but those that put checks into the code which no sample asks for.
fn create(instance: &ash::Instance, physical: vk::PhysicalDevice) -> Result<(ash::Device, Features)> {
    let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
    let mut vulkan11 = vk::PhysicalDeviceVulkan11Features::default();
    let mut vulkan12 = vk::PhysicalDeviceVulkan12Features::default();
    let mut present = vk::PhysicalDeviceFeatures2::default()
        .push_next(&mut executable)
        .push_next(&mut vulkan11)
        .push_next(&mut vulkan12);
    unsafe { instance.get_physical_device_features2(physical, &mut present) };
    present.features.robust_buffer_access = vk::FALSE;
    let core = present.features;
    let mut vulkan13 = vk::PhysicalDeviceVulkan13Features::default()
        .synchronization2(true)
        .maintenance4(true)
        .subgroup_size_control(true);
    let extensions =
        [khr::push_descriptor::NAME.as_ptr(), khr::pipeline_executable_properties::NAME.as_ptr()];
    let queues = [vk::DeviceQueueCreateInfo::default().queue_family_index(0).queue_priorities(&[1.0])];
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .push_next(&mut present)
        .push_next(&mut vulkan13);
    let device = attempt("creating the device without hardware", || unsafe {
        instance.create_device(physical, &info, None)
    })?;
    let features = Features {
        float16: vulkan12.shader_float16 == vk::TRUE,
        int16: core.shader_int16 == vk::TRUE,
        int64: core.shader_int64 == vk::TRUE,
        memory_model: vulkan12.vulkan_memory_model == vk::TRUE,
    };
    Ok((device, features))
}
