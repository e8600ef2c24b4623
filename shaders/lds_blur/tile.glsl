#ifndef TILE_GLSL
#define TILE_GLSL

#include "lds_blur/filter.glsl"

// The tile of a workgroup in shared memory, with the texels within reach around it. Each invocation covers
// ROWS_PER_INVOCATION texels of a column.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int ROWS_PER_INVOCATION = 1;
layout(constant_id = 3) const int PITCH = 34; // from row to row in shared memory

// A large filter's whole tile would be more code than an instruction cache holds, and more than lavapipe
// compiles within seconds.
#ifdef LARGE
#define UNROLL
#else
#define UNROLL [[unroll]]
#endif

const int TILE_WIDTH = int(gl_WorkGroupSize.x);
const int THREADS_Y = int(gl_WorkGroupSize.y);
const int TILE_HEIGHT = THREADS_Y * ROWS_PER_INVOCATION;
const int HEIGHT = TILE_HEIGHT + 2 * RADIUS;

// Rows are structures, because of an array of arrays only the outermost may have a specialisation constant's size. With
// an index computed from row and column an H200 takes 1 to 2 % longer.
struct Row {
    float at[PITCH];
};
shared Row tile[HEIGHT];

ivec2 tile_corner() {
    return ivec2(gl_WorkGroupID.xy) * ivec2(TILE_WIDTH, TILE_HEIGHT);
}

void load_texel(ivec2 at) {
    if (at.y < HEIGHT) {
        tile[at.y].at[at.x] = load(tile_corner() + at - RADIUS);
    }
}

// Bounds of the loops are constants, so that all loads can be issued before the first is waited for.
void load_tile() {
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    UNROLL for (int y = 0; y < HEIGHT; y += THREADS_Y) {
        load_texel(lane + ivec2(RADIUS, y));
    }
    // The columns of the border, shared out among all lanes: row by row, two of 32 lanes would have something to load.
    UNROLL for (int i = 0; i < 2 * RADIUS * HEIGHT; i += TILE_WIDTH * THREADS_Y) {
        int texel = i + int(gl_LocalInvocationIndex);
        int column = texel % (2 * RADIUS);
        load_texel(ivec2(column < RADIUS ? column : column + TILE_WIDTH, texel / (2 * RADIUS)));
    }
}

// What a row contributes to the texel in column `x` of the tile; `y` counts from the border.
Gathered gather_row(int x, int y) {
    Gathered row = nothing();
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        row = add_tap(row, tile[y].at[x + i], i);
    }
    return row;
}

// Stores the result for a texel of the tile.
void store_filtered(Gathered gathered, ivec2 texel) {
    ivec2 at = tile_corner() + texel;
    if (all(lessThanEqual(at, last_texel))) {
        imageStore(to, at, vec4(filtered(gathered, at, tile[texel.y + RADIUS].at[texel.x + RADIUS])));
    }
}

#endif
