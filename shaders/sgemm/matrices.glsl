#ifndef MATRICES_GLSL
#define MATRICES_GLSL

// C = alpha A B + beta C, each matrix row by row. A and B are padded to whole tiles of ROWS, COLUMNS and DEPTH, see pad.comp;
// C is not. Who includes this defines those three, and FLOATS, the type in which A and B are loaded.

layout(constant_id = 0) const uint M = 1u; // rows of C
layout(constant_id = 1) const uint N = 1u; // columns of C
layout(constant_id = 2) const uint K = 1u; // columns of A as padded
layout(constant_id = 3) const uint STRIDE = 1u; // columns of B as padded
layout(constant_id = 4) const uint BETA = 0u; // with 0, C is not read

layout(push_constant) uniform Push {
    float alpha;
    float beta;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer A { FLOATS a[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer B { FLOATS b[]; };
// The same memory as floats and as vectors: a kernel uses one of the two.
layout(std430, set = 0, binding = 2) restrict buffer C { float c[]; };
layout(std430, set = 0, binding = 2) restrict buffer VectorsOfC { vec4 c4[]; };

// Constants, so that compilers drop what a size does not need. A sum, because glslang makes no constant of &&.
const bool FULL_TILES = M % ROWS + N % COLUMNS == 0u;
const bool VECTORS = N % 4u == 0u;

void store_float(uint row, uint column, float sum) {
    if (row < M && column < N) {
        uint at = row * N + column;
        c[at] = BETA == 0u ? sum : fma(beta, c[at], sum);
    }
}

// Four columns of a row of C. The sums are multiplied by alpha already.
void store_c(uint row, uint column, vec4 sums) {
    if (!VECTORS) {
        store_float(row, column, sums.x);
        store_float(row, column + 1u, sums.y);
        store_float(row, column + 2u, sums.z);
        store_float(row, column + 3u, sums.w);
    } else if (FULL_TILES || (row < M && column < N)) {
        uint at = (row * N + column) / 4u;
        c4[at] = BETA == 0u ? sums : fma(vec4(beta), c4[at], sums);
    }
}

#endif
