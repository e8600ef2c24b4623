#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require
#extension GL_KHR_memory_scope_semantics : require

// Workgroups that fill the device and stay until no other begins. Then the short ones free their shared memory. Those that begin later
// end at once.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ROOM = 2048u; // words of shared memory
layout(constant_id = 32) const uint TICKS_PER_SECOND = 1000000000u;

layout(push_constant) uniform Push {
    uint has_short_ones; // Whether every other one is, at random.
    uint hold_us;        // How long the long ones stay.
};

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
// For each workgroup the clock (low and high word) when it began, its low word when it ended, and one of the words below.
layout(set = 0, binding = 1, std430) writeonly buffer Notes { uvec4 notes[]; };
layout(set = 0, binding = 2, std430) buffer State {
    uint last; // Low word of the clock when the last one began.
    uint full; // The same when the device was found full; never 0.
};

const uint LATE = 1u, SHORT = 2u, LONG = 3u;
// The device is full if none has begun for so long.
const uint QUIET_US = 20u;
// No wait is longer, even if the clock stands still.
const uint MOST_US = 2000u, MOST_POLLS = 32768u;

shared uint room[ROOM];

uint mixed(uint x) {
    x = x * 0x9E3779B1u ^ 0x7F4A7C15u;
    x = (x ^ x >> 15) * 0x85EBCA6Bu;
    return x ^ x >> 13;
}

#define LOADED(word) atomicLoad(word, gl_ScopeDevice, 0, 0)

// Whether so much time has passed since then, which another multiprocessor may have noted a moment later than this one reads its clock.
bool has_passed(uint since, uint us) {
    return int(clockRealtime2x32EXT().x - since) > int(TICKS_PER_SECOND / 1000000u * us);
}

// Stays until the device is full, and then as long as this one is to stay. Returns what this one is.
uint stayed(uint began) {
    for (uint polls = 0u; LOADED(full) == 0u && !has_passed(LOADED(last), QUIET_US) && !has_passed(began, MOST_US)
            && polls < MOST_POLLS; polls++) {
    }
    atomicCompSwap(full, 0u, clockRealtime2x32EXT().x | 1u);
    if (has_short_ones == 1u && mixed(gl_WorkGroupID.x) % 2u == 0u) {
        return SHORT;
    }
    for (uint polls = 0u; !has_passed(LOADED(full), hold_us) && polls < MOST_POLLS; polls++) {
    }
    return LONG;
}

void main() {
    uint group = gl_WorkGroupID.x, self = gl_LocalInvocationIndex;
    uvec2 began = clockRealtime2x32EXT();
    bool is_late = LOADED(full) != 0u;
    if (self == 0u && !is_late) {
        // Before it fills its memory, which takes longer the more there is.
        atomicExchange(last, began.x);
    }
    for (uint i = self; i < ROOM; i += gl_WorkGroupSize.x) {
        room[i] = group + i;
    }
    barrier();
    // A word of another invocation, so that the memory is needed.
    results[group * gl_WorkGroupSize.x + self] = room[(self * 331u + group) % ROOM];
    if (self == 0u) {
        uint kind = is_late ? LATE : stayed(began.x);
        notes[group] = uvec4(began, clockRealtime2x32EXT().x, kind);
    }
    barrier();
}
