#ifndef TAGGED_TEXELS_GLSL
#define TAGGED_TEXELS_GLSL

// A region's texels by relaxed atomics of device scope, two texels at a time where the device can. Nothing orders the words, so
// texels of one vector may be of different generations.

#ifdef WORDS_64
layout(std430, set = 0, binding = 0) buffer Texels { uint64_t texels[]; };

uvec4 load_vector(uint at) {
    return uvec4(
        unpack32(atomicLoad(texels[2 * at], gl_ScopeDevice, 0, 0)),
        unpack32(atomicLoad(texels[2 * at + 1], gl_ScopeDevice, 0, 0)));
}

void store_vector(uint at, uvec4 vector) {
    atomicStore(texels[2 * at], pack64(vector.xy), gl_ScopeDevice, 0, 0);
    atomicStore(texels[2 * at + 1], pack64(vector.zw), gl_ScopeDevice, 0, 0);
}
#else
layout(std430, set = 0, binding = 0) buffer Texels { uint texels[]; };

uvec4 load_vector(uint at) {
    uvec4 vector;
    [[unroll]] for (uint e = 0; e < 4; ++e) {
        vector[e] = atomicLoad(texels[4 * at + e], gl_ScopeDevice, 0, 0);
    }
    return vector;
}

void store_vector(uint at, uvec4 vector) {
    [[unroll]] for (uint e = 0; e < 4; ++e) {
        atomicStore(texels[4 * at + e], vector[e], gl_ScopeDevice, 0, 0);
    }
}
#endif

// Returns the oldest generation among the texels.
uint load_region(Tile tile) {
    uint oldest = 0xFFFFFFFFu;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = inside_image(tile.corner + my_place() + ivec2(0, row));
        mine[row] = load_vector(tile.pass * GENERATION + uint(at.y * VECTORS + at.x));
        oldest = min(min(oldest, min(mine[row].x, mine[row].y)), min(mine[row].z, mine[row].w));
    }
    return oldest >> MIX_BITS;
}

void store_tile(Tile tile) {
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        if (is_stored(place, tile.corner)) {
            ivec2 at = tile.corner + place;
            store_vector((tile.pass + DEPTH) * GENERATION + uint(at.y * VECTORS + at.x), mine[row]);
        }
    }
}

#endif
