#version 460
#extension GL_GOOGLE_include_directive : require
#include "drain_fill/step.glsl"

// As many steps for each item as a buffer says.

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer Counts { uint counts[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Results { uint results[]; };

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item >= items) {
        return;
    }
    uint value = first(item);
    uint steps = counts[item];
    for (uint i = 0u; i < steps; ++i) {
        value = stepped(value, MULTIPLIER);
    }
    results[item] = value;
}
