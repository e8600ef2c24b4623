#ifndef TILE_GLSL
#define TILE_GLSL

// Where a lane stands in a tile of so many lanes. The sides are powers of two.

// Lane after lane along the rows.
uvec2 in_rows(uint lane, uvec2 lanes) {
    return uvec2(lane % lanes.x, lane / lanes.x);
}

// Each four lanes a 2x2 quad, the quads along pairs of rows: bit 0 is the lowest bit of y, the bits
// above it are x, the rest of y follows. Rows of an odd tile, of one row, have no quads.
uvec2 in_quads(uint lane, uvec2 lanes) {
    return uvec2((lane / 2) % lanes.x, lane % 2 + lane / (2 * lanes.x) * 2);
}

#endif
