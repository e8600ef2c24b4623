// Behind trace.glsl, around a fragment shader: waves have no numbers there. Where one in k is recorded, the place of a pixel
// decides, so that the others do not wait for the counter of slots.
//
// What is held in a register: the slot, in the invocation that keeps the wave's record. That is none of the helpers, which
// cannot store: they cover no sample. (lavapipe of Mesa 22.3 ends the process at gl_HelperInvocation.)

const uint TRACE_UNDRAWN = 0xFFFFFFFFu;

uint trace_begin() {
    uvec2 began = trace_clock();
    uvec2 place = uvec2(gl_FragCoord.xy) >> 1;
    if (((place.y * 65537u + place.x) * 2654435769u >> 8) % trace_one_in != 0) {
        return TRACE_UNDRAWN;
    }
    uint slot = atomicAdd(trace_waves, 1);
    if (slot >= trace_slots) {
        atomicAdd(trace_lost, 1);
        return TRACE_UNDRAWN;
    }
    trace_slot[slot] = uvec4(began, 0, TRACE_BEGUN | trace_lane());
    return slot;
}

void main() {
    uint slot = TRACE_UNDRAWN;
    if (gl_SampleMaskIn[0] != 0 && subgroupElect()) {
        slot = trace_begin();
    }
    traced_main();
    if (slot != TRACE_UNDRAWN) {
        trace_slot[slot].zw = uvec2(trace_clock().x, TRACE_BEGUN | TRACE_ENDED | trace_lane());
    }
}
