#version 460
// Untraced modules: -
#extension GL_GOOGLE_include_directive : require
#include "bloom/halo.glsl"

// Lists the halo of each ticket, which the CPU checks: a missing wait shows in the texels only when that tile is late.

layout(std430, set = 0, binding = 2) writeonly buffer Halos { uint halos[]; };

void main() {
    uint ticket = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    if (ticket >= TICKETS || gl_LocalInvocationIndex > 0) {
        return;
    }
    uvec2 unit = order[ticket];
    PassTiles entry = passes[unit.x];
    Halo halo = halo_of(entry, corner_of(entry, unit.y));
    int words[] = int[](halo.first.x, halo.first.y, halo.tiles.x, halo.tiles.y, int(halo.second_input));
    for (int i = 0; i < 5; ++i) {
        halos[ticket * 5 + uint(i)] = uint(words[i]);
    }
}
