#version 460
// Untraced modules: PADDED COUNT_RESIDENT=0
#extension GL_GOOGLE_include_directive : require
#include "include/residency.glsl"

// A workgroup of a product of matrices, as far as shared memory is concerned: it declares some, and counts who else is there.

layout(local_size_x = 128) in;
layout(push_constant) uniform Push {
    uint zero;
};

void main() {
    limit_residency(zero);
}
