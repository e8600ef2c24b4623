#version 460
// Modules: LARGE|-
// Untraced modules: LARGE|- COUNT_LOADS=3
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep rows in registers and weights as constants.
#extension GL_EXT_control_flow_attributes : require
#include "lds_blur/tile.glsl"

// A workgroup loads its tile once into shared memory, stores there what each row of taps contributes, and takes the
// columns from that.

struct Across {
    float at[TILE_WIDTH];
};
shared Across sums[HEIGHT]; // or the largest of each row
shared Across least[FILTER == CLAMP ? HEIGHT : 1];

void gather_rows() {
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    UNROLL for (int y = 0; y < HEIGHT; y += THREADS_Y) {
        ivec2 at = lane + ivec2(0, y);
        if (at.y < HEIGHT) {
            Gathered row = gather_row(at.x, at.y);
            sums[at.y].at[at.x] = FILTER == DILATE || FILTER == CLAMP ? row.most : row.sum;
            if (FILTER == CLAMP) {
                least[at.y].at[at.x] = row.least;
            }
        }
    }
}

void main() {
    load_tile();
    barrier();
    gather_rows();
    barrier();
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    Gathered all = nothing();
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        float sum = sums[lane.y + i].at[lane.x];
        float smallest = FILTER == CLAMP ? least[lane.y + i].at[lane.x] : 0.0;
        all = add_row(all, Gathered(sum, smallest, sum), i);
    }
    store_filtered(all, lane);
}
