#ifndef SPIN_GLSL
#define SPIN_GLSL

// A bounded wait. Before it comes the counter `timeouts`.
//
//     Spin spin = begin_spin();
//     while (is_late && may_spin(spin)) { poll again }
//     end_spin(is_late);
//
// Vulkan promises no workgroup that it makes progress while another waits, so a wait times out after one second by the
// device's clock, without one after ten million polls, none of which takes less than 100 ns.

#ifdef CLOCK
// The low word of the clock is enough: it is read far more often than it wraps, and lavapipe has no high one.
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000;
#endif
// The device is a CPU.
layout(constant_id = 31) const bool ON_CPU = false;

const uint MOST_POLLS = 10000000;
// The clock and the other waits are looked at once in so many polls.
const uint POLLS_PER_CHECK = 256;

struct Spin {
    uint polls;
#ifdef CLOCK
    uint began;
#endif
};

Spin begin_spin() {
#ifdef CLOCK
    return Spin(0, clockRealtime2x32EXT().x);
#else
    return Spin(0);
#endif
}

#include "include/lavapipe.glsl"

bool may_spin(inout Spin spin) {
    ++spin.polls;
    if (ON_CPU) {
        pause_on_cpu();
    }
    if (spin.polls % POLLS_PER_CHECK != 0) {
        return true;
    }
    // Where one wait has timed out the result is wrong anyway, and no other need last.
    if (atomicLoad(timeouts, gl_ScopeDevice, 0, 0) > 0u) {
        return false;
    }
#ifdef CLOCK
    return clockRealtime2x32EXT().x - spin.began < TICKS_PER_SECOND;
#else
    return spin.polls < MOST_POLLS;
#endif
}

// Counts a wait that timed out.
void end_spin(bool is_late) {
    if (is_late) {
        atomicAdd(timeouts, 1u);
    }
}

#endif
