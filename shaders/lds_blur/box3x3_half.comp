#version 460
// Modules: -
// Untraced modules: COUNT_LOADS=2
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#extension GL_GOOGLE_include_directive : require
#include "lds_blur/image.glsl"

// The mean of 3x3 texels, two neighbours of a row per invocation and per 32-bit word: one instruction adds both.
// Compared with box3x3_tile.comp, a texel takes a third of the loads from shared memory and half of the additions.
// 16-bit floats hold whole numbers up to 2048, so sums of nine texels are exact for texels up to 227.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int PITCH = 48; // words from row to row in shared memory

// A row of two texels per invocation and the border.
const int WORDS = int(gl_WorkGroupSize.x) + 1;
const int HEIGHT = int(gl_WorkGroupSize.y) + 2;
const int INVOCATIONS = int(gl_WorkGroupSize.x * gl_WorkGroupSize.y);
shared f16vec2 tile[HEIGHT * PITCH];

// The sums of three neighbours in a row, for both texels of an invocation.
f16vec2 row_sums(int word) {
    f16vec2 left = tile[word];
    f16vec2 right = tile[word + 1];
    return left + right + f16vec2(left.y, right.x);
}

void main() {
    ivec2 corner = ivec2(gl_WorkGroupID.xy * gl_WorkGroupSize.xy) * ivec2(2, 1) - 1;
    for (int first = 0; first < WORDS * HEIGHT; first += INVOCATIONS) {
        int i = first + int(gl_LocalInvocationIndex);
        ivec2 at = ivec2(i % WORDS, i / WORDS);
        if (at.y < HEIGHT) {
            ivec2 texel = corner + ivec2(2 * at.x, at.y);
            tile[at.y * PITCH + at.x] = f16vec2(load(texel), load(texel + ivec2(1, 0)));
        }
    }
    barrier();
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    int word = lane.y * PITCH + lane.x;
    vec2 means = vec2(row_sums(word) + row_sums(word + PITCH) + row_sums(word + 2 * PITCH)) * (1.0 / 9.0);
    ivec2 at = corner + 1 + ivec2(2 * lane.x, lane.y);
    store(at, means.x);
    store(at + ivec2(1, 0), means.y);
}
