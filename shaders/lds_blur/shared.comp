#version 460
// Modules: LARGE|-
// Untraced modules: LARGE|- COUNT_LOADS=3
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep rows in registers and weights as constants.
#extension GL_EXT_control_flow_attributes : require
#include "lds_blur/tile.glsl"

// A workgroup loads its tile once into shared memory and filters from there. An invocation walks down
// ROWS_PER_INVOCATION texels of a column and keeps the rows that the next one needs again in registers.

void main() {
    load_tile();
    barrier();
    int x = int(gl_LocalInvocationID.x);
    int top = int(gl_LocalInvocationID.y) * ROWS_PER_INVOCATION;
    Gathered rows[TAPS];
    [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
        rows[i] = gather_row(x, top + i);
    }
    UNROLL for (int y = 0; y < ROWS_PER_INVOCATION; ++y) {
        rows[TAPS - 1] = gather_row(x, top + y + TAPS - 1);
        Gathered all = nothing();
        [[unroll]] for (int i = 0; i < TAPS; ++i) {
            all = add_row(all, rows[i], i);
        }
        store_filtered(all, ivec2(x, top + y));
        [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
            rows[i] = rows[i + 1];
        }
    }
}
