#ifndef TILE_FLAGS_GLSL
#define TILE_FLAGS_GLSL

// Which flags a tile of the chain waits for, and which it sets. With TAGGED there are none.

#ifndef TAGGED
#ifdef SAMPLED
// Flags alone are ordered; texels follow as they do on the hardware.
#define CLASSES gl_StorageSemanticsBuffer
#else
#define CLASSES (gl_StorageSemanticsBuffer | gl_StorageSemanticsImage)
#endif
#include "chain/flags.glsl"

// Tiles that the arms of the cross reach into.
const int REACH_X = (RADIUS + WIDTH - 1) / WIDTH;
const int REACH_Y = (RADIUS + HEIGHT - 1) / HEIGHT;
const uint NEEDED = uint(2 * (FLAGS_A_LINE ? REACH_Y : REACH_X + REACH_Y) + 1);

// Flag `n` of those that a tile needs. At an edge some are asked for twice.
uint flag_of(uvec2 tile, uint n) {
    if (FLAGS_A_LINE) {
        int y = clamp(int(tile.y) + int(n) - REACH_Y, 0, LINES - 1);
        return uint(y * FLAG_STRIDE);
    }
    ivec2 away = ivec2(int(n) - REACH_X, 0);
    if (n > 2 * REACH_X) {
        int y = int(n) - 2 * REACH_X - 1 - REACH_Y;
        away = ivec2(0, y < 0 ? y : y + 1);
    }
    // Taken from each side and not from the vector: SPIRV-Tools, and so the validation layer, folds a difference of
    // vectors to constants that are declared later.
    ivec2 at = clamp(ivec2(tile) + away, ivec2(0), ivec2(COLUMNS - 1, LINES - 1));
    return uint((at.y * COLUMNS + at.x) * FLAG_STRIDE);
}

// What a flag shows once the passes before `pass` are stored. Tiles of one place finish pass after pass, since
// each needs the one before; so does a line of tiles, each of which needs the whole line before.
uint done_before(uint pass) {
    return FLAGS_A_LINE ? pass * COLUMNS : pass;
}

bool shows(uint flag, uint pass) {
    return look_at(flag) >= done_before(pass);
}

// Waits for all flags that a ticket needs. Some invocations do; `meet` brings it to the others.
void await(uint ticket) {
    if (ticket >= UNITS || in_turn() >= POLLERS) {
        return;
    }
    Unit unit = unit_of(ticket);
    if (unit.pass == 0u) {
        return;
    }
    for (uint n = in_turn(); n < NEEDED; n += POLLERS) {
        uint flag = flag_of(unit.tile, n);
        if (!shows(flag, unit.pass)) {
            watch(flag, done_before(unit.pass));
        }
    }
    acquire();
}

// One look at the flags that a ticket needs. Invocations that look at none have nothing to wait for.
bool may_begin(uint ticket) {
    bool all_seen = true;
    if (ticket < UNITS && in_turn() < POLLERS) {
        Unit unit = unit_of(ticket);
        for (uint n = in_turn(); n < NEEDED && unit.pass > 0u; n += POLLERS) {
            all_seen = all_seen && shows(flag_of(unit.tile, n), unit.pass);
        }
        acquire();
    }
    return all_seen;
}

void tell(Unit unit) {
    if (gl_LocalInvocationIndex != 0) {
        return;
    }
    if (FLAGS_A_LINE) {
        atomicAdd(flags[unit.tile.y * FLAG_STRIDE], 1u, gl_ScopeDevice, CLASSES, RELEASE);
    } else {
        uint flag = (unit.tile.y * COLUMNS + unit.tile.x) * FLAG_STRIDE;
        atomicStore(flags[flag], unit.pass + 1u, gl_ScopeDevice, CLASSES, RELEASE);
    }
}
#else
void await(uint ticket) {}

bool may_begin(uint ticket) {
    return true;
}

void meet() {}

void part() {
    barrier();
}

void tell(Unit unit) {}
#endif

#endif
