#ifndef CONSTRAINT_GLSL
#define CONSTRAINT_GLSL

// One constraint's arithmetic; the CPU reference is samples/src/bin/group_physics/arithmetic.rs, where SEED is derived.
// `precise` keeps a multiplication and an addition from becoming one operation, which rounds once
// where the CPU reference rounds twice.

layout(constant_id = 30) const uint SEED = 0;

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

// With a fourth component that is 0.
float squared(vec4 d) {
    precise float sum = ((d.x * d.x + d.y * d.y) + d.z * d.z) + d.w * d.w;
    return sum;
}

// How far a length is from what it must be; a contact is never too long.
float excess(float length, float rest, bool contact) {
    precise float excess = length - rest;
    return contact && excess > 0.0 ? 0.0 : excess;
}

// What moves each particle by the difference of the two, times its inverse mass.
float gain(float squared, float inverse_masses, float rest, float stiffness, bool contact) {
    precise float scaled = squared * inverse_masses;
    precise float inverse = inverse_root(scaled * inverse_masses);
    precise float length = scaled * inverse;
    precise float gain = (excess(length, rest, contact) * inverse) * stiffness;
    return gain;
}

// What is left to be corrected, as a length.
float residual(float squared, float rest, bool contact) {
    precise float length = squared * inverse_root(squared);
    return abs(excess(length, rest, contact));
}

#endif
