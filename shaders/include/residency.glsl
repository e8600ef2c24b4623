#ifndef RESIDENCY_GLSL
#define RESIDENCY_GLSL

// Limits how many workgroups a multiprocessor holds, by shared memory that is allocated and not used (PADDED), and
// counts how many it holds (PADDED and COUNT_RESIDENT, the binding of the counters). A kernel calls limit_residency()
// first; without these macros nothing is left of it.

#ifdef COUNT_RESIDENT
layout(set = 0, binding = COUNT_RESIDENT) buffer Counters {
    uint resident;
    uint peak;
};
// Loads after which a workgroup stops waiting for others to start: since the last one that it saw, and in all.
// lavapipe of Mesa 22.3 ends every loop after 65,535 rounds.
layout(constant_id = 14) const uint PATIENCE = 1;
layout(constant_id = 15) const uint MOST_LOADS = 1;

// Each workgroup stays until none has started for a while, so that all stay for which there is room.
void count_resident() {
    if (gl_LocalInvocationIndex == 0) {
        uint seen = atomicMax(peak, atomicAdd(resident, 1) + 1);
        uint unchanged = 0;
        for (uint i = 0; i < MOST_LOADS && unchanged < PATIENCE; ++i) {
            uint now = atomicOr(peak, 0);
            unchanged = now == seen ? unchanged + 1 : 0;
            seen = now;
        }
        atomicAdd(resident, ~0u);
    }
    barrier();
}
#endif

#ifdef PADDED
layout(constant_id = 13) const uint PADDING_WORDS = 1;
shared uint padding[PADDING_WORDS];

// Returns false. Padding that nothing can reach would be left out.
bool use_padding(uint zero) {
    if (zero == 0) {
        return false;
    }
    padding[gl_LocalInvocationIndex * zero % PADDING_WORDS] = zero;
    barrier();
    return padding[zero % PADDING_WORDS] > 0;
}
#endif

// Returns false. `zero` is 0, which no compiler knows.
bool limit_residency(uint zero) {
#ifdef COUNT_RESIDENT
    count_resident();
#endif
#ifdef PADDED
    return use_padding(zero);
#else
    return false;
#endif
}

#endif
