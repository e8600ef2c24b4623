#version 460
// Modules: COHERENT_STORES|-
#extension GL_GOOGLE_include_directive : require
#include "chain/texel.glsl"

// One pass of the chain over a band of rows: reads the previous generation in a cross, stores the
// next one.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
// Rows that one invocation loops over, a workgroup's height apart: a taller tile for the cache
// without a larger workgroup.
layout(constant_id = 2) const uint ROWS = 1;
// Length of the cross's arms in texels.
layout(constant_id = 3) const int RADIUS = 2;
layout(constant_id = 4) const uint MULTIPLIER = 1;

layout(push_constant) uniform Push {
    uint first_row;
    uint end_row; // exclusive
};

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D previous;
#ifdef COHERENT_STORES
// Stores go past the caches that other multiprocessors cannot see; loads stay cached.
layout(set = 0, binding = 1, r32ui) uniform coherent writeonly uimage2D next;
#else
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D next;
#endif

uint load_texel(ivec2 at) {
    return imageLoad(previous, at).x;
}

// The cross of one texel; what lies outside the image reads as the nearest texel inside.
uint step_texel(ivec2 at, ivec2 last) {
    Reads reads = first_read(load_texel(at));
    for (int d = 1; d <= RADIUS; ++d) {
        read_next(reads, load_texel(ivec2(max(at.x - d, 0), at.y)), MULTIPLIER);
        read_next(reads, load_texel(ivec2(min(at.x + d, last.x), at.y)), MULTIPLIER);
        read_next(reads, load_texel(ivec2(at.x, max(at.y - d, 0))), MULTIPLIER);
        read_next(reads, load_texel(ivec2(at.x, min(at.y + d, last.y))), MULTIPLIER);
    }
    return next_generation(reads);
}

void main() {
    ivec2 last = imageSize(next) - 1;
    int x = int(gl_GlobalInvocationID.x);
    if (x > last.x) {
        return;
    }
    uint row = first_row + gl_WorkGroupID.y * ROWS * gl_WorkGroupSize.y + gl_LocalInvocationID.y;
    for (uint i = 0; i < ROWS && row < end_row; ++i, row += gl_WorkGroupSize.y) {
        ivec2 at = ivec2(x, int(row));
        imageStore(next, at, uvec4(step_texel(at, last)));
    }
}
