#ifndef WINDOW_GLSL
#define WINDOW_GLSL

// What an invocation reads of the previous generation, in registers: its ROWS vectors, RADIUS rows above and below them,
// and RADIUS texels on each side of each row.

#include "chain/texel.glsl"

uvec4 column[ROWS + 2 * RADIUS];
// Texels beside a row; an even number, since two come with one load. The texel `d` to the left of row `i` is
// left[i * BESIDE + d - 1].
const int BESIDE = (RADIUS + 1) / 2 * 2;
uint left[ROWS * BESIDE];
uint right[ROWS * BESIDE];

// The n-th pair of texels to each side of a row.
void set_beside(int row, int n, uvec2 before, uvec2 behind) {
    int nearest = row * BESIDE + 2 * (n - 1);
    left[nearest] = before.y;
    left[nearest + 1] = before.x;
    right[nearest] = behind.x;
    right[nearest + 1] = behind.y;
}

// The next generation of a row's vector, of which `is_last` tells that it is the last of an image's row.
uvec4 step_row(int row, bool is_last) {
    uvec4 here = column[row + RADIUS];
    uvec4 next;
    [[unroll]] for (int e = 0; e < 4; ++e) {
        Reads reads = first_read(here[e]);
        [[unroll]] for (int d = 1; d <= RADIUS; ++d) {
            read_next(reads, e >= d ? here[max(e - d, 0)] : left[row * BESIDE + max(d - e - 1, 0)], MULTIPLIER);
            read_next(reads, e + d < 4 ? here[min(e + d, 3)] : right[row * BESIDE + max(e + d - 4, 0)], MULTIPLIER);
            read_next(reads, column[row + RADIUS - d][e], MULTIPLIER);
            read_next(reads, column[row + RADIUS + d][e], MULTIPLIER);
        }
        next[e] = is_last && e >= LAST_TEXELS ? next[LAST_TEXELS - 1] : next_generation(reads);
    }
    return next;
}

#endif
