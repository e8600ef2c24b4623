#version 460
// Modules: STORAGE|-
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep rows in registers and weights as constants.
#extension GL_EXT_control_flow_attributes : require
#include "lds_blur/filter.glsl"

// Every invocation loads its whole neighbourhood itself. It walks down ROWS_PER_INVOCATION texels of a column and keeps
// the rows that the next texel needs again in registers.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int ROWS_PER_INVOCATION = 1;

Gathered load_row(ivec2 centre) {
    Gathered row = nothing();
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        row = add_tap(row, load(centre + ivec2(i - RADIUS, 0)), i);
    }
    return row;
}

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.x, gl_GlobalInvocationID.y * ROWS_PER_INVOCATION);
    if (at.x > last_texel.x) {
        return;
    }
    Gathered rows[TAPS];
    [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
        rows[i] = load_row(at + ivec2(0, i - RADIUS));
    }
    for (int y = 0; y < ROWS_PER_INVOCATION && at.y <= last_texel.y; ++y, ++at.y) {
        rows[TAPS - 1] = load_row(at + ivec2(0, RADIUS));
        Gathered all = nothing();
        [[unroll]] for (int i = 0; i < TAPS; ++i) {
            all = add_row(all, rows[i], i);
        }
        float centre = FILTER == UNSHARP ? load(at) : 0.0;
        imageStore(to, at, vec4(filtered(all, at, centre)));
        [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
            rows[i] = rows[i + 1];
        }
    }
}
