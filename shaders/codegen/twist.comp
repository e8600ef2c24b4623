#version 460
// Modules: MULTIPLY|SELECT|-

// The next generation of MT19937's state, in place: an invocation a generator, RUN words at a time.
//
// The last step takes the matrix in where the state word is odd. MULTIPLY writes that as a product of the
// lowest bit, SELECT as a choice of the matrix or nothing; the other form masks it with all ones or none.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint GENERATORS = 1u;

const uint WORDS = 624u; // of a state
const uint AHEAD = 397u; // how far the third word lies
const uint RUN = 8u;     // divides WORDS
const uint UPPER = 0x80000000u;
const uint MATRIX = 0x9908b0dfu;

// Word i of generator g lies at [i * GENERATORS + g], so that neighbours read neighbours.
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
    for (uint first = 0u; first < WORDS; first += RUN) {
        // Loaded ahead of the stores: none of them is stored in this round.
        uint next[RUN];
        uint ahead[RUN];
        for (uint i = 0u; i < RUN; ++i) {
            next[i] = state[(first + i + 1u) % WORDS * GENERATORS + generator];
            ahead[i] = state[(first + i + AHEAD) % WORDS * GENERATORS + generator];
        }
        for (uint i = 0u; i < RUN; ++i) {
            state[(first + i) * GENERATORS + generator] = twisted(word, next[i], ahead[i]);
            word = next[i];
        }
    }
}
