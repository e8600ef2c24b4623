#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require

// C = alpha A B + beta C by tiles in shared memory: the kernel to read. A workgroup computes a tile of 128x128 in steps of
// eight k. An invocation computes 16x8 results, from registers that it reads one k ahead.
//
//   A's part, transposed   B's part        two buffers: while one is multiplied, the other is
//   ┌────128────┐          ┌────128────┐   filled with the next step. One barrier a step keeps
// 8 │ k ↓       │        8 │ k ↓       │   writers from readers.
//   └───────────┘          └───────────┘

#define ROWS 128u
#define COLUMNS 128u
#define DEPTH 8u
#define FLOATS vec4
#include "sgemm/matrices.glsl"

const uint EACH_ROW = 16u; // results of an invocation
const uint EACH_COLUMN = 8u;
// 32 invocations lie in 4 rows of 8. Each has quads of four neighbours, so that a row of lanes reads neighbouring vectors.
const uint LANES_DOWN = 4u;
const uint LANES_ACROSS = 8u;
const uint INVOCATIONS = 128u;

layout(local_size_x = 128) in;

// In vectors. Each four k of A lie 16 words further than they must, so that what is stored together meets in no bank.
const uint SHIFT = 4u;
const uint BEGIN_B = DEPTH * ROWS / 4u + 2u * SHIFT;
const uint BUFFER = BEGIN_B + DEPTH * COLUMNS / 4u;
shared vec4 tiles[2u * BUFFER];

const uint FETCHES = 2u; // vectors of A and of B that an invocation fetches for a step
vec4 next_a[FETCHES], next_b[FETCHES];
vec4 x[2][EACH_ROW / 4u], y[2][EACH_COLUMN / 4u]; // two sets: of this k and of the next
float sums[EACH_ROW][EACH_COLUMN];

uint invocation = gl_LocalInvocationIndex;
uint tiles_across = (N + COLUMNS - 1u) / COLUMNS;
uint tile = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
uint first_row = tile / tiles_across * ROWS;
uint first_column = tile % tiles_across * COLUMNS;
uint lane = invocation % 32u;
uint wave = invocation / 32u;
uint row = wave / 2u * 64u + lane / LANES_ACROSS * 4u; // in the tile
uint column = wave % 2u * 64u + lane % LANES_ACROSS * 4u;

// Global memory to registers: eight k from `k` on. Of A's part an invocation fetches rows that are 64 apart, of B's part k
// that are 4 apart.
void fetch(uint k) {
    [[unroll]] for (uint i = 0u; i < FETCHES; ++i) {
        next_a[i] = a[(first_row + invocation / 2u + 64u * i) * (K / 4u) + k / 4u + invocation % 2u];
        next_b[i] = b[(k + wave + 4u * i) * (STRIDE / 4u) + first_column / 4u + lane];
    }
}

// Registers to shared memory, A's part transposed.
void put(uint to) {
    [[unroll]] for (uint i = 0u; i < FETCHES; ++i) {
        uint a_row = invocation / 2u;
        uint place = to + invocation % 2u * (ROWS + SHIFT) + a_row / 4u + 16u * i;
        [[unroll]] for (uint k = 0u; k < 4u; ++k) {
            tiles[place + k * ROWS / 4u][a_row % 4u] = next_a[i][k];
        }
        tiles[to + BEGIN_B + invocation + INVOCATIONS * i] = next_b[i];
    }
}

// Shared memory to registers.
void read(uint from, uint k) {
    [[unroll]] for (uint i = 0u; i < EACH_ROW / 4u; ++i) {
        x[k % 2u][i] = tiles[from + row / 4u + k * ROWS / 4u + k / 4u * SHIFT + i * LANES_DOWN];
    }
    [[unroll]] for (uint i = 0u; i < EACH_COLUMN / 4u; ++i) {
        y[k % 2u][i] = tiles[from + BEGIN_B + column / 4u + k * COLUMNS / 4u + i * LANES_ACROSS];
    }
}

// Column by column, each second one backwards: neighbouring multiply-adds share an operand.
void multiply(uint k) {
    [[unroll]] for (uint j = 0u; j < EACH_COLUMN; ++j) {
        [[unroll]] for (uint n = 0u; n < EACH_ROW; ++n) {
            uint i = j % 2u == 0u ? n : EACH_ROW - 1u - n;
            sums[i][j] = fma(x[k % 2u][i / 4u][i % 4u], y[k % 2u][j / 4u][j % 4u], sums[i][j]);
        }
    }
}

void main() {
    [[unroll]] for (uint i = 0u; i < EACH_ROW * EACH_COLUMN; ++i) {
        sums[i / EACH_COLUMN][i % EACH_COLUMN] = 0.0;
    }
    fetch(0u);
    put(0u);
    barrier();
    uint shown = 0u;
    read(shown, 0u);
    for (uint k0 = DEPTH; k0 <= K; k0 += DEPTH) {
        fetch(min(k0, K - DEPTH)); // the last step has no next one: it fetches its own part again
        [[unroll]] for (uint k = 0u; k < DEPTH - 1u; ++k) {
            read(shown, k + 1u);
            multiply(k);
        }
        put(BUFFER - shown);
        barrier();
        shown = BUFFER - shown;
        read(shown, 0u);
        multiply(DEPTH - 1u);
    }
    [[unroll]] for (uint i = 0u; i < EACH_ROW; ++i) {
        [[unroll]] for (uint j = 0u; j < EACH_COLUMN; j += 4u) {
            vec4 four = vec4(sums[i][j], sums[i][j + 1u], sums[i][j + 2u], sums[i][j + 3u]);
            store_c(first_row + row + i / 4u * LANES_DOWN * 4u + i % 4u, first_column + column + j * LANES_ACROSS,
                    alpha * four);
        }
    }
}
