#version 460
#extension GL_GOOGLE_include_directive : require
#include "drain_fill/step.glsl"

// Fills what the next pass reads with the number of that pass, as a driver's clear of a target would.

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
    uint pass;
};

layout(std430, set = 0, binding = 0) restrict writeonly buffer Cleared { uint cleared[]; };

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item < items) {
        cleared[item] = first(pass);
    }
}
