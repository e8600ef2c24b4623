#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "group_physics/cells.glsl"
#include "group_physics/island.glsl"

// A workgroup per island, with a thread per cell of each colour. Its constraints stay in registers over all iterations.

layout(push_constant) uniform Push {
    uint iterations;
};

void solve_cell(uint colour, uvec2 lengths[PARTS]) {
    vec4 at[4];
    [[unroll]] for (uint corner = 0u; corner < 4u; ++corner) {
        at[corner] = vec4(0.0);
        if (has_corner(thread, colour, corner)) {
            at[corner] = position[particle_at(thread, colour, corner)];
        }
    }
    solve(colour, at, lengths[0], lengths[1], lengths[2]);
    [[unroll]] for (uint corner = 0u; corner < 4u; ++corner) {
        if (has_corner(thread, colour, corner)) {
            position[particle_at(thread, colour, corner)] = at[corner];
        }
    }
}

void main() {
    load_particles();
    uvec2 lengths[COLOURS][PARTS];
    [[unroll]] for (uint colour = 0u; colour < COLOURS; ++colour) {
        [[unroll]] for (uint part = 0u; part < PARTS; ++part) {
            lengths[colour][part] = lengths_of(island, colour, part, thread);
        }
    }
    barrier();
    [[dont_unroll]] for (uint iteration = 0u; iteration < iterations; ++iteration) {
        [[unroll]] for (uint colour = 0u; colour < COLOURS; ++colour) {
            solve_cell(colour, lengths[colour]);
            barrier();
        }
        lift_particles();
    }
    store_results();
}
