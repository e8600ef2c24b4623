#ifndef STATE_GLSL
#define STATE_GLSL

// A constraint as a thread holds it until it is solved. In memory it is two words: the indices of its
// particles, 16 bits each, and the rest length, negative for a contact, and the stiffness as 16-bit
// floats. Held, it takes five or six registers, or two.
//
//   (nothing)      each value in a register of its own
//   PACKED         the two words as they are, taken apart where they are used
//   SMALL          four values of 16 bits, two in a register
//
// Whether it is a contact, and whether there is one at all, is for the compiler
//
//   FLAGS_INT      a number
//   FLAGS_BOOL     a bool: a bit of a scalar register on GCN
//   FLAGS_BITS     two bits of a word that all held constraints share
//   FLAGS_SIGN     the signs of the rest length and of the stiffness

#if defined FLAGS_SIGN
// A stiffness of -1: nothing to be solved.
const uvec2 NONE = uvec2(0u, 0xBC000000u);
#else
const uvec2 NONE = uvec2(0u);
#endif

struct Held {
#if defined PACKED
    uvec2 words;
#elif defined SMALL
    u16vec2 pair;
    f16vec2 material; // rest length, stiffness
#else
    uint first;
    uint second;
    float rest;
    float stiffness;
#endif
#if defined FLAGS_INT
    int contact;
    int there;
#elif defined FLAGS_BOOL
    bool contact;
    bool there;
#endif
};

bool in_words_a_contact(uvec2 words) {
    return (words.y & 0x8000u) != 0u;
}

// `flags` and `slot`: the shared word, and the constraint's place in it.
Held hold(uvec2 words, bool there, inout uint flags, uint slot) {
    Held held;
#if defined PACKED
    held.words = words;
#elif defined SMALL
    held.pair = unpackUint2x16(words.x);
    held.material = unpackFloat2x16(words.y);
#else
    held.first = words.x & 0xFFFFu;
    held.second = words.x >> 16;
    vec2 material = unpackHalf2x16(words.y);
    held.rest = material.x;
    held.stiffness = material.y;
#endif
#if defined FLAGS_INT
    held.contact = int(in_words_a_contact(words));
    held.there = int(there);
#elif defined FLAGS_BOOL
    held.contact = in_words_a_contact(words);
    held.there = there;
#elif defined FLAGS_BITS
    flags = bitfieldInsert(flags, uint(in_words_a_contact(words)) | uint(there) << 1, int(2u * slot), 2);
#endif
    return held;
}

uvec2 pair_of(Held held) {
#if defined PACKED
    return uvec2(held.words.x & 0xFFFFu, held.words.x >> 16);
#elif defined SMALL
    return uvec2(held.pair);
#else
    return uvec2(held.first, held.second);
#endif
}

// Rest length and stiffness, with the signs that they are stored with.
vec2 material_of(Held held) {
#if defined PACKED
    return unpackHalf2x16(held.words.y);
#elif defined SMALL
    return vec2(held.material);
#else
    return vec2(held.rest, held.stiffness);
#endif
}

bool is_contact(Held held, uint flags, uint slot) {
#if defined FLAGS_INT
    return held.contact != 0;
#elif defined FLAGS_BOOL
    return held.contact;
#elif defined FLAGS_BITS
    return bitfieldExtract(flags, int(2u * slot), 1) != 0u;
#else
    return material_of(held).x < 0.0;
#endif
}

bool is_there(Held held, uint flags, uint slot) {
#if defined FLAGS_INT
    return held.there != 0;
#elif defined FLAGS_BOOL
    return held.there;
#elif defined FLAGS_BITS
    return bitfieldExtract(flags, int(2u * slot) + 1, 1) != 0u;
#else
    return material_of(held).y >= 0.0;
#endif
}

#endif
