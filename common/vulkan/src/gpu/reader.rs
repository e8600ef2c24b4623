//! Reads what a driver reports about a compiled pipeline (VK_KHR_pipeline_executable_properties).

use std::ffi::CStr;

use anyhow::{Context, Result};
use ash::khr::pipeline_executable_properties;
use ash::vk;
use isa::{Executable, Statistic, Value};

use super::choose::Candidate;
use crate::fault::attempt;
use crate::names::text;

/// PCI vendor id.
const AMD: u32 = 0x1002;

/// The functions of the extension on a device.
pub struct Reader {
    device: pipeline_executable_properties::Device,
    /// Whether the text of the machine code is read too.
    assembly: bool,
}

impl Reader {
    /// Whether the device supports the extension.
    pub(super) fn is_possible(chosen: &Candidate<'_>) -> bool {
        let features: vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR<'_> =
            chosen.physical.features_of(pipeline_executable_properties::NAME);
        features.pipeline_executable_info == vk::TRUE
    }

    /// A reader for a device with the extension. The text of the machine code is only read from AMD's drivers.
    pub(super) fn new(instance: &ash::Instance, device: &ash::Device, vendor: u32) -> Self {
        Self::with(pipeline_executable_properties::Device::new(instance, device), vendor == AMD)
    }

    /// A reader with these functions; `assembly` says whether to read the text of the machine code.
    pub(crate) fn with(device: pipeline_executable_properties::Device, assembly: bool) -> Self {
        Self { device, assembly }
    }

    /// The flags that pipelines must be made with.
    pub fn flags(&self) -> vk::PipelineCreateFlags {
        use vk::PipelineCreateFlags as Flags;
        let code = Flags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
        Flags::CAPTURE_STATISTICS_KHR | if self.assembly { code } else { Flags::empty() }
    }

    /// The executables of a compute pipeline that was made with [`Reader::flags`].
    ///
    /// # Errors
    /// The driver does not report them.
    pub fn read(&self, pipeline: vk::Pipeline) -> Result<Vec<Executable>> {
        executables(&self.device, pipeline, self.assembly)
    }
}

fn executables(
    device: &pipeline_executable_properties::Device,
    pipeline: vk::Pipeline,
    assembly: bool,
) -> Result<Vec<Executable>> {
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    let forms = attempt("reading what a pipeline consists of", || unsafe {
        device.get_pipeline_executable_properties(&info)
    })?;
    let read = |(at, form): (u32, &vk::PipelineExecutablePropertiesKHR<'_>)| {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(at);
        let statistics = attempt("reading a pipeline's statistics", || unsafe {
            device.get_pipeline_executable_statistics(&info)
        })?;
        let statistics = statistics.iter().filter_map(|found| {
            Some(Statistic::new(&text(&found.name), &text(&found.description), value(found)?))
        });
        Ok(Executable {
            name: text(&form.name),
            subgroup_size: form.subgroup_size,
            statistics: statistics.collect(),
            assembly: if assembly { self::assembly(device, &info)? } else { None },
        })
    };
    (0..).zip(&forms).map(read).collect()
}

fn assembly(
    device: &pipeline_executable_properties::Device,
    info: &vk::PipelineExecutableInfoKHR<'_>,
) -> Result<Option<String>> {
    let mut forms = attempt("listing a pipeline's code", || unsafe {
        device.get_pipeline_executable_internal_representations(info)
    })?;
    let Some(at) = forms.iter().position(|form| text(&form.name) == "Assembly") else { return Ok(None) };
    // Vulkan returns the sizes of all representations in a first call, and the contents in a second.
    let mut bytes: Vec<Vec<u8>> = forms.iter().map(|form| vec![0; form.data_size]).collect();
    for (form, bytes) in forms.iter_mut().zip(&mut bytes) {
        form.p_data = bytes.as_mut_ptr().cast();
    }
    let mut count = u32::try_from(forms.len())?;
    let read = device.fp().get_pipeline_executable_internal_representations_khr;
    attempt("reading a pipeline's code", || unsafe {
        read(device.device(), info, &mut count, forms.as_mut_ptr()).result()
    })?;
    let text = CStr::from_bytes_until_nul(&bytes[at]).context("code that has no end")?;
    Ok(Some(text.to_string_lossy().into_owned()).filter(|text| !text.is_empty()))
}

/// `None` for a format of a later Vulkan version.
fn value(statistic: &vk::PipelineExecutableStatisticKHR<'_>) -> Option<Value> {
    use vk::PipelineExecutableStatisticFormatKHR as Format;
    // SAFETY: the format says which member holds the value.
    unsafe {
        match statistic.format {
            Format::BOOL32 => Some(Value::Flag(statistic.value.b32 != vk::FALSE)),
            Format::UINT64 => Some(Value::Whole(statistic.value.u64)),
            Format::INT64 => {
                let value = statistic.value.i64;
                Some(u64::try_from(value).map_or(Value::Negative(value), Value::Whole))
            }
            Format::FLOAT64 => Some(Value::Real(statistic.value.f64)),
            _ => None,
        }
    }
}
