#version 450
// egui's vertices: points of the screen from its upper left corner, and colours that are already
// multiplied by their alpha, in the gamma space of the screen.

layout(push_constant) uniform Screen {
    vec2 points;
} screen;

layout(location = 0) in vec2 at;
layout(location = 1) in vec2 texel;
layout(location = 2) in vec4 tint;

layout(location = 0) out vec2 texel_at;
layout(location = 1) out vec4 colour;

void main() {
    texel_at = texel;
    colour = tint;
    gl_Position = vec4(2.0 * at / screen.points - 1.0, 0.0, 1.0);
}
