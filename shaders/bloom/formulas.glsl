#ifndef BLOOM_GLSL
#define BLOOM_GLSL

// What the passes of a bloom compute, a tile at a time. A texel has four channels of 16 bits, whole numbers, so that
// each result is exact. Behind it come the functions that load, which know where a pass finds its texels.

// Its ROWS are those of passes that have dispatches of their own, where tiles have the same height at all levels.
#include "include/cut.glsl"

// Weight of the middle of a blur. The weights are binomial and add up to 1 << 2 * RADIUS.
layout(constant_id = 24) const uint MIDDLE = 6;
// What is darker does not bloom.
layout(constant_id = 25) const uint THRESHOLD = 1024;
// The most that a channel holds.
layout(constant_id = 26) const uint BRIGHTEST = 65534;

// What a pass does, as in samples/src/bin/bloom/pyramid.rs.
const uint BRIGHT = 0; // what is above the threshold, from the scene
const uint HALVE = 1;  // the mean of 2x2 texels
const uint BLUR_X = 2;
const uint BLUR_Y = 3;
const uint MIX = 4; // half of the level's own blur, half of the one below, grown
const uint ADD = 5; // the level below, grown, on the scene

struct Pass {
    uint kind;
    ivec2 size;      // of what it writes
    ivec2 from_size; // of what it reads around each texel
    uint from;       // where that begins, in texels
    uint beside;     // where begins what it reads texel by texel
    uint to;         // where begins what it writes
};

// Texels by their index; the first is read around, the second beside.
uvec4 load_from(Pass pass, uint at);
uvec4 load_beside(Pass pass, uint at);
void store_texel(Pass pass, uint at, uvec2 texel);

uvec4 opened(uvec2 texel) {
    return uvec4(texel.x & 0xFFFFu, texel.x >> 16, texel.y & 0xFFFFu, texel.y >> 16);
}

uvec2 closed(uvec4 channels) {
    return channels.xz | channels.yw << 16;
}

// What lies outside reads as the nearest texel inside.
uvec4 load_near(Pass pass, ivec2 at) {
    at = clamp(at, ivec2(0), pass.from_size - 1);
    return load_from(pass, uint(at.y * pass.from_size.x + at.x));
}

#ifdef STAGED
// Sides of what the texels of a tile read around them.
const ivec2 AROUND_X = ivec2(WIDTH + 2 * RADIUS, HEIGHT);
const ivec2 AROUND_Y = ivec2(WIDTH, HEIGHT + 2 * RADIUS);
const ivec2 BELOW = ivec2((WIDTH + 1) / 2 + 2, (HEIGHT + 1) / 2 + 2);
const int TEXELS_X = AROUND_X.x * AROUND_X.y;
const int TEXELS_Y = AROUND_Y.x * AROUND_Y.y;
const int TEXELS_BELOW = BELOW.x * BELOW.y;
const int BLURRED = TEXELS_X > TEXELS_Y ? TEXELS_X : TEXELS_Y;
const int MOST_TEXELS = BLURRED > TEXELS_BELOW ? BLURRED : TEXELS_BELOW;
const int LOADS = (MOST_TEXELS + int(INVOCATIONS) - 1) / int(INVOCATIONS);

shared uvec2 staged[MOST_TEXELS];
ivec2 staged_from; // the texel that comes first
int pitch;

// All loads come before the first store to shared memory, and their number is constant, so that they are in flight
// together.
void stage_texels(Pass pass, ivec2 corner, ivec2 sides) {
    staged_from = corner;
    pitch = sides.x;
    uvec2 loaded[LOADS];
    for (int i = 0; i < LOADS; ++i) {
        int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
        if (at < sides.x * sides.y) {
            loaded[i] = closed(load_near(pass, corner + ivec2(at % sides.x, at / sides.x)));
        }
    }
    for (int i = 0; i < LOADS; ++i) {
        int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
        if (at < sides.x * sides.y) {
            staged[at] = loaded[i];
        }
    }
    barrier();
}

// Each texel that another pass than a blur or a growing reads is read once: nothing is gained there.
void stage_tile(Pass pass, ivec2 origin) {
    switch (pass.kind) {
    case BLUR_X:
        stage_texels(pass, origin - ivec2(RADIUS, 0), AROUND_X);
        break;
    case BLUR_Y:
        stage_texels(pass, origin - ivec2(0, RADIUS), AROUND_Y);
        break;
    case MIX:
    case ADD:
        stage_texels(pass, (origin >> 1) - 1, BELOW);
        break;
    default:
        break;
    }
}

uvec4 near(Pass pass, ivec2 at) {
    at -= staged_from;
    return opened(staged[at.y * pitch + at.x]);
}
#else
uvec4 near(Pass pass, ivec2 at) {
    return load_near(pass, at);
}
#endif

uvec4 bright(uvec4 scene) {
    return scene - min(scene, uvec4(THRESHOLD));
}

uvec4 halved(Pass pass, ivec2 at) {
    uvec4 sum = load_near(pass, 2 * at) + load_near(pass, 2 * at + ivec2(1, 0));
    sum += load_near(pass, 2 * at + ivec2(0, 1)) + load_near(pass, 2 * at + 1);
    return sum + 2 >> 2;
}

uvec4 blurred(Pass pass, ivec2 at, ivec2 along) {
    uint weight = MIDDLE;
    uvec4 sum = weight * near(pass, at);
    for (int d = 1; d <= RADIUS; ++d) {
        weight = weight * (RADIUS - d + 1) / (RADIUS + d);
        sum += weight * (near(pass, at - d * along) + near(pass, at + d * along));
    }
    return sum + (1u << 2 * RADIUS - 1) >> 2 * RADIUS;
}

// A texel of the level below, 9 parts of 16, with those that lie nearest to this quarter of it.
uvec4 grown(Pass pass, ivec2 at) {
    ivec2 middle = at >> 1;
    ivec2 side = 2 * (at & 1) - 1;
    uvec4 sum = 9 * near(pass, middle) + near(pass, middle + side);
    sum += 3 * (near(pass, middle + ivec2(side.x, 0)) + near(pass, middle + ivec2(0, side.y)));
    return sum + 8 >> 4;
}

uint index_of(Pass pass, ivec2 at) {
    return uint(at.y * pass.size.x + at.x);
}

// All rows of a tile that are this invocation's, the workgroup's height apart: `n` of them are computed before the
// first is stored, since a store might be to what is yet to be loaded, as far as a compiler knows. Each kind has loops
// of its own, which are short enough to be unrolled: with one around them all an H200 kept texels in memory. Beyond the
// edge something is computed, too, and left.
#define EACH_ROW(n, computed)                                      \
    for (int first = 0; first < rows; first += BATCH(n)) {         \
        uvec2 texels[BATCH(n)];                                    \
        ivec2 top = origin + ivec2(0, first * STEP);               \
        for (int row = 0; row < BATCH(n); ++row) {                 \
            ivec2 at = min(top + ivec2(0, row * STEP), pass.size - 1); \
            texels[row] = closed(computed);                        \
        }                                                          \
        for (int row = 0; row < BATCH(n); ++row) {                 \
            ivec2 at = top + ivec2(0, row * STEP);                 \
            if (first + row < rows && all(lessThan(at, pass.size))) { \
                store_texel(pass, index_of(pass, at), texels[row]); \
            }                                                      \
        }                                                          \
    }                                                              \
    break;

// The tile whose first texel is `corner`.
void do_tile(Pass pass, ivec2 corner, int rows) {
#ifdef STAGED
    stage_tile(pass, corner);
#endif
    ivec2 origin = corner + ivec2(gl_LocalInvocationID.xy);
    switch (pass.kind) {
    case BRIGHT:
        EACH_ROW(4, bright(load_from(pass, index_of(pass, at))))
    case HALVE:
        EACH_ROW(1, halved(pass, at))
    case BLUR_X:
        EACH_ROW(1, blurred(pass, at, ivec2(1, 0)))
    case BLUR_Y:
        EACH_ROW(1, blurred(pass, at, ivec2(0, 1)))
    case MIX:
        EACH_ROW(1, grown(pass, at) + load_beside(pass, index_of(pass, at)) + 1 >> 1)
    default:
        EACH_ROW(1, min(grown(pass, at) + load_beside(pass, index_of(pass, at)), uvec4(BRIGHTEST)))
    }
}

#endif
