#version 460
#extension GL_GOOGLE_include_directive : require
#include "include/step.glsl"

// A clear by a kernel: each invocation stores one word.

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
    uint word;
};

layout(std430, set = 0, binding = 0) restrict writeonly buffer Cleared { uint cleared[]; };

void main() {
    uint item = in_line(gl_WorkGroupID, gl_NumWorkGroups) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    if (item < items) {
        cleared[item] = word;
    }
}
