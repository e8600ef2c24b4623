#ifndef LOADED_GLSL
#define LOADED_GLSL
#include "group_physics/constraint.glsl"

// A constraint between its load and its use, in six registers or in two.

// Keeps the two words as they are, and takes them apart where they are used.
layout(constant_id = 20) const bool PACKED = false;

// How a thread keeps whether its constraint is a contact, and whether there is one at all.
layout(constant_id = 21) const uint FLAGS = 0;
const uint AS_INTS = 0;
const uint AS_BOOLS = 1; // a bit of a scalar register on GCN
// Otherwise in the signs of rest length and stiffness.

// No constraint: its stiffness is -1.
const uvec2 NONE = uvec2(0u, 0xBC000000u);

// No switch needs all members. Compilers leave out those that nobody reads.
struct Loaded {
    uvec2 words;
    uvec2 pair;
    vec2 rest_and_stiffness;
    ivec2 ints;
    bvec2 bools;
};

Loaded load_from(uvec2 words) {
    vec2 rest_and_stiffness = rest_and_stiffness_in(words);
    bvec2 flags = bvec2(is_contact_in(words), rest_and_stiffness.y > 0.0);
    return Loaded(words, pair_in(words), rest_and_stiffness, ivec2(flags), flags);
}

uvec2 pair_of(Loaded loaded) {
    return PACKED ? pair_in(loaded.words) : loaded.pair;
}

// Rest length and stiffness, with the signs that they are stored with.
vec2 rest_and_stiffness_of(Loaded loaded) {
    return PACKED ? rest_and_stiffness_in(loaded.words) : loaded.rest_and_stiffness;
}

bool is_contact(Loaded loaded) {
    switch (FLAGS) {
    case AS_INTS: return loaded.ints.x != 0;
    case AS_BOOLS: return loaded.bools.x;
    default: return rest_and_stiffness_of(loaded).x < 0.0;
    }
}

bool is_there(Loaded loaded) {
    switch (FLAGS) {
    case AS_INTS: return loaded.ints.y != 0;
    case AS_BOOLS: return loaded.bools.y;
    default: return rest_and_stiffness_of(loaded).y > 0.0;
    }
}

#endif
