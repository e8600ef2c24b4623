#ifndef NEXT_GLSL
#define NEXT_GLSL

// A texel holds four whole numbers from 0 to 255, each as a fraction of this.
layout(constant_id = 2) const float SCALE = 255.0;

// The next generation of a texel: a stale one has other numbers.
vec4 next_texel(vec4 texel) {
    uvec4 numbers = uvec4(round(texel * SCALE));
    return vec4((numbers * 5u + 37u) & 255u) / SCALE;
}

#endif
