#ifndef PERMUTE_GLSL
#define PERMUTE_GLSL

// P or Q, with UNROLL rounds per turn of a loop: ROUND_1, unless it is defined as one of the others. They are written out,
// because compilers do not unroll loops of such length. Who includes this defines STATE, and has permute_once.

#define ROUND_1 permute_once(x, q, round++);
#define ROUND_2 ROUND_1 ROUND_1
#define ROUND_7 ROUND_1 ROUND_2 ROUND_2 ROUND_2
#define ROUND_14 ROUND_7 ROUND_7
#ifndef UNROLL
#define UNROLL ROUND_1
#endif

void permute(inout STATE, bool q) {
    uint round = 0u;
    [[dont_unroll]] while (round < ROUNDS) {
        UNROLL
    }
}

#endif
