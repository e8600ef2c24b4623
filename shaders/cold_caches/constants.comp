#version 460
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

// Dependent fetches of constants: each entry of the table holds a step's multiplier and the number of the next entry.
// All lanes read the same entry, as with the constants of a material.

layout(constant_id = 1) const uint ENTRIES = 1;
// Vectors per entry, which fill a cache line.
layout(constant_id = 2) const uint VECTORS = 8;

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
};

layout(std140, set = 0, binding = 0) uniform Table { uvec4 table[ENTRIES * VECTORS]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Results { uint results[]; };

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    uint value = first(item);
    uint next = 0u;
    for (uint i = 0u; i < ENTRIES; ++i) {
        uvec4 entry = table[next * VECTORS];
        value = stepped(value, entry.x);
        next = entry.y;
    }
    results[item] = value;
}
