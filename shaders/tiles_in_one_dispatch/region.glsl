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

// In vectors and rows: the region, the border of a tile within the image, and such a tile.
const ivec2 REGION = ivec2(WIDTH, STRIPS * ROWS);
const ivec2 BORDER = ivec2((DEPTH * RADIUS + 3) / 4, DEPTH * RADIUS);
const ivec2 TILE = REGION - 2 * BORDER;
const ivec2 IMAGE = ivec2(VECTORS, HEIGHT);

// Places in the image, in vectors and rows; an end is behind the last of them. Nothing is computed beyond the image: a tile at
// its edge is a border longer, and the region of the last one is moved until it ends with the image.
struct Cut {
    ivec2 corner; // of the region
    ivec2 loads; // what the tile's passes read
    ivec2 loads_end;
    ivec2 first; // the tile
    ivec2 end;
};

Cut cut_of(ivec2 tile) {
    ivec2 loads = tile * TILE;
    ivec2 loads_end = min(loads + REGION, IMAGE);
    ivec2 first = loads + mix(BORDER, ivec2(0), equal(loads, ivec2(0)));
    ivec2 end = loads_end - mix(BORDER, ivec2(0), equal(loads_end, IMAGE));
    return Cut(max(min(loads, IMAGE - REGION), ivec2(0)), loads, loads_end, first, end);
}

bool is_within(ivec2 at, ivec2 first, ivec2 end) {
    return all(greaterThanEqual(at, first)) && all(lessThan(at, end));
}

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

// An image that is lower than a region ends within a strip. Below it, its last row repeats.
void repeat_last_row(int y) {
    [[unroll]] for (int row = 1; row < ROWS; ++row) {
        mine[row] = y + row >= HEIGHT ? mine[row - 1] : mine[row];
    }
}

// Above the region's first strip and below its last is either the end of the image, where the outermost row repeats, or
// nothing that the tile needs.
void get_column(int at, bool is_first, bool is_last) {
    ivec2 above = is_first ? ivec2(at, 0) : ivec2(at - STRIP + RADIUS * WIDTH, WIDTH);
    ivec2 below = is_last ? ivec2(at + (2 * RADIUS - 1) * WIDTH, 0) : ivec2(at + STRIP, WIDTH);
    [[unroll]] for (int row = 0; row < RADIUS; ++row) {
        column[row] = ends[above.x + row * above.y];
        column[RADIUS + ROWS + row] = ends[below.x + row * below.y];
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        column[RADIUS + row] = mine[row];
    }
}

// The texels beside a row, of which this vector is `x`. The shuffles are relative ones: with `subgroupShuffle` in their place
// `tags_fused` takes twice as long on an H200. The n-th pair to each side is half of a vector. What lies outside of the image
// reads as the nearest texel inside.
void get_beside(int row, int x) {
    uvec4 here = column[RADIUS + row];
    uvec2 before = here.xy;
    uvec2 behind = here.zw;
    [[unroll]] for (int n = 1; n <= BESIDE / 2; ++n) {
        int away = (n + 1) / 2;
        uvec2 shuffled = subgroupShuffleUp(n % 2 == 0 ? here.xy : here.zw, away);
        before = x < away ? before.xx : shuffled;
        shuffled = subgroupShuffleDown(n % 2 == 0 ? here.zw : here.xy, away);
        behind = x + away >= VECTORS ? behind.yy : shuffled;
        set_beside(row, n, before, behind);
    }
}

// Computes DEPTH passes of `mine`. All of a workgroup calls.
void step_region(Cut cut) {
    ivec2 place = my_place();
    ivec2 at = cut.corner + place;
    int end = place.y / ROWS * STRIP + place.x;
    bool is_last = place.y == REGION.y - ROWS || at.y + ROWS >= HEIGHT;
    [[dont_unroll]] for (int pass = 1; pass <= DEPTH; ++pass) {
        if (REGION.y > HEIGHT) {
            repeat_last_row(at.y);
        }
        put_ends(end);
        barrier();
        int border = (DEPTH - pass) * RADIUS;
        bool is_needed = at.y + ROWS > cut.first.y - border && at.y < cut.end.y + border;
        // Where only some invocations of a subgroup may shuffle, NVIDIA's driver makes a loop of each shuffle.
        if (subgroupAny(is_needed)) {
            get_column(end, place.y == 0, is_last);
            [[unroll]] for (int row = 0; row < ROWS; ++row) {
                get_beside(row, at.x);
                mine[row] = step_row(row, at.x == VECTORS - 1);
            }
        }
        barrier();
    }
}

// Where this invocation's vector of a row is loaded from. What the tile does not need comes from a place that it does.
ivec2 load_place(Cut cut, int row) {
    return clamp(cut.corner + my_place() + ivec2(0, row), cut.loads, cut.loads_end - 1);
}

// Loads the region of a tile.
void load_tile(ivec2 tile) {
    Cut cut = cut_of(tile);
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        mine[row] = load_vector(load_place(cut, row));
    }
}

// Stores what lies within the tile but outside of the given part.
void store_computed(Cut cut, ivec2 but_first, ivec2 but_end) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = cut.corner + my_place() + ivec2(0, row);
        if (is_within(at, cut.first, cut.end) && !is_within(at, but_first, but_end)) {
            store_vector(at, mine[row]);
        }
    }
}

// Computes DEPTH passes and stores the last. All of a workgroup calls.
void store_tile(ivec2 tile) {
    Cut cut = cut_of(tile);
    step_region(cut);
    store_computed(cut, ivec2(0), ivec2(0));
}

#endif
