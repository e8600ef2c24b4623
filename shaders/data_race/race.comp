#version 460
// Modules: COHERENT_STORES|-
// Modules: COHERENT_STORES COHERENT_LOADS
#extension GL_GOOGLE_include_directive : require
#include "chain/texel.glsl"

// One dispatch of the tester: reads a cross of pixels that the dispatch before wrote, and stores one pixel.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int RADIUS = 2; // length of the cross's arms in pixels
layout(constant_id = 3) const uint MULTIPLIER = 1;
// The workgroup in the middle stores nothing, so that the check has a known number of pixels to find.
layout(constant_id = 4) const bool SEEDED_BUG = false;

// `coherent` goes past the cache that a multiprocessor has for itself; no constant can switch it.
#ifdef COHERENT_LOADS
coherent
#endif
layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D previous;
#ifdef COHERENT_STORES
coherent
#endif
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D next;

// What lies outside the image reads as the nearest pixel inside.
uint load_pixel(ivec2 at) {
    return imageLoad(previous, clamp(at, ivec2(0), imageSize(previous) - 1)).x;
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    bool left_out = SEEDED_BUG && gl_WorkGroupID.xy == gl_NumWorkGroups.xy / 2;
    if (left_out || any(greaterThanEqual(at, imageSize(next)))) {
        return;
    }
    Reads reads = first_read(load_pixel(at));
    for (int d = 1; d <= RADIUS; ++d) {
        read_next(reads, load_pixel(at - ivec2(d, 0)), MULTIPLIER);
        read_next(reads, load_pixel(at + ivec2(d, 0)), MULTIPLIER);
        read_next(reads, load_pixel(at - ivec2(0, d)), MULTIPLIER);
        read_next(reads, load_pixel(at + ivec2(0, d)), MULTIPLIER);
    }
    imageStore(next, at, uvec4(next_generation(reads)));
}
