#ifndef FLAGS_GLSL
#define FLAGS_GLSL

// Flags by which workgroups signal what they have stored. Before it come spin.glsl, a device-wide array `flags`, and CLASSES,
// the kinds of memory that a flag orders.

#ifdef CHAINED
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define BOTH (gl_SemanticsAcquireRelease | gl_SemanticsMakeVisible | gl_SemanticsMakeAvailable)
#else
#define ACQUIRE gl_SemanticsAcquire
#define RELEASE gl_SemanticsRelease
#define BOTH gl_SemanticsAcquireRelease
#endif

uint poll(int flag) {
    return atomicLoad(flags[flag], gl_ScopeDevice, 0, 0);
}

// Waits until the flag has come to `value`, if it `waits`. What was stored before has yet to be acquired.
void wait_for_flag(int flag, uint value, bool waits) {
    Spin spin = begin_spin();
    bool is_late = waits && poll(flag) < value;
    while (subgroupAny(is_late) && may_spin(spin)) {
        is_late = waits && poll(flag) < value;
    }
    end_spin(is_late);
}

// Called by each invocation that has waited. On NVIDIA it waits for the invocation's earlier accesses (MEMBAR.SC.GPU); with
// CHAINED it also empties the cache of the multiprocessor, for all workgroups there (CCTL.IVALL, CCTLT.IVALL).
void device_acquire() {
    memoryBarrier(gl_ScopeDevice, CLASSES, ACQUIRE);
}

// From the invocations that waited to all of the workgroup.
void workgroup_acquire() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES, BOTH);
}

// From all that stored to the one that signals.
void workgroup_release() {
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES | gl_StorageSemanticsShared, BOTH);
}

void signal_flag(int flag, uint value) {
    atomicStore(flags[flag], value, gl_ScopeDevice, CLASSES, RELEASE);
}

#endif
