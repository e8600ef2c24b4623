#ifndef FLAGS_GLSL
#define FLAGS_GLSL

// Flags by which workgroups tell each other of what they stored. Before it come spin.glsl, a device-wide array
// `flags`, and CLASSES, the kinds of memory that a flag orders.

#ifdef CHAINED
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define BOTH (gl_SemanticsAcquireRelease | gl_SemanticsMakeVisible | gl_SemanticsMakeAvailable)
#else
#define ACQUIRE gl_SemanticsAcquire
#define RELEASE gl_SemanticsRelease
#define BOTH gl_SemanticsAcquireRelease
#endif

// A look that acquires costs an H200 less than a look and a fence behind it (2 to 4 % of the whole chain at 4096x4096),
// unless most looks are in vain (2 % more of a bloom, RELAXED_LOOKS).
// lavapipe (Mesa 22.3) loses texels when a load acquires where the workgroup's invocations diverge.
#ifdef RELAXED_LOOKS
#define RELAXED true
#else
#define RELAXED ON_CPU
#endif

uint look_at(uint flag) {
    return RELAXED ? atomicLoad(flags[flag], gl_ScopeDevice, 0, 0)
                   : atomicLoad(flags[flag], gl_ScopeDevice, CLASSES, ACQUIRE);
}

void acquire() {
    if (RELAXED) {
        memoryBarrier(gl_ScopeDevice, CLASSES, ACQUIRE);
    }
}

// Looks until the flag has come so far.
void watch(uint flag, uint least) {
    bool seen = false;
    Spin spin = begin_spin();
    while (!seen && may_turn(spin)) {
        for (uint i = 0; i < LOOKS && !seen; ++i) {
            pause(i);
            seen = look_at(flag) >= least;
        }
    }
    end_spin(seen);
}

// From the invocations that waited to all of the workgroup.
void meet() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES, BOTH);
}

// From all that stored to the one that tells.
void part() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES | gl_StorageSemanticsShared, BOTH);
}

#endif
