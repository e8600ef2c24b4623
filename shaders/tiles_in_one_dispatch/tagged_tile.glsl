#ifndef TAGGED_TILE_GLSL
#define TAGGED_TILE_GLSL

// A tile whose texels are loaded and stored by relaxed atomics of device scope, two at a time where the device can. Nothing
// orders them, so texels of one vector may be of different generations.
//
// A row of the image has the first halves of its vectors, then the second halves. Such atomics go past the caches of a
// multiprocessor, so neighbours have to load neighbouring pairs, or each cache line is fetched twice.

uint oldest; // texel that was loaded: its generation is in its upper bits

#ifdef WORDS_64
layout(std430, set = 0, binding = 0) buffer Texels { uint64_t pairs[]; };

uvec2 load_words(uint pair) {
    return unpack32(atomicLoad(pairs[pair], gl_ScopeDevice, 0, 0));
}

void store_words(uint pair, uvec2 words) {
    atomicStore(pairs[pair], pack64(words), gl_ScopeDevice, 0, 0);
}
#else
layout(std430, set = 0, binding = 0) buffer Texels { uint texels[]; };

uvec2 load_words(uint pair) {
    uint first = atomicLoad(texels[2 * pair], gl_ScopeDevice, 0, 0);
    return uvec2(first, atomicLoad(texels[2 * pair + 1], gl_ScopeDevice, 0, 0));
}

void store_words(uint pair, uvec2 words) {
    atomicStore(texels[2 * pair], words.x, gl_ScopeDevice, 0, 0);
    atomicStore(texels[2 * pair + 1], words.y, gl_ScopeDevice, 0, 0);
}
#endif

uvec2 load_pair(ivec2 at, int part) {
    uvec2 pair = has(LOAD) ? load_words(2 * reads_from + (2 * at.y + part) * VECTORS + at.x) : uvec2(at);
    oldest = min(oldest, min(pair.x, pair.y));
    return pair;
}

uvec4 load_vector(ivec2 at) {
    uvec2 first = load_pair(at, 0);
    return uvec4(first, load_pair(at, 1));
}

void store_vector(ivec2 at, uvec4 vector) {
    if (has(STORE)) {
        uint pair = 2 * stores_to + 2 * at.y * VECTORS + at.x;
        store_words(pair, vector.xy);
        store_words(pair + VECTORS, vector.zw);
    }
}

#ifdef FUSED
#include "tiles_in_one_dispatch/region.glsl"
#else
#include "tiles_in_one_dispatch/load_window.glsl"
#endif

// Loads what a tile reads. Returns whether this invocation has found a texel that has not been stored yet.
bool load_is_late(Tile tile) {
    oldest = 0xFFFFFFFFu;
    load_tile(tile.at);
    return has(WAIT) && oldest >> MIX_BITS < tile.pass;
}

#endif
