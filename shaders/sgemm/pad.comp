#version 460
#extension GL_EXT_control_flow_attributes : require

// Copies a matrix into rows that are a multiple of four floats long, so that each begins at a whole vector, and adds zeros:
// kernels of tiles need not ask where the matrix ends. A product of n³ operations costs a copy of n² floats.

layout(constant_id = 0) const uint ROWS = 1u;
layout(constant_id = 1) const uint COLUMNS = 1u;
layout(constant_id = 2) const uint VECTORS = 1u; // of a row of the copy

// Rows of an invocation, whose loads are in flight together. One row each would be bound by the start of workgroups.
const uint EACH = 8u;

layout(local_size_x = 64) in;

layout(std430, set = 0, binding = 0) restrict readonly buffer From { float from[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer To { vec4 to[]; };

float element(uint row, uint column) {
    return row < ROWS && column < COLUMNS ? from[row * COLUMNS + column] : 0.0;
}

void main() {
    uint vector = gl_GlobalInvocationID.x, column = 4u * vector;
    if (vector >= VECTORS) {
        return;
    }
    vec4 copied[EACH];
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        uint row = gl_GlobalInvocationID.y * EACH + i;
        copied[i] = vec4(element(row, column), element(row, column + 1u), element(row, column + 2u),
                         element(row, column + 3u));
    }
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        to[(gl_GlobalInvocationID.y * EACH + i) * VECTORS + vector] = copied[i];
    }
}
