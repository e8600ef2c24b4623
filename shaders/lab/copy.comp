#version 460
// Modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f|FORMAT=r32f|FORMAT=rgba32f VOLUME|-
// Modules: FORMAT=r32ui|FORMAT=rg32ui|FORMAT=rgba16ui|FORMAT=rgba32ui WHOLE_NUMBERS VOLUME|-
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_GOOGLE_include_directive : require
#include "lab/texels.glsl"

// Copies an image: the bandwidth that variants on such images are set against. Each invocation copies COLUMNS x
// ROWS texels that lie a workgroup apart, all loads ahead of the stores.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint COLUMNS = 1;
layout(constant_id = 3) const uint ROWS = 1;

layout(set = 0, binding = 0) uniform OF(TEXTURE, SHAPE) from;
layout(set = 0, binding = 1, FORMAT) uniform writeonly OF(IMAGE, SHAPE) to;

const uvec2 LANES = gl_WorkGroupSize.xy;

void main() {
    ivec3 sides = SIDES(to);
    uvec2 corner = gl_WorkGroupID.xy * LANES * uvec2(COLUMNS, ROWS) + gl_LocalInvocationID.xy;
    Texel texels[COLUMNS * ROWS];
    ivec3 at[COLUMNS * ROWS];
    for (uint i = 0u; i < COLUMNS * ROWS; ++i) {
        at[i] = ivec3(corner + LANES * uvec2(i % COLUMNS, i / COLUMNS), gl_WorkGroupID.z);
        ivec3 inside = min(at[i], sides - 1);
        texels[i] = texelFetch(from, IN_SHAPE(inside), 0);
    }
    for (uint i = 0u; i < COLUMNS * ROWS; ++i) {
        if (all(lessThan(at[i], sides))) {
            imageStore(to, IN_SHAPE(at[i]), texels[i]);
        }
    }
}
