// Which texel of a rectangle a lane takes, and which rectangle a workgroup. Pure functions; their twin is
// `samples/src/remap.rs`.

#ifndef REMAP_GLSL
#define REMAP_GLSL

// Lanes fill tiles of 8x8, four neighbouring lanes a quad of 2x2, as texture units fetch them; tiles fill
// the rectangle column by column, 2^row_bits of them in each.
//
//   bits of the lane    8 7 6 5 4 3 2 1 0      with row_bits = 1: a rectangle of 32x16
//   y                       3 2 1       0
//   x                   4 3       2 1 0
//
// Five bit-field operations on GCN.
uvec2 remapped(uint lane, int row_bits) {
    uint y = bitfieldInsert(bitfieldExtract(lane, 3, 3 + row_bits), lane, 0, 1);
    uint x = bitfieldInsert(lane >> (3 + row_bits), bitfieldExtract(lane, 1, 3), 0, 3);
    return uvec2(x, y);
}

// Workgroups in the order of a grid `columns` wide, one such strip after the other, the last one as wide
// as is left: those that run at the same time lie closer together than in rows across the whole image.
uvec2 walked(uvec2 group, uvec2 groups, uint columns) {
    uint index = group.y * groups.x + group.x;
    uint strip = index / (columns * groups.y);
    uint width = min(columns, groups.x - strip * columns);
    uint within = index - strip * columns * groups.y;
    return uvec2(strip * columns + within % width, within / width);
}

#endif
