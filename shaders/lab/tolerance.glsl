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

const uint EXACT = 0u;     // bits are compared
const uint ULPS = 1u;      // `most` floats apart
const uint HALF_ULPS = 2u; // the same for each of two floats of 16 bits
const uint ABSOLUTE = 3u;  // by the difference that `most` are the bits of

bool word_differs(uint a, uint b, uint kind, uint most) {
    if (a == b || kind == EXACT) {
        return a != b;
    }
    if (kind == ABSOLUTE) {
        // Told apart by bits: a compiler may take a comparison with a NaN for any.
        bool finite = (b & 0x7f800000u) != 0x7f800000u;
        return !(finite && abs(uintBitsToFloat(a) - uintBitsToFloat(b)) <= uintBitsToFloat(most));
    }
    if (kind == HALF_ULPS) {
        return !(near(a & 0xffffu, b & 0xffffu, 0x8000u, most) && near(a >> 16, b >> 16, 0x8000u, most));
    }
    return !near(a, b, 0x80000000u, most);
}

#endif
