#ifndef FILTER_GLSL
#define FILTER_GLSL

#include "lds_blur/image.glsl"

// Filters of a square neighbourhood, in two steps: the taps of a row are combined, then the rows. Texels are whole
// numbers from 1 to 227, and every sum stays below 2^24, so that it is exact in any order, with fused operations and
// without. The formulas are in samples/src/bin/lds_blur/reference.rs.

const int MEAN = 0;
const int DILATE = 1;
const int CLAMP = 2;
const int UNSHARP = 3;
layout(constant_id = 18) const int FILTER = MEAN;
layout(constant_id = 19) const float SCALE = 1.0; // makes the sum of the weights 1
layout(constant_id = 20) const int RADIUS = 1;
// The weights of one axis from the middle on, the same for rows and columns.
layout(constant_id = 21) const float WEIGHT_0 = 1.0;
layout(constant_id = 22) const float WEIGHT_1 = 1.0;
layout(constant_id = 23) const float WEIGHT_2 = 0.0;
layout(constant_id = 24) const float WEIGHT_3 = 0.0;
layout(constant_id = 25) const float WEIGHT_4 = 0.0;
layout(constant_id = 26) const float WEIGHT_5 = 0.0;
layout(constant_id = 27) const float WEIGHT_6 = 0.0;
layout(constant_id = 28) const float WEIGHT_7 = 0.0;
layout(constant_id = 29) const float WEIGHT_8 = 0.0;

const int TAPS = 2 * RADIUS + 1;

// The previous frame, which CLAMP clamps.
layout(set = 0, binding = 2) uniform texture2D before;

float weight(int tap) {
    float weights[] = float[](
        WEIGHT_0, WEIGHT_1, WEIGHT_2, WEIGHT_3, WEIGHT_4, WEIGHT_5, WEIGHT_6, WEIGHT_7, WEIGHT_8);
    return weights[abs(tap - RADIUS)];
}

// What the taps so far contribute. Compilers remove what FILTER does not use.
struct Gathered {
    float sum;
    float least;
    float most;
};

Gathered nothing() {
    return Gathered(0.0, 255.0, 0.0);
}

// Adds tap `i` of a row.
Gathered add_tap(Gathered all, float texel, int i) {
    return Gathered(all.sum + weight(i) * texel, min(all.least, texel), max(all.most, texel));
}

// Adds row `i` of the neighbourhood.
Gathered add_row(Gathered all, Gathered row, int i) {
    return Gathered(all.sum + weight(i) * row.sum, min(all.least, row.least), max(all.most, row.most));
}

// The result for the texel `at`, whose value is `centre`.
float filtered(Gathered all, ivec2 at, float centre) {
    if (FILTER == DILATE) {
        return all.most;
    }
    if (FILTER == CLAMP) {
        return clamp(texelFetch(before, at, 0).r, all.least, all.most);
    }
    float mean = all.sum * SCALE;
    return FILTER == UNSHARP ? centre + 0.5 * (centre - mean) : mean;
}

#endif
