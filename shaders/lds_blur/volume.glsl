#ifndef VOLUME_GLSL
#define VOLUME_GLSL

// The mean of the 27 texels around each texel of a volume.

layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(constant_id = 3) const float SCALE = 1.0; // 1 / 27

layout(set = 0, binding = 0) uniform texture3D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image3D to;

#ifdef COUNT_LOADS
layout(std430, set = 0, binding = COUNT_LOADS) buffer Counters { uint loads; };
#endif

// Texel of the volume. Computed here once, not for each load.
ivec3 last_texel = imageSize(to) - 1;

// Outside the volume, the nearest texel inside.
float load(ivec3 at) {
#ifdef COUNT_LOADS
    atomicAdd(loads, 1u);
#endif
    return texelFetch(from, clamp(at, ivec3(0), last_texel), 0).r;
}

void store(ivec3 at, float texel) {
    if (all(lessThanEqual(at, last_texel))) {
        imageStore(to, at, vec4(texel));
    }
}

// Of the 27 neighbours, from (-1, -1, -1) on.
ivec3 neighbour(int i) {
    return ivec3(i % 3, i / 3 % 3, i / 9) - 1;
}

#endif
