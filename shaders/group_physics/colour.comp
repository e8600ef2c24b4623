#version 460
#extension GL_GOOGLE_include_directive : require
#include "group_physics/constraint.glsl"

// One colour of all islands, with the particles in memory. No two constraints of a colour share a particle, so one
// thread reads and writes each.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint PARTICLES = 1;

layout(push_constant) uniform Push {
    uint colour;
    uint colours;
};

layout(set = 0, binding = 0, std430) readonly buffer Constraints { uvec2 constraints[]; };
layout(set = 0, binding = 1, std430) readonly buffer Bounds { uint bounds[]; };
// x, y, z and the inverse mass.
layout(set = 0, binding = 2, std430) buffer State { vec4 state[]; };

void main() {
    uint island = gl_WorkGroupID.y;
    uint bound = island * (colours + 1u) + colour;
    uint at = bounds[bound] + gl_GlobalInvocationID.x;
    if (at >= bounds[bound + 1u]) {
        return;
    }
    uvec2 words = constraints[at];
    uvec2 pair = island * PARTICLES + pair_in(words);
    vec4 a = state[pair.x];
    vec4 b = state[pair.y];
    precise vec3 d = a.xyz - b.xyz;
    float correction = correction_of(squared(d), a.w + b.w, rest_and_stiffness_in(words), is_contact_in(words));
    precise vec3 moved_a = a.xyz - d * (correction * a.w);
    precise vec3 moved_b = b.xyz + d * (correction * b.w);
    state[pair.x] = vec4(moved_a, a.w);
    state[pair.y] = vec4(moved_b, b.w);
}
