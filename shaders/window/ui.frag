#version 450
// Multiplies in gamma space, as egui means it: a picture's bytes arrive as they are.

// The target converts from linear to sRGB when it stores.
layout(constant_id = 0) const bool TARGET_IS_LINEAR = false;

layout(set = 0, binding = 0) uniform sampler2D picture;

layout(location = 0) in vec2 texel_at;
layout(location = 1) in vec4 colour;

layout(location = 0) out vec4 drawn;

vec3 linear(vec3 srgb) {
    return mix(srgb / 12.92, pow((srgb + 0.055) / 1.055, vec3(2.4)), greaterThan(srgb, vec3(0.04045)));
}

void main() {
    vec4 result = colour * texture(picture, texel_at);
    drawn = TARGET_IS_LINEAR ? vec4(linear(result.rgb), result.a) : result;
}
