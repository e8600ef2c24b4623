#version 460
// Modules: -
// Untraced modules: COUNT_LOADS=2
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
#include "lds_blur/image.glsl"

// The mean of 3x3 texels. A workgroup loads its tile and a border of one texel once into shared memory; each invocation
// adds nine texels from there.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int PITCH = 34; // from row to row in shared memory

const int WIDTH = int(gl_WorkGroupSize.x) + 2;
const int HEIGHT = int(gl_WorkGroupSize.y) + 2;
const int INVOCATIONS = int(gl_WorkGroupSize.x * gl_WorkGroupSize.y);
shared float tile[HEIGHT * PITCH];

void main() {
    ivec2 corner = ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) - 1;
    for (int first = 0; first < WIDTH * HEIGHT; first += INVOCATIONS) {
        int i = first + int(gl_LocalInvocationIndex);
        ivec2 at = ivec2(i % WIDTH, i / WIDTH);
        if (at.y < HEIGHT) {
            tile[at.y * PITCH + at.x] = load(corner + at);
        }
    }
    barrier();
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    float sum = 0.0;
    for (int y = 0; y < 3; ++y) {
        for (int x = 0; x < 3; ++x) {
            sum += tile[(lane.y + y) * PITCH + lane.x + x];
        }
    }
    store(corner + 1 + lane, sum * (1.0 / 9.0));
}
