#version 460
// Modules: TERNARY|-

// Of eight pairs of words the one that a third word chooses: as a conditional expression (TERNARY), or
// with an `if` in the unrolled loop.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint INVOCATIONS = 1u;

const uint RUN = 8u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2, std430) readonly buffer C { uint c[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Chosen { uint chosen[]; };

void main() {
    uint invocation = gl_GlobalInvocationID.x;
    if (invocation >= INVOCATIONS) {
        return;
    }
    uint a_[RUN];
    uint b_[RUN];
    uint c_[RUN];
    uint r_[RUN];
    for (uint i = 0u; i < RUN; ++i) {
        a_[i] = a[i * INVOCATIONS + invocation];
        b_[i] = b[i * INVOCATIONS + invocation];
        c_[i] = c[i * INVOCATIONS + invocation];
    }
    for (uint i = 0u; i < RUN; ++i) {
        bool condition = c_[i] != 0u;
#ifdef TERNARY
        r_[i] = condition ? a_[i] : b_[i];
#else
        if (condition) {
            r_[i] = a_[i];
        } else {
            r_[i] = b_[i];
        }
#endif
    }
    for (uint i = 0u; i < RUN; ++i) {
        chosen[i * INVOCATIONS + invocation] = r_[i];
    }
}
