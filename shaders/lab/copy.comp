#version 460
#extension GL_EXT_samplerless_texture_functions : require

// Copies an image: the most that any variant on such images can move. Each invocation copies COLUMNS x
// ROWS texels that lie a workgroup apart, all loads ahead of the stores.

#ifndef LANES_X
#define LANES_X 8
#define LANES_Y 8
#define COLUMNS 1
#define ROWS 1
#endif

#ifndef FORMAT
#ifdef WHOLE_NUMBERS
#define FORMAT r32ui
#else
#define FORMAT r32f
#endif
#endif

layout(local_size_x = LANES_X, local_size_y = LANES_Y) in;

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

const uvec2 LANES = uvec2(LANES_X, LANES_Y);

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
