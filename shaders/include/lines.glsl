// The order in which a walk reads lines of 128 bytes.

layout(push_constant) uniform Walk {
    uint lines;    // of the walk; of a storage buffer, in each of four
    uint parts;    // parts of 2^bits lines each, walked through in turn; 0 if one after the other
    uint bits;
    uint gap_bits; // a line of each 2^gap_bits is read
    uint chain;    // several chains share the lines: this one's number
    uint warmed;   // lines that are read before the walk, the last ones of its round
    uint loads;    // that are timed
};

// Permutes the numbers below 2^bits.
uint permuted(uint x, uint bits) {
    uint mask = (1u << bits) - 1u;
    uint shift = (bits + 1u) / 2u;
    x = (x * 0x9E3779B1u + 0x7F4A7C15u) & mask;
    x ^= x >> shift;
    x = x * 0x85EBCA6Bu & mask;
    return x ^ x >> shift;
}

uint line_of(uint turn_of_round) {
    uint i = turn_of_round % lines;
    uint part = parts == 0u ? i >> bits : i % parts;
    uint turn = parts == 0u ? i & ((1u << bits) - 1u) : i / parts;
    // Each part in another order: no distance between neighbours is frequent.
    uint line = (part << bits) + permuted((turn + part * 0x9E3779B1u) & ((1u << bits) - 1u), bits);
    uint within = permuted(line, 16u) & ((1u << gap_bits) - 1u);
    return (line << gap_bits) + within;
}

// By how many lines of its round each of four storage buffers is ahead of the one before, so that neighbours are far apart.
#define AHEAD (lines / 4u)

// The word of a storage buffer that leads from a line to the next.
uint word_of(uint i) {
    return line_of(i) * 32u + chain;
}
