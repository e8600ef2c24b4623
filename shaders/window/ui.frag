#version 450
// Multiplies in gamma space, as egui means it: a picture's bytes arrive as they are.

layout(set = 0, binding = 0) uniform sampler2D picture;

layout(location = 0) in vec2 texel_at;
layout(location = 1) in vec4 colour;

layout(location = 0) out vec4 drawn;

void main() {
    drawn = colour * texture(picture, texel_at);
}
