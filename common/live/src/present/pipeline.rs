//! How egui's triangles become pixels.

use anyhow::Result;
use ash::vk;
use egui::epaint::Vertex;
use vulkan::source::Library;
use vulkan::spirv;

use super::device::Device;

/// A pipeline, which goes with the device.
pub(super) struct Pipeline {
    pub raw: vk::Pipeline,
    pub layout: vk::PipelineLayout,
}

impl Pipeline {
    /// Draws with such `textures` into images of a format.
    pub fn new(device: &Device, textures: vk::DescriptorSetLayout, format: vk::Format) -> Result<Self> {
        let (sets, constants) = ([textures], [CONSTANTS]);
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&constants);
        let layout = device.keep(
            "creating the window's pipeline layout",
            || unsafe { device.raw.create_pipeline_layout(&info, None) },
            ash::Device::destroy_pipeline_layout,
        )?;
        let shaders = [shader(device, "window/ui.vert")?, shader(device, "window/ui.frag")?];
        let raw = make(device, shaders, layout, format)?;
        Ok(Self { raw, layout })
    }
}

fn shader(device: &Device, name: &str) -> Result<vk::ShaderModule> {
    let words = spirv::compile(&Library::Embedded.load(name)?, &Vec::new())?;
    let info = vk::ShaderModuleCreateInfo::default().code(&words);
    let make = || unsafe { device.raw.create_shader_module(&info, None) };
    device.keep("creating a shader of the window", make, ash::Device::destroy_shader_module)
}

fn make(
    device: &Device,
    shaders: [vk::ShaderModule; 2],
    layout: vk::PipelineLayout,
    format: vk::Format,
) -> Result<vk::Pipeline> {
    let stage = |module, stage| {
        vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
    };
    let stages =
        [stage(shaders[0], vk::ShaderStageFlags::VERTEX), stage(shaders[1], vk::ShaderStageFlags::FRAGMENT)];
    let vertices = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&BINDINGS)
        .vertex_attribute_descriptions(&ATTRIBUTES);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let blends = [OVER];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let dynamic = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR];
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&dynamic);
    let formats = [format];
    let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&vertices)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(layout)
        .push_next(&mut rendering);
    let pipeline = || unsafe {
        let made = device.raw.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None);
        made.map_err(|(_, result)| result)?.pop().ok_or(vk::Result::ERROR_UNKNOWN)
    };
    device.keep("creating the window's pipeline", pipeline, ash::Device::destroy_pipeline)
}

/// The size of the screen in points.
const CONSTANTS: vk::PushConstantRange =
    vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::VERTEX, offset: 0, size: 8 };

const BINDINGS: [vk::VertexInputBindingDescription; 1] =
    [vk::VertexInputBindingDescription { binding: 0, stride: 20, input_rate: vk::VertexInputRate::VERTEX }];

// Position, texel and colour of egui's vertices.
const _: () = assert!(size_of::<Vertex>() == 20);
const ATTRIBUTES: [vk::VertexInputAttributeDescription; 3] = [
    attribute(0, vk::Format::R32G32_SFLOAT, 0),
    attribute(1, vk::Format::R32G32_SFLOAT, 8),
    attribute(2, vk::Format::R8G8B8A8_UNORM, 16),
];

const fn attribute(location: u32, format: vk::Format, offset: u32) -> vk::VertexInputAttributeDescription {
    vk::VertexInputAttributeDescription { location, binding: 0, format, offset }
}

/// Colours come multiplied by their alpha.
const OVER: vk::PipelineColorBlendAttachmentState = vk::PipelineColorBlendAttachmentState {
    blend_enable: vk::TRUE,
    src_color_blend_factor: vk::BlendFactor::ONE,
    dst_color_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
    color_blend_op: vk::BlendOp::ADD,
    src_alpha_blend_factor: vk::BlendFactor::ONE,
    dst_alpha_blend_factor: vk::BlendFactor::ONE_MINUS_SRC_ALPHA,
    alpha_blend_op: vk::BlendOp::ADD,
    color_write_mask: vk::ColorComponentFlags::RGBA,
};
