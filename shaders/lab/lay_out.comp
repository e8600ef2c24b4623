#version 460
// Untraced modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f|FORMAT=r32f|FORMAT=rgba32f VOLUME|-
// Untraced modules: FORMAT=r32ui|FORMAT=rg32ui|FORMAT=rgba16ui|FORMAT=rgba32ui WHOLE_NUMBERS VOLUME|-
#extension GL_GOOGLE_include_directive : require
#include "lab/texels.glsl"

// Copies an image to a buffer, row by row, for the comparison with what was expected. Runs behind the timed window, on
// every sample of every variant. A device may flush the denormals of floats, and change NaNs: the CPU's count of a first
// sample, in the bits of a copy, shows where that matters.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 8, local_size_y = 16) in;
layout(constant_id = 0) const uint BITS = 32; // of a component
layout(constant_id = 1) const uint COMPONENTS = 1;
const uvec2 LANES = gl_WorkGroupSize.xy;
const uint WORDS = BITS * COMPONENTS < 32u ? 1u : BITS * COMPONENTS / 32u;
const uint TEXELS = BITS * COMPONENTS < 32u ? 32u / (BITS * COMPONENTS) : 1u; // in a word
// Parts of an invocation, as in lab/fill.comp. A part is a texel, or a word of smaller texels.
const uvec2 EACH = uvec2(2, 4);

layout(push_constant) uniform Push {
    uint columns; // parts in a row of an invocation's block
    uint parts;
};

layout(set = 0, binding = 0, FORMAT) uniform readonly OF(IMAGE, SHAPE) result;
layout(std430, set = 0, binding = 1) writeonly buffer Rows { uint rows[]; };

Texel texel(uint number, uvec3 sides) {
    ivec3 at = ivec3(number % sides.x, number / sides.x % sides.y, number / (sides.x * sides.y));
    return imageLoad(result, IN_SHAPE(at));
}

// The words of a texel in memory.
uvec4 words_of(Texel texel) {
#ifdef WHOLE_NUMBERS
    return BITS == 16u ? uvec4(texel.x | texel.y << 16, texel.z | texel.w << 16, 0u, 0u) : texel;
#else
    switch (BITS) {
    case 8u: return uvec4(packUnorm4x8(texel));
    case 16u: return uvec4(packHalf2x16(texel.xy), packHalf2x16(texel.zw), 0u, 0u);
    default: return floatBitsToUint(texel);
    }
#endif
}

void main() {
    uvec3 sides = uvec3(SIDES(result));
    uvec2 corner = gl_WorkGroupID.xy * LANES * EACH + gl_LocalInvocationID.xy;
    for (uint i = 0u; i < EACH.x * EACH.y; ++i) {
        uvec2 at = corner + LANES * uvec2(i % EACH.x, i / EACH.x);
        uint part = at.y * columns + at.x;
        if (at.x >= columns || part >= parts) {
            continue;
        }
        if (TEXELS == 1u) {
            uvec4 words = words_of(texel(part, sides));
            for (uint word = 0u; word < WORDS; ++word) {
                rows[WORDS * part + word] = words[word];
            }
        } else {
            uint end = min(TEXELS * (part + 1u), sides.x * sides.y * sides.z);
            uint word = 0u;
            for (uint number = TEXELS * part; number < end; ++number) {
                word |= (words_of(texel(number, sides)).x & ((1u << BITS) - 1u)) << (BITS * (number % TEXELS));
            }
            rows[part] = word;
        }
    }
}
