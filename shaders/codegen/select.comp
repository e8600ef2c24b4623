#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: TERNARY|-

// Chooses one word of each of WORDS_PER_INVOCATION pairs by a third word: with a conditional expression (TERNARY), or
// with an `if`, in an unrolled loop.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint INVOCATIONS = 1u;
layout(constant_id = 2) const uint WORDS_PER_INVOCATION = 8u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b[]; };
layout(set = 0, binding = 2, std430) readonly buffer C { uint c[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Chosen { uint chosen[]; };

void main() {
    uint invocation = gl_GlobalInvocationID.x;
    if (invocation >= INVOCATIONS) {
        return;
    }
    uint a_[WORDS_PER_INVOCATION];
    uint b_[WORDS_PER_INVOCATION];
    uint c_[WORDS_PER_INVOCATION];
    uint r_[WORDS_PER_INVOCATION];
    [[unroll]] for (uint i = 0u; i < WORDS_PER_INVOCATION; ++i) {
        a_[i] = a[i * INVOCATIONS + invocation];
        b_[i] = b[i * INVOCATIONS + invocation];
        c_[i] = c[i * INVOCATIONS + invocation];
    }
    [[unroll]] for (uint i = 0u; i < WORDS_PER_INVOCATION; ++i) {
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
    [[unroll]] for (uint i = 0u; i < WORDS_PER_INVOCATION; ++i) {
        chosen[i * INVOCATIONS + invocation] = r_[i];
    }
}
