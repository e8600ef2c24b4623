#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require

// A wave that stays for a given time. It notes when it begins and ends, and how long it did not run in between.

layout(local_size_x_id = 0) in;
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000u;

layout(push_constant) uniform Push {
    uint slot;    // where its results and its note are
    uint stay_us; // how long it stays
};

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each wave the clock (low and high word) when it began, its low word when it ended, and the ticks that it was away.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };

// A wave that does not look at the clock for so long does not run: the GPU runs another queue.
const uint PAUSE_US = 10u;
// No wait is longer, even if the clock stands still.
const uint MOST_POLLS = 1u << 20;

void main() {
    uvec2 began = clockRealtime2x32EXT();
    uint us = TICKS_PER_SECOND / 1000000u;
    uint now = began.x, away = 0u;
    for (uint polls = 0u; now - began.x < stay_us * us && polls < MOST_POLLS; polls++) {
        uint next = clockRealtime2x32EXT().x;
        away += next - now > PAUSE_US * us ? next - now : 0u;
        now = next;
    }
    uint item = slot * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
    results[item] = 3u * item + 1u;
    if (gl_LocalInvocationIndex == 0u) {
        notes[slot] = uvec4(began, now, away);
    }
}
