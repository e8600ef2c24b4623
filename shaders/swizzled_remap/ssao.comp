#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require

#include "remap.glsl"

// Screen-space ambient occlusion in whole numbers, so that every device computes the same: taps around a
// texel, in a radius that shrinks with its depth, are occluders where they lie in front of its tangent
// plane and not too far from it. The twin is `samples/src/ssao.rs`.

// The rectangle of texels that a workgroup covers.
#ifndef WIDTH
#define WIDTH 8
#define HEIGHT 8
#define TAPS 1
#endif
// REMAPPED: lanes in tiles of 8x8 and quads; else in rows, as the API numbers them.
// COLUMNS: workgroups in strips so many wide; 0: in rows across the image.
#ifndef COLUMNS
#define COLUMNS 0
#endif

layout(constant_id = 0) const int FOCAL = 1;    // pixels at depth 1 that a unit of length takes
layout(constant_id = 1) const int RADIUS = 1;   // of the neighbourhood, in units of depth
layout(constant_id = 2) const int REACH = 1;    // most pixels of it
layout(constant_id = 3) const int ROW_BITS = 0; // tiles in a column of the rectangle, as a power of two
layout(local_size_x_id = 4, local_size_y_id = 5) in;

layout(set = 0, binding = 0) uniform utexture2D depths;
layout(set = 0, binding = 1) uniform utexture2D normals;
// Offsets in 64ths of the radius, x and y as signed halves of a word.
layout(std430, set = 0, binding = 2) readonly buffer Taps { uint taps[]; };
layout(set = 0, binding = 3, r32ui) uniform writeonly uimage2D occlusion;

ivec2 own_texel() {
    uvec2 group = gl_WorkGroupID.xy;
#if COLUMNS > 0
    group = walked(group, gl_NumWorkGroups.xy, COLUMNS);
#endif
#ifdef REMAPPED
    uvec2 lane = remapped(gl_LocalInvocationID.x, ROW_BITS);
#else
    uvec2 lane = gl_LocalInvocationID.xy;
#endif
    return ivec2(group * uvec2(WIDTH, HEIGHT) + lane);
}

int depth(ivec2 at) {
    return int(texelFetch(depths, at, 0).r);
}

ivec3 normal(ivec2 at) {
    uint packed = texelFetch(normals, at, 0).r;
    return ivec3(packed & 255u, packed >> 8 & 255u, packed >> 16 & 255u) - 128;
}

// Offset of a tap in pixels. Four rotations and two reflections, so that neighbours sample differently.
ivec2 offset(int tap, ivec2 at, int pixels) {
    ivec2 around = ivec2(bitfieldExtract(int(taps[tap]), 0, 16), bitfieldExtract(int(taps[tap]), 16, 16));
    around = (at.x & 1) == 0 ? around : ivec2(-around.y, around.x);
    around = (at.x & 2) == 0 ? around : -around;
    around.x = (at.y & 1) == 0 ? around.x : -around.x;
    return (around * pixels) >> 6;
}

// Where in space a texel lies, in units of depth.
ivec3 place(ivec2 at, ivec2 centre, int depth) {
    return ivec3((at - centre) * depth / FOCAL, depth);
}

void main() {
    ivec2 at = own_texel();
    ivec2 last = imageSize(occlusion) - 1;
    ivec2 centre = (last + 1) / 2;
    if (any(greaterThan(at, last))) {
        return;
    }
    int here = depth(at);
    ivec3 facing = normal(at);
    int pixels = clamp(RADIUS * FOCAL / here, 1, REACH);
    int occluded = 0;
    for (int tap = 0; tap < TAPS; ++tap) {
        ivec2 away = offset(tap, at, pixels);
        ivec2 there = clamp(at + away, ivec2(0), last);
        ivec3 step = place(there, centre, depth(there)) - place(at, centre, here);
        ivec3 along = facing * step;
        bool in_front = along.x + along.y + along.z > 4 * 127;
        // Fades out to nothing at twice the radius.
        int near = max(2 * RADIUS - abs(step.z), 0) * 128 / RADIUS;
        occluded += in_front ? min(near, 255) : 0;
    }
    imageStore(occlusion, at, uvec4(uint(255 - occluded / TAPS)));
}
