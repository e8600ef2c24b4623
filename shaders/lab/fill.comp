#version 460
// Untraced modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f|FORMAT=r32f|FORMAT=rgba32f VOLUME|-
// Untraced modules: FORMAT=r32ui|FORMAT=rg32ui|FORMAT=rgba16ui|FORMAT=rgba32ui WHOLE_NUMBERS VOLUME|-
// Untraced modules: FORMAT=r32ui WHOLE_NUMBERS SEEDED
#extension GL_GOOGLE_include_directive : require
#include "lab/texels.glsl"

// Gives each texel of a result a value that no pass stores, or its seed. Runs before the timed window, for every
// sample.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 8, local_size_y = 16) in;
const uvec2 LANES = gl_WorkGroupSize.xy;
// Texels of an invocation: with one alone, launching the workgroups takes longer than the stores.
const uvec2 EACH = uvec2(2, 4);

layout(push_constant) uniform Push {
    uvec4 words; // bits of a clear colour
};

layout(set = 0, binding = 0, FORMAT) uniform writeonly OF(IMAGE, SHAPE) filled;
#ifdef SEEDED
layout(std430, set = 0, binding = 1) readonly buffer Seed { uint seed[]; };
#endif

Texel value(ivec3 at, ivec3 sides) {
#if defined(SEEDED)
    return uvec4(seed[at.y * sides.x + at.x]);
#elif defined(WHOLE_NUMBERS)
    return words;
#else
    return uintBitsToFloat(words);
#endif
}

void main() {
    ivec3 sides = SIDES(filled);
    uvec2 corner = gl_WorkGroupID.xy * LANES * EACH + gl_LocalInvocationID.xy;
    for (uint i = 0u; i < EACH.x * EACH.y; ++i) {
        ivec3 at = ivec3(corner + LANES * uvec2(i % EACH.x, i / EACH.x), gl_WorkGroupID.z);
        if (all(lessThan(at, sides))) {
            imageStore(filled, IN_SHAPE(at), value(at, sides));
        }
    }
}
