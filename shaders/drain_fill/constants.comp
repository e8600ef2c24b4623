#version 460
#extension GL_GOOGLE_include_directive : require
#include "drain_fill/step.glsl"

// Fetches that each need the one before: a step's multiplier comes with the place of the next one. All lanes
// are at the same place, as with a material's constants.

layout(constant_id = 1) const uint PLACES = 1;
// Of a place, which has a cache line of its own.
layout(constant_id = 2) const uint VECTORS = 8;

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
};

layout(std140, set = 0, binding = 0) uniform Table { uvec4 table[PLACES * VECTORS]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Results { uint results[]; };

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    uint value = first(item);
    uint at = 0u;
    for (uint i = 0u; i < PLACES; ++i) {
        uvec4 place = table[at * VECTORS];
        value = stepped(value, place.x);
        at = place.y;
    }
    results[item] = value;
}
