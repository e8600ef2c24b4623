#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_samplerless_texture_functions : require
#include "include/lines.glsl"

// Each wave goes round in turns of one load that says where the next turn begins, and of hits: loads of an image that is in the L1.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WAVE = 32u; // invocations
layout(constant_id = 2) const uint HITS = 0u;  // at most 64

layout(set = 0, binding = 0, std430) writeonly buffer Results { uvec2 results[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Took { uint ticks; };
layout(set = 0, binding = 2, std430) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 3) uniform texture2D texels;

// The image has 8x8 tiles of 8x8 texels. Each hit of a turn is in another one, so that none can be left out.
#define HIT(tile) if (HITS > tile) { sum += texelFetch(texels, texel + 8 * ivec2((tile) % 8, (tile) / 8), 0).x; }
#define HIT4(tile) HIT(tile) HIT(tile + 1) HIT(tile + 2) HIT(tile + 3)
#define HIT16(tile) HIT4(tile) HIT4(tile + 4) HIT4(tile + 8) HIT4(tile + 12)

// Each wave waits for its loads before a barrier, since it stores there what it has loaded.
shared uint warmed_words[gl_WorkGroupSize.x];
shared uint ends[gl_WorkGroupSize.x];

void main() {
    uint self = gl_LocalInvocationIndex;
    uint next_one = (self + 1u) % gl_WorkGroupSize.x;
    // Into the caches: all texels, and the lines that are to be there.
    float sum = 0.0;
    for (uint i = self; i < 4096u; i += gl_WorkGroupSize.x) {
        sum += texelFetch(texels, ivec2(i % 64u, i / 64u), 0).x;
    }
    uint seen = 0u;
    for (uint i = lines - warmed + self; i < lines; i += gl_WorkGroupSize.x) {
        seen += words[word_of(i)];
    }
    warmed_words[self] = seen + uint(sum);
    barrier();
    uvec2 began = clockRealtime2x32EXT();
    // Always a line of the wave, which no compiler can know: no load begins before the clock is read.
    uint waves = gl_WorkGroupSize.x / WAVE;
    uint at = began == uvec2(~0u) ? warmed_words[next_one] : word_of(self / WAVE * (lines / waves));
    for (uint turn = 0u; turn < loads; turn++) {
        // What the hits load depends on the turn before, so that no turn begins before it ends.
        uint within = (self + (at / 32u & 1u) * 32u) % 64u;
        ivec2 texel = ivec2(within % 8u, within / 8u);
        at = words[at];
        HIT16(0) HIT16(16) HIT16(32) HIT16(48)
    }
    ends[self] = at + uint(sum) + seen;
    barrier();
    if (self == 0u) {
        ticks = clockRealtime2x32EXT().x - began.x;
    }
    results[self] = uvec2(ends[next_one], uint(sum));
}
