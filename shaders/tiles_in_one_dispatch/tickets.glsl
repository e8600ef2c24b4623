#ifndef TICKETS_GLSL
#define TICKETS_GLSL

// A workgroup claims one tile, in the order in which tiles depend on each other: who holds one knows that all before it are
// held by workgroups that have begun. By workgroup ids, workgroups that wait could keep out those that they wait for.

layout(constant_id = 0) const int COLUMNS = 1; // of tiles
layout(constant_id = 1) const int LINES = 1;
layout(constant_id = 2) const uint TILES = 1; // of all passes
// Vectors from one generation to the next.
layout(constant_id = 3) const uint GENERATION = 1;

layout(std430, set = 0, binding = 1) buffer Tickets {
    uint next_tile;
    uint unused[31]; // the counter has a cache line of its own
    uint flags[];
};
layout(std430, set = 0, binding = 2) buffer Timeouts { uint timeouts; };

struct Tile {
    uint pass; // the first of the DEPTH passes that are computed of it
    ivec2 at;
    ivec2 corner; // the first vector of its region, as a place in the image
};

shared uint claimed;

uint claim_tile() {
    if (gl_LocalInvocationIndex == 0) {
        claimed = atomicAdd(next_tile, 1u, gl_ScopeDevice, 0, 0);
    }
    barrier();
    return claimed;
}

Tile tile_of(uint number) {
    int in_pass = int(number) % (COLUMNS * LINES);
    ivec2 at = ivec2(in_pass % COLUMNS, in_pass / COLUMNS);
    return Tile(number / uint(COLUMNS * LINES) * uint(DEPTH), at, at * TILE - BORDER);
}

#endif
