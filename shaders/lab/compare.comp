#version 460
#extension GL_GOOGLE_include_directive : require
#include "tolerance.glsl"

// Counts the elements of a result (texels, words of a buffer) that differ from what was expected, and
// finds the first of them. Runs behind the timed window, on every sample of every variant. What it does
// for one element, `common/src/element.rs` does on the CPU.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 128) in;

layout(push_constant) uniform Push {
    uint elements; // to compare
    uint slot;     // which pair of counters takes the answer
    uint bytes;    // of an element: 1, 2, 4, 8 or 16
    uint ulps;     // that floats may be off; 0 compares bits
    uint is_half;  // floats of 16 bits
};

layout(std430, set = 0, binding = 0) readonly buffer Expected { uint expected[]; };
layout(std430, set = 0, binding = 1) readonly buffer Actual { uint actual[]; };
// Two words a slot, both 0 at first: how many differ, and the complement of the first one's index
// (so that the first is the maximum, and a buffer filled with zeros is ready).
layout(std430, set = 0, binding = 2) buffer Counters { uint counters[]; };

shared uint group_count;
shared uint group_first;

bool differs(uint element) {
    if (bytes < 4u) {
        uint in_word = 4u / bytes;
        uint shift = 8u * bytes * (element % in_word);
        uint mask = (1u << (8u * bytes)) - 1u;
        return (((expected[element / in_word] ^ actual[element / in_word]) >> shift) & mask) != 0u;
    }
    uint words = bytes / 4u;
    for (uint word = words * element; word < words * (element + 1u); ++word) {
        if (word_differs(expected[word], actual[word], ulps, is_half)) {
            return true;
        }
    }
    return false;
}

void main() {
    if (gl_LocalInvocationIndex == 0) {
        group_count = 0;
        group_first = 0;
    }
    barrier();
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < elements; i += stride) {
        if (differs(i)) {
            atomicAdd(group_count, 1);
            atomicMax(group_first, ~i);
        }
    }
    barrier();
    if (gl_LocalInvocationIndex == 0 && group_count > 0) {
        atomicAdd(counters[2 * slot], group_count);
        atomicMax(counters[2 * slot + 1], group_first);
    }
}
