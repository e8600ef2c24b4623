#ifndef WINDOW_GLSL
#define WINDOW_GLSL

#include "include/residency.glsl"

// The images of a box blur along one axis, and the window of texels under its filter.

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;

layout(constant_id = 3) const int RADIUS = 4;
layout(constant_id = 4) const bool VERTICAL = false;
// 1 / TAPS, times 255 where sums are of fractions of 255, so that the mean is an integer.
layout(constant_id = 5) const float SCALE = 1.0 / 9.0;
// The format stores fractions of integers.
layout(constant_id = 6) const bool UNORM = false;

const int TAPS = 2 * RADIUS + 1;
const float TWO_TO_23 = 8388608.0;

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

layout(push_constant) uniform Push {
    ivec2 last; // texel of the image
    uint zero;  // for limit_residency()
};

#ifdef STORAGE_LOADS
layout(set = 0, binding = 0, FORMAT) uniform readonly image2D sharp;
#define FETCH(at) imageLoad(sharp, at)
#else
layout(set = 0, binding = 0) uniform texture2D sharp;
#define FETCH(at) texelFetch(sharp, at, 0)
#endif
layout(set = 0, binding = 1, FORMAT) uniform writeonly image2D blurred;

// A distance along the filter's axis.
ivec2 along(int texels) {
    return VERTICAL ? ivec2(0, texels) : ivec2(texels, 0);
}

// Outside the image, the nearest texel inside.
Texel load(ivec2 at) {
    return FETCH(clamp(at, ivec2(0), last)).CHANNELS;
}

// Stores the mean of a sum of TAPS texels, rounded as the format rounds it. A fraction becomes that of the nearest
// integer here, since a store should round to the nearest and may round to the other neighbour (Vulkan 1.3,
// Fixed-Point Data Conversions). The mean of an odd number of integers is never half-way. Floats from 2^23 on are
// integers, so that adding 2^23 rounds, in fewer instructions than floor() on an H200. That takes a device whose
// additions round to the nearest; Vulkan allows others, none of which is known.
void store_mean(ivec2 at, Texel sum) {
    precise Texel integers = fma(sum, Texel(SCALE), Texel(TWO_TO_23)) - TWO_TO_23;
    if (all(lessThanEqual(at, last))) {
        imageStore(blurred, at, vec4(UNORM ? integers * (1.0 / 255.0) : sum * SCALE));
    }
}

// The texels under the filter.
Texel window[TAPS];

void fill_window(ivec2 at) {
    [[unroll]] for (int tap = 0; tap < TAPS; ++tap) {
        window[tap] = load(at + along(tap - RADIUS));
    }
}

// Moves the window on to `at`, where the last `fresh` of its texels are new.
void move_window(ivec2 at, int fresh) {
    [[unroll]] for (int tap = 0; tap < TAPS - fresh; ++tap) {
        window[tap] = window[tap + fresh];
    }
    [[unroll]] for (int tap = TAPS - fresh; tap < TAPS; ++tap) {
        window[tap] = load(at + along(tap - RADIUS));
    }
}

Texel window_sum() {
    Texel sum = Texel(0);
    [[unroll]] for (int tap = 0; tap < TAPS; ++tap) {
        sum += window[tap];
    }
    return sum;
}

#endif
