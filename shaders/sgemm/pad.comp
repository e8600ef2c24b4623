#version 460

// Copies a matrix into rows that are a multiple of four floats long, so that each begins at a whole vector, and adds zeros:
// kernels of tiles need not ask where the matrix ends. A product of n³ operations costs a copy of n² floats.

layout(constant_id = 0) const uint ROWS = 1u;
layout(constant_id = 1) const uint COLUMNS = 1u;
layout(constant_id = 2) const uint VECTORS = 1u; // of a row of the copy

layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) restrict readonly buffer From { float from[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer To { vec4 to[]; };

float element(uint row, uint column) {
    return row < ROWS && column < COLUMNS ? from[row * COLUMNS + column] : 0.0;
}

void main() {
    uint row = gl_GlobalInvocationID.y, vector = gl_GlobalInvocationID.x;
    if (vector < VECTORS) {
        uint column = 4u * vector;
        to[row * VECTORS + vector] = vec4(element(row, column), element(row, column + 1u), element(row, column + 2u),
                                          element(row, column + 3u));
    }
}
