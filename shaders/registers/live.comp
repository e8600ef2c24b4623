#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: IRREGULAR|-

// Adds up LIVE words, of which it holds HELD in registers over a loop, and loads the others after it. The loop waits for a
// load in each turn, and computes with the first MIXED words. Held words that it does not compute with only take registers,
// and with them the room of other waves. If IRREGULAR, each LANES invocations have their own number of turns.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint LIVE = 16u; // a multiple of 4, as HELD and MIXED
layout(constant_id = 2) const uint HELD = 16u;
layout(constant_id = 3) const uint MIXED = 16u;
layout(constant_id = 4) const uint TURNS = 16u;
layout(constant_id = 5) const uint ROWS = 64u; // a power of two
layout(constant_id = 6) const uint LANES = 64u;

// All words of a row lead to the same next row. They are volatile, so that none is loaded earlier or later than it stands
// here.
layout(set = 0, binding = 0, std430) volatile readonly buffer Words { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uint results[]; };

// As vectors: RADV keeps the array in memory if a loop over it has a hundred turns.
uvec4 live[LIVE / 4u];

uint load(uint row) {
    return words[row % ROWS * LANES + gl_GlobalInvocationID.x % LANES];
}

void load_from(uint first, uint end) {
    uint row = gl_GlobalInvocationID.x / LANES;
    [[unroll]] for (uint i = first / 4u; i < end / 4u; ++i) {
        [[unroll]] for (uint j = 0u; j < 4u; ++j) {
            live[i][j] = load(row + 4u * i + j);
        }
    }
}

void main() {
    load_from(0u, HELD);
    uint row = gl_GlobalInvocationID.x / LANES;
#ifdef IRREGULAR
    uint turns = 1u + words[row % ROWS * LANES] / ROWS % (2u * TURNS);
#else
    uint turns = TURNS;
#endif
    [[dont_unroll]] for (uint turn = 0u; turn < turns; ++turn) {
        uint next = load(row);
        [[unroll]] for (uint i = 0u; i < MIXED / 4u; ++i) {
            live[i] = (live[i] << 5u | live[i] >> 27u) + live[(i + 1u) % (MIXED / 4u)].yzwx;
        }
        live[0].x ^= next;
        row = next;
    }
    load_from(HELD, LIVE);
    uint sum = 0u;
    [[unroll]] for (uint i = 0u; i < LIVE / 4u; ++i) {
        [[unroll]] for (uint j = 0u; j < 4u; ++j) {
            sum = (sum << 1u | sum >> 31u) + live[i][j];
        }
    }
    results[gl_GlobalInvocationID.x] = sum;
}
