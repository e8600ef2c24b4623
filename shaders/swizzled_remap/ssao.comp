#version 460
#extension GL_GOOGLE_include_directive : require
// Only an unrolled loop has the taps' indices as constants, and many fetches under way at a time.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#include "swizzled_remap/place.glsl"

// Screen-space ambient occlusion: how open each pixel is to its surroundings, 1 where no tap stands above its surface.
// The formula is explained in samples/src/bin/swizzled_remap/reference.rs. `precise` keeps a multiplication and an
// addition two operations, so that the result is the same on every device, and whichever lane has which pixel.

// Distance from the eye to the image, in pixels.
layout(constant_id = 10) const int FOCAL = 1;
// Radius of the neighbourhood in the unit of depth, and the largest distance of a tap in pixels.
layout(constant_id = 11) const int RADIUS = 1;
layout(constant_id = 12) const int REACH = 2;
// Occlusion per unit of height, for stored normals and rays of length FOCAL; and the occlusion from which a tap counts.
layout(constant_id = 13) const float SLOPE = 1.0;
layout(constant_id = 14) const float BIAS = 0.0;
layout(constant_id = 15) const int TAPS = 1;
layout(constant_id = 16) const float TAP_WEIGHT = 1.0; // 1 / TAPS

layout(push_constant) uniform Push {
    ivec2 size;
};

layout(set = 0, binding = 0) uniform texture2D depths;
layout(set = 0, binding = 1) uniform utexture2D normals; // signed bytes x, y, z
layout(set = 0, binding = 2, r32f) uniform writeonly image2D openness;

const int TURNS_SIDE = 4;
// The directions in which the pixels of a block of 4x4 turn the taps, and the taps: a spiral within the unit circle.
layout(set = 0, binding = 3) uniform Directions {
    vec4 turns[TURNS_SIDE * TURNS_SIDE];
    vec4 spiral[TAPS];
};

// A float from 2^23 on has no fraction bits. So adding this constant rounds to the nearest whole number, which then
// stands in the lower bits of the sum. Many GPUs convert between floats and integers more slowly than they add.
const float WHOLE = 12582912.0; // 1.5 * 2^23

vec3 slope_at(ivec2 at) {
    int bytes = int(texelFetch(normals, at, 0).r);
    ivec3 normal = ivec3(bitfieldExtract(bytes, 0, 8), bitfieldExtract(bytes, 8, 8), bitfieldExtract(bytes, 16, 8));
    precise vec3 slope = SLOPE * vec3(normal);
    return slope;
}

// A point at depth z behind a pixel lies z * (normal . ray) along the normal, where the ray of the pixel is
// (pixel - size / 2, FOCAL). `axis` is normal . ray of pixel 0.
float along_normal(vec2 pixel, vec3 slope, float axis) {
    precise float along = (slope.x * pixel.x + slope.y * pixel.y) + axis;
    return along;
}

// All products of a turn and a tap are exact.
vec2 turned(vec2 tap, vec2 turn) {
    return vec2(tap.x * turn.x - tap.y * turn.y, tap.x * turn.y + tap.y * turn.x);
}

float open(ivec2 at) {
    float depth = texelFetch(depths, at, 0).r;
    vec3 slope = slope_at(at);
    vec2 middle = vec2(size / 2);
    precise float axis = (slope.z * float(FOCAL) - slope.x * middle.x) - slope.y * middle.y;
    precise float surface = depth * along_normal(vec2(at), slope, axis) + BIAS;
    float pixels = float(clamp(RADIUS * FOCAL / int(depth), 2, REACH));
    vec2 turn = pixels * turns[at.y % TURNS_SIDE * TURNS_SIDE + at.x % TURNS_SIDE].xy;
    vec2 origin = vec2(at) + WHOLE;
    vec2 last = vec2(size - 1) + WHOLE;
    precise float occluded = 0.0;
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        precise vec2 tap = clamp(origin + turned(spiral[i].xy, turn), vec2(WHOLE), last);
        float there = texelFetch(depths, floatBitsToInt(tap) - floatBitsToInt(WHOLE), 0).r;
        precise vec2 pixel = tap - WHOLE;
        precise float height = there * along_normal(pixel, slope, axis) - surface;
        // What stands far before or behind is another thing that happens to be seen beside it.
        occluded += abs(there - depth) < float(RADIUS) ? clamp(height, 0.0, 1.0) : 0.0;
    }
    precise float result = 1.0 - occluded * TAP_WEIGHT;
    return result;
}

void main() {
    ivec2 at = ivec2(place());
    if (all(lessThan(at, size))) {
        imageStore(openness, at, vec4(open(at)));
    }
}
