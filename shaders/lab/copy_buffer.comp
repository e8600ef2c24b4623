#version 460
// Modules: -
// Only unrolled loops keep the words in registers.
#extension GL_EXT_control_flow_attributes : require

// Copies a buffer. Each invocation copies EACH words of 128 bits that lie a workgroup apart, all loads ahead of the
// stores.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint EACH = 1;

layout(std430, set = 0, binding = 0) readonly buffer From { uvec4 from[]; };
layout(std430, set = 0, binding = 1) writeonly buffer To { uvec4 to[]; };

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uint first = group * gl_WorkGroupSize.x * EACH + gl_LocalInvocationID.x;
    uvec4 words[EACH];
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        words[i] = from[min(first + i * gl_WorkGroupSize.x, from.length() - 1)];
    }
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        uint at = first + i * gl_WorkGroupSize.x;
        if (at < to.length()) {
            to[at] = words[i];
        }
    }
}
