//! Kernels that draw: a vertex and a fragment shader in a graphics pipeline for dynamic rendering.

use anyhow::{Context, Result, ensure};
use ash::prelude::VkResult;
use ash::vk;
use record::error::BeyondLimits;

use super::included;
use crate::gpu::{Gpu, KernelSlot, Raster, Recipe, aspect};
use crate::reflect::{Interface, reflect};
use crate::source::Library;
use crate::spirv;
use crate::wrap::{bindings_of_draw, traced_source};

impl Recipe {
    pub(crate) fn bind_point(&self) -> vk::PipelineBindPoint {
        match self.raster {
            Some(_) => vk::PipelineBindPoint::GRAPHICS,
            None => vk::PipelineBindPoint::COMPUTE,
        }
    }

    /// The shader stages of the pipeline.
    pub(crate) fn stages(&self) -> vk::ShaderStageFlags {
        match self.raster {
            Some(_) => vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT,
            None => vk::ShaderStageFlags::COMPUTE,
        }
    }

    /// The SPIR-V of the vertex shader, and its files; none for a compute kernel. `interface` is that of the fragment shader; it
    /// becomes that of both.
    ///
    /// # Errors
    /// A vertex shader that does not compile, or with other bindings or push constants than the fragment shader; a device or
    /// queue that cannot draw.
    pub(super) fn vertex_spirv(
        &self,
        gpu: &Gpu,
        shaders: &Library,
        interface: &mut Interface,
    ) -> Result<(Vec<u32>, Vec<String>)> {
        let Some(Raster { vertex, targets }) = &self.raster else { return Ok((Vec::new(), Vec::new())) };
        self.ensure_drawable(gpu, targets)?;
        let source = shaders.load(vertex)?;
        let mut spirv = spirv::compile(&source, &Vec::new())?;
        let of = reflect(&spirv).with_context(|| format!("shader {vertex}"))?;
        let fits = interface.bindings.starts_with(&of.bindings)
            && [0, interface.push_bytes].contains(&of.push_bytes)
            && of
                .constants
                .iter()
                .all(|(name, id)| interface.constants.get(name).is_none_or(|own| own == id));
        ensure!(fits, "shader {vertex} has other bindings, push constants or constants than {}", self.path);
        interface.constants.extend(of.constants.clone());
        for (both, [reads, writes]) in interface.accesses.iter_mut().zip(&of.accesses) {
            *both = [both[0] | reads, both[1] | writes];
        }
        let files = [vec![source.name.clone()], included(source.includes.clone())].concat();
        // The last one is the trace's.
        let own = interface.bindings.len() - usize::from(self.traced);
        ensure!(
            gpu.draws_may_store || interface.accesses[..own].iter().all(|[_, writes]| !writes),
            BeyondLimits(format!("vertex and fragment shaders cannot store on {}", gpu.facts.name))
        );
        if self.traced && gpu.waves.in_vertices && own == bindings_of_draw(of.bindings.len()) {
            let (source, defines) =
                traced_source(shaders, &source, &Vec::new(), gpu.waves.lanes, own, false)?;
            spirv = spirv::compile(&source, &defines)?;
        }
        Ok((spirv, files))
    }

    fn ensure_drawable(&self, gpu: &Gpu, targets: &[vk::Format]) -> Result<()> {
        let name = &gpu.facts.name;
        ensure!(
            gpu.has_graphics,
            BeyondLimits(format!("the queue has no graphics (family {})", gpu.facts.queue_family))
        );
        let cannot = targets.iter().find(|format| !gpu.draws_to(**format));
        if let Some(format) = cannot {
            anyhow::bail!(BeyondLimits(format!("{name} cannot draw to images of format {format:?}")));
        }
        Ok(())
    }
}

impl KernelSlot {
    /// The other parts of a graphics pipeline: its vertex shader, and the formats of its attachments.
    pub(super) fn raster(&self) -> Option<(&[u32], &[vk::Format])> {
        self.recipe.raster.as_ref().map(|raster| (&*self.vertex_spirv, &*raster.targets))
    }
}

/// The pipeline that draws lists of triangles with a vertex shader and a fragment stage: without vertex buffers, culling
/// and blending, one sample per texel, viewport and scissor set by the draw. With a depth attachment nearer pixels are drawn.
pub(super) fn pipelines(
    device: &ash::Device,
    flags: vk::PipelineCreateFlags,
    stages: [vk::PipelineShaderStageCreateInfo<'_>; 2],
    targets: &[vk::Format],
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
) -> VkResult<Vec<vk::Pipeline>> {
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let triangles =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let filled = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let one_sample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let opaque =
        vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
    let colours: Vec<_> =
        targets.iter().copied().filter(|at| aspect(*at) == vk::ImageAspectFlags::COLOR).collect();
    let depth = targets.iter().copied().find(|at| aspect(*at) == vk::ImageAspectFlags::DEPTH);
    let opaque = vec![opaque; colours.len()];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&opaque);
    let set_by_draw = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&set_by_draw);
    let nearer = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(depth.is_some())
        .depth_write_enable(depth.is_some())
        .depth_compare_op(vk::CompareOp::LESS);
    let mut rendering = vk::PipelineRenderingCreateInfo::default()
        .color_attachment_formats(&colours)
        .depth_attachment_format(depth.unwrap_or_default());
    let info = vk::GraphicsPipelineCreateInfo::default()
        .flags(flags)
        .stages(&stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&triangles)
        .viewport_state(&viewport)
        .rasterization_state(&filled)
        .multisample_state(&one_sample)
        .color_blend_state(&blend)
        .depth_stencil_state(&nearer)
        .dynamic_state(&dynamic)
        .layout(layout)
        .push_next(&mut rendering);
    let made = unsafe { device.create_graphics_pipelines(cache, &[info], None) };
    made.map_err(|(_, result)| result)
}
