//! The kernels that each variant dispatches, and their compiled code.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use isa::{Executable, KernelCode, Reported, Sass, Source, VariantCode};
use record::DeviceFacts;
use record::error::Halt;
use vulkan::handles::Kernel;

use super::scripts::Scripts;
use crate::lab::Lab;

/// The distinct kernels of a lab's variants, and which variants dispatch them.
#[derive(Default)]
pub struct Dispatched {
    /// Which kernels each variant dispatches.
    pub variants: Vec<VariantCode>,
    /// What the driver reports about each kernel.
    pub kernels: Vec<KernelCode>,
    /// The SPIR-V of each kernel, for other compilers.
    pub sources: Vec<Source>,
    /// The handles of the kernels, in the same order.
    pub handles: Vec<Kernel>,
    /// Index of each kernel of the lab in these lists.
    numbers: BTreeMap<Kernel, usize>,
}

/// Finds the kernels that the selected variants dispatch from their recordings; nothing is submitted.
///
/// # Errors
/// A mistake in the sample.
pub fn dispatched(lab: &Lab) -> Result<Dispatched> {
    let scripts = Scripts::new(lab);
    let mut found = Dispatched::default();
    for (at, variant) in lab.variants.iter().enumerate() {
        let name = variant.name.clone();
        // A variant that cannot run on this device may have a kernel that could not be built.
        if let Some(status) = &variant.left_out {
            let left_out = Some(status.reason().unwrap_or_else(|| format!("{status:?}")));
            found.variants.push(VariantCode { variant: name, kernels: Vec::new(), left_out });
            continue;
        }
        let script = scripts.script(at, 1)?;
        if script.dispatches().next().is_none() && script.launches().next().is_some() {
            let left_out = Some("it only draws, and only compute shaders are compiled".into());
            found.variants.push(VariantCode { variant: name, kernels: Vec::new(), left_out });
            continue;
        }
        let mut seen = BTreeSet::new();
        let kernels = script.dispatches().map(|dispatch| found.number(lab, dispatch.kernel));
        let kernels = kernels.filter(|number| seen.insert(*number)).collect();
        found.variants.push(VariantCode { variant: name, kernels, left_out: None });
    }
    Ok(found)
}

/// The statistics of these kernels from the driver of the device in use, and of machine code in its pipeline cache.
///
/// # Errors
/// The driver does not report them, or the device was opened without them.
pub fn reported(lab: &Lab, handles: &[Kernel]) -> Result<Reported> {
    let device = lab.device();
    let kernels = statistics(lab, handles)?;
    let machine_code = isa::machine_code(device, &kernels, |at| lab.gpu.cached(handles[at]));
    Ok(Reported {
        device: device.name.clone(),
        driver: device.driver(),
        extension: "VK_KHR_pipeline_executable_properties".into(),
        kernels,
        machine_code,
    })
}

/// The machine code of these kernels in the pipeline cache of NVIDIA's driver.
///
/// # Errors
/// [`Halt::Skip`] if it cannot be read here; an error of the driver.
pub fn sass(lab: &Lab, handles: &[Kernel]) -> Result<Sass> {
    isa::sass(lab.device(), &statistics(lab, handles)?, |at| lab.gpu.cached(handles[at]))
}

fn statistics(lab: &Lab, kernels: &[Kernel]) -> Result<Vec<Vec<Executable>>> {
    let reader = lab.gpu.statistics.as_ref().ok_or_else(|| {
        let DeviceFacts { name, driver_name, .. } = lab.device();
        Halt::Skip(format!(
            "{driver_name} does not tell what it makes of kernels on {name}: it has no \
             VK_KHR_pipeline_executable_properties (--code amd:polaris10,navi21 compiles for chips that are not here)"
        ))
    })?;
    lab.gpu.compile(&kernels.iter().copied().collect())?;
    kernels.iter().map(|&kernel| reader.read(lab.gpu.arena().kernel(kernel).pipeline.get())).collect()
}

impl Dispatched {
    /// Index of a kernel in the lists. Kernels with the same code and the same constants share an index.
    fn number(&mut self, lab: &Lab, kernel: Kernel) -> usize {
        if let Some(&known) = self.numbers.get(&kernel) {
            return known;
        }
        let arena = lab.gpu.arena();
        let slot = arena.kernel(kernel);
        let source = Source {
            name: slot.facts.name.clone(),
            spirv: slot.spirv.to_vec(),
            constants: slot.constants.clone(),
            bindings: slot.interface.bindings.iter().map(|binding| binding.as_raw()).collect(),
            push_bytes: slot.interface.push_bytes,
        };
        let same = self.sources.iter().position(|known| *known == source);
        let number = same.unwrap_or(self.sources.len());
        self.numbers.insert(kernel, number);
        if same.is_some() {
            return number;
        }
        self.kernels.push(KernelCode {
            name: slot.facts.name.clone(),
            spirv_sha256: slot.facts.spirv_sha256.clone(),
            constants: slot.facts.constants.clone(),
            workgroup: slot.facts.workgroup,
        });
        self.sources.push(source);
        self.handles.push(kernel);
        number
    }
}
