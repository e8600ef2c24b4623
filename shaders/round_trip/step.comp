#version 460

// The work of a submit: a row of words. What is read and what is written may be one buffer.

layout(local_size_x = 64) in;

layout(push_constant) uniform Push { uint first; };
layout(std430, set = 0, binding = 0) buffer From { uint from[]; };
layout(std430, set = 0, binding = 1) buffer To { uint to[]; };

void main() {
    uint at = (first + gl_WorkGroupID.x) * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    to[at] = from[at] * 1664525u + 1013904223u;
}
