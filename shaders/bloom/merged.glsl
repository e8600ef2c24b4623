#ifndef BLOOM_MERGED_GLSL
#define BLOOM_MERGED_GLSL

// What the three passes of a merged bloom have in common.

const int LEVELS = 5; // as in samples/src/bin/bloom/pyramid.rs

layout(push_constant) uniform Push {
    ivec2 scene_size;
    uint begins[LEVELS]; // of the levels in their buffer, in texels
};

layout(std430, set = 0, binding = 0) readonly buffer Input { uvec2 input_texels[]; };
layout(std430, set = 0, binding = 1) writeonly buffer Output { uvec2 output_texels[]; };

ivec2 halved(ivec2 size) {
    return size + 1 >> 1;
}

void store(ivec2 at, ivec2 size, uint begin, uvec2 texel) {
    if (all(lessThan(at, size))) {
        output_texels[begin + index_of(at, size)] = texel;
    }
}

#endif
