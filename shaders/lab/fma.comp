#version 460
// Modules: -

// Multiplies and adds in chains that do not depend on each other: the most that any variant can compute.
// All values are whole numbers below 2^24, so the result is the same with fused operations and without.

layout(constant_id = 0) const uint STEPS = 1u; // of each chain; below 65,536, which lavapipe's loops need

layout(local_size_x_id = 1) in;

// The compiler must not know them.
layout(push_constant) uniform Push {
    float up; // 1: these chains count their steps
    float down; // -1: these show a multiplication that is left out
    float summand; // 1
};

layout(std430, set = 0, binding = 0) writeonly buffer Results { float results[]; };

void main() {
    vec4 a = vec4(0.0, 1.0, 2.0, 3.0) + float(gl_LocalInvocationIndex);
    vec4 b = a + 4.0;
    vec4 c = a + 8.0;
    vec4 d = a + 12.0;
    for (uint i = 0u; i < STEPS; ++i) {
        a = a * up + summand;
        b = b * up + summand;
        c = c * down + summand;
        d = d * down + summand;
    }
    vec4 sum = a + b + c + d;
    results[gl_GlobalInvocationID.x] = sum.x + sum.y + sum.z + sum.w;
}
