#ifndef TILE_GLSL
#define TILE_GLSL

// In lanes: x and y of the workgroup. Not a constant, because spirv-opt in validation layer 1.3.239 folds a vector of
// specialisation constants into one that refers to a constant before its definition.
ivec2 tile_sides() {
    uvec2 lanes = gl_WorkGroupSize.xy;
    return ivec2(lanes);
}

// Where a lane stands in a tile with the x and y sides of the workgroup, if each four lanes are a 2x2 quad and the
// quads follow each other along pairs of rows: bit 0 is the lowest bit of y, the bits above it are x, the rest of y
// follows. The sides are powers of two.
ivec2 in_quads() {
    uvec2 lanes = gl_WorkGroupSize.xy;
    uint lane = gl_LocalInvocationIndex % (lanes.x * lanes.y);
    return ivec2((lane / 2) % lanes.x, lane % 2 + lane / (2 * lanes.x) * 2);
}

#endif
