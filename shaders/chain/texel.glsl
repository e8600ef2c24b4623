#ifndef TEXEL_GLSL
#define TEXEL_GLSL

// A texel of the chain: the generation in the upper 8 bits, a value mixed from everything that was
// read in the lower 24. A stale read leaves the generation too small, a torn read or a wrong
// neighbour leaves the mix wrong.
const uint MIX_BITS = 24;
const uint MIX_MASK = (1u << MIX_BITS) - 1u;

// What has been read so far: the smallest texel, which has the smallest generation since that is its upper bits, and the
// mix.
struct Reads {
    uint oldest;
    uint mixed;
};

Reads first_read(uint texel) {
    return Reads(texel, texel);
}

// The multiplier is odd, so that one wrong read always changes the lower 24 bits, and the order of
// the reads counts, so that swapped neighbours do too. (A clamped edge reads a texel several times,
// which may cancel; the generation catches a stale one there as well.)
void read_next(inout Reads reads, uint texel, uint multiplier) {
    reads.oldest = min(reads.oldest, texel);
    reads.mixed = reads.mixed * multiplier + texel;
}

uint next_generation(Reads reads) {
    return ((reads.oldest & ~MIX_MASK) | (reads.mixed & MIX_MASK)) + (1u << MIX_BITS);
}

#endif
