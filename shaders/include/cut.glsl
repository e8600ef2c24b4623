#ifndef CUT_GLSL
#define CUT_GLSL

// How a pass is cut into tiles: constants, so that arrays can be declared with them and loops unrolled.

layout(local_size_x_id = 20, local_size_y_id = 21) in;
// Rows of each invocation.
layout(constant_id = 22) const int ROWS = 1;
// How far a texel's neighbours reach, in texels.
layout(constant_id = 23) const int RADIUS = 2;

// A tile is as wide as its workgroup.
const int WIDTH = int(gl_WorkGroupSize.x);
const int STEP = int(gl_WorkGroupSize.y);
const int HEIGHT = STEP * ROWS;
const uint INVOCATIONS = gl_WorkGroupSize.x * gl_WorkGroupSize.y;

#endif
