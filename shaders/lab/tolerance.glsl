#ifndef TOLERANCE_GLSL
#define TOLERANCE_GLSL

// How two words of a result are compared, as `common/bench/src/element.rs` compares them on the CPU.

// The distance of two floats, counted in floats between them, is at most `ulps`. `sign` is their highest
// bit. Unsigned, because a distance may take 32 bits.
bool near(uint a, uint b, uint sign, uint ulps) {
    uint magnitude_a = a & (sign - 1u);
    uint magnitude_b = b & (sign - 1u);
    bool same_side = ((a ^ b) & sign) == 0u;
    uint apart = same_side ? max(magnitude_a, magnitude_b) - min(magnitude_a, magnitude_b)
                           : magnitude_a + magnitude_b;
    return apart <= ulps;
}

// With `ulps` of 0 bits are compared; `is_half` is 1 where a word is two floats of 16 bits.
bool word_differs(uint a, uint b, uint ulps, uint is_half) {
    if (a == b || ulps == 0u) {
        return a != b;
    }
    if (is_half == 1u) {
        return !(near(a & 0xffffu, b & 0xffffu, 0x8000u, ulps) && near(a >> 16, b >> 16, 0x8000u, ulps));
    }
    return !near(a, b, 0x80000000u, ulps);
}

#endif
