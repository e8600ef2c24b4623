#version 460
// Modules: MULTIPLY|SELECT|-

// The next generation of MT19937's state, in place: one generator per invocation, WORDS_AT_A_TIME words at a time.
//
// Where y is odd, MATRIX is XORed in. MULTIPLY multiplies it by the lowest bit of y, SELECT selects it or
// 0, and the default form ANDs it with all ones or 0.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint GENERATORS = 1u;

const uint WORDS = 624u; // of a state
const uint AHEAD = 397u; // how far the third word lies
const uint WORDS_AT_A_TIME = 8u;     // divides WORDS
const uint UPPER = 0x80000000u;
const uint MATRIX = 0x9908b0dfu;

// Word i of generator g lies at [i * GENERATORS + g], so that neighbouring invocations read neighbouring words.
layout(set = 0, binding = 0, std430) buffer State { uint state[]; };

uint twisted(uint word, uint next, uint ahead) {
    uint y = (word & UPPER) | (next & ~UPPER);
#ifdef MULTIPLY
    uint odd = (y & 1u) * MATRIX;
#elif defined SELECT
    uint odd = (y & 1u) != 0u ? MATRIX : 0u;
#else
    uint odd = ((y & 1u) != 0u ? ~0u : 0u) & MATRIX;
#endif
    return ahead ^ (y >> 1) ^ odd;
}

void main() {
    uint generator = gl_GlobalInvocationID.x;
    if (generator >= GENERATORS) {
        return;
    }
    uint word = state[generator];
    for (uint first = 0u; first < WORDS; first += WORDS_AT_A_TIME) {
        // Loaded ahead of the stores: a step needs its next word unchanged, and no `ahead` word is stored here.
        uint next[WORDS_AT_A_TIME];
        uint ahead[WORDS_AT_A_TIME];
        for (uint i = 0u; i < WORDS_AT_A_TIME; ++i) {
            next[i] = state[(first + i + 1u) % WORDS * GENERATORS + generator];
            ahead[i] = state[(first + i + AHEAD) % WORDS * GENERATORS + generator];
        }
        for (uint i = 0u; i < WORDS_AT_A_TIME; ++i) {
            state[(first + i) * GENERATORS + generator] = twisted(word, next[i], ahead[i]);
            word = next[i];
        }
    }
}
