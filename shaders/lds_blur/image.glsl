#ifndef IMAGE_GLSL
#define IMAGE_GLSL

// The image that is filtered, and the result. With COUNT_LOADS, the binding of a counter, a kernel counts its loads.

#ifdef STORAGE
layout(set = 0, binding = 0, r32f) uniform readonly image2D from;
#define FETCH(at) imageLoad(from, at)
#else
layout(set = 0, binding = 0) uniform texture2D from;
#define FETCH(at) texelFetch(from, at, 0)
#endif
layout(set = 0, binding = 1, r32f) uniform writeonly image2D to;

#ifdef COUNT_LOADS
layout(std430, set = 0, binding = COUNT_LOADS) buffer Counters { uint loads; };
#endif

// Texel of the image. Computed here once, not for each load.
ivec2 last_texel = imageSize(to) - 1;

// Outside the image, the nearest texel inside.
float load(ivec2 at) {
#ifdef COUNT_LOADS
    atomicAdd(loads, 1u);
#endif
    return FETCH(clamp(at, ivec2(0), last_texel)).r;
}

void store(ivec2 at, float texel) {
    if (all(lessThanEqual(at, last_texel))) {
        imageStore(to, at, vec4(texel));
    }
}

#endif
