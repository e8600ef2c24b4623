#version 460
// Modules: -
// Untraced modules: COUNT_LOADS=2
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "lds_blur/volume.glsl"

// A workgroup loads its cube and the texels around it once into shared memory.

const int SIDE = int(gl_WorkGroupSize.x);
const int BORDERED = SIDE + 2;
const int TEXELS = BORDERED * BORDERED * BORDERED;
shared float cube[TEXELS];

void load_cube() {
    ivec3 corner = ivec3(gl_WorkGroupID) * SIDE - 1;
    for (int first = 0; first < TEXELS; first += SIDE * SIDE * SIDE) {
        int i = first + int(gl_LocalInvocationIndex);
        if (i < TEXELS) {
            cube[i] = load(corner + ivec3(i % BORDERED, i / BORDERED % BORDERED, i / (BORDERED * BORDERED)));
        }
    }
}

void main() {
    load_cube();
    barrier();
    float sum = 0.0;
    [[unroll]] for (int i = 0; i < 27; ++i) {
        ivec3 at = ivec3(gl_LocalInvocationID) + 1 + neighbour(i);
        sum += cube[(at.z * BORDERED + at.y) * BORDERED + at.x];
    }
    store(ivec3(gl_GlobalInvocationID), sum * SCALE);
}
