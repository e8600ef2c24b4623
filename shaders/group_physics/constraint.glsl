#ifndef CONSTRAINT_GLSL
#define CONSTRAINT_GLSL

// One constraint: its two words in memory, and its arithmetic. The CPU reference is
// samples/src/bin/group_physics/arithmetic.rs, where SEED is derived. `precise` keeps a multiplication and an addition
// from becoming one operation, which rounds once where the CPU reference rounds twice.

layout(constant_id = 30) const uint SEED = 0;

// The first word: the indices of the two particles, 16 bits each.
uvec2 pair_in(uvec2 words) {
    return uvec2(words.x & 0xFFFFu, words.x >> 16);
}

// The second word: rest length and stiffness, 16-bit floats. Both are positive; the sign of the rest length marks a
// contact.
vec2 rest_and_stiffness_in(uvec2 words) {
    return unpackHalf2x16(words.y);
}

bool is_contact_in(uvec2 words) {
    return (words.y & 0x8000u) != 0u;
}

float inverse_root(float x) {
    precise float half_x = 0.5 * x;
    precise float y = uintBitsToFloat(SEED - (floatBitsToUint(x) >> 1));
    y = y * (1.5 - (half_x * y) * y);
    y = y * (1.5 - (half_x * y) * y);
    return y;
}

float squared(vec3 d) {
    precise float sum = (d.x * d.x + d.y * d.y) + d.z * d.z;
    return sum;
}

// Of homogeneous coordinates: the fourth is 0.
float squared(vec4 d) {
    precise float sum = ((d.x * d.x + d.y * d.y) + d.z * d.z) + d.w * d.w;
    return sum;
}

// Difference between a length and the required one, positive if it is too long. A contact is never too long.
float excess(float length, float rest, bool contact) {
    precise float excess = length - rest;
    return contact && excess > 0.0 ? 0.0 : excess;
}

// Factor for the difference of the two positions: multiplied by a particle's inverse mass it gives the movement.
float correction_of(float squared, float inverse_masses, vec2 rest_and_stiffness, bool contact) {
    precise float scaled = squared * inverse_masses;
    precise float inverse = inverse_root(scaled * inverse_masses);
    precise float length = scaled * inverse;
    float rest = abs(rest_and_stiffness.x);
    precise float correction = (excess(length, rest, contact) * inverse) * abs(rest_and_stiffness.y);
    return correction;
}

// The remaining error, a length.
float residual(float squared, vec2 rest_and_stiffness, bool contact) {
    precise float length = squared * inverse_root(squared);
    return abs(excess(length, abs(rest_and_stiffness.x), contact));
}

#endif
