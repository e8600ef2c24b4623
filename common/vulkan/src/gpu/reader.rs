//! What a driver says of a pipeline that it compiled: VK_KHR_pipeline_executable_properties, or
//! VK_AMD_shader_info where there is no other.

use std::ffi::CStr;

use anyhow::{Context, Result};
use ash::{amd, khr, vk};
use isa::{Executable, Statistic, Value};
use record::DeviceFacts;
use record::error::Halt;

use super::choose::Candidate;
use crate::fault::attempt;
use crate::names::text;

/// PCI vendor id.
const AMD: u32 = 0x1002;

/// A device's functions for it.
pub enum Reader {
    /// VK_KHR_pipeline_executable_properties; whether to ask for machine code, too.
    Executables {
        /// The extension's functions.
        device: khr::pipeline_executable_properties::Device,
        /// The text of the machine code is read, too.
        assembly: bool,
    },
    /// VK_AMD_shader_info.
    ShaderInfo(amd::shader_info::Device),
}

impl Reader {
    /// The extension that tells what became of kernels.
    pub(super) fn extension_of(chosen: &Candidate<'_>) -> Result<&'static CStr> {
        chosen.physical.statistics().ok_or_else(|| {
            let (name, driver) = (&chosen.facts.name, &chosen.facts.driver_name);
            Halt::Skip(format!(
                "{driver} does not tell what it makes of kernels on {name}: it has neither \
                 VK_KHR_pipeline_executable_properties nor VK_AMD_shader_info (--code amd:polaris10,navi21 compiles \
                 for chips that are not here)"
            ))
            .into()
        })
    }

    /// Of a device that was made with this extension.
    pub(super) fn new(
        extension: &CStr,
        instance: &ash::Instance,
        device: &ash::Device,
        facts: &DeviceFacts,
    ) -> Self {
        if extension == amd::shader_info::NAME {
            return Self::ShaderInfo(amd::shader_info::Device::new(instance, device));
        }
        let device = khr::pipeline_executable_properties::Device::new(instance, device);
        // Only the text of AMD's code is read.
        Self::Executables { device, assembly: facts.vendor_id == AMD }
    }

    /// The extension that it reads.
    pub fn extension(&self) -> &'static CStr {
        match self {
            Self::Executables { .. } => khr::pipeline_executable_properties::NAME,
            Self::ShaderInfo(_) => amd::shader_info::NAME,
        }
    }

    /// What pipelines have to be made with.
    pub fn flags(&self) -> vk::PipelineCreateFlags {
        use vk::PipelineCreateFlags as Flags;
        match self {
            Self::Executables { assembly: true, .. } => {
                Flags::CAPTURE_STATISTICS_KHR | Flags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR
            }
            Self::Executables { .. } => Flags::CAPTURE_STATISTICS_KHR,
            Self::ShaderInfo(_) => Flags::empty(),
        }
    }

    /// The forms of a compute pipeline that was made with [`Reader::flags`].
    ///
    /// # Errors
    /// What the driver refuses to tell.
    pub fn read(&self, pipeline: vk::Pipeline) -> Result<Vec<Executable>> {
        match self {
            Self::Executables { device, assembly } => executables(device, pipeline, *assembly),
            Self::ShaderInfo(device) => Ok(vec![shader_info(device, pipeline)?]),
        }
    }
}

fn executables(
    device: &khr::pipeline_executable_properties::Device,
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
    device: &khr::pipeline_executable_properties::Device,
    info: &vk::PipelineExecutableInfoKHR<'_>,
) -> Result<Option<String>> {
    let mut forms = attempt("listing a pipeline's code", || unsafe {
        device.get_pipeline_executable_internal_representations(info)
    })?;
    let Some(at) = forms.iter().position(|form| text(&form.name) == "Assembly") else { return Ok(None) };
    // Vulkan fills all forms in one call, and tells their sizes in the one before.
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

/// None for a format of a later Vulkan.
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

fn shader_info(device: &amd::shader_info::Device, pipeline: vk::Pipeline) -> Result<Executable> {
    let stage = vk::ShaderStageFlags::COMPUTE;
    let info = attempt("reading a pipeline's statistics", || unsafe {
        device.get_shader_info_statistics(pipeline, stage)
    })?;
    let taken = info.resource_usage;
    let bytes = |size: usize| u64::try_from(size).map(Value::Whole);
    let statistics = [
        ("VGPRs", "numUsedVgprs", Value::Whole(taken.num_used_vgprs.into())),
        ("SGPRs", "numUsedSgprs", Value::Whole(taken.num_used_sgprs.into())),
        ("LDS size", "ldsUsageSizeInBytes", bytes(taken.lds_usage_size_in_bytes)?),
        ("Scratch size", "scratchMemUsageInBytes", bytes(taken.scratch_mem_usage_in_bytes)?),
        ("Available VGPRs", "numAvailableVgprs", Value::Whole(info.num_available_vgprs.into())),
        ("Available SGPRs", "numAvailableSgprs", Value::Whole(info.num_available_sgprs.into())),
        ("Physical VGPRs", "numPhysicalVgprs", Value::Whole(info.num_physical_vgprs.into())),
        ("Physical SGPRs", "numPhysicalSgprs", Value::Whole(info.num_physical_sgprs.into())),
    ];
    let statistics = statistics.map(|(name, member, value)| Statistic::new(name, member, value)).into();
    Ok(Executable { name: "compute".into(), subgroup_size: 0, statistics, assembly: None })
}
