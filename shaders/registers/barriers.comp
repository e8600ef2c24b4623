#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: -

// Prefix sums of LANES words each, TURNS times over. No lane needs what is stored outside of its LANES, yet barriers make it
// wait for the whole workgroup. Where that is one wave, a compiler can leave them out.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LANES = 32u; // that exchange their words
layout(constant_id = 2) const uint TURNS = 4u;

layout(set = 0, binding = 0, std430) readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uint results[]; };
shared uint sums[gl_WorkGroupSize.x];

void main() {
    uint i = gl_LocalInvocationIndex;
    uint sum = words[gl_GlobalInvocationID.x];
    [[dont_unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
        [[unroll]] for (uint reach = 1u; reach < LANES; reach *= 2u) {
            sums[i] = sum;
            barrier();
            sum += i % LANES >= reach ? sums[i - reach] : 0u;
            barrier();
        }
    }
    results[gl_GlobalInvocationID.x] = sum;
}
