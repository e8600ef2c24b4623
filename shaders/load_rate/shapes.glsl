// Which texels the invocations of a wave load together.

layout(constant_id = 1) const uint SHAPE = 0u;
const uint QUADS = 0u;   // four invocations load 2x2 texels, 64 per tile of 8x8
const uint BLOCKS = 1u;  // 4x1 texels of a tile of 8x8
const uint ROWS = 2u;    // 4x1 texels of 64x1
const uint COLUMNS = 3u; // 1x4 texels of 1x64

const uint PLACES = 512u; // in eight tiles
const uint TILE = 64u;

// Each bit of the number is one of x or of y, so that the texel of a ^ b is that of a ^ that of b.
uvec2 texel_of(uint number) {
    uint tile = number / TILE;
    uint within = number % TILE;
    switch (SHAPE) {
    case ROWS:
        return uvec2(within, tile);
    case COLUMNS:
        return uvec2(tile, within);
    case BLOCKS:
        return uvec2(tile * 8u + within % 8u, within / 8u);
    }
    uvec2 bits = uvec2(within, within >> 1u) & 0x15u;
    bits = (bits | bits >> 1u) & 0x33u;
    bits = (bits | bits >> 2u) & 0x0Fu;
    return uvec2(tile * 8u + bits.x, bits.y);
}

// By what the places of this turn are shifted: by half a tile or not, so that the order within a wave stays.
uint shift_of(uint turn) {
    return (turn * 0x9E3779B1u >> 31u) * TILE / 2u;
}
