#version 460

// Counts the words of a result that differ from what was expected, and finds the first of them.
// Runs behind the timed window, on every sample of every variant.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 128) in;

layout(push_constant) uniform Push {
    uint words; // to compare
    uint slot;  // which pair of counters takes the answer
};

layout(std430, set = 0, binding = 0) readonly buffer Expected { uint expected[]; };
layout(std430, set = 0, binding = 1) readonly buffer Actual { uint actual[]; };
// Two words a slot, both 0 at first: how many differ, and the complement of the first one's index
// (so that the first is the maximum, and a buffer filled with zeros is ready).
layout(std430, set = 0, binding = 2) buffer Counters { uint counters[]; };

shared uint group_count;
shared uint group_first;

void main() {
    if (gl_LocalInvocationIndex == 0) {
        group_count = 0;
        group_first = 0;
    }
    barrier();
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < words; i += stride) {
        if (expected[i] != actual[i]) {
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
