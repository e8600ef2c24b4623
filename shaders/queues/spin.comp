#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require

// A wave that spins for a given time. It notes when it begins and ends, and how long it was paused in between.

layout(local_size_x_id = 0) in;
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000u;

layout(push_constant) uniform Push {
    uint slot;    // where its results and its note are
    uint spin_us; // how long it spins
};

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each wave the clock (low and high word) when it began, its low word when it ended, and the ticks of its pauses.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };

// A wave that does not look at the clock for so long is paused, because the GPU runs another queue. Shorter pauses count as running.
const uint PAUSE_US = 10u;
// No wait is longer, even if the clock stands still.
const uint MOST_POLLS = 1u << 20;

void main() {
    uvec2 began = clockRealtime2x32EXT();
    uint us = TICKS_PER_SECOND / 1000000u;
    uint now = began.x, paused = 0u;
    for (uint polls = 0u; now - began.x < spin_us * us && polls < MOST_POLLS; polls++) {
        uint next = clockRealtime2x32EXT().x;
        paused += next - now > PAUSE_US * us ? next - now : 0u;
        now = next;
    }
    uint item = slot * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    results[item] = 3u * item + 1u;
    if (gl_LocalInvocationIndex == 0u) {
        notes[slot] = uvec4(began, now, paused);
    }
}
