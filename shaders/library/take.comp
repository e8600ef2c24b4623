#version 460

// Brings what a library has computed where it is checked.

layout(constant_id = 0) const uint WORDS = 1u;
layout(local_size_x = 256) in;
layout(std430, set = 0, binding = 0) restrict readonly buffer Result { uint result[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Target { uint target[]; };

void main() {
    uint at = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * 256u + gl_LocalInvocationIndex;
    if (at < WORDS) {
        target[at] = result[at];
    }
}
