#version 460
#extension GL_GOOGLE_include_directive : require
#include "chain/texel.glsl"

// One pass of the chain, a tile a workgroup: the tile and the arms of its cross come into shared memory once. It
// knows nothing of order, which barriers make, or nothing: what the kernels that wait for tiles are compared with.

#include "include/cut.glsl"

layout(constant_id = 0) const uint MULTIPLIER = 1;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D previous;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D next;

uint load_texel(ivec2 at, int layer) {
    return imageLoad(previous, at).x;
}

#include "chain/staged.glsl"

void main() {
    ivec2 last = imageSize(next) - 1;
    ivec2 origin = ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, HEIGHT);
    stage(origin, last, 0);
    barrier();
    for (int i = 0; i < ROWS; ++i) {
        ivec2 in_tile = ivec2(gl_LocalInvocationID.xy) + ivec2(0, i * STEP);
        ivec2 at = origin + in_tile;
        uint texel = step_staged(in_tile);
        if (all(lessThanEqual(at, last))) {
            imageStore(next, at, uvec4(texel));
        }
    }
}
