#ifndef SHIFTS_GLSL
#define SHIFTS_GLSL

const uint ROUNDS = 14u;
const uint SHIFT_P[8] = uint[](0u, 1u, 2u, 3u, 4u, 5u, 6u, 11u);
const uint SHIFT_Q[8] = uint[](1u, 3u, 5u, 11u, 0u, 2u, 4u, 6u);

#endif
