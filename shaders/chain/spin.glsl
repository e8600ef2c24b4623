#ifndef SPIN_GLSL
#define SPIN_GLSL

// A wait that ends. Before it come the counters `ticket` and `bail_outs`.
//
// Vulkan promises no workgroup that it goes on while another waits, so every wait ends, after a second at least:
// by the clock, where there is one, else after ten million looks, of which none takes less than 100 ns; on a CPU, whose
// looks are 64 in a row, after as many fewer. Some drivers end a loop in silence after 65,535 turns, so there are two,
// one within the other.
const uint LOOKS = 1000;
#ifdef CLOCK
const uint TURNS = 60000;
#else
const uint TURNS = 10000;
#endif

// Steps of arithmetic between two looks.
layout(constant_id = 30) const uint PAUSE = 0;
// The device is a CPU.
layout(constant_id = 31) const bool ON_CPU = false;

struct Spin {
    uint turns;
#ifdef CLOCK
    uint began;
#endif
};

#ifdef CLOCK
// Of the device's clock. The low word tells: the clock is read far more often than it wraps, and lavapipe has no high
// one.
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000;
#endif

Spin begin_spin() {
#ifdef CLOCK
    return Spin(0, clockRealtime2x32EXT().x);
#else
    return Spin(0);
#endif
}

// Whether to wait on. Where one wait has ended in vain, the result is wrong anyway, and no other need last.
bool may_turn(inout Spin spin) {
    ++spin.turns;
    if (spin.turns > TURNS || atomicLoad(bail_outs, gl_ScopeDevice, 0, 0) > 0u) {
        return false;
    }
#ifdef CLOCK
    return clockRealtime2x32EXT().x - spin.began < TICKS_PER_SECOND;
#else
    return !ON_CPU || spin.turns <= TURNS / 64;
#endif
}

// Counts a wait that ended in vain.
void end_spin(bool seen) {
    if (!seen) {
        atomicAdd(bail_outs, 1u);
    }
}

// lavapipe before Mesa 25 ends all loops of an invocation in silence after 65,535 turns together, and the workgroup
// that is waited for may run on a thread that the operating system has put aside for many milliseconds. So a turn
// takes long: many looks, in a row and not in a loop, of a kind that no compiler merges.
#define TWICE(x) x x
#define TIMES_64(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x))))))
void pause_on_cpu() {
    uint seen = 0;
    TIMES_64(seen |= atomicAdd(bail_outs, 0u);)
    if (seen == 0xFFFFFFFFu) {
        atomicAdd(ticket, 0u);
    }
}

// Arithmetic that no compiler leaves out, so that a wave that waits asks memory less often.
void pause(uint seed) {
    if (ON_CPU) {
        pause_on_cpu();
        return;
    }
    uint value = seed + gl_LocalInvocationIndex;
    for (uint i = 0; i < PAUSE; ++i) {
        value = (value ^ value >> 7) * 0x01000193u + 1u;
    }
    if (PAUSE > 0 && value == 0x12345678u) {
        atomicAdd(ticket, 0u);
    }
}

#endif
