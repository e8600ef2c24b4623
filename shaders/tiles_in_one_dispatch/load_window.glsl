#ifndef LOAD_WINDOW_GLSL
#define LOAD_WINDOW_GLSL

// Fills the window by 16-byte loads. Before it comes `load_vector`, which takes a place in the image.

#include "tiles_in_one_dispatch/window.glsl"

// What lies outside of the image reads as the nearest texel inside.
uvec4 load_beside(int x, int y) {
    uvec4 texels = load_vector(ivec2(clamp(x, 0, VECTORS - 1), y));
    return x < 0 ? texels.xxxx : x >= VECTORS ? texels.wwww : texels;
}

void load_window(ivec2 at) {
    [[unroll]] for (int j = 0; j < ROWS + 2 * RADIUS; ++j) {
        column[j] = load_vector(ivec2(at.x, clamp(at.y + j - RADIUS, 0, HEIGHT - 1)));
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        int y = min(at.y + row, HEIGHT - 1);
        [[unroll]] for (int d = 1; d <= BESIDE; ++d) {
            left[row * BESIDE + d - 1] = load_beside(at.x - (d + 3) / 4, y)[(4 - d % 4) % 4];
            right[row * BESIDE + d - 1] = load_beside(at.x + (d + 3) / 4, y)[(d - 1) % 4];
        }
    }
}

#endif
