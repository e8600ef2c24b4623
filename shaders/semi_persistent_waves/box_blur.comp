#version 460
// Modules: FORMAT=rgba8|FORMAT=rgba16f STORAGE_LOADS|- PADDED|-
// Modules: FORMAT=r8|FORMAT=r32f ONE_CHANNEL STORAGE_LOADS|- PADDED|-
// Untraced modules: FORMAT=rgba8|FORMAT=rgba16f STORAGE_LOADS|- PADDED|- COUNT_RESIDENT
// Untraced modules: FORMAT=r8|FORMAT=r32f ONE_CHANNEL STORAGE_LOADS|- PADDED|- COUNT_RESIDENT
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep the window in registers.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#include "semi_persistent_waves/tile.glsl"

// A box blur along one axis. A subgroup blurs one tile after another, as many as TILES, and keeps the
// window of texels under the filter: what the next tile needs of it is not fetched again.

layout(constant_id = 16) const int RADIUS = 4;
layout(constant_id = 17) const int TILES = 1;
// Texels that enter the window from tile to tile: as many as the tiles lie apart along the axis, all
// where that is further than the filter reaches, or where they lie apart across it.
layout(constant_id = 18) const int FRESH = 9;
#ifndef FORMAT
#define FORMAT rgba8
#endif
// Channels that the format does not have would take registers all the same.
#ifdef ONE_CHANNEL
#define Texel float
#define CHANNELS r
#else
#define Texel vec4
#define CHANNELS rgba
#endif

layout(constant_id = 19) const bool VERTICAL = false;
// All texels that the tiles need come at first: a tile that waits for one texel at a time waits too long.
layout(constant_id = 20) const bool FETCH_FIRST = false;
// The lanes of a tile stand in quads.
layout(constant_id = 21) const bool QUADS = false;
// The format stores fractions of integers.
layout(constant_id = 22) const bool UNORM = false;

const int TAPS = 2 * RADIUS + 1;
const int HELD = TAPS + (FETCH_FIRST ? (TILES - 1) * FRESH : 0);
// Where few texels enter and leave the window, fewer additions put the sum right than take it anew. It
// stays exact: texels are integers, or fractions whose sum is rounded to integers in the end.
const bool CORRECTS_SUM = 2 * FRESH < TAPS;

layout(local_size_x_id = 0, local_size_y_id = 1) in;
// A tile's lanes, and the texels from lane to lane, from one subgroup's first tile to the next one's,
// from tile to tile of a subgroup, and from workgroup to workgroup.
layout(constant_id = 2) const uint LANES_X = 8;
layout(constant_id = 3) const uint LANES_Y = 8;
layout(constant_id = 4) const uint PITCH_X = 1;
layout(constant_id = 5) const uint PITCH_Y = 1;
layout(constant_id = 6) const uint SUBGROUP_X = 0;
layout(constant_id = 7) const uint SUBGROUP_Y = 0;
layout(constant_id = 8) const uint STEP_X = 0;
layout(constant_id = 9) const uint STEP_Y = 0;
layout(constant_id = 10) const uint BLOCK_X = 8;
layout(constant_id = 11) const uint BLOCK_Y = 8;
// 1 / (2 r + 1), times the largest integer of a format that stores integers as fractions.
layout(constant_id = 12) const float SCALE = 1.0 / 9.0;
#ifdef PADDED
layout(constant_id = 13) const uint PADDING_WORDS = 1;
#endif

layout(push_constant) uniform Push {
    ivec2 last; // texel of the image
    uint hold;  // always 0, which no compiler knows
};

#ifdef STORAGE_LOADS
layout(set = 0, binding = 0, FORMAT) uniform readonly image2D sharp;
#else
layout(set = 0, binding = 0) uniform texture2D sharp;
#endif
layout(set = 0, binding = 1, FORMAT) uniform writeonly image2D blurred;

#ifdef COUNT_RESIDENT
layout(set = 0, binding = 2) buffer Counters {
    uint resident;
    uint peak;
};
// Loads after which a workgroup gives up waiting for further ones to start: since the last one that it
// saw, and in all. lavapipe of Mesa 22.3 ends every loop after 65,535 rounds.
layout(constant_id = 14) const uint PATIENCE = 1;
layout(constant_id = 15) const uint MOST_LOADS = 1;

// Each workgroup stays until none has started for a while, so that all stay for which there is room.
void count_resident() {
    if (gl_LocalInvocationIndex == 0) {
        uint seen = atomicMax(peak, atomicAdd(resident, 1) + 1);
        uint unchanged = 0;
        for (uint i = 0; i < MOST_LOADS && unchanged < PATIENCE; ++i) {
            uint now = atomicOr(peak, 0);
            unchanged = now == seen ? unchanged + 1 : 0;
            seen = now;
        }
        atomicAdd(resident, ~0u);
    }
    barrier();
}
#endif

#ifdef PADDED
// Shared memory that only limits how many workgroups a multiprocessor holds. It is written and read
// under a condition that is never true; an array that nothing can reach would be left out.
shared uint padding[PADDING_WORDS];

int held_back() {
    if (hold == 0) {
        return 0;
    }
    padding[gl_LocalInvocationIndex * hold % PADDING_WORDS] = hold;
    barrier();
    return int(padding[hold % PADDING_WORDS]);
}
#endif

// The texels under the filter, and those fetched for the tiles to come.
Texel window[HELD];
// Of those under the filter.
Texel sum;

ivec2 along(int texels) {
    return VERTICAL ? ivec2(0, texels) : ivec2(texels, 0);
}

// What lies outside the image reads as the nearest texel inside.
Texel load(ivec2 at) {
    at = clamp(at, ivec2(0), last);
#ifdef STORAGE_LOADS
    return imageLoad(sharp, at).CHANNELS;
#else
    return texelFetch(sharp, at, 0).CHANNELS;
#endif
}

void fill_window(ivec2 at) {
    [[unroll]] for (int i = 0; i < HELD; ++i) {
        window[i] = load(at + along(i - RADIUS));
    }
    sum = Texel(0);
    [[unroll]] for (int tap = 0; tap < TAPS; ++tap) {
        sum += window[tap];
    }
}

void move_window(ivec2 at) {
    if (CORRECTS_SUM) {
        [[unroll]] for (int tap = 0; tap < FRESH; ++tap) {
            sum -= window[tap];
        }
    } else {
        sum = Texel(0);
    }
    [[unroll]] for (int i = 0; i < HELD - FRESH; ++i) {
        window[i] = window[i + FRESH];
    }
    if (!FETCH_FIRST) {
        [[unroll]] for (int tap = TAPS - FRESH; tap < TAPS; ++tap) {
            window[tap] = load(at + along(tap - RADIUS));
        }
    }
    [[unroll]] for (int tap = CORRECTS_SUM ? TAPS - FRESH : 0; tap < TAPS; ++tap) {
        sum += window[tap];
    }
}

// The mean, as the format rounds it. A fraction becomes that of the nearest integer here, since a store
// should round to the nearest and may round to the other neighbour (Vulkan 1.3, Fixed-Point
// Data Conversions). The mean of an odd number of integers is never half-way.
vec4 mean() {
    precise Texel scaled = sum * SCALE;
    return vec4(UNORM ? floor(scaled + 0.5) * (1.0 / 255.0) : scaled);
}

void main() {
#ifdef COUNT_RESIDENT
    count_resident();
#endif
    uvec2 lanes = uvec2(LANES_X, LANES_Y);
    uint subgroup = gl_LocalInvocationIndex / (lanes.x * lanes.y);
    uint lane = gl_LocalInvocationIndex % (lanes.x * lanes.y);
    uvec2 cell = QUADS ? in_quads(lane, lanes) : in_rows(lane, lanes);
    ivec2 at = ivec2(gl_WorkGroupID.xy * uvec2(BLOCK_X, BLOCK_Y) + subgroup * uvec2(SUBGROUP_X, SUBGROUP_Y) +
                     cell * uvec2(PITCH_X, PITCH_Y));
#ifdef PADDED
    at.x += held_back();
#endif
    fill_window(at);
    [[unroll]] for (int tile = 0; tile < TILES; ++tile) {
        if (tile > 0) {
            at += ivec2(STEP_X, STEP_Y);
            move_window(at);
        }
        if (all(lessThanEqual(at, last))) {
            imageStore(blurred, at, mean());
        }
    }
}
