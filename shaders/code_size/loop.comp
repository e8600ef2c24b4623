#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require

// Each wave goes round a loop of BLOCKS times 64 additions.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint BLOCKS = 1u; // below 1024

layout(push_constant) uniform Loop { uint turns; };

layout(set = 0, binding = 0, std430) writeonly buffer Results { int results[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Took { uint ticks; };

shared int sums[gl_WorkGroupSize.x];

#define FOUR(n) vec4(n, n + 1.0, n + 2.0, n + 3.0)

// Four sums, so that no addition waits for the one before. Without `precise` they might be added up beforehand.
vec4 add_1(vec4 sums) {
    precise vec4 s = sums;
    // No constant is one that AMD's instructions hold without four more bytes.
    s += FOUR(5.0); s -= FOUR(9.0); s += FOUR(13.0); s -= FOUR(17.0);
    s += FOUR(21.0); s -= FOUR(25.0); s += FOUR(29.0); s -= FOUR(33.0);
    s += FOUR(37.0); s -= FOUR(41.0); s += FOUR(45.0); s -= FOUR(49.0);
    s += FOUR(53.0); s -= FOUR(57.0); s += FOUR(61.0); s += FOUR(65.0);
    return s;
}

#define TWICE(twice, once) vec4 twice(vec4 s) { return once(once(s)); }
TWICE(add_2, add_1)
TWICE(add_4, add_2)
TWICE(add_8, add_4)
TWICE(add_16, add_8)
TWICE(add_32, add_16)
TWICE(add_64, add_32)
TWICE(add_128, add_64)
TWICE(add_256, add_128)
TWICE(add_512, add_256)

#define IF(count) if ((BLOCKS & count) != 0u) { s = add_##count(s); }

void main() {
    uint self = gl_LocalInvocationIndex;
    uint next = (self + 1u) % gl_WorkGroupSize.x;
    sums[self] = int(self);
    barrier();
    uvec2 began = clockRealtime2x32EXT();
    // Always the first, which no compiler can know: no addition begins before the clock is read.
    vec4 s = vec4(began == uvec2(~0u) ? sums[next] : int(self));
    for (uint turn = 0u; turn < turns; turn++) {
        IF(512) IF(256) IF(128) IF(64) IF(32) IF(16) IF(8) IF(4) IF(2) IF(1)
    }
    barrier();
    sums[self] = int(s.x) + 2 * int(s.y) + 3 * int(s.z) + 4 * int(s.w);
    barrier();
    if (self == 0u) {
        ticks = clockRealtime2x32EXT().x - began.x;
    }
    results[self] = sums[next];
}
