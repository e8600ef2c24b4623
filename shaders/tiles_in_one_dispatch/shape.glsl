#ifndef SHAPE_GLSL
#define SHAPE_GLSL

// How a generation is cut into tiles. A vector is four neighbouring texels, which one load brings; an invocation computes
// ROWS vectors below each other. All of these are constants, so that arrays of these lengths stay in registers.

layout(local_size_x_id = 20, local_size_y_id = 21) in;
layout(constant_id = 22) const int ROWS = 1;
// How far a texel's neighbours reach, in texels.
layout(constant_id = 23) const int RADIUS = 2;
// Passes that are computed of a tile before it is stored.
layout(constant_id = 27) const int DEPTH = 1;
// Of the image: vectors in a row, texels in the last of them, whose others repeat the last texel, and rows.
layout(constant_id = 24) const int VECTORS = 1;
layout(constant_id = 30) const int LAST_TEXELS = 4;
layout(constant_id = 25) const int HEIGHT = 1;
layout(constant_id = 26) const uint MULTIPLIER = 1;

#endif
