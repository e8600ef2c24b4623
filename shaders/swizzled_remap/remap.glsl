#ifndef REMAP_GLSL
#define REMAP_GLSL

// Which texel a lane has, and which rectangle a workgroup has. These functions on the CPU, and the
// proof that nothing is left out or done twice, are in samples/src/bin/swizzled_remap/remap.rs.

// Each 64 lanes are a tile of 8x8 texels, each four a 2x2 quad in it: lane bit 0 is the lowest bit of y,
// bits 1 to 3 are those of x, bits 4 and 5 the rest of y. The bits above count the tiles down a column of
// 2^row_bits tiles, and then the columns. With row_bits = 1 it takes five operations, as on the slide.
uvec2 remap(uint lane, int row_bits) {
    uint x = bitfieldInsert(lane >> (3 + row_bits), lane >> 1, 0, 3);
    uint y = bitfieldInsert(bitfieldExtract(lane, 3, 3 + row_bits), lane, 0, 1);
    return uvec2(x, y);
}

// Walks a grid of workgroups in columns of so many, row by row in each column, where they are numbered
// along whole rows. The last column has what is left. Every division is by a constant where the grid
// and the width are constants.
uvec2 in_columns(uvec2 group, uvec2 grid, uint width) {
    uint order = group.y * grid.x + group.x;
    uint column = order / (width * grid.y);
    uint rest = order - column * width * grid.y;
    uint last_width = max(grid.x % width, 1);
    uvec2 at = column < grid.x / width ? uvec2(rest % width, rest / width)
                                       : uvec2(rest % last_width, rest / last_width);
    return uvec2(column * width + at.x, at.y);
}

#endif
