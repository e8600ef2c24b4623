#ifndef TABLE_GLSL
#define TABLE_GLSL

// What a byte of row 0 adds to a column of the next state: its S-box value times 2, 7, 5, 3, 5, 4, 3 and 2 in GF(2^8), one
// product per row. Eight reads and their XOR are SubBytes, ShiftBytes and MixBytes of a column. A byte of row k adds the same,
// k rows further.
//
// COPIES          shared memory holds the table so many times; invocation i reads copy i % COPIES. With 16 copies of 8-byte
//                 entries no two of 16 neighbouring invocations want the same of 32 banks.
// EIGHT_TABLES    shared memory holds a table per row, so that nothing has to be rotated.
// ROWS_FROM_MEMORY  bytes of so many rows read the storage buffer and the others shared memory.
// UNIFORM_TABLE   a uniform buffer holds it.
// STORAGE_TABLE   a storage buffer holds it.
// NO_READS        no table. Products of the byte stand in for its entry, which makes it another hash.

#ifdef UNIFORM_TABLE
layout(set = 0, binding = 0, std140) uniform Table { uvec4 table[128]; };
#else
layout(set = 0, binding = 0, std430) restrict readonly buffer Table { uvec2 table[]; };
#endif

uvec2 rotated(uvec2 column, uint rows) {
    return column << 8u * rows | column.yx >> 32u - 8u * rows;
}

#ifdef EIGHT_TABLES
shared uvec2 tables[8][256];
#elif defined COPIES
shared uvec2 copies[256][COPIES];
#endif

void fill_table() {
#ifdef EIGHT_TABLES
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += gl_WorkGroupSize.x) {
        uvec2 entry = table[i];
        for (uint row = 0u; row < 8u; ++row) {
            tables[row][i] = entry;
            entry = rotated(entry, 1u);
        }
    }
    barrier();
#elif defined COPIES
    for (uint i = gl_LocalInvocationIndex; i < 256u * COPIES; i += gl_WorkGroupSize.x) {
        copies[i / COPIES][i % COPIES] = table[i / COPIES];
    }
    barrier();
#endif
}

// Of a byte in `row`: with EIGHT_TABLES rotated by that many rows.
uvec2 entry(uint byte, uint row) {
#ifdef ROWS_FROM_MEMORY
    if (row < ROWS_FROM_MEMORY) {
        return table[byte];
    }
#endif
#ifdef EIGHT_TABLES
    return tables[row][byte];
#elif defined COPIES
    return copies[byte][gl_LocalInvocationIndex % COPIES];
#elif defined UNIFORM_TABLE
    uvec4 two = table[byte / 2u];
    return byte % 2u == 0u ? two.xy : two.zw;
#elif defined STORAGE_TABLE
    return table[byte];
#else
    return uvec2(byte * 0x9e3779b1u, byte);
#endif
}

#endif
