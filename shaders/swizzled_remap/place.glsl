#ifndef PLACE_GLSL
#define PLACE_GLSL

#include "swizzled_remap/remap.glsl"

layout(local_size_x_id = 0, local_size_y_id = 1) in;
// Texels of a workgroup, which need not have the sides of its lanes.
layout(constant_id = 2) const uint AREA_X = 8;
layout(constant_id = 3) const uint AREA_Y = 8;
layout(constant_id = 4) const bool REMAPPED = false;
// Tiles of 8x8 below each other, as a power of two.
layout(constant_id = 5) const int ROW_BITS = 0;
layout(constant_id = 6) const bool IN_COLUMNS = false;
layout(constant_id = 7) const uint COLUMN_GROUPS = 1;
// Constants, so that a division by them takes a multiplication.
layout(constant_id = 8) const uint GRID_X = 1;
layout(constant_id = 9) const uint GRID_Y = 1;

// The texel of this lane. Vulkan does not say which local indices make a subgroup; the talk's order, like
// this one, assumes that consecutive ones do.
uvec2 place() {
    uvec2 cell = REMAPPED ? remap(gl_LocalInvocationIndex, ROW_BITS) : gl_LocalInvocationID.xy;
    uvec2 group = IN_COLUMNS ? in_columns(gl_WorkGroupID.xy, uvec2(GRID_X, GRID_Y), COLUMN_GROUPS)
                             : gl_WorkGroupID.xy;
    return group * uvec2(AREA_X, AREA_Y) + cell;
}

#endif
