#version 460
#extension GL_GOOGLE_include_directive : require
#include "lab/tolerance.glsl"

// Counts the elements of a result (texels, words of a buffer) that differ from what was expected, and
// finds the first of them. Runs behind the timed window, on every sample of every variant. What it does
// for one element, `common/bench/src/element.rs` does on the CPU.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 128) in;

layout(push_constant) uniform Push {
    uint elements;  // to compare
    uint slot;      // which pair of counters takes the answer
    uint bytes;     // of an element: 1, 2, 4, 8 or 16
    uint tolerance; // its kind
    uint most;      // that a word may be off
};

layout(std430, set = 0, binding = 0) readonly buffer Expected { uint expected[]; };
layout(std430, set = 0, binding = 1) readonly buffer Actual { uint actual[]; };
// Two words a slot, both 0 at first: how many differ, and the complement of the first one's index
// (so that the first is the maximum, and a buffer filled with zeros is ready).
layout(std430, set = 0, binding = 2) buffer Counters { uint counters[]; };

bool differs(uint element) {
    if (bytes < 4u) {
        uint in_word = 4u / bytes;
        uint shift = 8u * bytes * (element % in_word);
        uint mask = (1u << (8u * bytes)) - 1u;
        return (((expected[element / in_word] ^ actual[element / in_word]) >> shift) & mask) != 0u;
    }
    uint words = bytes / 4u;
    for (uint word = words * element; word < words * (element + 1u); ++word) {
        if (word_differs(expected[word], actual[word], tolerance, most)) {
            return true;
        }
    }
    return false;
}

// Equal words are the rule, and four at once are compared in a fraction of the time of four elements.
bool quad_is_equal(uint word) {
    return ((expected[word] ^ actual[word]) | (expected[word + 1u] ^ actual[word + 1u])
            | (expected[word + 2u] ^ actual[word + 2u]) | (expected[word + 3u] ^ actual[word + 3u]))
           == 0u;
}

void main() {
    uint in_quad = 16u / bytes;
    uint quads = (elements + in_quad - 1u) / in_quad;
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint quad = gl_GlobalInvocationID.x; quad < quads; quad += stride) {
        uint begin = quad * in_quad;
        uint end = min(begin + in_quad, elements);
        if (end == begin + in_quad && quad_is_equal(4u * quad)) {
            continue;
        }
        uint count = 0u;
        uint first = 0u;
        for (uint i = begin; i < end; ++i) {
            if (differs(i)) {
                ++count;
                first = max(first, ~i);
            }
        }
        if (count > 0u) {
            atomicAdd(counters[2u * slot], count);
            atomicMax(counters[2u * slot + 1u], first);
        }
    }
}
