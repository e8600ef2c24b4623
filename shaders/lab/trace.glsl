// What is put around a kernel for a run with --trace: each wave notes when it began, when it ended and
// on which multiprocessor it ran. The runner appends this file to the kernel, whose own main it has
// renamed to traced_main and whose #extension lines it has added, so that a kernel needs no line for
// it and a timing run's code is what it is without the feature. A wrapper also catches each early
// return.
//
// Nothing is held in a register across a compute kernel: the begin is stored at once, and the slot is
// computed again at the end.

layout(std430, set = 0, binding = TRACE_BINDING) buffer Trace {
    uint trace_one_in; // workgroups or units, of which one is recorded
    uint trace_slots;
    uint trace_waves; // slots of a workgroup or unit; of a draw, those in use
    uint trace_lost; // waves that found no slot
    // Begin (low and high word), end (low word), lane and flags. Where the kernel names the parts of what it does,
    // more of TRACE_STRIDE: part, and the low words of when it was named and of each stamp.
    uvec4 trace_slot[];
};

const uint TRACE_BEGUN = 1u << 31;
const uint TRACE_ENDED = 1u << 30;

#if !defined(TRACE_PIXELS) && !defined(TRACE_VERTICES)
#define TRACE_GROUPS
// The slot of this wave of a workgroup or unit. Of each `trace_one_in` neighbours one is recorded, not the same
// in each: workgroups go to multiprocessors in turn, and every fourth would be always of the same.
bool trace_draws(uint which, out uint slot) {
    uint lot = which / trace_one_in;
    uint drawn = ((lot * 2654435769u) >> 8) % trace_one_in;
    slot = lot * trace_waves + gl_SubgroupID;
    return which % trace_one_in == drawn;
}

bool trace_fits(uint slot) {
    return slot < trace_slots && gl_SubgroupID < trace_waves;
}
#endif

uint trace_lane() {
#if defined(TRACE_SM)
    return gl_SMIDNV;
#elif defined(TRACE_CORE)
    return gl_CoreIDARM;
#else
    return 0;
#endif
}

uvec2 trace_clock() {
    return clockRealtime2x32EXT();
}

#if defined(TRACE_GROUPS) && !defined(TRACE_PARTS)
bool trace_find(out uint slot) {
    uvec3 groups = gl_NumWorkGroups;
    uint group = (gl_WorkGroupID.z * groups.y + gl_WorkGroupID.y) * groups.x + gl_WorkGroupID.x;
    return trace_draws(group, slot);
}

void main() {
    uint slot;
    if (trace_find(slot) && subgroupElect()) {
        if (trace_fits(slot)) {
            trace_slot[slot] = uvec4(trace_clock(), 0, TRACE_BEGUN | trace_lane());
        } else {
            atomicAdd(trace_lost, 1);
        }
    }
    traced_main();
    if (trace_find(slot) && trace_fits(slot) && subgroupElect()) {
        // Without a look at what is there, which would keep a short wave for as long again.
        trace_slot[slot].zw = uvec2(trace_clock().x, TRACE_BEGUN | TRACE_ENDED | trace_lane());
    }
}
#endif
