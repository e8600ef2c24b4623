#version 460
// Modules: FILTER=0|FILTER=3 HALF|SEPARABLE|- LARGE|-
// Modules: FILTER=1|FILTER=2 HALF|SEPARABLE|-
// Untraced modules: FILTER=0|FILTER=3 HALF|SEPARABLE|- LARGE|- COUNT_LOADS
// Untraced modules: FILTER=1|FILTER=2 HALF|SEPARABLE|- COUNT_LOADS
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep rows in registers and weights as constants.
#extension GL_EXT_control_flow_attributes : require

#include "lds_blur/filter.glsl"

// A workgroup loads the tile that it covers, and the texels within reach around it, once into shared
// memory, and filters from there.
//
// HALF packs two neighbouring texels into a word as 16-bit floats, which hold 0 to 255 exactly.
// SEPARABLE puts the rows of the whole tile into shared memory too, and takes the columns from there.
// Each invocation covers RUN texels of a column, and keeps the rows that the next one needs again.

layout(constant_id = 0) const float SCALE = 1.0; // makes the weights' sum 1

layout(constant_id = 3) const int RUN = 1;

layout(local_size_x_id = 1, local_size_y_id = 2) in;

layout(set = 0, binding = 0) uniform texture2D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;
#if FILTER == FILTER_CLAMP
layout(set = 0, binding = 2) uniform texture2D before;
#define NEXT_BINDING 3
#else
#define NEXT_BINDING 2
#endif
#ifdef COUNT_LOADS
layout(std430, set = 0, binding = NEXT_BINDING) buffer Counters { uint loads; };
#endif

// A large filter's whole tile would be more code than an instruction cache holds, and more than lavapipe
// compiles within seconds.
#ifdef LARGE
#define UNROLL
#else
#define UNROLL [[unroll]]
#endif

const int TILE_WIDTH = int(gl_WorkGroupSize.x);
const int THREADS_Y = int(gl_WorkGroupSize.y);
const int TILE_HEIGHT = THREADS_Y * RUN;
const int WIDTH = TILE_WIDTH + 2 * RADIUS;
const int HEIGHT = TILE_HEIGHT + 2 * RADIUS;

// Rows are structures, because of an array of arrays only the outermost may have a specialisation constant's size. With
// an index computed from row and column an H200 takes 1 to 2 % longer.
#ifdef HALF
const int COLUMNS = (WIDTH + 1) / 2;
struct Row { uint at[COLUMNS]; };
#else
const int COLUMNS = WIDTH;
struct Row { float at[COLUMNS]; };
#endif
shared Row tile[HEIGHT];
#ifdef SEPARABLE
struct Across { Taken at[TILE_WIDTH]; };
shared Across across[HEIGHT];
#endif

float load(ivec2 at, ivec2 last) {
#ifdef COUNT_LOADS
    atomicAdd(loads, 1u);
#endif
    return texelFetch(from, clamp(at, ivec2(0), last), 0).r;
}

float old(ivec2 at) {
#if FILTER == FILTER_CLAMP
    return texelFetch(before, at, 0).r;
#else
    return 0.0;
#endif
}

// Texel of the tile, counted from its reach's corner.
float held(int x, int y) {
#ifdef HALF
    vec2 pair = unpackHalf2x16(tile[y].at[x / 2]);
    return (x & 1) == 0 ? pair.x : pair.y;
#else
    return tile[y].at[x];
#endif
}

#ifdef HALF
void put(ivec2 to, ivec2 corner, ivec2 last) {
    ivec2 at = corner + ivec2(2 * to.x, to.y) - RADIUS;
    float second = 2 * to.x + 1 < WIDTH ? load(at + ivec2(1, 0), last) : 0.0;
    tile[to.y].at[to.x] = packHalf2x16(vec2(load(at, last), second));
}

void fill(ivec2 corner, ivec2 last) {
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    UNROLL for (int y = 0; y < HEIGHT; y += THREADS_Y) {
        UNROLL for (int x = 0; x < COLUMNS; x += TILE_WIDTH) {
            if (lane.x + x < COLUMNS && lane.y + y < HEIGHT) {
                put(lane + ivec2(x, y), corner, last);
            }
        }
    }
}
#else
// Bounds of the loops are constants, so that all loads can be issued before the first is waited for.
void fill(ivec2 corner, ivec2 last) {
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    UNROLL for (int y = 0; y < HEIGHT; y += THREADS_Y) {
        ivec2 to = lane + ivec2(RADIUS, y);
        if (to.y < HEIGHT) {
            tile[to.y].at[to.x] = load(corner + to - RADIUS, last);
        }
    }
    // The border's columns, dealt out to all lanes: row by row, two of 32 lanes would have something to load.
    UNROLL for (int i = 0; i < 2 * RADIUS * HEIGHT; i += TILE_WIDTH * THREADS_Y) {
        int texel = i + int(gl_LocalInvocationIndex);
        ivec2 to = ivec2(texel % (2 * RADIUS), texel / (2 * RADIUS));
        to.x += to.x < RADIUS ? 0 : TILE_WIDTH;
        if (to.y < HEIGHT) {
            tile[to.y].at[to.x] = load(corner + to - RADIUS, last);
        }
    }
}
#endif

Taken row_of_tile(int x, int y) {
    Taken taken = nothing_taken();
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        taken = with_tap(taken, held(x + i, y), i);
    }
    return taken;
}

Taken row(int x, int y) {
#ifdef SEPARABLE
    return across[y].at[x];
#else
    return row_of_tile(x, y);
#endif
}

void main() {
    ivec2 last = imageSize(to) - 1;
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(TILE_WIDTH, TILE_HEIGHT);
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    fill(corner, last);
    barrier();
#ifdef SEPARABLE
    UNROLL for (int y = 0; y < HEIGHT; y += THREADS_Y) {
        if (lane.y + y < HEIGHT) {
            across[lane.y + y].at[lane.x] = row_of_tile(lane.x, lane.y + y);
        }
    }
    barrier();
#endif
    int top = lane.y * RUN;
    Taken rows[TAPS];
    [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
        rows[i] = row(lane.x, top + i);
    }
    UNROLL for (int y = 0; y < RUN; ++y) {
        rows[TAPS - 1] = row(lane.x, top + y + TAPS - 1);
        Taken taken = nothing_taken();
        [[unroll]] for (int i = 0; i < TAPS; ++i) {
            taken = with_row(taken, rows[i], i);
        }
        ivec2 at = corner + ivec2(lane.x, top + y);
        if (at.x <= last.x && at.y <= last.y) {
            float centre = held(lane.x + RADIUS, top + y + RADIUS);
            imageStore(to, at, vec4(finished(taken, SCALE, centre, old(at))));
        }
        [[unroll]] for (int i = 0; i < TAPS - 1; ++i) {
            rows[i] = rows[i + 1];
        }
    }
}
