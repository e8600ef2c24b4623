#version 460
// Modules: SAMPLED -|FOUR
// Modules: IMAGE R8|R32F
// Modules: IMAGE FOUR RGBA8|RGBA16F|RGBA32F
// Modules: BUFFER UINT|UVEC2|UVEC4
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_samplerless_texture_functions : require
#include "load_rate/shapes.glsl"

// The waves of one workgroup load the same 512 texels or elements again and again, and add them up.

layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint TURNS = 512u; // with eight loads each

layout(set = 0, binding = 0, std430) writeonly buffer Results { uvec2 results[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Took { uint ticks; };

#ifdef BUFFER
#if defined(UINT)
#define VALUE uint
#define SUM sum
#elif defined(UVEC2)
#define VALUE uvec2
#define SUM (sum.x + 2u * sum.y)
#else
#define VALUE uvec4
#define SUM (sum.x + 2u * sum.y + 4u * sum.z + 8u * sum.w)
#endif
layout(set = 0, binding = 2, std430) readonly buffer Elements { VALUE elements[]; };

#define PLACE uint
#define PLACE_OF(number) (number)
#define LOAD(at) elements[at]
#define WORDS_OF(at) uvec2(at, 0u)

#else
#ifdef FOUR
#define VALUE vec4
#define SUM uint(dot(sum, vec4(1.0, 2.0, 4.0, 8.0)))
#define COMPONENTS xyzw
#else
#define VALUE float
#define SUM uint(sum)
#define COMPONENTS x
#endif

#if defined(SAMPLED)
layout(set = 0, binding = 2) uniform texture2D texels;
#define LOAD(at) texelFetch(texels, ivec2(at), 0).COMPONENTS
#else
#if defined(R8)
#define FORMAT r8
#elif defined(R32F)
#define FORMAT r32f
#elif defined(RGBA8)
#define FORMAT rgba8
#elif defined(RGBA16F)
#define FORMAT rgba16f
#else
#define FORMAT rgba32f
#endif
layout(set = 0, binding = 2, FORMAT) uniform readonly image2D texels;
#define LOAD(at) imageLoad(texels, ivec2(at)).COMPONENTS
#endif

#define PLACE uvec2
#define PLACE_OF(number) texel_of(number)
#define WORDS_OF(at) at
#endif

// To store what was loaded before a barrier makes every wave wait for its loads.
shared uint warmed[gl_WorkGroupSize.x];
shared uint sums[gl_WorkGroupSize.x];

void main() {
    uint self = gl_LocalInvocationIndex;
    uint next = (self + 1u) % gl_WorkGroupSize.x;
    VALUE sum = VALUE(0);
    // Brings all places into the L1.
    for (uint number = self; number < PLACES; number += gl_WorkGroupSize.x) {
        sum += LOAD(PLACE_OF(number));
    }
    warmed[self] = SUM;
    barrier();
    uvec2 began = clockRealtime2x32EXT();
    // Always the same, which no compiler can know: no load begins before the clock is read.
    PLACE first = PLACE_OF((began == uvec2(~0u) ? warmed[next] : self) % TILE);
    for (uint turn = 0u; turn < TURNS; turn++) {
        PLACE at = first ^ PLACE_OF(shift_of(turn));
        sum += LOAD(at);
        sum += LOAD(at + PLACE_OF(1u * TILE));
        sum += LOAD(at + PLACE_OF(2u * TILE));
        sum += LOAD(at + PLACE_OF(3u * TILE));
        sum += LOAD(at + PLACE_OF(4u * TILE));
        sum += LOAD(at + PLACE_OF(5u * TILE));
        sum += LOAD(at + PLACE_OF(6u * TILE));
        sum += LOAD(at + PLACE_OF(7u * TILE));
    }
    sums[self] = SUM;
    barrier();
    if (self == 0u) {
        ticks = clockRealtime2x32EXT().x - began.x;
    }
    results[self] = uvec2(sums[next], bitfieldInsert(WORDS_OF(first).x, WORDS_OF(first).y, 16, 16));
}
