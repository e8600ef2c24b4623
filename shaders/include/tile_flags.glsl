#ifndef TILE_FLAGS_GLSL
#define TILE_FLAGS_GLSL

// Which flags a tile waits for, and how one workgroup's texels come to another by way of them.

#if defined SAMPLED
// Flags alone are ordered; texels follow as they do on the hardware.
#define CLASSES gl_StorageSemanticsBuffer
#else
#define CLASSES (gl_StorageSemanticsBuffer | gl_StorageSemanticsImage)
#endif
#ifdef CHAINED
#define ACQUIRE (gl_SemanticsAcquire | gl_SemanticsMakeVisible)
#define RELEASE (gl_SemanticsRelease | gl_SemanticsMakeAvailable)
#define BOTH (gl_SemanticsAcquireRelease | gl_SemanticsMakeVisible | gl_SemanticsMakeAvailable)
#else
#define ACQUIRE gl_SemanticsAcquire
#define RELEASE gl_SemanticsRelease
#define BOTH gl_SemanticsAcquireRelease
#endif

// Tiles that the arms of the cross reach into.
const int REACH_X = (RADIUS + WIDTH - 1) / WIDTH;
const int REACH_Y = (RADIUS + HEIGHT - 1) / HEIGHT;
#ifdef FLAGS_A_LINE
const uint NEEDED = uint(2 * REACH_Y + 1);
#else
const uint NEEDED = uint(2 * (REACH_X + REACH_Y) + 1);
#endif

// Flag `n` of those that a tile needs. At an edge some are asked for twice.
uint flag_of(uvec2 tile, uint n) {
#ifdef FLAGS_A_LINE
    int y = clamp(int(tile.y) + int(n) - REACH_Y, 0, LINES - 1);
    return uint(y * FLAG_STRIDE);
#else
    ivec2 away = ivec2(int(n) - REACH_X, 0);
    if (n > 2 * REACH_X) {
        int y = int(n) - 2 * REACH_X - 1 - REACH_Y;
        away = ivec2(0, y < 0 ? y : y + 1);
    }
    ivec2 at = clamp(ivec2(tile) + away, ivec2(0), ivec2(COLUMNS, LINES) - 1);
    return uint((at.y * COLUMNS + at.x) * FLAG_STRIDE);
#endif
}

// A look that acquires costs an H200 less than a look and a fence behind it (2 to 4 % of the whole at 4096x4096).
// lavapipe (Mesa 22.3) loses texels when a load acquires where the workgroup's invocations diverge.
#ifdef ON_CPU
uint look_at(uint flag) {
    return atomicLoad(flags[flag], gl_ScopeDevice, 0, 0);
}

void acquire() {
    memoryBarrier(gl_ScopeDevice, CLASSES, ACQUIRE);
}
#else
uint look_at(uint flag) {
    return atomicLoad(flags[flag], gl_ScopeDevice, CLASSES, ACQUIRE);
}

void acquire() {}
#endif

// What a flag shows once the passes before `pass` are stored. Tiles of one place finish pass after pass, since
// each needs the one before; so does a line of tiles, each of which needs the whole line before.
bool shows(uint flag, uint pass) {
#ifdef FLAGS_A_LINE
    return look_at(flag) >= pass * COLUMNS;
#else
    return look_at(flag) >= pass;
#endif
}

// Looks until the flag shows what it must.
void watch(uint flag, uint pass) {
    bool seen = false;
    Spin spin = begin_spin();
    while (!seen && may_turn(spin)) {
        for (uint i = 0; i < LOOKS && !seen; ++i) {
            pause(i);
            seen = shows(flag, pass);
        }
    }
    end_spin(seen);
}

// Waits for all flags that a ticket needs. Some invocations do; `meet` brings it to the others.
void await(uint ticket) {
#ifndef TAGGED
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
            watch(flag, unit.pass);
        }
    }
    acquire();
#endif
}

// One look at the flags that a ticket needs. Invocations that look at none have nothing to wait for.
bool may_begin(uint ticket) {
    bool all_seen = true;
#ifndef TAGGED
    if (ticket < UNITS && in_turn() < POLLERS) {
        Unit unit = unit_of(ticket);
        for (uint n = in_turn(); n < NEEDED && unit.pass > 0u; n += POLLERS) {
            all_seen = all_seen && shows(flag_of(unit.tile, n), unit.pass);
        }
        acquire();
    }
#endif
    return all_seen;
}

// From the invocations that waited to all of the workgroup.
void meet() {
#ifndef TAGGED
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES, BOTH);
#endif
}

// From all that stored to the one that tells.
void part() {
#ifdef TAGGED
    barrier();
#else
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, CLASSES | gl_StorageSemanticsShared, BOTH);
#endif
}

void tell(Unit unit) {
#ifndef TAGGED
    if (gl_LocalInvocationIndex == 0) {
#ifdef FLAGS_A_LINE
        atomicAdd(flags[unit.tile.y * FLAG_STRIDE], 1u, gl_ScopeDevice, CLASSES, RELEASE);
#else
        uint flag = (unit.tile.y * COLUMNS + unit.tile.x) * FLAG_STRIDE;
        atomicStore(flags[flag], unit.pass + 1u, gl_ScopeDevice, CLASSES, RELEASE);
#endif
    }
#endif
}

#endif
