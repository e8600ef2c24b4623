#version 460
#extension GL_GOOGLE_include_directive : require
#include "lab/tolerance.glsl"

// Draws a part of a result for the window of `--live`: a pixel shows the mean of the texels under it, and
// glows where one of them differs from what was expected. Runs between samples, never within one.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 16, local_size_y = 8) in;

layout(push_constant) uniform Push {
    uvec2 whole;     // sides of the result in texels
    uvec2 size;      // sides of the picture in pixels
    vec2 centre;     // the point of the result, in texels, that is in the picture's middle
    float scale;     // pixels a texel
    uint kind;       // what a texel is, as below
    uint texels;     // of the result: the last row may be short
    uint bytes;      // of a texel
    uint tolerance;  // its kind
    uint most;       // that a word may be off
    float low;       // what is black
    float high;      // what is white
    uint cursor;     // index of the texel that is told, or all ones
    uint background; // red, green, blue, from the lowest byte on: where there is no result
    uint is_wrong;   // somewhere in the result: else nothing is compared
};

const uint NUMBERS = 0u;
const uint FLOATS = 1u;
const uint COLOURS = 2u; // four bytes
const uint BYTES = 3u;
const uint HALVES = 4u; // four of 16 bits

layout(std430, set = 0, binding = 0) readonly buffer Expected { uint expected[]; };
layout(std430, set = 0, binding = 1) readonly buffer Actual { uint actual[]; };
// The pixels, row by row, and behind them the four words of a texel as it is and as it should be.
layout(std430, set = 0, binding = 2) writeonly buffer Pixels { uint pixels[]; };

// More texels a side are not looked at for one pixel, but every n-th.
const int MOST = 32;
// Amber: it stands out from greys, in the eyes of the colour-blind too.
const vec3 GLOW = vec3(1.0, 0.62, 0.05);

bool differs(uint texel) {
    if (texel >= texels) {
        return false;
    }
    if (bytes < 4u) {
        uint in_word = 4u / bytes;
        uint shift = 8u * bytes * (texel % in_word);
        uint mask = (1u << (8u * bytes)) - 1u;
        return (((expected[texel / in_word] ^ actual[texel / in_word]) >> shift) & mask) != 0u;
    }
    uint words = bytes / 4u;
    for (uint word = words * texel; word < words * (texel + 1u); ++word) {
        if (word_differs(expected[word], actual[word], tolerance, most)) {
            return true;
        }
    }
    return false;
}

vec3 colour(uint texel) {
    if (texel >= texels) {
        return vec3(0.0);
    }
    if (kind == BYTES) {
        uint byte = actual[texel / 4u] >> (8u * (texel % 4u)) & 0xffu;
        return vec3(float(byte) / 255.0);
    }
    uint word = actual[texel * (bytes / 4u)];
    if (kind == COLOURS) {
        return unpackUnorm4x8(word).rgb;
    }
    if (kind == HALVES) {
        vec3 value = vec3(unpackHalf2x16(word), unpackHalf2x16(actual[texel * 2u + 1u]).x);
        return clamp((value - low) / (high - low), 0.0, 1.0);
    }
    float value = kind == FLOATS ? uintBitsToFloat(word) : float(word);
    // A NaN, as what nobody wrote may be, is no colour.
    return value == value ? vec3(clamp((value - low) / (high - low), 0.0, 1.0)) : vec3(0.5, 0.0, 0.5);
}

// How many texels between these corners differ, of those that are looked at.
uint differing(ivec2 from, ivec2 to, ivec2 stride) {
    uint count = 0u;
    for (int y = from.y; y < to.y; y += stride.y) {
        for (int x = from.x; x < to.x; x += stride.x) {
            count += uint(differs(uint(y) * whole.x + uint(x)));
        }
    }
    return count;
}

uint packed(vec3 shown) {
    return packUnorm4x8(vec4(shown, 1.0));
}

void tell_the_texel_under_the_cursor() {
    uint at = size.x * size.y;
    for (uint word = 0u; word < 4u; ++word) {
        bool has = cursor != 0xffffffffu && word < max(bytes / 4u, 1u);
        uint from = bytes < 4u ? cursor / (4u / bytes) : cursor * (bytes / 4u) + word;
        pixels[at + word] = has ? actual[from] : 0u;
        pixels[at + 4u + word] = has ? expected[from] : 0u;
    }
}

void main() {
    uvec2 pixel = gl_GlobalInvocationID.xy;
    if (pixel == uvec2(0)) {
        tell_the_texel_under_the_cursor();
    }
    if (any(greaterThanEqual(pixel, size))) {
        return;
    }
    vec2 from = (vec2(pixel) - 0.5 * vec2(size)) / scale + centre;
    vec2 to = from + 1.0 / scale;
    vec2 middle = 0.5 * (from + to);
    uint at = pixel.y * size.x + pixel.x;
    if (any(lessThan(middle, vec2(0.0))) || any(greaterThanEqual(middle, vec2(whole)))) {
        pixels[at] = background | 0xff000000u;
        return;
    }
    // At least the texel in the middle; more where they are smaller than a pixel.
    ivec2 begin = clamp(min(ivec2(floor(from + 0.5)), ivec2(floor(middle))), ivec2(0), ivec2(whole) - 1);
    ivec2 end = clamp(max(ivec2(floor(to + 0.5)), ivec2(floor(middle)) + 1), begin + 1, ivec2(whole));
    ivec2 stride = (end - begin + MOST - 1) / MOST;
    vec3 sum = vec3(0.0);
    uint count = 0u;
    for (int y = begin.y; y < end.y; y += stride.y) {
        for (int x = begin.x; x < end.x; x += stride.x) {
            sum += colour(uint(y) * whole.x + uint(x));
            ++count;
        }
    }
    vec3 shown = sum / float(count);
    // A halo of a pixel, so that a single texel is seen from the last row.
    ivec2 reach = end - begin;
    ivec2 first = clamp(begin - reach, ivec2(0), ivec2(whole) - 1);
    ivec2 last = clamp(end + reach, ivec2(1), ivec2(whole));
    bool glows = is_wrong == 1u && differing(begin, end, stride) > 0u;
    bool is_near = is_wrong == 1u && !glows && scale < 4.0 && differing(first, last, stride) > 0u;
    shown = glows ? GLOW : is_near ? mix(shown, GLOW, 0.5) : shown;
    pixels[at] = packed(shown);
}
