#ifndef TEXELS_GLSL
#define TEXELS_GLSL

// The types of images in the format FORMAT, for kernels that are made for every format of the suite.

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
#define IN_SHAPE(at) (at)
#else
#define SHAPE 2D
#define IN_SHAPE(at) (at).xy
#endif
#define OF(kind, dimensions) kind(dimensions)

// Sides of an image in texels.
#ifdef VOLUME
#define SIDES(image) imageSize(image)
#else
#define SIDES(image) ivec3(imageSize(image), 1)
#endif

#endif
