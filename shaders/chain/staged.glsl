#ifndef STAGED_GLSL
#define STAGED_GLSL

// A tile of the chain and the arms of its cross, loaded once into shared memory; a texel's neighbours are then
// read from there. Before it come cut.glsl, MULTIPLIER, texel.glsl and load_texel. With TAGGED texels may still
// have to come, which is waited for (spin.glsl).

const int PITCH = WIDTH + 2 * RADIUS;

// A cross has no corners: the tile's columns with the rows above and below, and the columns beside the tile.
const int COLUMN_LOADS = (HEIGHT + 2 * RADIUS + STEP - 1) / STEP;
const int BESIDE = 2 * RADIUS * HEIGHT;
const int BESIDE_LOADS = (BESIDE + int(INVOCATIONS) - 1) / int(INVOCATIONS);

shared uint staged[PITCH * (HEIGHT + 2 * RADIUS)];

// Load `i` of this invocation, as texels from the corner of the shared array.
ivec2 in_column(int i) {
    return ivec2(RADIUS, i * STEP) + ivec2(gl_LocalInvocationID.xy);
}

ivec2 beside(int i) {
    int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
    int x = at % (2 * RADIUS);
    return ivec2(x < RADIUS ? x : x + WIDTH, RADIUS + at / (2 * RADIUS));
}

// All but the last load have every invocation, which needs no test.
bool is_in_column(int i) {
    return (i + 1) * STEP <= HEIGHT + 2 * RADIUS || in_column(i).y < HEIGHT + 2 * RADIUS;
}

bool is_beside(int i) {
    return (i + 1) * int(INVOCATIONS) <= BESIDE || beside(i).y < RADIUS + HEIGHT;
}

// The texels that an invocation loads.
struct Loaded {
    uint column[COLUMN_LOADS];
    uint side[BESIDE_LOADS];
};

void load_tile(inout Loaded loaded, ivec2 corner, ivec2 last, int generation) {
    // One clamp for all of a column.
    int x = clamp(corner.x + in_column(0).x, 0, last.x);
    for (int i = 0; i < COLUMN_LOADS; ++i) {
        if (is_in_column(i)) {
            loaded.column[i] = load_texel(ivec2(x, clamp(corner.y + in_column(i).y, 0, last.y)), generation);
        }
    }
    for (int i = 0; i < BESIDE_LOADS; ++i) {
        if (is_beside(i)) {
            loaded.side[i] = load_texel(clamp(corner + beside(i), ivec2(0), last), generation);
        }
    }
}

// The least of the texels: where generations are the upper bits, none is older.
uint oldest(Loaded loaded) {
    uint least = 0xFFFFFFFFu;
    for (int i = 0; i < COLUMN_LOADS; ++i) {
        least = is_in_column(i) ? min(least, loaded.column[i]) : least;
    }
    for (int i = 0; i < BESIDE_LOADS; ++i) {
        least = is_beside(i) ? min(least, loaded.side[i]) : least;
    }
    return least;
}

// All loads come before the first store to shared memory, and all trip counts are constant, so that an
// invocation's loads are in flight together: on an H200 a loop that stores each texel as it comes took 5 to 20 %
// longer. What lies outside the image reads as the nearest texel inside.
void stage(ivec2 origin, ivec2 last, int generation) {
    Loaded loaded;
    ivec2 corner = origin - RADIUS;
    load_tile(loaded, corner, last, generation);
#ifdef TAGGED
    if (!has_come(oldest(loaded), generation)) {
        Spin spin = begin_spin();
        while (!has_come(oldest(loaded), generation) && may_turn(spin)) {
            for (uint i = 0; i < LOOKS && !has_come(oldest(loaded), generation); ++i) {
                pause(i);
                load_tile(loaded, corner, last, generation);
            }
        }
        end_spin(has_come(oldest(loaded), generation));
    }
#endif
    int first = in_column(0).y * PITCH + in_column(0).x;
    for (int i = 0; i < COLUMN_LOADS; ++i) {
        if (is_in_column(i)) {
            staged[first + i * STEP * PITCH] = loaded.column[i];
        }
    }
    for (int i = 0; i < BESIDE_LOADS; ++i) {
        if (is_beside(i)) {
            staged[beside(i).y * PITCH + beside(i).x] = loaded.side[i];
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
