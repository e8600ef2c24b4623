#version 460
// Modules: IMAGES|FUSED|-
#extension GL_GOOGLE_include_directive : require
#ifdef FUSED
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_vote : require
#endif
#extension GL_EXT_control_flow_attributes : require
#include "tiles_in_one_dispatch/shape.glsl"

// A pass of the chain in a dispatch of its own, or with FUSED several, of which only the last is stored. No workgroup waits
// for another: what order there is, barriers between the dispatches make.

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

uvec2 load_pair(ivec2 at, int part) {
    uvec4 texels = load_vector(at);
    return part == 0 ? texels.xy : texels.zw;
}

#ifdef FUSED
#include "tiles_in_one_dispatch/region.glsl"
#else
#include "tiles_in_one_dispatch/load_window.glsl"
#endif

void main() {
    ivec2 tile = ivec2(gl_WorkGroupID.xy);
    load_tile(tile);
    store_tile(tile);
}
