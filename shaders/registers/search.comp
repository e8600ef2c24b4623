#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: FIRST_BIT|-

// Adds up the lights whose bits are set in a mask: looks at every bit, or searches for the next one that is set (FIRST_BIT).
// The mask of an invocation is rotated from turn to turn.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LIGHTS = 32u; // at most as many as a mask has bits
layout(constant_id = 2) const uint TURNS = 16u;

// The lights, then the masks.
layout(set = 0, binding = 0, std430) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uint results[]; };

void main() {
    uint mask = words[LIGHTS + gl_GlobalInvocationID.x];
    uint sum = 0u;
    [[dont_unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
#ifdef FIRST_BIT
        for (uint left = mask; left != 0u; left &= left - 1u) {
            sum = 3u * sum + words[findLSB(left)];
        }
#else
        [[dont_unroll]] for (uint bit = 0u; bit < LIGHTS; ++bit) {
            if ((mask >> bit & 1u) != 0u) {
                sum = 3u * sum + words[bit];
            }
        }
#endif
        mask = mask << 1u | mask >> 31u;
    }
    results[gl_GlobalInvocationID.x] = sum;
}
