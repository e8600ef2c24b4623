#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "group_physics/cells.glsl"

// The cells of one colour of all islands, with the particles in memory.

layout(local_size_x_id = 0) in;
layout(constant_id = 2) const uint COLOUR = 0;

// x, y, z and the inverse mass.
layout(set = 0, binding = 0, std430) buffer State { vec4 state[]; };

void main() {
    uint cell = gl_GlobalInvocationID.x;
    uint island = gl_WorkGroupID.y;
    if (cell >= CELLS) {
        return;
    }
    vec4 at[4];
    [[unroll]] for (uint corner = 0u; corner < 4u; ++corner) {
        at[corner] = vec4(0.0);
        if (has_corner(cell, COLOUR, corner)) {
            at[corner] = state[island * PARTICLES + particle_at(cell, COLOUR, corner)];
        }
    }
    uvec2 lengths[PARTS];
    [[unroll]] for (uint part = 0u; part < PARTS; ++part) {
        lengths[part] = lengths_of(island, COLOUR, part, cell);
    }
    solve(COLOUR, at, lengths[0], lengths[1], lengths[2]);
    [[unroll]] for (uint corner = 0u; corner < 4u; ++corner) {
        if (has_corner(cell, COLOUR, corner)) {
            state[island * PARTICLES + particle_at(cell, COLOUR, corner)] = at[corner];
        }
    }
}
