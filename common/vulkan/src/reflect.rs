//! Reads the interface of a kernel from its SPIR-V: bindings, push constants, specialisation constants and
//! workgroup size. Layouts are made from it, so that nothing is declared twice.
//!
//! This does not use spirq, which evaluates every constant expression and fails on those that depend on
//! specialisation constants.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result, bail, ensure};
use ash::vk;
use spirv::{Decoration, Dim, ExecutionMode, ExecutionModel, Op, StorageClass};

use crate::spirv::instructions;

/// The interface of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Descriptor type of each binding of set 0, without gaps.
    pub bindings: Vec<vk::DescriptorType>,
    /// Whether the kernel may read and whether it may write the resource of each binding.
    pub accesses: Vec<[bool; 2]>,
    /// Size of the push constants in bytes.
    pub push_bytes: u32,
    /// Id of each named specialisation constant.
    pub constants: BTreeMap<String, u32>,
    /// Workgroup size in x, y and z; 1 in a shader that has no workgroups.
    pub workgroup: [Side; 3],
}

impl Default for Side {
    fn default() -> Self {
        Self::Fixed(1)
    }
}

impl Interface {
    /// Number of bindings that are storage buffers.
    #[must_use]
    pub fn storage_buffers(&self) -> usize {
        self.bindings.iter().filter(|&&kind| kind == vk::DescriptorType::STORAGE_BUFFER).count()
    }
}

/// One side of a workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A literal in the shader.
    Fixed(u32),
    /// The specialisation constant with this id.
    Constant(u32),
}

/// Reads the interface of the entry point of `spirv`.
///
/// # Errors
/// SPIR-V of a compute kernel without a workgroup size, or that uses descriptors without a layout in the suite.
pub fn reflect(spirv: &[u32]) -> Result<Interface> {
    let module = Module::read(spirv)?;
    let (bindings, accesses) = module.bindings()?.into_iter().unzip();
    Ok(Interface {
        bindings,
        accesses,
        push_bytes: module.push_bytes()?,
        constants: module.constants(),
        workgroup: module.workgroup()?,
    })
}

/// The declarations of a module, by the id that each defines.
#[derive(Default)]
struct Module<'s> {
    is_compute: bool,
    names: HashMap<u32, String>,
    /// By id, member of a structure, and decoration.
    decorations: HashMap<(u32, Option<u32>, u32), u32>,
    /// Opcode, and operands after the id.
    types: HashMap<u32, (u32, &'s [u32])>,
    /// Value of each 32-bit constant.
    values: HashMap<u32, u32>,
    /// Id and type of each variable, in the order of the module.
    variables: Vec<(u32, u32)>,
    sides: Option<[u32; 3]>,
    literal_sides: Option<[u32; 3]>,
}

impl<'s> Module<'s> {
    fn read(spirv: &'s [u32]) -> Result<Self> {
        let mut module = Self::default();
        for instruction in instructions(spirv) {
            let (op, operands) = instruction?;
            module.note(op, operands);
        }
        Ok(module)
    }

    fn note(&mut self, op: u32, operands: &'s [u32]) {
        const MODE: u32 = ExecutionMode::LocalSize as u32;
        const MODE_BY_ID: u32 = ExecutionMode::LocalSizeId as u32;
        let is = |known: Op| op == known as u32;
        match *operands {
            [id, ref text @ ..] if is(Op::Name) => {
                self.names.insert(id, string(text));
            }
            [id, decoration, ref value @ ..] if is(Op::Decorate) => {
                self.decorations.insert((id, None, decoration), value.first().copied().unwrap_or(0));
            }
            [id, member, decoration, ref value @ ..] if is(Op::MemberDecorate) => {
                self.decorations.insert((id, Some(member), decoration), value.first().copied().unwrap_or(0));
            }
            [model, ..] if is(Op::EntryPoint) => self.is_compute = model == ExecutionModel::GLCompute as u32,
            [_, MODE, x, y, z] if is(Op::ExecutionMode) => self.literal_sides = Some([x, y, z]),
            [_, MODE_BY_ID, x, y, z] if is(Op::ExecutionModeId) => self.sides = Some([x, y, z]),
            [_, id, value] if is(Op::Constant) || is(Op::SpecConstant) => {
                self.values.insert(id, value);
            }
            [ty, id, ..] if is(Op::Variable) => self.variables.push((id, ty)),
            [id, ref rest @ ..] if (Op::TypeVoid as u32..=Op::TypePointer as u32).contains(&op) => {
                self.types.insert(id, (op, rest));
            }
            _ => {}
        }
    }

    fn decoration(&self, id: u32, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, None, decoration as u32)).copied()
    }

    fn member(&self, id: u32, member: usize, decoration: Decoration) -> Option<u32> {
        self.decorations.get(&(id, u32::try_from(member).ok(), decoration as u32)).copied()
    }

    fn ty(&self, id: u32) -> Result<(u32, &'s [u32])> {
        self.types.get(&id).copied().with_context(|| format!("type {id} is not declared"))
    }

    /// Id, storage class and pointee type of each variable.
    fn pointers(&self) -> impl Iterator<Item = Result<(u32, u32, u32)>> {
        self.variables.iter().map(|&(id, pointer)| match self.ty(pointer)?.1 {
            &[class, pointee] => Ok((id, class, pointee)),
            other => bail!("a pointer with operands {other:?}"),
        })
    }

    /// Type and accesses of each binding.
    fn bindings(&self) -> Result<Vec<(vk::DescriptorType, [bool; 2])>> {
        let mut found = BTreeMap::new();
        for variable in self.pointers() {
            let (id, class, pointee) = variable?;
            let Some(binding) = self.decoration(id, Decoration::Binding) else { continue };
            let set = self.decoration(id, Decoration::DescriptorSet).unwrap_or(0);
            ensure!(set == 0, "set {set} is used; kernels have one set");
            let kind = self.descriptor(class, pointee).with_context(|| format!("binding {binding}"))?;
            found.insert(binding, (kind, self.accesses(kind, id, pointee)));
        }
        if let Some((gap, _)) = (0..).zip(found.keys()).find(|(i, binding)| i != *binding) {
            bail!("binding {gap} is missing; bindings count from 0 without gaps");
        }
        Ok(found.into_values().collect())
    }

    /// Whether a variable may be read and written, which its qualifiers or those of all its members restrict.
    fn accesses(&self, kind: vk::DescriptorType, id: u32, pointee: u32) -> [bool; 2] {
        let members = self.ty(pointee).map_or(0, |(_, members)| members.len());
        let is = |qualifier: Decoration| {
            let of_members = |at| self.member(pointee, at, qualifier).is_some();
            self.decoration(id, qualifier).is_some() || (0..members).all(of_members)
        };
        match kind {
            vk::DescriptorType::STORAGE_BUFFER | vk::DescriptorType::STORAGE_IMAGE => {
                [!is(Decoration::NonReadable), !is(Decoration::NonWritable)]
            }
            _ => [true, false],
        }
    }

    fn descriptor(&self, class: u32, pointee: u32) -> Result<vk::DescriptorType> {
        const STRUCT: u32 = Op::TypeStruct as u32;
        const IMAGE: u32 = Op::TypeImage as u32;
        const BUFFER: u32 = Dim::DimBuffer as u32;
        Ok(match self.ty(pointee)? {
            (STRUCT, _) if class == StorageClass::StorageBuffer as u32 => vk::DescriptorType::STORAGE_BUFFER,
            (STRUCT, _) if class == StorageClass::Uniform as u32 => vk::DescriptorType::UNIFORM_BUFFER,
            // Operands: texel type, dimensions, depth, arrayed, multisampled, and 1 for sampled or 2 for storage.
            (IMAGE, &[_, BUFFER, _, _, _, 1, ..]) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            (IMAGE, &[_, _, _, _, _, 1, ..]) => vk::DescriptorType::SAMPLED_IMAGE,
            (IMAGE, &[_, dim, _, _, _, 2, ..]) if dim != BUFFER => vk::DescriptorType::STORAGE_IMAGE,
            (op, _) => bail!(
                "a binding of SPIR-V type {op}: storage and uniform buffers, texel buffers, storage and sampled images \
                 can be bound"
            ),
        })
    }

    fn push_bytes(&self) -> Result<u32> {
        for variable in self.pointers() {
            let (_, class, pointee) = variable?;
            if class == StorageClass::PushConstant as u32 {
                return self.bytes(pointee);
            }
        }
        Ok(0)
    }

    fn bytes(&self, id: u32) -> Result<u32> {
        const STRUCT: u32 = Op::TypeStruct as u32;
        const SCALARS: [u32; 2] = [Op::TypeInt as u32, Op::TypeFloat as u32];
        const VECTOR: u32 = Op::TypeVector as u32;
        const ARRAY: u32 = Op::TypeArray as u32;
        const TOO_MANY_BYTES: &str = "push constants of more than 4 GiB";
        match self.ty(id)? {
            (op, &[bits, ..]) if SCALARS.contains(&op) => Ok(bits / 8),
            (VECTOR, &[of, count]) => self.bytes(of)?.checked_mul(count).context(TOO_MANY_BYTES),
            (ARRAY, &[_, length]) => {
                let stride =
                    self.decoration(id, Decoration::ArrayStride).context("an array without a stride")?;
                let length = self.values.get(&length).context("an array without a length")?;
                stride.checked_mul(*length).context(TOO_MANY_BYTES)
            }
            (STRUCT, members) => {
                let ends = members.iter().enumerate().map(|(at, &member)| {
                    let offset =
                        self.member(id, at, Decoration::Offset).context("a member without an offset")?;
                    offset.checked_add(self.bytes(member)?).context(TOO_MANY_BYTES)
                });
                ends.reduce(|a: Result<u32>, b| Ok(a?.max(b?))).unwrap_or(Ok(0))
            }
            (op, _) => bail!("push constants hold a type of opcode {op}"),
        }
    }

    fn constants(&self) -> BTreeMap<String, u32> {
        let numbered = self.decorations.iter().filter(|((.., kind), _)| *kind == Decoration::SpecId as u32);
        numbered.filter_map(|((id, ..), &number)| Some((self.names.get(id)?.clone(), number))).collect()
    }

    fn workgroup(&self) -> Result<[Side; 3]> {
        if !self.is_compute {
            return Ok([Side::Fixed(1); 3]);
        }
        if let Some(sides) = self.literal_sides {
            return Ok(sides.map(Side::Fixed));
        }
        let [x, y, z] = self.sides.context("the kernel has no workgroup size")?;
        let side = |id| match self.decoration(id, Decoration::SpecId) {
            Some(number) => Ok(Side::Constant(number)),
            None => self
                .values
                .get(&id)
                .map(|&n| Side::Fixed(n))
                .context("a side of the workgroup is neither a number nor a specialisation constant"),
        };
        Ok([side(x)?, side(y)?, side(z)?])
    }
}

/// Decodes a SPIR-V string: bytes up to a zero, four per word.
fn string(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}
