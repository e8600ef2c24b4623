#ifndef LOAD_WINDOW_GLSL
#define LOAD_WINDOW_GLSL

// A tile of one pass: each invocation loads its window into registers. Before it come `load_vector` and `load_pair`, which
// load four and two neighbouring texels at a place in the image, and `store_vector`.

#include "tiles_in_one_dispatch/window.glsl"

const ivec2 TILE = ivec2(gl_WorkGroupSize.x, int(gl_WorkGroupSize.y) * ROWS);

ivec2 my_vector(ivec2 tile) {
    return tile * TILE + ivec2(gl_LocalInvocationID.x, int(gl_LocalInvocationID.y) * ROWS);
}

// Half of a vector. What lies outside of the image reads as the nearest texel inside.
uvec2 load_beside(int x, int y, int part) {
    int inside = clamp(x, 0, VECTORS - 1);
    uvec2 pair = load_pair(ivec2(inside, y), x < 0 ? 0 : x >= VECTORS ? 1 : part);
    return x < 0 ? pair.xx : x >= VECTORS ? pair.yy : pair;
}

// Loads what a tile reads.
void load_tile(ivec2 tile) {
    ivec2 at = my_vector(tile);
    at.x = min(at.x, VECTORS - 1);
    [[unroll]] for (int j = 0; j < ROWS + 2 * RADIUS; ++j) {
        column[j] = load_vector(ivec2(at.x, clamp(at.y + j - RADIUS, 0, HEIGHT - 1)));
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        int y = min(at.y + row, HEIGHT - 1);
        [[unroll]] for (int n = 1; n <= BESIDE / 2; ++n) {
            uvec2 before = load_beside(at.x - (n + 1) / 2, y, n % 2);
            uvec2 behind = load_beside(at.x + (n + 1) / 2, y, (n + 1) % 2);
            set_beside(row, n, before, behind);
        }
    }
}

// Computes the pass and stores it.
void store_tile(ivec2 tile) {
    ivec2 at = my_vector(tile);
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        if (at.x < VECTORS && at.y + row < HEIGHT) {
            store_vector(at + ivec2(0, row), step_row(row, at.x == VECTORS - 1));
        }
    }
}

#endif
