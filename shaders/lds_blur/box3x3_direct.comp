#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
#include "lds_blur/image.glsl"

// The mean of 3x3 texels, which every invocation loads itself.

layout(local_size_x_id = 0, local_size_y_id = 1) in;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    float sum = 0.0;
    for (int y = -1; y <= 1; ++y) {
        for (int x = -1; x <= 1; ++x) {
            sum += load(at + ivec2(x, y));
        }
    }
    store(at, sum * (1.0 / 9.0));
}
