//! How egui's triangles become pixels: one pipeline for each format that is drawn into.

use std::rc::Rc;

use anyhow::{Context, Result};
use ash::vk;
use egui::epaint::Vertex;
use vulkan::fault::{self, attempt, failure};
use vulkan::source::Library;
use vulkan::spirv;

use super::device::Device;

/// Layouts, shaders and pipelines.
pub(super) struct Pipelines {
    device: Rc<Device>,
    /// Layout of a texture's descriptors.
    pub textures: vk::DescriptorSetLayout,
    pub layout: vk::PipelineLayout,
    shaders: [vk::ShaderModule; 2],
    made: Vec<(vk::Format, [vk::Pipeline; 2])>,
}

impl Pipelines {
    pub fn new(device: &Rc<Device>) -> Result<Self> {
        let mut pipelines = Self {
            device: Rc::clone(device),
            textures: vk::DescriptorSetLayout::null(),
            layout: vk::PipelineLayout::null(),
            shaders: [vk::ShaderModule::null(); 2],
            made: Vec::new(),
        };
        pipelines.lay_out()?;
        for (at, name) in ["window/ui.vert", "window/ui.frag"].into_iter().enumerate() {
            let words = spirv::compile(&Library::Embedded.load(name)?, &Vec::new())?;
            let info = vk::ShaderModuleCreateInfo::default().code(&words);
            pipelines.shaders[at] = attempt("creating a shader of the window", || unsafe {
                device.raw.create_shader_module(&info, None)
            })?;
        }
        Ok(pipelines)
    }

    fn lay_out(&mut self) -> Result<()> {
        let bindings = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::COMBINED_IMAGE_SAMPLER)
            .descriptor_count(1)
            .stage_flags(vk::ShaderStageFlags::FRAGMENT)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        self.textures = attempt("creating the textures' layout", || unsafe {
            self.device.raw.create_descriptor_set_layout(&info, None)
        })?;
        let (sets, constants) = ([self.textures], [CONSTANTS]);
        let info =
            vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&constants);
        self.layout = attempt("creating the window's pipeline layout", || unsafe {
            self.device.raw.create_pipeline_layout(&info, None)
        })?;
        Ok(())
    }

    /// The pipelines that draw into images of a format: over what is there, and in place of it.
    pub fn of(&mut self, format: vk::Format) -> Result<[vk::Pipeline; 2]> {
        if let Some((_, pipelines)) = self.made.iter().find(|(of, _)| *of == format) {
            return Ok(*pipelines);
        }
        let over = self.make(format, OVER)?;
        let opaque = self
            .make(format, OPAQUE)
            .inspect_err(|_| unsafe { self.device.raw.destroy_pipeline(over, None) })?;
        let pipelines = [over, opaque];
        self.made.push((format, pipelines));
        Ok(pipelines)
    }

    fn make(&self, format: vk::Format, blend: vk::PipelineColorBlendAttachmentState) -> Result<vk::Pipeline> {
        let target_is_linear = u32::from(is_srgb(format)).to_ne_bytes();
        let entries = [vk::SpecializationMapEntry { constant_id: 0, offset: 0, size: 4 }];
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&target_is_linear);
        let stage = |module, stage| {
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main")
        };
        let stages = [
            stage(self.shaders[0], vk::ShaderStageFlags::VERTEX),
            stage(self.shaders[1], vk::ShaderStageFlags::FRAGMENT).specialization_info(&constants),
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
        let blends = [blend];
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

impl Drop for Pipelines {
    fn drop(&mut self) {
        if self.device.is_busy() {
            return;
        }
        let device = &self.device.raw;
        unsafe {
            for pipeline in self.made.iter().flat_map(|(_, pipelines)| pipelines) {
                device.destroy_pipeline(*pipeline, None);
            }
            for shader in self.shaders {
                device.destroy_shader_module(shader, None);
            }
            device.destroy_pipeline_layout(self.layout, None);
            device.destroy_descriptor_set_layout(self.textures, None);
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

/// For pictures, which hide what is behind them: reads nothing back.
const OPAQUE: vk::PipelineColorBlendAttachmentState =
    vk::PipelineColorBlendAttachmentState { blend_enable: vk::FALSE, ..OVER };

/// The format converts from linear when it is stored to.
pub(super) fn is_srgb(format: vk::Format) -> bool {
    matches!(format, vk::Format::B8G8R8A8_SRGB | vk::Format::R8G8B8A8_SRGB | vk::Format::A8B8G8R8_SRGB_PACK32)
}
