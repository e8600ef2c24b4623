#ifndef CUT_GLSL
#define CUT_GLSL

// How the chain is cut into tiles: macros, because what follows from them must be known where arrays are declared
// and loops unrolled.

#ifndef WIDTH
// Invocations in x and y, and rows that each loops over, the workgroup's height apart.
#define WIDTH 8
#define STEP 8
#define ROWS 1
#endif
#ifndef RADIUS
// Length of the cross's arms in texels.
#define RADIUS 2
#endif

// A tile is as wide as its workgroup.
const int HEIGHT = STEP * ROWS;
const uint INVOCATIONS = uint(WIDTH * STEP);

#endif
