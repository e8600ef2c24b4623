#ifndef SPIN_GLSL
#define SPIN_GLSL

// A bounded wait, which ends for all of a subgroup at once: behind a loop that ends earlier for some invocations lavapipe 22.3
// loses those. Before it come the counter `timeouts` and GL_KHR_shader_subgroup_vote.
//
//     Spin spin = begin_spin();
//     while (subgroupAny(is_late) && may_spin(spin)) { poll again }
//     end_spin(is_late);
//
// Vulkan promises no workgroup that it makes progress while another waits, so a wait times out after one second by the
// device's clock. Without one it times out after a million polls, which take 0.1 to 2 s on an H200.

#ifdef CLOCK
// The low word of the clock is enough: it is read far more often than it wraps, and lavapipe has no high one.
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000;
#endif
// The device is a CPU.
layout(constant_id = 31) const bool ON_CPU = false;

const uint MOST_POLLS = 1000000;
// To read the clock takes longer than a poll.
const uint POLLS_PER_CHECK = 32;

struct Spin {
    uint polls;
#ifdef CLOCK
    uint began;
#endif
};

Spin begin_spin() {
#ifdef CLOCK
    return Spin(0, 0);
#else
    return Spin(0);
#endif
}

#include "include/lavapipe.glsl"

// Whether a wait of this part of a second may go on.
bool may_poll(inout Spin spin, uint per_second) {
    ++spin.polls;
    if (ON_CPU) {
        pause_on_cpu();
    }
#ifdef CLOCK
    if (spin.polls % POLLS_PER_CHECK != 1) {
        return true;
    }
    uint now = clockRealtime2x32EXT().x;
    spin.began = spin.polls == 1 ? now : spin.began;
    return subgroupAll(now - spin.began < TICKS_PER_SECOND / per_second);
#else
    return spin.polls < MOST_POLLS / per_second;
#endif
}

bool may_spin(inout Spin spin) {
    bool may = may_poll(spin, 1);
    // Where one wait has timed out the result is wrong anyway, and no other need last.
    return may && (spin.polls % POLLS_PER_CHECK != 0 || atomicLoad(timeouts, gl_ScopeDevice, 0, 0) == 0u);
}

// Counts a wait that timed out.
void end_spin(bool is_late) {
    if (is_late) {
        atomicAdd(timeouts, 1u);
    }
}

#endif
