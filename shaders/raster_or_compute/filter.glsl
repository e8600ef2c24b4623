#ifndef FILTER_GLSL
#define FILTER_GLSL
#extension GL_EXT_samplerless_texture_functions : require

// A pass over one texel. Texels hold whole numbers from 0 to 255, each as a fraction of SCALE.

layout(set = 0, binding = 0) uniform texture2D previous;

layout(constant_id = 2) const float SCALE = 255.0;
// The pass: 0 sums a square of RADIUS texels to each side, 1 maps one texel, 2 sums the four texels below one of half the size.
layout(constant_id = 3) const uint FILTER = 0;
layout(constant_id = 4) const int RADIUS = 1;

uvec4 load(ivec2 at) {
    return uvec4(round(texelFetch(previous, at, 0) * SCALE));
}

uvec4 square(ivec2 at) {
    ivec2 last = textureSize(previous, 0) - 1;
    uvec4 sum = uvec4(0u);
    for (int y = -RADIUS; y <= RADIUS; ++y) {
        for (int x = -RADIUS; x <= RADIUS; ++x) {
            sum += load(clamp(at + ivec2(x, y), ivec2(0), last));
        }
    }
    return sum;
}

// A curve that rises ever less, as a tone map does, in whole numbers.
uvec4 toned(uvec4 number) {
    return 510u * number / (number + 255u);
}

uvec4 half_size(ivec2 at) {
    ivec2 corner = 2 * at;
    return load(corner) + load(corner + ivec2(1, 0)) + load(corner + ivec2(0, 1)) + load(corner + ivec2(1, 1));
}

// What the pass writes. The last step makes the numbers of each pass others, so that a stale texel shows.
vec4 filtered(ivec2 at) {
    uvec4 number = FILTER == 0u ? square(at) : FILTER == 1u ? toned(load(at)) : half_size(at);
    return vec4((number * 5u + 37u) & 255u) / SCALE;
}

#endif
