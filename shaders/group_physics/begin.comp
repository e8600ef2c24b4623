#version 460
#extension GL_GOOGLE_include_directive : require
#include "group_physics/frame.glsl"

// Brings the particles of all islands into the world.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint PARTICLES = 1;
layout(constant_id = 2) const float FALL = 0; // 0 without gravity

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 1, std430) readonly buffer Frames { vec4 frames[]; };
// x, y, z and the inverse mass.
layout(set = 0, binding = 2, std430) writeonly buffer State { vec4 state[]; };

void main() {
    uint p = gl_GlobalInvocationID.x;
    if (p >= PARTICLES) {
        return;
    }
    uint island = gl_WorkGroupID.y;
    uint at = island * PARTICLES + p;
    Frame frame = frame_of(frames[4u * island], frames[4u * island + 1u], frames[4u * island + 2u]);
    vec4 particle = particles[at];
    vec3 world = to_world(frame, particle.xyz);
    world.y -= particle.w > 0.0 ? FALL : 0.0;
    state[at] = vec4(world, particle.w);
}
