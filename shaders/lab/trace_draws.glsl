// Behind trace.glsl, around a vertex or fragment shader: waves have no numbers there. Where one in k is recorded, the place of a
// pixel or the number of a vertex decides, so that the others do not wait for the counter of slots.
//
// The invocation that keeps the wave's record holds the slot in a register. It is none of the helpers of a fragment shader, which cannot
// store: they cover no sample. (lavapipe of Mesa 22.3 ends the process at gl_HelperInvocation.)

const uint TRACE_UNDRAWN = 0xFFFFFFFFu;

#ifdef TRACE_VERTICES
const uint TRACE_STAGE = 1u << 29;

bool trace_stores() {
    return true;
}

uint trace_which() {
    return uint(gl_VertexIndex);
}
#else
const uint TRACE_STAGE = 0u;

bool trace_stores() {
    return gl_SampleMaskIn[0] != 0;
}

uint trace_which() {
    uvec2 place = uvec2(gl_FragCoord.xy) >> 1;
    return place.y * 65537u + place.x;
}
#endif

uint trace_begin() {
    uvec2 began = trace_clock();
    if ((trace_which() * 2654435769u >> 8) % trace_one_in != 0) {
        return TRACE_UNDRAWN;
    }
    uint slot = atomicAdd(trace_waves, 1);
    if (slot >= trace_slots) {
        atomicAdd(trace_lost, 1);
        return TRACE_UNDRAWN;
    }
    trace_slot[slot] = uvec4(began, 0, TRACE_BEGUN | TRACE_STAGE | trace_lane());
    return slot;
}

void main() {
    uint slot = TRACE_UNDRAWN;
    if (trace_stores() && subgroupElect()) {
        slot = trace_begin();
    }
    traced_main();
    if (slot != TRACE_UNDRAWN) {
        trace_slot[slot].zw = uvec2(trace_clock().x, TRACE_BEGUN | TRACE_ENDED | TRACE_STAGE | trace_lane());
    }
}
