#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bloom/formulas.glsl"
#include "bloom/merged.glsl"

layout(std430, set = 0, binding = 2) readonly buffer Scene { uvec2 scene[]; };

// All five up-samples. A tile of the scene needs few texels of each level, so each workgroup computes those for itself in
// shared memory, the smallest level first.

// What a tile needs of a level: its own texels and one more on each side. The first that it needs is odd, and the last
// even, so that both lie between texels of the smaller level's region, which is cut in the same way. That holds because
// both sides of a tile are multiples of 1 << LEVELS.
ivec2 sides_of(int n) {
    return (ivec2(WIDTH, HEIGHT) >> n + 1) + 2;
}

ivec2 first_of(int n, ivec2 corner) {
    return (corner >> n + 1) - 1;
}

// Regions alternate between two halves: one is read while the next is stored.
const ivec2 MOST = ivec2(WIDTH, HEIGHT) / 2 + 2;
const int HALF = MOST.x * MOST.y;
shared uvec2 regions[2 * HALF];

// The region of the smaller level.
int region_begin;
ivec2 region_first;
int region_width;

uvec4 load_neighbour(Pass pass, ivec2 at) {
    ivec2 inside = clamp(at, ivec2(0), pass.input_size - 1) - region_first;
    return unpack(regions[region_begin + inside.y * region_width + inside.x]);
}

// Most texels of the first level's region per invocation. Of each other level an invocation has one at most.
const int EACH = (HALF + int(INVOCATIONS) - 1) / int(INVOCATIONS);
const int LOADS = EACH + LEVELS - 1;

// The level of an invocation's `i`th texel, the smallest first, and its place in the region.
int level_of(int i) {
    return max(LEVELS - 1 - i, 0);
}

int place_of(int i) {
    return int(gl_LocalInvocationIndex) + max(i + 1 - LEVELS, 0) * int(INVOCATIONS);
}

void main() {
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, HEIGHT);
    ivec2 sizes[LEVELS + 1];
    sizes[0] = scene_size;
    [[unroll]] for (int n = 0; n < LEVELS; ++n) {
        sizes[n + 1] = halved(sizes[n]);
    }
    // All loads come first, so that they are in flight together.
    uvec2 blurred[LOADS];
    ivec2 at[LOADS];
    [[unroll]] for (int i = 0; i < LOADS; ++i) {
        int n = level_of(i);
        ivec2 sides = sides_of(n);
        ivec2 size = sizes[n + 1];
        at[i] = clamp(first_of(n, corner) + ivec2(place_of(i) % sides.x, place_of(i) / sides.x), ivec2(0), size - 1);
        blurred[i] = input_texels[begins[n] + index_of(at[i], size)];
    }
    ivec2 top = corner + ivec2(gl_LocalInvocationID.x, gl_LocalInvocationID.y * ROWS);
    uvec2 texels[ROWS];
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        texels[row] = scene[index_of(min(top + ivec2(0, row), scene_size - 1), scene_size)];
    }
    [[unroll]] for (int i = 0; i < LOADS; ++i) {
        int n = level_of(i);
        int begin = n % 2 * HALF;
        ivec2 sides = sides_of(n);
        if (place_of(i) < sides.x * sides.y) {
            Pass pass = Pass(sizes[n + 1], sizes[min(n + 2, LEVELS)], UP_SAMPLE, 0, 0, 0);
            uvec2 own = blurred[i];
            regions[begin + place_of(i)] = i == 0 ? own : pack(up_sampled(enlarge(pass, at[i]), unpack(own)));
        }
        if (i < LEVELS - 1 || i == LOADS - 1) {
            barrier();
            region_begin = begin;
            region_first = first_of(n, corner);
            region_width = sides.x;
        }
    }
    // Two rows of the scene lie between three of the first level.
    Pass pass = Pass(scene_size, sizes[1], COMPOSITE, 0, 0, 0);
    uvec4 rows[ROWS / 2 + 2];
    [[unroll]] for (int row = 0; row < ROWS / 2 + 2; ++row) {
        rows[row] = enlarge_row(pass, min(top.x, scene_size.x - 1), (top.y >> 1) + row - 1);
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        int middle = row / 2 + 1;
        uvec4 first_level = enlarge_between(rows[middle], rows[middle + 2 * (row % 2) - 1]);
        store(top + ivec2(0, row), scene_size, 0, pack(composed(first_level, unpack(texels[row]))));
    }
}
