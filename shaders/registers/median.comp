#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
// Modules: HALF|-

// Medians of 3x3 texels for two neighbours in a row, which share the sorted columns. A texel has four channels of 16-bit
// floats. They are compared as 32-bit floats, or as they are, two in a register (HALF): both give the same medians.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WIDTH = 64u;

#ifdef HALF
#define TEXEL f16vec4
#define UNPACK unpackFloat2x16
#define PACK packFloat2x16
#else
#define TEXEL vec4
#define UNPACK unpackHalf2x16
#define PACK packHalf2x16
#endif

// Rows of WIDTH texels, two rows more than results. The last two results of a row look into the next row.
layout(set = 0, binding = 0, std430) readonly buffer Texels { uvec2 texels[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uvec2 results[]; };

TEXEL load(uint at) {
    uvec2 words = texels[at];
    return TEXEL(UNPACK(words.x), UNPACK(words.y));
}

TEXEL middle(TEXEL a, TEXEL b, TEXEL c) {
    return max(min(a, b), min(max(a, b), c));
}

void main() {
    uint first = 2u * gl_GlobalInvocationID.x;
    TEXEL low[4];
    TEXEL mid[4];
    TEXEL high[4];
    [[unroll]] for (uint i = 0u; i < 4u; ++i) {
        TEXEL a = load(first + i);
        TEXEL b = load(first + i + WIDTH);
        TEXEL c = load(first + i + 2u * WIDTH);
        low[i] = min(min(a, b), c);
        mid[i] = middle(a, b, c);
        high[i] = max(max(a, b), c);
    }
    [[unroll]] for (uint i = 0u; i < 2u; ++i) {
        TEXEL lows = max(max(low[i], low[i + 1u]), low[i + 2u]);
        TEXEL highs = min(min(high[i], high[i + 1u]), high[i + 2u]);
        TEXEL median = middle(lows, middle(mid[i], mid[i + 1u], mid[i + 2u]), highs);
        results[first + i] = uvec2(PACK(median.xy), PACK(median.zw));
    }
}
