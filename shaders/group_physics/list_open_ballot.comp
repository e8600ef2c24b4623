#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "group_physics/list_open.glsl"

// The bits of a subgroup are one mask: those before a lane are counted in a few instructions. One barrier exchanges the
// counts of the subgroups.

shared uint counts[THREADS / 4]; // no subgroup is smaller than 4

uint place() {
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
}

uvec2 count(bool yes) {
    uvec4 mask = subgroupBallot(yes);
    if (gl_SubgroupInvocationID == 0u) {
        counts[gl_SubgroupID] = subgroupBallotBitCount(mask);
    }
    barrier();
    uvec2 counted = uvec2(subgroupBallotExclusiveBitCount(mask), 0u);
    for (uint subgroup = 0u; subgroup < gl_NumSubgroups; ++subgroup) {
        counted += uvec2(subgroup < gl_SubgroupID ? counts[subgroup] : 0u, counts[subgroup]);
    }
    barrier();
    return counted;
}
