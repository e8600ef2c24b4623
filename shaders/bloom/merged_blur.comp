#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bloom/formulas.glsl"
#include "bloom/merged.glsl"

// Both blurs of all five levels. A workgroup blurs along x the rows of its tile and RADIUS rows above and below, into shared
// memory, then along y. An invocation blurs ROWS neighbours at once, so that it loads each texel under their filters once.

const int ROWS_ACROSS = HEIGHT + 2 * RADIUS;
const int PITCH = WIDTH + 1; // odd, so that neighbouring rows begin in different banks of shared memory
shared uvec2 across[ROWS_ACROSS * PITCH];

uint weights[RADIUS + 1];

// The sums of ROWS neighbours' filters.
uvec4 sums[ROWS];

void clear_sums() {
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
        sums[i] = uvec4(1u << 2 * RADIUS - 1);
    }
}

// Adds the texel `at` places after the first that the filters reach.
void add_to_sums(uvec2 packed, int at) {
    uvec4 texel = unpack(packed);
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
        int distance = abs(at - RADIUS - i);
        if (distance <= RADIUS) {
            sums[i] += weights[distance] * texel;
        }
    }
}

uvec2 blurred(int i) {
    return pack(sums[i] >> 2 * RADIUS);
}

void blur_rows(ivec2 corner, ivec2 size, uint begin) {
    const int ITEMS_PER_ROW = WIDTH / ROWS;
    for (int item = int(gl_LocalInvocationIndex); item < ITEMS_PER_ROW * ROWS_ACROSS; item += int(INVOCATIONS)) {
        ivec2 lane = ivec2(item % ITEMS_PER_ROW * ROWS, item / ITEMS_PER_ROW);
        ivec2 at = corner + lane - RADIUS;
        clear_sums();
        [[unroll]] for (int i = 0; i < ROWS + 2 * RADIUS; ++i) {
            ivec2 inside = clamp(at + ivec2(i, 0), ivec2(0), size - 1);
            add_to_sums(input_texels[begin + index_of(inside, size)], i);
        }
        [[unroll]] for (int i = 0; i < ROWS; ++i) {
            across[lane.y * PITCH + lane.x + i] = blurred(i);
        }
    }
}

void blur_columns(ivec2 corner, ivec2 size, uint begin) {
    ivec2 lane = ivec2(gl_LocalInvocationID) * ivec2(1, ROWS);
    clear_sums();
    [[unroll]] for (int i = 0; i < ROWS + 2 * RADIUS; ++i) {
        add_to_sums(across[(lane.y + i) * PITCH + lane.x], i);
    }
    [[unroll]] for (int i = 0; i < ROWS; ++i) {
        store(corner + lane + ivec2(0, i), size, begin, blurred(i));
    }
}

ivec2 tiles_of(ivec2 size) {
    return (size + ivec2(WIDTH, HEIGHT) - 1) / ivec2(WIDTH, HEIGHT);
}

void main() {
    weights[0] = MIDDLE;
    [[unroll]] for (int d = 1; d <= RADIUS; ++d) {
        weights[d] = weights[d - 1] * (RADIUS - d + 1) / (RADIUS + d);
    }
    // The levels' tiles follow each other.
    int tile = int(gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x);
    ivec2 size = halved(scene_size);
    ivec2 tiles = tiles_of(size);
    int n = 0;
    while (n < LEVELS && tile >= tiles.x * tiles.y) {
        tile -= tiles.x * tiles.y;
        size = halved(size);
        tiles = tiles_of(size);
        ++n;
    }
    if (n == LEVELS) {
        return; // the last row of workgroups may have more than there are tiles
    }
    ivec2 corner = ivec2(tile % tiles.x, tile / tiles.x) * ivec2(WIDTH, HEIGHT);
    blur_rows(corner, size, begins[n]);
    barrier();
    blur_columns(corner, size, begins[n]);
}
