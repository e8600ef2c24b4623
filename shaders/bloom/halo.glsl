#ifndef BLOOM_HALO_GLSL
#define BLOOM_HALO_GLSL

// Where the tiles of all passes lie, and which tiles a tile reads.

#include "bloom/passes.glsl"

layout(constant_id = 0) const int PASSES = 1;
// One for each tile of each pass.
layout(constant_id = 1) const uint TICKETS = 1;

struct PassTiles {
    Pass pass;
    uint output_flag; // of its first tile
    uint input_flag;  // of the first tile of each input
    uint second_input_flag;
    int rows; // per invocation
    int input_rows;
};
layout(std140, set = 0, binding = 0) uniform Passes { PassTiles passes[PASSES]; };
// Per ticket, the pass and the tile in it, counted row by row. A tile comes after all tiles that it reads.
layout(std430, set = 0, binding = 1) readonly buffer Order { uvec2 order[]; };

int columns_of(ivec2 size) {
    return (size.x + WIDTH - 1) / WIDTH;
}

// The first texel of a tile.
ivec2 corner_of(PassTiles entry, uint tile) {
    int columns = columns_of(entry.pass.size);
    return ivec2(int(tile) % columns, int(tile) / columns) * ivec2(WIDTH, STEP * entry.rows);
}

// The range of the first input that texels from `first` to `last` read, before it is clamped to the edge.
void reach(uint kind, ivec2 first, ivec2 last, out ivec2 input_first, out ivec2 input_last) {
    switch (kind) {
    case DOWN_SAMPLE:
        input_first = 2 * first;
        input_last = 2 * last + 1;
        break;
    case BLUR_X:
        input_first = first - ivec2(RADIUS, 0);
        input_last = last + ivec2(RADIUS, 0);
        break;
    case BLUR_Y:
        input_first = first - ivec2(0, RADIUS);
        input_last = last + ivec2(0, RADIUS);
        break;
    default: // UP_SAMPLE, COMPOSITE
        input_first = (first >> 1) - 1;
        input_last = (last >> 1) + 1;
        break;
    }
}

// The tiles that a tile reads: a rectangle of them in its first input, and the one at its own place in the second.
struct Halo {
    ivec2 first;
    ivec2 tiles;
    bool second_input;
};

Halo halo_of(PassTiles entry, ivec2 corner) {
    Pass pass = entry.pass;
    if (pass.kind == BRIGHT_PASS) {
        return Halo(ivec2(0), ivec2(0), false);
    }
    ivec2 last = min(corner + ivec2(WIDTH, STEP * entry.rows), pass.size) - 1;
    ivec2 input_first, input_last;
    reach(pass.kind, corner, last, input_first, input_last);
    ivec2 input_tile = ivec2(WIDTH, STEP * entry.input_rows);
    ivec2 edge = pass.input_size - 1;
    ivec2 first_tile = clamp(input_first, ivec2(0), edge) / input_tile;
    ivec2 last_tile = clamp(input_last, ivec2(0), edge) / input_tile;
    return Halo(first_tile, last_tile - first_tile + 1, pass.kind == UP_SAMPLE);
}

#endif
