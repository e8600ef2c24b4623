//! How egui's triangles become pixels.

use std::rc::Rc;

use anyhow::{Context, Result};
use ash::vk;
use egui::epaint::Vertex;
use vulkan::fault::{self, attempt, failure};
use vulkan::source::Library;
use vulkan::spirv;

use super::device::Device;

/// A pipeline and what it is made from.
pub(super) struct Pipeline {
    device: Rc<Device>,
    pub raw: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    shaders: [vk::ShaderModule; 2],
}

impl Pipeline {
    /// Draws with such `textures` into images of a format.
    pub fn new(device: &Rc<Device>, textures: vk::DescriptorSetLayout, format: vk::Format) -> Result<Self> {
        let mut pipeline = Self {
            device: Rc::clone(device),
            raw: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            shaders: [vk::ShaderModule::null(); 2],
        };
        let (sets, constants) = ([textures], [CONSTANTS]);
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&constants);
        pipeline.layout = attempt("creating the window's pipeline layout", || unsafe {
            device.raw.create_pipeline_layout(&info, None)
        })?;
        for (shader, name) in pipeline.shaders.iter_mut().zip(["window/ui.vert", "window/ui.frag"]) {
            let words = spirv::compile(&Library::Embedded.load(name)?, &Vec::new())?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            *shader = attempt("creating a shader of the window", || unsafe {
                device.raw.create_shader_module(&info, None)
            })?;
        }
        pipeline.raw = pipeline.make(format)?;
        Ok(pipeline)
    }

    fn make(&self, format: vk::Format) -> Result<vk::Pipeline> {
        let stage = |module, stage| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages = [
            stage(self.shaders[0], vk::ShaderStageFlags::VERTEX),
            stage(self.shaders[1], vk::ShaderStageFlags::FRAGMENT),
        ];
        let vertices = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&BINDINGS)
            .vertex_attribute_descriptions(&ATTRIBUTES);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::PipelineMultisampleStateCreateInfo::default()
            .rasterization_samples(vk::SampleCountFlags::TYPE_1);
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
            .layout(self.layout)
            .push_next(&mut rendering);
        let what = "creating the window's pipeline";
        let made = fault::call(what, || unsafe {
            self.device
                .raw
                .create_graphics_pipelines(vk::PipelineCache::null(), &[info], None)
                .map_err(|(_, result)| result)
        });
        made.map_err(|result| failure(result, what))?.pop().context("the driver made no pipeline")
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        if self.device.is_busy() {
            return;
        }
        let device = &self.device.raw;
        unsafe {
            device.destroy_pipeline(self.raw, None);
            for shader in self.shaders {
                device.destroy_shader_module(shader, None);
            }
            device.destroy_pipeline_layout(self.layout, None);
        }
    }
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
