#ifndef TICKETS_GLSL
#define TICKETS_GLSL

// Workgroups claim tiles in the order in which these depend on each other, and store one before they claim another: who holds
// one knows that all before it are held by workgroups that have begun. With workgroup ids in their place, waiting workgroups
// could occupy all that the device has room for, while those that they wait for have not begun.

layout(constant_id = 0) const int COLUMNS = 1; // of tiles
layout(constant_id = 1) const int LINES = 1;
layout(constant_id = 2) const uint TILES = 1; // of all passes
// Vectors from one generation to the next.
layout(constant_id = 3) const uint GENERATION = 1;

// What of a dependency can be left out to see what it costs; passes race without it.
const uint WAIT = 1;
const uint CLAIM = 2;
const uint ORDER = 4;
const uint LOAD = 8;
const uint STORE = 16;
const uint DEVICE_ACQUIRE = 32;
layout(constant_id = 8) const uint LEFT_OUT = 0;

bool has(uint part) {
    return (LEFT_OUT & part) == 0;
}

layout(std430, set = 0, binding = 1) buffer Tickets {
    uint next_tile;
    uint unused[31]; // the counter has a cache line of its own
    uint flags[];
};
layout(std430, set = 0, binding = 2) buffer Timeouts { uint timeouts; };

struct Tile {
    uint number;
    uint pass; // the first of the passes that are computed of it
    ivec2 at; // column and line
};

// Vectors before the generation that the tile reads, and before the one that it stores.
uint reads_from;
uint stores_to;

Tile begin_tile(uint number) {
    int in_pass = int(number) % (COLUMNS * LINES);
    uint pass = number / uint(COLUMNS * LINES) * uint(DEPTH);
    reads_from = pass * GENERATION;
    stores_to = (pass + DEPTH) * GENERATION;
    return Tile(number, pass, ivec2(in_pass % COLUMNS, in_pass / COLUMNS));
}

shared uint claimed;
uint unclaimed = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;

// The next tile that no workgroup has. Its number is TILES or more when none is left.
Tile claim_tile() {
    if (!has(CLAIM)) {
        uint number = unclaimed;
        unclaimed += gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        return begin_tile(number);
    }
    barrier(); // until all have read what was claimed before
    if (gl_LocalInvocationIndex == 0) {
        claimed = atomicAdd(next_tile, 1u, gl_ScopeDevice, 0, 0);
    }
    barrier();
    // All read the same, but a compiler cannot know that: the branches that follow would be divergent to it.
    return begin_tile(subgroupBroadcastFirst(claimed));
}

// The same after a tile. With as many workgroups as tiles each claims one: another claim would find none.
Tile claim_another_tile() {
    if (gl_NumWorkGroups.x * gl_NumWorkGroups.y >= TILES) {
        return begin_tile(TILES);
    }
    return claim_tile();
}

#endif
