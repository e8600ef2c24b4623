#version 460
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

// Empty waves: one lane of each stores a word, which proves that the wave ran.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WAVE_LANES = 1u;

layout(push_constant) uniform Push {
    uint waves;
};

layout(std430, set = 0, binding = 0) restrict writeonly buffer Started { uint started[]; };

void main() {
    uint workgroup = in_line(gl_WorkGroupID, gl_NumWorkGroups);
    uint wave = (workgroup * gl_WorkGroupSize.x + gl_LocalInvocationIndex) / WAVE_LANES;
    if (gl_LocalInvocationIndex % WAVE_LANES == 0u && wave < waves) {
        started[wave] = first(wave);
    }
}
