// Filters of a square neighbourhood, taken apart into rows and columns: what one row of taps makes, and
// what the rows make. Texels are whole numbers from 0 to 255, and every sum stays below 2^24, so that it
// is exact in any order, with fused operations and without.
//
// FILTER is one of the numbers below.

#ifndef FILTER_GLSL
#define FILTER_GLSL

#define FILTER_SUM 0
#define FILTER_MAXIMUM 1
#define FILTER_CLAMP 2
#define FILTER_UNSHARP 3

#ifndef FILTER
#define FILTER FILTER_SUM
#endif
// The reach in texels.
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

float weight(int tap) {
    float weights[] = float[](
        WEIGHT_0, WEIGHT_1, WEIGHT_2, WEIGHT_3, WEIGHT_4, WEIGHT_5, WEIGHT_6, WEIGHT_7, WEIGHT_8);
    return weights[abs(tap - RADIUS)];
}

// A sum or a maximum in x; a minimum and a maximum.
#define Taken vec2

Taken nothing_taken() {
#if FILTER == FILTER_MAXIMUM
    return vec2(0.0);
#elif FILTER == FILTER_CLAMP
    return vec2(255.0, 0.0);
#else
    return vec2(0.0);
#endif
}

// Tap `i` of a row.
Taken with_tap(Taken taken, float texel, int i) {
#if FILTER == FILTER_MAXIMUM
    return vec2(max(taken.x, texel), 0.0);
#elif FILTER == FILTER_CLAMP
    return vec2(min(taken.x, texel), max(taken.y, texel));
#else
    return vec2(taken.x + weight(i) * texel, 0.0);
#endif
}

// Row `i` of the neighbourhood.
Taken with_row(Taken taken, Taken row, int i) {
#if FILTER == FILTER_MAXIMUM
    return vec2(max(taken.x, row.x), 0.0);
#elif FILTER == FILTER_CLAMP
    return vec2(min(taken.x, row.x), max(taken.y, row.y));
#else
    return vec2(taken.x + weight(i) * row.x, 0.0);
#endif
}

// `scale` makes the weights' sum 1; `old` is the texel that a clamp keeps within its neighbourhood.
float finished(Taken taken, float scale, float centre, float old) {
#if FILTER == FILTER_MAXIMUM
    return taken.x;
#elif FILTER == FILTER_CLAMP
    return clamp(old, taken.x, taken.y);
#elif FILTER == FILTER_UNSHARP
    return centre + 0.5 * (centre - taken.x * scale);
#else
    return taken.x * scale;
#endif
}

#endif
