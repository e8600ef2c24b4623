// Filters of a square neighbourhood, taken apart into rows and columns: what one row of taps makes, and
// what the rows make. Texels are whole numbers from 0 to 255, and every sum stays below 2^24, so that it
// is exact in any order, with fused operations and without.
//
// FILTER is one of the numbers below, RADIUS the reach in texels, WEIGHTS the 2 * RADIUS + 1 weights of
// one axis, the same for rows and columns.

#ifndef FILTER_GLSL
#define FILTER_GLSL

#define FILTER_SUM 0
#define FILTER_MAXIMUM 1
#define FILTER_CLAMP 2
#define FILTER_UNSHARP 3

#ifndef FILTER
#define FILTER FILTER_SUM
#endif
#ifndef RADIUS
#define RADIUS 1
#define WEIGHTS float[](1.0, 1.0, 1.0)
#endif

const int TAPS = 2 * RADIUS + 1;
const float weights[TAPS] = WEIGHTS;

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
    return vec2(taken.x + weights[i] * texel, 0.0);
#endif
}

// Row `i` of the neighbourhood.
Taken with_row(Taken taken, Taken row, int i) {
#if FILTER == FILTER_MAXIMUM
    return vec2(max(taken.x, row.x), 0.0);
#elif FILTER == FILTER_CLAMP
    return vec2(min(taken.x, row.x), max(taken.y, row.y));
#else
    return vec2(taken.x + weights[i] * row.x, 0.0);
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
