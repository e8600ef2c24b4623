#version 460
// Modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f|FORMAT=r32f VOLUME|-
// Modules: FORMAT=r32ui WHOLE_NUMBERS VOLUME|-
#extension GL_EXT_samplerless_texture_functions : require

// Copies an image: the most that any variant on such images can move. Each invocation copies COLUMNS x
// ROWS texels that lie a workgroup apart, all loads ahead of the stores.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const uint COLUMNS = 1;
layout(constant_id = 3) const uint ROWS = 1;

#ifndef FORMAT
#ifdef WHOLE_NUMBERS
#define FORMAT r32ui
#else
#define FORMAT r32f
#endif
#endif

#ifdef WHOLE_NUMBERS
#define Texel uvec4
#define IMAGE(dimensions) uimage##dimensions
#define TEXTURE(dimensions) utexture##dimensions
#else
#define Texel vec4
#define IMAGE(dimensions) image##dimensions
#define TEXTURE(dimensions) texture##dimensions
#endif
#ifdef VOLUME
#define SHAPE 3D
#else
#define SHAPE 2D
#endif
#define OF(kind, dimensions) kind(dimensions)

layout(set = 0, binding = 0) uniform OF(TEXTURE, SHAPE) from;
layout(set = 0, binding = 1, FORMAT) uniform writeonly OF(IMAGE, SHAPE) to;

const uvec2 LANES = gl_WorkGroupSize.xy;

void main() {
    ivec3 size = ivec3(imageSize(to).xy, 1);
#ifdef VOLUME
    size = imageSize(to);
#endif
    uvec2 corner = gl_WorkGroupID.xy * LANES * uvec2(COLUMNS, ROWS) + gl_LocalInvocationID.xy;
    Texel texels[COLUMNS * ROWS];
    ivec3 at[COLUMNS * ROWS];
    for (uint i = 0u; i < COLUMNS * ROWS; ++i) {
        at[i] = ivec3(corner + LANES * uvec2(i % COLUMNS, i / COLUMNS), gl_WorkGroupID.z);
        ivec3 inside = min(at[i], size - 1);
#ifdef VOLUME
        texels[i] = texelFetch(from, inside, 0);
#else
        texels[i] = texelFetch(from, inside.xy, 0);
#endif
    }
    for (uint i = 0u; i < COLUMNS * ROWS; ++i) {
        if (all(lessThan(at[i], size))) {
#ifdef VOLUME
            imageStore(to, at[i], texels[i]);
#else
            imageStore(to, at[i].xy, texels[i]);
#endif
        }
    }
}
