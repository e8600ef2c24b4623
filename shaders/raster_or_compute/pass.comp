#version 460
// Modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f
#extension GL_GOOGLE_include_directive : require
#include "raster_or_compute/filter.glsl"

// The pass as a compute shader.

layout(local_size_x_id = 0, local_size_y_id = 1) in;

layout(set = 0, binding = 1, FORMAT) uniform writeonly image2D next;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(next)))) {
        imageStore(next, at, filtered(at));
    }
}
