#version 460
#extension GL_GOOGLE_include_directive : require
#include "group_physics/list_open.glsl"

// Prefix sums in shared memory: each step adds the sum from twice as far back as the step before.

shared uint sums[THREADS];

uint place() {
    return gl_LocalInvocationIndex;
}

uvec2 count(bool yes) {
    sums[place()] = uint(yes);
    barrier();
    for (uint reach = 1u; reach < THREADS; reach *= 2u) {
        uint before = place() >= reach ? sums[place() - reach] : 0u;
        barrier();
        sums[place()] += before;
        barrier();
    }
    uvec2 counted = uvec2(sums[place()] - uint(yes), sums[THREADS - 1]);
    barrier();
    return counted;
}
