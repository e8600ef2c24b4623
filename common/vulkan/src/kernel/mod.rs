//! Kernels: from a shader file to a pipeline.

mod raster;
mod reload;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::{Context, Result, ensure};
use ash::vk;
use rayon::prelude::*;
use record::KernelFacts;
use record::error::BeyondLimits;
use record::trace::Parts;

use crate::fault::attempt;
use crate::gpu::{Gpu, KernelSlot, Raster, Reader, Recipe};
use crate::handles::Kernel;
use crate::memory::bytes_in_words;
use crate::reflect::{Interface, Side, reflect};
use crate::source::{Library, Source};
use crate::spirv::{self, Defines};
use crate::wrap::traced_source;

/// A description of a kernel to be made.
#[must_use = "a kernel exists once `build` has been called"]
#[derive(Debug)]
pub struct KernelBuilder<'g> {
    gpu: &'g Gpu,
    shaders: &'g Library,
    recipe: Recipe,
}

impl<'g> KernelBuilder<'g> {
    /// A kernel of a shader, by its path under `shaders/`.
    pub fn new(gpu: &'g Gpu, shaders: &'g Library, path: &str) -> Self {
        Self { gpu, shaders, recipe: Recipe { path: path.to_owned(), ..Recipe::default() } }
    }

    /// Takes this text in place of a file. The part of the kernel's path up to a space names its pack.
    pub fn generated(mut self, text: String) -> Self {
        self.recipe.text = Some(text.into());
        self
    }

    /// Defines a macro without a value, for `#ifdef`.
    pub fn define(self, name: &str) -> Self {
        self.define_as(name, "")
    }

    /// Defines a macro for a property that cannot be a specialisation constant, such as a format or an extension.
    /// The shader lists the possible macros in its `Modules:` lines.
    pub fn define_as(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.recipe.defines.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets a specialisation constant of 32 bits by its name in the shader.
    pub fn constant(mut self, name: &str, value: u32) -> Self {
        self.recipe.constants.insert(name.to_owned(), value);
        self
    }

    /// Sets several specialisation constants.
    pub fn constants<'n>(self, constants: impl IntoIterator<Item = (&'n str, u32)>) -> Self {
        constants.into_iter().fold(self, |kernel, (name, value)| kernel.constant(name, value))
    }

    /// Sets the workgroup size through the shader's `local_size_*_id`.
    pub fn workgroup(mut self, size: [u32; 3]) -> Self {
        self.recipe.workgroup = Some(size);
        self
    }

    /// Makes every subgroup full and of the device's size, so that invocations can be numbered by subgroups. Otherwise a
    /// driver may choose another size or leave subgroups partly filled.
    pub fn whole_subgroups(mut self) -> Self {
        self.recipe.whole_subgroups = true;
        self
    }

    /// Declares the bytes of shared memory of a workgroup, so that a device with less memory is detected before its
    /// driver fails.
    pub fn shared_bytes(mut self, bytes: u64) -> Self {
        self.recipe.shared_bytes = bytes;
        self
    }

    /// Makes the fragment shader a graphics pipeline with this vertex shader, by its path, and attachments of these
    /// formats: of the colours, and then of the depth, if there is one. [`RenderPass::draw`](crate::cmd::RenderPass::draw) uses it.
    pub fn raster(mut self, vertex: &str, targets: &[vk::Format]) -> Self {
        self.recipe.raster = Some(Raster { vertex: vertex.to_owned(), targets: targets.to_vec() });
        self
    }

    /// Declares the meaning of the kernel's `trace_part` and `trace_stamp`, so that a trace shows its parts.
    pub fn parts(mut self, parts: Parts) -> Self {
        self.recipe.parts = Some(parts);
        self
    }

    /// The kernel's handle. The kernel is made when a selected variant dispatches it.
    pub fn build(self) -> Kernel {
        self.gpu.plan_kernel(self.recipe)
    }

    /// Compiles the shader immediately, for kernels of the runner.
    ///
    /// # Errors
    /// The errors of [`Gpu::draft`].
    pub fn draft(self) -> Result<Kernel> {
        let Self { gpu, shaders, .. } = self;
        let kernel = self.build();
        gpu.draft(shaders, kernel)?;
        Ok(kernel)
    }

    /// Like [`KernelBuilder::draft`], but also makes the pipeline. The record does not show the kernel, and it is
    /// never traced.
    ///
    /// # Errors
    /// The errors of [`Gpu::draft`]; an error of the driver.
    pub fn build_for_runner(self) -> Result<Kernel> {
        let gpu = self.gpu;
        let kernel = self.draft()?;
        gpu.hide(kernel);
        gpu.compile(&[kernel].into())?;
        Ok(kernel)
    }

    /// The recipe, without making a kernel.
    pub fn recipe(self) -> Recipe {
        self.recipe
    }
}

impl Recipe {
    fn plain_source(&self, shaders: &Library) -> Result<Source> {
        match &self.text {
            Some(text) => shaders.with_includes(&self.path, text.to_string()),
            None => shaders.load(&self.path),
        }
    }

    /// The shader with its includes, and the macros to compile it with.
    fn source(&self, gpu: &Gpu, shaders: &Library) -> Result<(Source, Defines)> {
        let source = self.plain_source(shaders)?;
        if !self.traced {
            return Ok((source, self.defines.clone()));
        }
        let bindings = reflect(&spirv::compile(&source, &self.defines)?)?.bindings.len();
        traced_source(shaders, &source, &self.defines, gpu.waves.lanes, bindings, self.parts.is_some())
    }

    /// The recipe of the traced copy, which records its waves.
    fn traced(mut self) -> Self {
        self.traced = true;
        if let Some(parts) = &self.parts {
            let sizes = [("TRACE_STRIDE", parts.words() / 4), ("TRACE_STAMPS", parts.stamps())];
            let sizes = sizes.map(|(name, n)| (name.to_owned(), u32::try_from(n).unwrap_or(u32::MAX)));
            self.constants.extend(sizes);
        }
        self
    }

    /// Specialisation constants by id, and the resulting workgroup size.
    fn specialise(&self, interface: &Interface) -> Result<(BTreeMap<u32, u32>, [u32; 3])> {
        let mut by_id = BTreeMap::new();
        for (name, &value) in &self.constants {
            let id = interface
                .constants
                .get(name)
                .with_context(|| format!("shader {} has no specialisation constant {name}", self.path))?;
            by_id.insert(*id, value);
        }
        let mut workgroup = self.workgroup.unwrap_or([1; 3]);
        for (side, wanted) in interface.workgroup.iter().zip(&mut workgroup) {
            match *side {
                Side::Constant(id) => {
                    by_id.insert(id, *wanted);
                }
                Side::Fixed(size) => {
                    ensure!(
                        self.workgroup.is_none() || *wanted == size,
                        "shader {} has a workgroup side of {size}, not {wanted}",
                        self.path
                    );
                    *wanted = size;
                }
            }
        }
        Ok((by_id, workgroup))
    }

    fn check_limits(&self, gpu: &Gpu, interface: &Interface, workgroup: [u32; 3]) -> Result<()> {
        let (facts, path) = (&gpu.facts, &self.path);
        let (name, bindings, room) = (&facts.name, interface.bindings.len(), gpu.limits.bindings);
        let invocations: u64 = workgroup.iter().map(|&n| u64::from(n)).product();
        let fits = workgroup.iter().zip(facts.max_workgroup_size).all(|(&n, most)| (1..=most).contains(&n));
        ensure!(
            fits && invocations <= u64::from(facts.max_workgroup_invocations),
            BeyondLimits(format!(
                "a workgroup of {} is not possible on {name}: at most {} a side and {} invocations",
                joined(&workgroup),
                joined(&facts.max_workgroup_size),
                facts.max_workgroup_invocations
            ))
        );
        ensure!(
            !self.whole_subgroups || workgroup[0].is_multiple_of(facts.subgroup_size),
            BeyondLimits(format!(
                "a workgroup of {} is no multiple of a subgroup on {name}, which has {} invocations",
                workgroup[0], facts.subgroup_size
            ))
        );
        // For other descriptors the limits are not checked: no kernel of the suite exceeds the 4 storage images and
        // 16 sampled images that Vulkan guarantees.
        let (buffers, most) = (interface.storage_buffers(), gpu.limits.storage_buffers as usize);
        ensure!(
            buffers <= most,
            BeyondLimits(format!("{path} binds {buffers} storage buffers, {name} takes {most}"))
        );
        ensure!(bindings <= room as usize, "shader {path} has {bindings} bindings, {name} takes {room}");
        Ok(())
    }

    fn check_shared(&self, gpu: &Gpu) -> Result<()> {
        let (name, most) = (&gpu.facts.name, u64::from(gpu.facts.max_shared_memory));
        let [wanted, has] = [self.shared_bytes, most].map(bytes_in_words);
        ensure!(
            self.shared_bytes <= most,
            BeyondLimits(format!(
                "{wanted} of shared memory a workgroup are not possible on {name}: it has {has}"
            ))
        );
        Ok(())
    }

    fn full_name(&self, defines: &Defines) -> String {
        let define = |(name, value): &(String, String)| match value.as_str() {
            "" => name.clone(),
            value => format!("{name}={value}"),
        };
        let defines: Vec<String> = defines.iter().map(define).collect();
        if defines.is_empty() { self.path.clone() } else { format!("{} [{}]", self.path, defines.join(" ")) }
    }
}

fn included(includes: Vec<(String, String)>) -> Vec<String> {
    includes.into_iter().map(|(name, _)| name).collect()
}

/// A workgroup size such as `8x8x1`.
pub(crate) fn joined(sides: &[u32; 3]) -> String {
    sides.map(|n| n.to_string()).join("x")
}

impl KernelSlot {
    pub(crate) fn is_drafted(&self) -> bool {
        !self.spirv.is_empty()
    }

    pub(crate) fn is_without_pipeline(&self) -> bool {
        self.pipeline.get() == vk::Pipeline::null()
    }
}

impl Gpu {
    /// The facts of all drafted kernels, except traced copies.
    pub fn kernel_facts(&self) -> Vec<KernelFacts> {
        let arena = self.arena();
        let shown = arena.kernels.iter().filter(|slot| slot.is_drafted() && !slot.is_traced);
        shown.map(|slot| slot.facts.clone()).collect()
    }

    /// Name and GLSL of a kernel.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn kernel_text(&self, shaders: &Library, kernel: Kernel) -> Result<(String, String)> {
        let arena = self.arena();
        let slot = arena.kernel(kernel);
        Ok((slot.facts.name.clone(), slot.recipe.plain_source(shaders)?.text))
    }

    /// Leaves a drafted kernel out of the record and of traces.
    pub fn hide(&self, kernel: Kernel) {
        self.arena.borrow_mut().kernels[kernel.0 as usize].is_traced = true;
    }

    /// Plans a kernel to be made later.
    pub fn plan_kernel(&self, recipe: Recipe) -> Kernel {
        let mut arena = self.arena.borrow_mut();
        arena.kernels.push(KernelSlot { recipe, ..KernelSlot::default() });
        Kernel(u32::try_from(arena.kernels.len() - 1).unwrap_or(u32::MAX))
    }

    /// Sets the recipe of a planned kernel.
    pub fn replan_kernel(&self, kernel: Kernel, recipe: Recipe) {
        self.arena.borrow_mut().kernels[kernel.0 as usize].recipe = recipe;
    }

    /// Compiles the shader of a planned kernel, unless that was done before. [`Gpu::compile`] makes its pipeline.
    ///
    /// # Errors
    /// A shader that does not compile, or a constant that it does not have; [`BeyondLimits`] if the workgroup, the
    /// shared memory or the storage buffers exceed the device's limits.
    pub fn draft(&self, shaders: &Library, kernel: Kernel) -> Result<()> {
        let recipe = {
            let arena = self.arena();
            let slot = arena.kernel(kernel);
            if slot.is_drafted() {
                return Ok(());
            }
            slot.recipe.clone()
        };
        recipe.parts.as_ref().map_or(Ok(()), Parts::check)?;
        let drafted = self.drafted(shaders, &recipe)?;
        self.arena.borrow_mut().kernels[kernel.0 as usize] = drafted;
        Ok(())
    }

    /// The traced copy of a kernel, made at the first call; `None` if the device cannot bind one more storage
    /// buffer, or store from a fragment shader.
    ///
    /// # Errors
    /// The wrapper does not compile.
    pub fn traced(&self, shaders: &Library, kernel: Kernel) -> Result<Option<Kernel>> {
        let recipe = {
            let arena = self.arena();
            let slot = arena.kernel(kernel);
            let has_room = slot.interface.bindings.len() < self.limits.bindings as usize
                && slot.interface.storage_buffers() < self.limits.storage_buffers as usize
                && (slot.recipe.raster.is_none() || self.waves.in_fragments);
            if slot.traced.is_some() || !has_room {
                return Ok(slot.traced);
            }
            slot.recipe.clone().traced()
        };
        let traced = self.plan_kernel(recipe);
        self.draft(shaders, traced)?;
        self.arena.borrow_mut().kernels[kernel.0 as usize].traced = Some(traced);
        Ok(Some(traced))
    }

    /// Makes the missing pipelines of these kernels.
    ///
    /// # Errors
    /// An error of the driver.
    pub fn compile(&self, kernels: &BTreeSet<Kernel>) -> Result<()> {
        let arena = self.arena();
        let slots = kernels.iter().map(|&kernel| arena.kernel(kernel));
        let slots: Vec<_> = slots.filter(|slot| slot.is_without_pipeline()).collect();
        self.finish(&slots)
    }

    /// The data of a pipeline cache with this kernel alone. Its pipeline is made once more, as a run makes it: without
    /// statistics.
    ///
    /// # Errors
    /// An error of the driver.
    pub fn cached(&self, kernel: Kernel) -> Result<Vec<u8>> {
        let (arena, device) = (self.arena(), &self.device);
        let (slot, flags) = (arena.kernel(kernel), vk::PipelineCreateFlags::empty());
        let cache = attempt("creating a pipeline cache", || unsafe {
            device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None)
        })?;
        let stages = self.stages(slot);
        let made = compile(device, flags, &stages, slot.layout, &slot.facts.name, cache);
        let data = made.and_then(|pipeline| {
            unsafe { device.destroy_pipeline(pipeline, None) };
            attempt("reading a pipeline cache", || unsafe { device.get_pipeline_cache_data(cache) })
        });
        unsafe { device.destroy_pipeline_cache(cache, None) };
        data
    }

    /// Makes the pipelines of kernels on all processors in parallel, because drivers take up to some dozens of
    /// milliseconds for each. A single pipeline is made on this thread.
    pub fn finish(&self, slots: &[&KernelSlot]) -> Result<()> {
        let flags = self.statistics.as_ref().map_or(vk::PipelineCreateFlags::empty(), Reader::flags);
        let device = &self.device;
        let jobs: Vec<_> = slots
            .iter()
            .map(|slot| {
                // Only these fields of a slot can be sent to another thread.
                let (stages, layout, name) = (self.stages(slot), slot.layout, &slot.facts.name[..]);
                move || compile(device, flags, &stages, layout, name, vk::PipelineCache::null())
            })
            .collect();
        let made: Vec<_> = match &jobs[..] {
            [job] => vec![job()],
            jobs => jobs.par_iter().map(|job| job()).collect(),
        };
        let mut failed = Ok(());
        for (slot, made) in slots.iter().zip(made) {
            match made {
                Ok(pipeline) => {
                    self.name(pipeline, &slot.facts.name);
                    slot.pipeline.set(pipeline);
                }
                Err(error) => failed = failed.and(Err(error)),
            }
        }
        failed
    }

    fn stages<'s>(&self, slot: &'s KernelSlot) -> Stages<'s> {
        // A device that cannot be asked has one size.
        let is_asked = slot.recipe.whole_subgroups && self.limits.sets_subgroup_size;
        let subgroup = is_asked.then_some(self.facts.subgroup_size);
        Stages { spirv: &slot.spirv, constants: &slot.constants, raster: slot.raster(), subgroup }
    }

    /// Compiles a kernel without making its pipeline.
    fn drafted(&self, shaders: &Library, recipe: &Recipe) -> Result<KernelSlot> {
        recipe.check_shared(self)?;
        let (source, defines) = recipe.source(self, shaders)?;
        let spirv = spirv::compile(&source, &defines)?;
        let mut interface = reflect(&spirv).with_context(|| format!("shader {}", recipe.path))?;
        let (vertex_spirv, vertex_files) = recipe.vertex_spirv(self, shaders, &mut interface)?;
        let (constants, workgroup) = recipe.specialise(&interface)?;
        recipe.check_limits(self, &interface, workgroup)?;
        let facts = KernelFacts {
            name: recipe.full_name(&recipe.defines),
            spirv_sha256: spirv::hash(&[&spirv[..], &vertex_spirv].concat()),
            constants: recipe.constants.clone(),
            workgroup,
        };
        let (set_layout, layout) =
            layouts(&self.device, recipe.stages(), &interface.bindings, interface.push_bytes)?;
        self.name(layout, &facts.name);
        self.name(set_layout, &facts.name);
        Ok(KernelSlot {
            pipeline: Cell::default(),
            layout,
            set_layout,
            interface,
            facts,
            spirv: spirv.into(),
            vertex_spirv: vertex_spirv.into(),
            constants,
            sources: [included(source.includes), vertex_files].concat(),
            recipe: recipe.clone(),
            traced: None,
            is_traced: recipe.traced,
        })
    }
}

/// The code of a pipeline.
pub struct Stages<'s> {
    /// The compute or fragment shader.
    pub spirv: &'s [u32],
    /// Its specialisation constants, by id.
    pub constants: &'s BTreeMap<u32, u32>,
    /// The vertex shader, and the format of each colour attachment.
    pub raster: Option<(&'s [u32], &'s [vk::Format])>,
    /// Number of invocations of each subgroup, all of them full; `None` lets the driver choose.
    pub subgroup: Option<u32>,
}

/// Makes the pipeline of a kernel.
pub fn compile(
    device: &ash::Device,
    flags: vk::PipelineCreateFlags,
    stages: &Stages<'_>,
    layout: vk::PipelineLayout,
    name: &str,
    cache: vk::PipelineCache,
) -> Result<vk::Pipeline> {
    let constants = stages.constants;
    let entries: Vec<_> = (0..)
        .zip(constants.keys())
        .map(|(i, &id)| vk::SpecializationMapEntry { constant_id: id, offset: 4 * i, size: 4 })
        .collect();
    let values: Vec<u32> = constants.values().copied().collect();
    let specialisation =
        vk::SpecializationInfo::default().map_entries(&entries).data(bytemuck::cast_slice(&values));
    let own = module(device, stages.spirv, name)?;
    let mut whole = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .module(own)
        .name(c"main")
        .specialization_info(&specialisation);
    if let Some(lanes) = stages.subgroup {
        whole = whole.required_subgroup_size(lanes);
        stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS).push_next(&mut whole);
    }
    let compiling = || format!("compiling {name} on the device");
    let made = match stages.raster {
        None => attempt(compiling(), || {
            let stage = stage.stage(vk::ShaderStageFlags::COMPUTE);
            let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout)];
            let made = unsafe { device.create_compute_pipelines(cache, &info, None) };
            made.map_err(|(_, result)| result)
        }),
        Some((vertex, targets)) => module(device, vertex, name).and_then(|vertex_module| {
            let fragment = stage.stage(vk::ShaderStageFlags::FRAGMENT);
            let vertex = stage.stage(vk::ShaderStageFlags::VERTEX).module(vertex_module);
            let made = attempt(compiling(), || {
                raster::pipelines(device, flags, [vertex, fragment], targets, layout, cache)
            });
            unsafe { device.destroy_shader_module(vertex_module, None) };
            made
        }),
    };
    unsafe { device.destroy_shader_module(own, None) };
    Ok(made?[0])
}

fn module(device: &ash::Device, spirv: &[u32], name: &str) -> Result<vk::ShaderModule> {
    let info = vk::ShaderModuleCreateInfo::default().code(spirv);
    attempt(format_args!("loading {name}"), || unsafe { device.create_shader_module(&info, None) })
}

/// The layouts of a kernel: push descriptors of one set, and push constants.
pub fn layouts(
    device: &ash::Device,
    stages: vk::ShaderStageFlags,
    bindings: &[vk::DescriptorType],
    push_bytes: u32,
) -> Result<(vk::DescriptorSetLayout, vk::PipelineLayout)> {
    let bindings: Vec<_> = (0..)
        .zip(bindings)
        .map(|(i, &ty)| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(i)
                .descriptor_type(ty)
                .descriptor_count(1)
                .stage_flags(stages)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default()
        .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR)
        .bindings(&bindings);
    let set =
        attempt("creating a set layout", || unsafe { device.create_descriptor_set_layout(&info, None) })?;
    let sets = [set];
    let push = [vk::PushConstantRange { stage_flags: stages, offset: 0, size: push_bytes }];
    let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
    if push_bytes > 0 {
        info = info.push_constant_ranges(&push);
    }
    let layout =
        attempt("creating a pipeline layout", || unsafe { device.create_pipeline_layout(&info, None) });
    let layout = layout.inspect_err(|_| unsafe { device.destroy_descriptor_set_layout(set, None) });
    Ok((set, layout?))
}
