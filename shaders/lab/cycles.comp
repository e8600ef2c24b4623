#version 460
// Untraced modules: CYCLES_SM|CYCLES_CORE|-
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#ifdef CYCLES_SM
#extension GL_NV_shader_sm_builtins : require
#endif
#ifdef CYCLES_CORE
#extension GL_ARM_shader_core_builtins : require
#endif

// Reads two counters of the device, one of which counts cycles of the multiprocessor and the other
// time, three times: at first, once more, and after a short wait. How fast the first runs against the
// second is the device's clock. The runner takes a reading before the timed window and one behind it.

layout(local_size_x = 1) in;

// Which reading this is, and for how many ticks of the second counter it waits.
layout(push_constant) uniform Push {
    uint reading;
    uint ticks;
};

struct Reading {
    // Each the cycles and the time, low and high words.
    uvec4 pairs[3];
    uint multiprocessor;
};

layout(std430, set = 0, binding = 0) writeonly buffer Readings {
    Reading readings[];
};

// However slow the second counter is, the wait ends: 16,384 turns take a millisecond at the most.
const uint MOST_TURNS = 16384u;

uint multiprocessor() {
#if defined(CYCLES_SM)
    return gl_SMIDNV;
#elif defined(CYCLES_CORE)
    return gl_CoreIDARM;
#else
    return 0;
#endif
}

// One loop reads all pairs: the first turn brings the code into the cache, and in both others as much
// time passes from the one counter to the other.
void main() {
    uint begin = 0;
    for (uint pair = 0; pair < 3; ++pair) {
        uint wait = pair == 2 ? ticks : 0;
        uvec2 now;
        uint turn = 0;
        do {
            now = clockRealtime2x32EXT();
        } while (++turn < MOST_TURNS && now.x - begin < wait);
        uvec2 cycles = clock2x32ARB();
        begin = now.x;
        readings[reading].pairs[pair] = uvec4(cycles, now);
    }
    readings[reading].multiprocessor = multiprocessor();
}
