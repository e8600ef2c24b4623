#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "lds_blur/volume.glsl"

// Every invocation loads all 27 texels.

void main() {
    ivec3 at = ivec3(gl_GlobalInvocationID);
    float sum = 0.0;
    [[unroll]] for (int i = 0; i < 27; ++i) {
        sum += load(at + neighbour(i));
    }
    store(at, sum * SCALE);
}
