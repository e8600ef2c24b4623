// Behind trace.glsl, around a kernel that names the parts of what it does (include/trace_parts.glsl): a wave has a
// slot for each of its units, and none where it finds nothing to do.
//
// What is held in registers: the slot while a unit is at work, and between two units when the last one ended.

// Vectors of a slot, and stamps of a unit.
layout(constant_id = 200) const uint TRACE_STRIDE = 2;
layout(constant_id = 201) const uint TRACE_STAMPS = 0;

const uint TRACE_CLOSED = 0xFFFFFFFFu;
uint trace_open; // the slot of the unit that is at work, in vectors
uvec2 trace_since; // when the wave began, or its last unit ended

// The low word, but for 0, which stands for a stamp that was not reached.
uint trace_low(uvec2 now) {
    return max(now.x, 1u);
}

void trace_part(uint part, uint unit) {
    uint slot;
    if (!trace_draws(unit, slot)) {
        return;
    }
    uint now = trace_low(trace_clock());
    // A unit that the host does not know of must not wrap into another's slot.
    bool fits = trace_fits(slot) && unit / trace_one_in < trace_slots / trace_waves;
    trace_open = fits ? slot * TRACE_STRIDE : TRACE_CLOSED;
    if (subgroupElect()) {
        if (fits) {
            trace_slot[trace_open] = uvec4(trace_since, 0, TRACE_BEGUN | trace_lane());
            trace_slot[trace_open + 1].xy = uvec2(part, now);
        } else {
            atomicAdd(trace_lost, 1);
        }
    }
}

void trace_stamp(uint n) {
    if (trace_open != TRACE_CLOSED && subgroupElect()) {
        if (n < TRACE_STAMPS) {
            trace_slot[trace_open + 1 + (n + 2) / 4][(n + 2) % 4] = trace_low(trace_clock());
        } else {
            atomicAdd(trace_lost, 1);
        }
    }
}

void trace_end() {
    uvec2 now = trace_clock();
    if (trace_open != TRACE_CLOSED && subgroupElect()) {
        trace_slot[trace_open].zw = uvec2(trace_low(now), TRACE_BEGUN | TRACE_ENDED | trace_lane());
    }
    trace_open = TRACE_CLOSED;
    trace_since = now;
}

void main() {
    trace_open = TRACE_CLOSED;
    trace_since = trace_clock();
    traced_main();
    if (trace_open != TRACE_CLOSED) {
        trace_end();
    }
}
