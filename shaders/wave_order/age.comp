#version 460
// Modules: FETCH|-
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_KHR_shader_subgroup_basic : require

// Waves of one workgroup that begin the same work at the same time, and note when each of them ends.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WAVE = 32u; // invocations
layout(constant_id = 2) const uint ROUNDS = 1024u; // even

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each wave the clock (low and high word) when it began, its low word when it ended, and the invocations of a subgroup.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };
#ifdef FETCH
layout(set = 0, binding = 2) uniform texture2D texels;

// Each wave waits for its loads before the barrier, since it stores here what it has loaded.
shared uint warmed[gl_WorkGroupSize.x];
#endif

void main() {
    uint self = gl_LocalInvocationIndex;
#ifdef FETCH
    // Into the L1.
    float sum = 0.0;
    for (uint i = self; i < 4096u; i += gl_WorkGroupSize.x) {
        sum += texelFetch(texels, ivec2(i % 64u, i / 64u), 0).x;
    }
    warmed[self] = uint(sum);
#endif
    barrier();
    uvec2 began = clockRealtime2x32EXT();
    // Never the other value, which no compiler can know: no round begins before the clock is read.
    uint first = began == uvec2(~0u) ? 0u : self;
    // Eight loads or chains that do not need each other, so that one wave keeps its scheduler busy.
#ifdef FETCH
    uvec4 a = uvec4(0u), b = uvec4(0u);
    for (uint i = 0u; i < ROUNDS; i++) {
        ivec2 texel = ivec2((first + i) % 8u, (first / 8u + i) % 8u);
        for (int k = 0; k < 4; k++) {
            a[k] += uint(texelFetch(texels, texel + ivec2(8 * k, 0), 0).x);
            b[k] += uint(texelFetch(texels, texel + ivec2(8 * k, 32), 0).x);
        }
    }
#else
    uvec4 a = first + uvec4(0u, 1u, 2u, 3u), b = a + 4u;
    for (uint i = 0u; i < ROUNDS; i++) {
        a = a * 1664525u + 1013904223u;
        b = b * 1664525u + 1013904223u;
    }
#endif
    uvec4 both = a ^ b;
    uint result = both.x ^ both.y ^ both.z ^ both.w;
    // Always: chains give an even number, and texels a small one. No compiler knows, and reads the clock before the last round ends.
    if (self % WAVE == 0u && result != 0x80000001u) {
        notes[self / WAVE] = uvec4(began, clockRealtime2x32EXT().x, gl_SubgroupSize);
    }
#ifdef FETCH
    result += warmed[(self + 1u) % gl_WorkGroupSize.x];
#endif
    results[self] = result;
}
