#version 460
#extension GL_ARB_shader_clock : require
#extension GL_EXT_shader_realtime_clock : require
#ifdef CYCLES_SM
#extension GL_NV_shader_sm_builtins : require
#endif
#ifdef CYCLES_CORE
#extension GL_ARM_shader_core_builtins : require
#endif

// Reads two counters of the device, one of which counts cycles of the multiprocessor and the other
// time, at the begin of a short wait and at its end: how fast the first runs against the second is the
// device's clock. The runner takes a reading before the timed window and one behind it.

layout(local_size_x = 1) in;

// Which reading this is, and for how many ticks of the second counter it waits.
layout(push_constant) uniform Push {
    uint reading;
    uint ticks;
};

struct Reading {
    uvec2 cycles_begin;
    uvec2 ticks_begin;
    uvec2 cycles_end;
    uvec2 ticks_end;
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

void main() {
    uvec2 ticks_begin = clockRealtime2x32EXT();
    uvec2 cycles_begin = clock2x32ARB();
    uvec2 ticks_end = clockRealtime2x32EXT();
    for (uint turn = 0; turn < MOST_TURNS && ticks_end.x - ticks_begin.x < ticks; ++turn) {
        ticks_end = clockRealtime2x32EXT();
    }
    uvec2 cycles_end = clock2x32ARB();
    readings[reading] = Reading(cycles_begin, ticks_begin, cycles_end, ticks_end, multiprocessor());
}
