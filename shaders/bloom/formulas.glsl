#ifndef BLOOM_FORMULAS_GLSL
#define BLOOM_FORMULAS_GLSL

// What each pass of a bloom computes per texel. A texel has four channels of 16-bit integers, so that each result is
// exact. A file that calls `compute_texel` defines `load_input`, `load_second_input` and `load_neighbour`; one that calls
// `enlarge` defines the last.

#include "bloom/passes.glsl"

// Weight of the middle of a blur. The weights are binomial and add up to 1 << 2 * RADIUS.
layout(constant_id = 24) const uint MIDDLE = 6;
// What is darker does not bloom.
layout(constant_id = 25) const uint THRESHOLD = 1024;
// The most that a channel holds.
layout(constant_id = 26) const uint BRIGHTEST = 65534;

// The texel of an input with this index.
uvec4 load_input(Pass pass, uint index);
uvec4 load_second_input(Pass pass, uint index);
// The texel of the first input at this place, for passes that read each texel several times.
uvec4 load_neighbour(Pass pass, ivec2 at);

uvec4 unpack(uvec2 texel) {
    return uvec4(texel.x & 0xFFFFu, texel.x >> 16, texel.y & 0xFFFFu, texel.y >> 16);
}

uvec2 pack(uvec4 channels) {
    return channels.xz | channels.yw << 16;
}

uint index_of(ivec2 at, ivec2 size) {
    return uint(at.y * size.x + at.x);
}

// The nearest texel inside the first input.
uvec4 load_clamped(Pass pass, ivec2 at) {
    return load_input(pass, index_of(clamp(at, ivec2(0), pass.input_size - 1), pass.input_size));
}

uvec4 above_threshold(uvec4 scene) {
    return scene - min(scene, uvec4(THRESHOLD));
}

uvec4 mean_of_four(uvec4 a, uvec4 b, uvec4 c, uvec4 d) {
    return a + b + c + d + 2 >> 2;
}

uvec4 down_sample(Pass pass, ivec2 at) {
    return mean_of_four(
        load_clamped(pass, 2 * at), load_clamped(pass, 2 * at + ivec2(1, 0)),
        load_clamped(pass, 2 * at + ivec2(0, 1)), load_clamped(pass, 2 * at + 1));
}

uvec4 blur(Pass pass, ivec2 at, ivec2 along) {
    uint weight = MIDDLE;
    uvec4 sum = weight * load_neighbour(pass, at);
    for (int d = 1; d <= RADIUS; ++d) {
        weight = weight * (RADIUS - d + 1) / (RADIUS + d);
        sum += weight * (load_neighbour(pass, at - d * along) + load_neighbour(pass, at + d * along));
    }
    return sum + (1u << 2 * RADIUS - 1) >> 2 * RADIUS;
}

// Bilinear along a row of the smaller level: 3 and 1 quarters, because a texel's centre lies a quarter off a centre of
// that level. Four times the value for column `x`.
uvec4 enlarge_row(Pass pass, int x, int row) {
    int middle = x >> 1;
    return 3 * load_neighbour(pass, ivec2(middle, row)) + load_neighbour(pass, ivec2(middle + 2 * (x & 1) - 1, row));
}

// Bilinear between the two nearest rows.
uvec4 enlarge_between(uvec4 middle, uvec4 side) {
    return 3 * middle + side + 8 >> 4;
}

uvec4 enlarge(Pass pass, ivec2 at) {
    int middle = at.y >> 1;
    int side = middle + 2 * (at.y & 1) - 1;
    return enlarge_between(enlarge_row(pass, at.x, middle), enlarge_row(pass, at.x, side));
}

uvec4 up_sampled(uvec4 smaller_level, uvec4 blur_of_level) {
    return smaller_level + blur_of_level + 1 >> 1;
}

uvec4 composed(uvec4 first_level, uvec4 scene) {
    return min(first_level + scene, uvec4(BRIGHTEST));
}

// The texel that a pass stores at this place of its output.
uvec4 compute_texel(Pass pass, ivec2 at) {
    uint index = index_of(at, pass.size);
    switch (pass.kind) {
    case BRIGHT_PASS:
        return above_threshold(load_input(pass, index));
    case DOWN_SAMPLE:
        return down_sample(pass, at);
    case BLUR_X:
        return blur(pass, at, ivec2(1, 0));
    case BLUR_Y:
        return blur(pass, at, ivec2(0, 1));
    case UP_SAMPLE:
        return up_sampled(enlarge(pass, at), load_second_input(pass, index));
    default: // COMPOSITE
        return composed(enlarge(pass, at), load_second_input(pass, index));
    }
}

#endif
