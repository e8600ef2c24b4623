//! What a kernel takes, read from its SPIR-V: bindings, push constants, specialisation constants
//! and workgroup size. Layouts are made from it, so nothing is declared twice.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use ash::vk;
use spirq::prelude::*;

/// The interface of a compute kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Descriptor type of each binding of set 0, without gaps.
    pub bindings: Vec<vk::DescriptorType>,
    /// Bytes of push constants.
    pub push_bytes: u32,
    /// Id of each named specialisation constant.
    pub constants: BTreeMap<String, u32>,
    /// Workgroup size, x, y, z.
    pub workgroup: [Side; 3],
}

impl Interface {
    /// How many of the bindings are storage buffers.
    #[must_use]
    pub fn storage_buffers(&self) -> usize {
        self.bindings.iter().filter(|&&kind| kind == vk::DescriptorType::STORAGE_BUFFER).count()
    }
}

/// One side of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Written in the shader.
    Fixed(u32),
    /// Set by the specialisation constant with this id.
    Constant(u32),
}

/// Reflects the one entry point of `spirv`.
///
/// # Errors
/// SPIR-V that is no compute kernel or uses what the suite has no layout for.
pub fn reflect(spirv: &[u32]) -> Result<Interface> {
    // Seen with `gl_WorkGroupSize.x * 4` where the size is a specialisation constant.
    let entries = ReflectConfig::new().spv(spirv).ref_all_rscs(true).reflect().context(
        "reflecting SPIR-V (spirq cannot follow constant expressions of gl_WorkGroupSize: pass its sides as defines)",
    )?;
    let entry = entries.first().context("the SPIR-V has no entry point")?;
    let mut bindings = BTreeMap::new();
    let mut constants = BTreeMap::new();
    let mut push_bytes = 0;
    for variable in &entry.vars {
        match variable {
            Variable::Descriptor { desc_bind, desc_ty, nbind, .. } => {
                if *nbind != 1 {
                    bail!("binding {} is an array of {nbind}; kernels take single ones", desc_bind.bind());
                }
                if desc_bind.set() != 0 {
                    bail!("set {} is used; kernels have one set", desc_bind.set());
                }
                bindings.insert(desc_bind.bind(), descriptor_type(desc_ty)?);
            }
            Variable::PushConstant { ty, .. } => {
                push_bytes = u32::try_from(ty.nbyte().context("push constants have no size")?)?;
            }
            Variable::SpecConstant { name: Some(name), spec_id, .. } => {
                constants.insert(name.clone(), *spec_id);
            }
            _ => {}
        }
    }
    if let Some((gap, _)) = (0..).zip(bindings.keys()).find(|(i, b)| i != *b) {
        bail!("binding {gap} is missing; bindings count from 0 without gaps");
    }
    Ok(Interface {
        bindings: bindings.into_values().collect(),
        push_bytes,
        constants,
        workgroup: workgroup(entry)?,
    })
}

fn descriptor_type(ty: &DescriptorType) -> Result<vk::DescriptorType> {
    Ok(match ty {
        DescriptorType::StorageImage(_) => vk::DescriptorType::STORAGE_IMAGE,
        DescriptorType::StorageBuffer(_) => vk::DescriptorType::STORAGE_BUFFER,
        DescriptorType::UniformBuffer() => vk::DescriptorType::UNIFORM_BUFFER,
        DescriptorType::SampledImage() => vk::DescriptorType::SAMPLED_IMAGE,
        DescriptorType::UniformTexelBuffer() => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
        other => bail!("descriptors of type {other:?} have no layout in the suite yet"),
    })
}

fn workgroup(entry: &EntryPoint) -> Result<[Side; 3]> {
    use spirq::spirv::ExecutionMode as Mode;
    let mode = entry
        .exec_modes
        .iter()
        .find(|m| matches!(m.exec_mode, Mode::LocalSize | Mode::LocalSizeId))
        .context("the kernel has no workgroup size")?;
    let side = |i: usize| -> Result<Side> {
        let operand = mode.operands.get(i).context("a workgroup has three sides")?;
        Ok(match (operand.spec_id, &operand.value) {
            (Some(id), _) => Side::Constant(id),
            (None, ConstantValue::U32(n)) => Side::Fixed(*n),
            (None, other) => bail!("workgroup side {other:?}"),
        })
    };
    Ok([side(0)?, side(1)?, side(2)?])
}
