#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: TEST|-

// Weighs numbers by a flag in their sign. sign() tells three cases apart; a comparison tells the two that there are
// (TEST). Each turn changes all signs, and no number becomes 0.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint NUMBERS = 8u; // per invocation
layout(constant_id = 2) const uint TURNS = 16u;

layout(set = 0, binding = 0, std430) readonly buffer Numbers { float numbers[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { float results[]; };

void main() {
    float live[NUMBERS];
    [[unroll]] for (uint i = 0u; i < NUMBERS; ++i) {
        live[i] = numbers[gl_GlobalInvocationID.x * NUMBERS + i];
    }
    float sum = 0.0;
    [[dont_unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
        [[unroll]] for (uint i = 0u; i < NUMBERS; ++i) {
#ifdef TEST
            float weight = live[i] < 0.0 ? 3.0 : 1.0;
#else
            float weight = 2.0 - sign(live[i]);
#endif
            sum += weight * abs(live[i]);
            live[i] = weight - live[i];
        }
    }
    results[gl_GlobalInvocationID.x] = sum;
}
