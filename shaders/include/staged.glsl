#ifndef STAGED_GLSL
#define STAGED_GLSL

// A tile of the chain and the arms of its cross, loaded once into shared memory; a texel's neighbours are then
// read from there. Before it come cut.glsl, MULTIPLIER, texel.glsl, and load_texel and arrived, which a kernel has
// in its own form.

const int PITCH = WIDTH + 2 * RADIUS;

// A cross has no corners: the tile's columns with the rows above and below, and the columns beside the tile.
const int COLUMN_LOADS = (HEIGHT + 2 * RADIUS + STEP - 1) / STEP;
const int BESIDE = 2 * RADIUS * HEIGHT;
const int BESIDE_LOADS = (BESIDE + int(INVOCATIONS) - 1) / int(INVOCATIONS);

shared uint staged[PITCH * (HEIGHT + 2 * RADIUS)];

// Where load `i` of this invocation stands, from the corner of the shared array.
ivec2 in_column(int i) {
    return ivec2(RADIUS, 0) + ivec2(gl_LocalInvocationID.xy) + ivec2(0, i * STEP);
}

ivec2 beside(int i) {
    int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
    int x = at % (2 * RADIUS);
    return ivec2(x < RADIUS ? x : x + WIDTH, RADIUS + at / (2 * RADIUS));
}

bool is_in_column(ivec2 at) {
    return at.y < HEIGHT + 2 * RADIUS;
}

bool is_beside(ivec2 at) {
    return at.y < RADIUS + HEIGHT;
}

// All loads come before the first store to shared memory, and all trip counts are constant, so that an
// invocation's loads are in flight together: on an H200 a loop that stores each texel as it comes took 5 to 20 %
// longer. What lies outside the image reads as the nearest texel inside.
void stage(ivec2 origin, ivec2 last, int layer) {
    uint column[COLUMN_LOADS];
    uint side[BESIDE_LOADS];
    ivec2 corner = origin - RADIUS;
    for (int i = 0; i < COLUMN_LOADS; ++i) {
        ivec2 at = in_column(i);
        if (is_in_column(at)) {
            column[i] = load_texel(clamp(corner + at, ivec2(0), last), layer);
        }
    }
    for (int i = 0; i < BESIDE_LOADS; ++i) {
        ivec2 at = beside(i);
        if (is_beside(at)) {
            side[i] = load_texel(clamp(corner + at, ivec2(0), last), layer);
        }
    }
    for (int i = 0; i < COLUMN_LOADS; ++i) {
        ivec2 at = in_column(i);
        if (is_in_column(at)) {
            staged[at.y * PITCH + at.x] = arrived(column[i], clamp(corner + at, ivec2(0), last), layer);
        }
    }
    for (int i = 0; i < BESIDE_LOADS; ++i) {
        ivec2 at = beside(i);
        if (is_beside(at)) {
            staged[at.y * PITCH + at.x] = arrived(side[i], clamp(corner + at, ivec2(0), last), layer);
        }
    }
}

// The next generation of a texel, by its place in the tile.
uint step_staged(ivec2 in_tile) {
    int at = (in_tile.y + RADIUS) * PITCH + in_tile.x + RADIUS;
    Reads reads = first_read(staged[at]);
    for (int d = 1; d <= RADIUS; ++d) {
        read_next(reads, staged[at - d], MULTIPLIER);
        read_next(reads, staged[at + d], MULTIPLIER);
        read_next(reads, staged[at - d * PITCH], MULTIPLIER);
        read_next(reads, staged[at + d * PITCH], MULTIPLIER);
    }
    return next_generation(reads);
}

#endif
