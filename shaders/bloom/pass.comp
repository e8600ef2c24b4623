#version 460
// Modules: SAMPLED|STAGED|-
#extension GL_GOOGLE_include_directive : require
#ifdef SAMPLED
#extension GL_EXT_samplerless_texture_functions : require
#endif

// One pass of a bloom, a tile a workgroup. It knows nothing of order, which the recording makes.

// All rows of an invocation at once.
#define BATCH(n) ROWS
#include "bloom/formulas.glsl"

layout(constant_id = 0) const uint KIND = BLUR_X;

#ifdef SAMPLED
layout(set = 0, binding = 0) uniform utextureBuffer from;
layout(set = 0, binding = 1) uniform utextureBuffer beside;
#else
layout(std430, set = 0, binding = 0) readonly buffer From {
    uvec2 from[];
};
layout(std430, set = 0, binding = 1) readonly buffer Beside {
    uvec2 beside[];
};
#endif
layout(std430, set = 0, binding = 2) writeonly buffer To {
    uvec2 to[];
};
layout(push_constant) uniform Push {
    ivec2 size;
    ivec2 from_size;
};

uvec4 load_from(Pass pass, uint at) {
#ifdef SAMPLED
    return texelFetch(from, int(at));
#else
    return opened(from[at]);
#endif
}

uvec4 load_beside(Pass pass, uint at) {
#ifdef SAMPLED
    return texelFetch(beside, int(at));
#else
    return opened(beside[at]);
#endif
}

void store_texel(Pass pass, uint at, uvec2 texel) {
    to[at] = texel;
}

void main() {
    Pass pass = Pass(KIND, size, from_size, 0, 0, 0);
    do_tile(pass, ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, HEIGHT), ROWS);
}
