#version 460
// Modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "clears/next.glsl"

// The same pass as a compute shader.

layout(local_size_x_id = 0, local_size_y_id = 1) in;

layout(push_constant) uniform Push {
    ivec2 size; // columns and rows that are written
};

layout(set = 0, binding = 0) uniform texture2D previous;
layout(set = 0, binding = 1, FORMAT) uniform writeonly image2D next;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, size))) {
        imageStore(next, at, next_texel(texelFetch(previous, at, 0)));
    }
}
