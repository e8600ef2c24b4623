#version 460

// Each invocation computes one result, and loads a row of A and a column of B for it: two loads a multiply-add.

layout(constant_id = 0) const uint M = 1u;
layout(constant_id = 1) const uint N = 1u;
layout(constant_id = 2) const uint K = 1u;
layout(constant_id = 4) const uint BETA = 0u; // with 0, C is not read

layout(local_size_x = 16, local_size_y = 16) in;

layout(push_constant) uniform Push {
    float alpha;
    float beta;
};

layout(std430, set = 0, binding = 0) restrict readonly buffer A { float a[]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer B { float b[]; };
layout(std430, set = 0, binding = 2) restrict buffer C { float c[]; };

void main() {
    uint column = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    if (row >= M || column >= N) {
        return;
    }
    float sum = 0.0;
    for (uint k = 0u; k < K; ++k) {
        sum = fma(a[row * K + k], b[k * N + column], sum);
    }
    uint at = row * N + column;
    c[at] = BETA == 0u ? alpha * sum : fma(beta, c[at], alpha * sum);
}
