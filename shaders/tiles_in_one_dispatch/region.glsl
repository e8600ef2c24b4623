#ifndef REGION_GLSL
#define REGION_GLSL

// DEPTH passes of one tile by one workgroup. It loads a region, which is the tile and all that its passes read around it;
// the border that is still correct shrinks by RADIUS with each pass. No workgroup waits for another meanwhile, but borders
// are computed more than once.
//
// An invocation keeps its ROWS vectors in registers and finds its neighbours' in shared memory. Before it come `load_vector`
// and `store_vector`, with a place in the image.

#include "tiles_in_one_dispatch/window.glsl"

// Copies of the region in shared memory: two save a barrier per pass, one leaves room for more workgroups.
layout(constant_id = 28) const int COPIES = 1;

// In vectors and rows: the region, the border on each side, and the tile in its middle.
const ivec2 REGION = ivec2(gl_WorkGroupSize.x, int(gl_WorkGroupSize.y) * ROWS);
const ivec2 BORDER = ivec2((DEPTH * RADIUS + 3) / 4, DEPTH * RADIUS);
const ivec2 TILE = REGION - 2 * BORDER;

const int PITCH = int(gl_WorkGroupSize.x);
// Words beside the region, which border texels that are no longer correct are computed from.
const int GUARD = RADIUS * PITCH + (RADIUS + 3) / 4;
const int COPY = PITCH * int(gl_WorkGroupSize.y) * ROWS + 2 * GUARD;
// The two halves of a vector lie apart: when all invocations of a subgroup load one half, they use all banks.
const int HALF = COPIES * COPY;
shared uvec2 region[2 * HALF];

// This invocation's vectors: first of the generation that is loaded, at last DEPTH generations later.
uvec4 mine[ROWS];

ivec2 my_place() {
    return ivec2(gl_LocalInvocationID.x, int(gl_LocalInvocationID.y) * ROWS);
}

uvec4 get_vector(int at) {
    return uvec4(region[at], region[at + HALF]);
}

void put_vector(int at, uvec4 texels) {
    region[at] = texels.xy;
    region[at + HALF] = texels.zw;
}

// What lies outside of the image reads as the nearest texel inside. `corner` is the image's place of the region's first vector.
void extend_edges(int at, ivec2 corner) {
    ivec2 first = max(-corner, ivec2(0));
    ivec2 last = min(ivec2(VECTORS, HEIGHT) - corner, REGION) - 1;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        ivec2 inside = clamp(place, first, last);
        if (inside != place) {
            uvec4 nearest = get_vector(at + (inside.y - my_place().y) * PITCH + inside.x - place.x);
            mine[row] = place.x < first.x ? nearest.xxxx : place.x > last.x ? nearest.wwww : nearest;
            put_vector(at + row * PITCH, mine[row]);
        }
    }
}

void get_window(int at) {
    [[unroll]] for (int j = 0; j < RADIUS; ++j) {
        column[j] = get_vector(at + (j - RADIUS) * PITCH);
        column[RADIUS + ROWS + j] = get_vector(at + (ROWS + j) * PITCH);
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        column[RADIUS + row] = mine[row];
        // The n-th pair of texels to each side is half of a vector.
        [[unroll]] for (int n = 1; n <= BESIDE / 2; ++n) {
            uvec2 before = region[at + row * PITCH - (n + 1) / 2 + n % 2 * HALF];
            uvec2 behind = region[at + row * PITCH + (n + 1) / 2 + (n + 1) % 2 * HALF];
            set_beside(row, n, before, behind);
        }
    }
}

// Computes DEPTH passes of `mine`. All of a workgroup calls.
void step_region(ivec2 corner) {
    bool at_edge = any(lessThan(corner, ivec2(0))) || any(greaterThan(corner + REGION, ivec2(VECTORS, HEIGHT)));
    int at = GUARD + my_place().y * PITCH + my_place().x;
    [[dont_unroll]] for (int pass = 1; pass <= DEPTH; ++pass) {
        [[unroll]] for (int row = 0; row < ROWS; ++row) {
            put_vector(at + row * PITCH, mine[row]);
        }
        barrier();
        if (at_edge) {
            extend_edges(at, corner);
            barrier();
        }
        bool is_needed = my_place().y + ROWS > pass * RADIUS && my_place().y < REGION.y - pass * RADIUS;
        if (is_needed) {
            get_window(at);
            [[unroll]] for (int row = 0; row < ROWS; ++row) {
                mine[row] = step_row(row, corner.x + my_place().x == VECTORS - 1);
            }
        }
        if (COPIES == 1) {
            barrier();
        } else {
            at += pass % 2 == 1 ? COPY : -COPY;
        }
    }
}

// Whether this tile stores the vector: others compute it only as part of their border.
bool is_stored(ivec2 place, ivec2 corner) {
    return all(greaterThanEqual(place, BORDER)) && all(lessThan(place, BORDER + TILE)) &&
           all(lessThan(corner + place, ivec2(VECTORS, HEIGHT)));
}

// Loads the region of the tile whose first vector is `corner`.
void load_tile(ivec2 corner) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        mine[row] = load_vector(inside_image(corner - BORDER + my_place() + ivec2(0, row)));
    }
}

void store_computed(ivec2 corner) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        if (is_stored(place, corner - BORDER)) {
            store_vector(corner - BORDER + place, mine[row]);
        }
    }
}

// Computes DEPTH passes and stores the last. All of a workgroup calls.
void store_tile(ivec2 corner) {
    step_region(corner - BORDER);
    store_computed(corner);
}

#endif
