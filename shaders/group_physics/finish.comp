#version 460
#extension GL_GOOGLE_include_directive : require
#include "group_physics/constraint.glsl"
#include "group_physics/frame.glsl"

// Brings the solved particles of all islands back into the coordinates of their islands.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint PARTICLES = 1;

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 1, std430) readonly buffer Frames { vec4 frames[]; };
layout(set = 0, binding = 2, std430) readonly buffer State { vec4 state[]; };
// x, y, z and the squared distance from the start.
layout(set = 0, binding = 3, std430) writeonly buffer Results { vec4 results[]; };

void main() {
    uint p = gl_GlobalInvocationID.x;
    if (p >= PARTICLES) {
        return;
    }
    uint island = gl_WorkGroupID.y;
    uint at = island * PARTICLES + p;
    Frame frame = frame_of(frames[4u * island], frames[4u * island + 1u], frames[4u * island + 2u]);
    vec3 world = state[at].xyz;
    precise vec3 displacement = world - to_world(frame, particles[at].xyz);
    results[at] = vec4(to_local(frame, world), squared(displacement));
}
