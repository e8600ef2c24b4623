#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "group_physics/constraint.glsl"

layout(constant_id = 1) const uint PARTICLES = 256;
#include "group_physics/island.glsl"

// A workgroup per island. A thread projects the same constraints in every iteration, so it keeps them in registers. They
// cost nothing where shared memory, not registers, limits how many workgroups there are.

layout(constant_id = 2) const uint COLOURS = 1;
// Constraints per thread in the largest colour.
layout(constant_id = 3) const uint ROUNDS = 1;

layout(push_constant) uniform Push {
    uint iterations;
    uint colours; // COLOURS
};

layout(set = 0, binding = 1, std430) readonly buffer Constraints { uvec2 constraints[]; };
layout(set = 0, binding = 4, std430) readonly buffer Bounds { uint bounds[]; };

// No constraint: of each, the two indices differ.
const uvec2 NONE = uvec2(0u);

// Where the constraints of a colour begin.
uint begin(uint colour) {
    return bounds[island * (colours + 1u) + colour];
}

void project(uvec2 words) {
    uvec2 pair = pair_in(words);
    vec4 a = position[pair.x];
    vec4 b = position[pair.y];
    precise vec3 d = a.xyz - b.xyz;
    float correction = correction_of(squared(d), a.w + b.w, rest_and_stiffness_in(words), is_contact_in(words));
    precise vec3 moved_a = a.xyz - d * (correction * a.w);
    precise vec3 moved_b = b.xyz + d * (correction * b.w);
    position[pair.x] = vec4(moved_a, a.w);
    position[pair.y] = vec4(moved_b, b.w);
}

void main() {
    load_particles();
    // Loops are unrolled, because registers have no index that is known only when the kernel runs.
    uvec2 kept[COLOURS * ROUNDS];
    uint own_colours = 0u; // of this island, the others have more
    [[unroll]] for (uint colour = 0u; colour < COLOURS; ++colour) {
        uint end = begin(colour + 1u);
        own_colours = begin(colour) < end ? colour + 1u : own_colours;
        [[unroll]] for (uint k = 0u; k < ROUNDS; ++k) {
            uint at = begin(colour) + k * THREADS + thread;
            kept[colour * ROUNDS + k] = at < end ? constraints[at] : NONE;
        }
    }
    barrier();
    [[dont_unroll]] for (uint iteration = 0u; iteration < iterations; ++iteration) {
        [[unroll]] for (uint colour = 0u; colour < COLOURS; ++colour) {
            if (colour < own_colours) {
                [[unroll]] for (uint k = 0u; k < ROUNDS; ++k) {
                    if (kept[colour * ROUNDS + k] != NONE) {
                        project(kept[colour * ROUNDS + k]);
                    }
                }
                barrier();
            }
        }
        lift_particles();
    }
    store_results();
}
