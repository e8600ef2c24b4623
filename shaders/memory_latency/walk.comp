#version 460
// Modules: STORAGE|UNIFORM|SAMPLED|IMAGE
// Modules: STORAGE MARKED
#extension GL_EXT_shader_realtime_clock : require
#extension GL_EXT_samplerless_texture_functions : require
#include "include/lines.glsl"

// One invocation reads from line to line: what it reads says where the next line is. Before, all of them read the lines that a
// round reads last, so that caches hold what a round leaves in them.

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly buffer End { uvec2 end; };
layout(set = 0, binding = 1, std430) writeonly buffer Took { uint ticks; };

#if defined(STORAGE)
layout(set = 0, binding = 2, std430) readonly buffer A { uint a[]; };
layout(set = 0, binding = 3, std430) readonly buffer B { uint b[]; };
layout(set = 0, binding = 4, std430) readonly buffer C { uint c[]; };
layout(set = 0, binding = 5, std430) readonly buffer D { uint d[]; };

#define PLACE uint
#define FIRST word_of(0u)

uint read_line(uint i) {
    return a[word_of(i)] & b[word_of(i + AHEAD)] & c[word_of(i + 2u * AHEAD)] & d[word_of(i + 3u * AHEAD)];
}

#ifdef MARKED
layout(set = 0, binding = 6, std430) writeonly buffer Order { uint order[]; };
#define MARK(buffer) order[4u * (at / 32u) + buffer] = load + buffer;
#else
#define MARK(buffer)
#endif

#define FOUR_LOADS \
    MARK(0u) at = a[at]; \
    MARK(1u) at = b[at]; \
    MARK(2u) at = c[at]; \
    MARK(3u) at = d[at];

#else
#if defined(UNIFORM)
// Of a line, chains take vectors: arrays of a uniform buffer hold nothing smaller.
layout(set = 0, binding = 2, std140) uniform Lines { uvec4 vectors[4096]; };

#define PLACE uint
#define NEXT vectors[at].x

uint place_of(uint i) {
    return line_of(i) * 8u + chain;
}

#else
#if defined(SAMPLED)
layout(set = 0, binding = 2) uniform utexture2D texels;
#define NEXT texelFetch(texels, ivec2(at), 0).xy
#else
layout(set = 0, binding = 2, rg32ui) uniform readonly uimage2D texels;
#define NEXT imageLoad(texels, ivec2(at)).xy
#endif
#define PLACE uvec2

uint every_second_bit(uint x) {
    x &= 0x55555555u;
    x = (x | x >> 1u) & 0x33333333u;
    x = (x | x >> 2u) & 0x0F0F0F0Fu;
    x = (x | x >> 4u) & 0x00FF00FFu;
    return (x | x >> 8u) & 0x0000FFFFu;
}

// A line is a square of 4x4 texels, and the lines lie on a Z curve, so that few of them are a square, too.
uvec2 place_of(uint i) {
    uint line = line_of(i);
    return uvec2(every_second_bit(line), every_second_bit(line >> 1u)) * 4u + uvec2(chain % 4u, chain / 4u);
}
#endif

#define FIRST place_of(0u)
#define FOUR_LOADS at = NEXT; at = NEXT; at = NEXT; at = NEXT;

uint read_line(uint i) {
    PLACE at = place_of(i);
    return uvec2(NEXT).x;
}
#endif

// Always false, which no compiler can know: the load has to end first.
bool is_no_place(PLACE at) {
    return at == PLACE(~0u);
}

void main() {
    uint seen = 0u;
    for (uint i = lines - warmed + gl_LocalInvocationIndex; i < lines; i += gl_WorkGroupSize.x) {
        seen |= read_line(i);
    }
    barrier();
    if (seen == ~0u || gl_LocalInvocationIndex != 0u) {
        return;
    }
    PLACE at = FIRST;
    // Four loads more than are timed: no walk ends where it began, so that a load which is left out shows.
    for (uint load = 0u; load < loads + 4u; load += 4u) {
        FOUR_LOADS
    }
    if (is_no_place(at)) {
        return;
    }
    uvec2 began = clockRealtime2x32EXT();
    // Always false, too: no load begins before the clock is read.
    at = began == uvec2(~0u) ? PLACE(0u) : at;
    for (uint load = 0u; load < loads; load += 4u) {
        FOUR_LOADS
    }
    if (is_no_place(at)) {
        return;
    }
    ticks = clockRealtime2x32EXT().x - began.x;
    end = uvec2(at);
}
