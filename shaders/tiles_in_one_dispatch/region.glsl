#ifndef REGION_GLSL
#define REGION_GLSL

// DEPTH passes of one tile by one workgroup. It loads a region, which is the tile and all that its passes read around it;
// the border that is still correct shrinks by RADIUS with each pass. No workgroup waits for another meanwhile, but borders
// are computed more than once.
//
// A workgroup is a stack of strips, each of WIDTH invocations with ROWS rows. A strip lies within a subgroup: an invocation
// keeps its vectors in registers, takes those beside it by shuffles, and finds the rows above and below in shared memory,
// where strips put only their first and last rows. Before it come `load_vector` and `store_vector`, with a place in the image,
// and the extensions for subgroups.

#include "tiles_in_one_dispatch/window.glsl"

layout(constant_id = 29) const int WIDTH = 1;
const int STRIPS = int(gl_WorkGroupSize.x) / WIDTH;

// In vectors and rows: the region, the border on each side, and the tile in its middle.
const ivec2 REGION = ivec2(WIDTH, STRIPS * ROWS);
const ivec2 BORDER = ivec2((DEPTH * RADIUS + 3) / 4, DEPTH * RADIUS);
const ivec2 TILE = REGION - 2 * BORDER;

// Of each strip the first RADIUS rows, then the last.
const int STRIP = 2 * RADIUS * WIDTH;
shared uvec4 ends[STRIPS * STRIP];

// This invocation's vectors: first of the generation that is loaded, at last DEPTH generations later.
uvec4 mine[ROWS];

// Subgroups are whole, so this numbers the invocations of a strip in the order of their lanes.
ivec2 my_place() {
    int number = int(gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID);
    return ivec2(number % WIDTH, number / WIDTH * ROWS);
}

void put_ends(int at) {
    [[unroll]] for (int row = 0; row < RADIUS; ++row) {
        ends[at + row * WIDTH] = mine[row];
        ends[at + (RADIUS + row) * WIDTH] = mine[ROWS - RADIUS + row];
    }
}

// The first strip has no strip above, and the last none below. They read their own rows; what they compute is not used.
void get_column(int at) {
    int above = my_place().y == 0 ? at : at - STRIP;
    int below = my_place().y == REGION.y - ROWS ? at : at + STRIP;
    [[unroll]] for (int row = 0; row < RADIUS; ++row) {
        column[row] = ends[above + (RADIUS + row) * WIDTH];
        column[RADIUS + ROWS + row] = ends[below + row * WIDTH];
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        column[RADIUS + row] = mine[row];
    }
}

// What lies outside of the image reads as the nearest texel inside. Here these are rows of this invocation, whose first is `y`.
void extend_mine(int y) {
    [[unroll]] for (int row = ROWS - 2; row >= 0; --row) {
        mine[row] = y + row < 0 ? mine[row + 1] : mine[row];
    }
    [[unroll]] for (int row = 1; row < ROWS; ++row) {
        mine[row] = y + row >= HEIGHT ? mine[row - 1] : mine[row];
    }
}

// The same for the rows above and below.
void extend_column(int y) {
    [[unroll]] for (int row = 0; row < RADIUS; ++row) {
        column[row] = y <= 0 ? mine[0] : column[row];
        column[RADIUS + ROWS + row] = y + ROWS >= HEIGHT ? mine[ROWS - 1] : column[RADIUS + ROWS + row];
    }
}

// The texels beside a row, of which this vector is `x`. The shuffles are relative ones: with `subgroupShuffle` in their place
// `tags_fused` takes twice as long on an H200. The n-th pair to each side is half of a vector. `at_side` tells that the region
// reaches beyond the image's sides.
void get_beside(int row, int x, bool at_side) {
    uvec4 here = column[RADIUS + row];
    uvec2 before = here.xy;
    uvec2 behind = here.zw;
    [[unroll]] for (int n = 1; n <= BESIDE / 2; ++n) {
        int away = (n + 1) / 2;
        uvec2 shuffled = subgroupShuffleUp(n % 2 == 0 ? here.xy : here.zw, away);
        before = at_side && x < away ? before.xx : shuffled;
        shuffled = subgroupShuffleDown(n % 2 == 0 ? here.zw : here.xy, away);
        behind = at_side && x + away >= VECTORS ? behind.yy : shuffled;
        set_beside(row, n, before, behind);
    }
}

void step_rows(int x, bool at_side) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        get_beside(row, x, at_side);
        mine[row] = step_row(row, x == VECTORS - 1);
    }
}

// Computes DEPTH passes of `mine`. All of a workgroup calls.
void step_region(ivec2 corner) {
    ivec2 place = my_place();
    ivec2 at = corner + place;
    int end = place.y / ROWS * STRIP + place.x;
    bool is_inside = at.y < HEIGHT && at.y + ROWS > 0;
    bool at_end = subgroupAny(is_inside && (at.y <= 0 || at.y + ROWS >= HEIGHT));
    [[dont_unroll]] for (int pass = 1; pass <= DEPTH; ++pass) {
        if (at_end) {
            extend_mine(at.y);
        }
        put_ends(end);
        barrier();
        bool is_needed = is_inside && place.y + ROWS > pass * RADIUS && place.y < REGION.y - pass * RADIUS;
        // Where only some invocations of a subgroup may shuffle, NVIDIA's driver makes a loop of each shuffle.
        if (subgroupAny(is_needed)) {
            get_column(end);
            if (at_end) {
                extend_column(at.y);
            }
            if (corner.x < 0 || corner.x + REGION.x > VECTORS) {
                step_rows(at.x, true);
            } else {
                step_rows(at.x, false);
            }
        }
        barrier();
    }
}

// Whether the vector belongs to the tile: others compute it only as part of their border.
bool is_in_tile(ivec2 place) {
    return all(greaterThanEqual(place, BORDER)) && all(lessThan(place, BORDER + TILE));
}

bool is_in_image(ivec2 at) {
    return all(greaterThanEqual(at, ivec2(0))) && all(lessThan(at, ivec2(VECTORS, HEIGHT)));
}

// Loads the region of the tile whose first vector is `corner`.
void load_tile(ivec2 corner) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        mine[row] = load_vector(inside_image(corner - BORDER + my_place() + ivec2(0, row)));
    }
}

// Stores the tile, or only its ring: what its neighbours read, which lies within a border's width of its edges.
void store_computed(ivec2 corner, bool only_ring) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        ivec2 at = corner - BORDER + place;
        bool is_ring = any(lessThan(place, 2 * BORDER)) || any(greaterThanEqual(place, TILE));
        if (is_in_tile(place) && is_in_image(at) && (is_ring || !only_ring)) {
            store_vector(at, mine[row]);
        }
    }
}

// Computes DEPTH passes and stores the last. All of a workgroup calls.
void store_tile(ivec2 corner) {
    step_region(corner - BORDER);
    store_computed(corner, false);
}

#endif
