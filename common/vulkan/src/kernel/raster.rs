//! Graphics pipelines for dynamic rendering.

use ash::prelude::VkResult;
use ash::vk;

/// The pipeline that draws lists of triangles with a vertex shader and a fragment stage: without vertex buffers, culling,
/// blending and depth, one sample per texel, viewport and scissor set by the draw.
pub(super) fn pipelines(
    device: &ash::Device,
    flags: vk::PipelineCreateFlags,
    vertex: vk::ShaderModule,
    fragment: vk::PipelineShaderStageCreateInfo<'_>,
    targets: &[vk::Format],
    layout: vk::PipelineLayout,
    cache: vk::PipelineCache,
) -> VkResult<Vec<vk::Pipeline>> {
    let vertex = vk::PipelineShaderStageCreateInfo::default().name(c"main").module(vertex);
    let stages = [vertex.stage(vk::ShaderStageFlags::VERTEX), fragment];
    let vertices = vk::PipelineVertexInputStateCreateInfo::default();
    let triangles =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let filled = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let one_sample =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let opaque =
        vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
    let opaque = vec![opaque; targets.len()];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&opaque);
    let set_by_draw = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&set_by_draw);
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(targets);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .flags(flags)
        .stages(&stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&triangles)
        .viewport_state(&viewport)
        .rasterization_state(&filled)
        .multisample_state(&one_sample)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .push_next(&mut rendering);
    let made = unsafe { device.create_graphics_pipelines(cache, &[info], None) };
    made.map_err(|(_, result)| result)
}
