#ifndef BLOOM_PASSES_GLSL
#define BLOOM_PASSES_GLSL

#include "include/cut.glsl"

// Kinds of passes, as in samples/src/bin/bloom/pyramid.rs.
const uint BRIGHT_PASS = 0; // what the scene has above the threshold
const uint DOWN_SAMPLE = 1; // the mean of 2x2 texels
const uint BLUR_X = 2;
const uint BLUR_Y = 3;
const uint UP_SAMPLE = 4; // half of the smaller level, enlarged, and half of the level's own blur
const uint COMPOSITE = 5; // the first level, enlarged, added to the scene

struct Pass {
    ivec2 size; // of the output
    ivec2 input_size;
    uint kind;
    uint input_begin;        // in texels; the first input is read around each texel
    uint second_input_begin; // the second is read at the same texel
    uint output_begin;
};

#endif
