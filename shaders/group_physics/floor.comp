#version 460

// Lifts what has sunk below the floor, in all islands.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint PARTICLES = 1;
layout(constant_id = 2) const float FLOOR = 0;

layout(set = 0, binding = 0, std430) buffer State { vec4 state[]; };

void main() {
    uint p = gl_GlobalInvocationID.x;
    if (p < PARTICLES) {
        uint at = gl_WorkGroupID.y * PARTICLES + p;
        state[at].y = max(state[at].y, FLOOR);
    }
}
