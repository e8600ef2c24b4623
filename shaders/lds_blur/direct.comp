#version 460
// Modules: FILTER=0|FILTER=1|FILTER=2|FILTER=3 STORAGE|-
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep rows in registers and weights as constants.
#extension GL_EXT_control_flow_attributes : require

#include "lds_blur/filter.glsl"

// Every invocation loads its whole neighbourhood itself. With RUN rows an invocation walks down its
// column and keeps the rows that the next texel needs again in registers.

layout(constant_id = 0) const float SCALE = 1.0; // makes the weights' sum 1

layout(constant_id = 3) const int RUN = 1;

layout(local_size_x_id = 1, local_size_y_id = 2) in;

#ifdef STORAGE
layout(set = 0, binding = 0, r32f) uniform readonly image2D from;
#else
layout(set = 0, binding = 0) uniform texture2D from;
#endif
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;
#if FILTER == FILTER_CLAMP
layout(set = 0, binding = 2) uniform texture2D before;
#endif

float load(ivec2 at, ivec2 last) {
    ivec2 inside = clamp(at, ivec2(0), last);
#ifdef STORAGE
    return imageLoad(from, inside).r;
#else
    return texelFetch(from, inside, 0).r;
#endif
}

float old(ivec2 at) {
#if FILTER == FILTER_CLAMP
    return texelFetch(before, at, 0).r;
#else
    return 0.0;
#endif
}

Taken row(ivec2 centre, ivec2 last) {
    Taken taken = nothing_taken();
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        taken = with_tap(taken, load(centre + ivec2(i - RADIUS, 0), last), i);
    }
    return taken;
}

void main() {
    ivec2 last = imageSize(to) - 1;
    ivec2 at = ivec2(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y * RUN);
    if (at.x > last.x) {
        return;
    }
    Taken rows[TAPS];
    [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
        rows[i] = row(at + ivec2(0, i - RADIUS), last);
    }
    for (int y = 0; y < RUN && at.y <= last.y; ++y, ++at.y) {
        rows[TAPS - 1] = row(at + ivec2(0, RADIUS), last);
        Taken taken = nothing_taken();
        [[unroll]] for (int i = 0; i < TAPS; ++i) {
            taken = with_row(taken, rows[i], i);
        }
#if FILTER == FILTER_UNSHARP
        float centre = load(at, last);
#else
        float centre = 0.0;
#endif
        imageStore(to, at, vec4(finished(taken, SCALE, centre, old(min(at, last)))));
        [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
            rows[i] = rows[i + 1];
        }
    }
}
