#version 460
// Modules: IMAGES|-
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "tiles_in_one_dispatch/shape.glsl"

// One pass of the chain in a dispatch of its own: an invocation loads its window into registers and computes ROWS vectors. It
// knows nothing of order, which barriers between the dispatches make, or nothing does.

#ifdef IMAGES
// A texel of the image is a vector.
layout(set = 0, binding = 0, rgba32ui) uniform restrict readonly uimage2D previous;
layout(set = 0, binding = 1, rgba32ui) uniform restrict writeonly uimage2D next;

uvec4 load_vector(ivec2 at) {
    return imageLoad(previous, at);
}

void store_vector(ivec2 at, uvec4 texels) {
    imageStore(next, at, texels);
}
#else
layout(std430, set = 0, binding = 0) restrict readonly buffer Previous { uvec4 previous[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Next { uvec4 next[]; };

uvec4 load_vector(ivec2 at) {
    return previous[at.y * VECTORS + at.x];
}

void store_vector(ivec2 at, uvec4 texels) {
    next[at.y * VECTORS + at.x] = texels;
}
#endif

#include "tiles_in_one_dispatch/load_window.glsl"

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.x, int(gl_GlobalInvocationID.y) * ROWS);
    if (at.x >= VECTORS) {
        return;
    }
    load_window(at);
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        if (at.y + row < HEIGHT) {
            store_vector(at + ivec2(0, row), step_row(row, at.x == VECTORS - 1));
        }
    }
}
