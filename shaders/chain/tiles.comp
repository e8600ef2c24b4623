#version 460
// Modules: COHERENT|CHAINED|SAMPLED|TAGGED STAGED|- CLOCK
// Untraced modules: COHERENT|CHAINED|SAMPLED|TAGGED STAGED|-
#pragma use_vulkan_memory_model
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_memory_scope_semantics : require
#ifdef SAMPLED
#extension GL_EXT_samplerless_texture_functions : require
#endif
#ifdef CLOCK
#extension GL_EXT_shader_realtime_clock : require
#endif
#include "chain/texel.glsl"
#include "include/trace_parts.glsl"

// All passes of the chain in one dispatch. A workgroup takes a ticket, which is a tile of a pass; waits until the
// tiles of the pass before that it reads have been stored; loads, computes, stores; and tells.
//
//   take ──▶ await ──▶ meet ──▶ load ──▶ step ──▶ part ──▶ tell
//   ticket   flags              tile              barrier   flag
//
// How what one workgroup stored reaches another:
//   COHERENT  each access goes past the caches of the multiprocessor (devicecoherent). Lawful.
//   CHAINED   accesses are cached; what tells makes them available to the device, what waits makes them visible,
//             by way of the workgroup each (the specification's availability and visibility chains). Lawful.
//   SAMPLED   reads through another view, which no acquire covers: right where no cache held the lines before,
//             and where a flag's release keeps stores to images behind it. Hardware behaviour.
//   TAGGED    no flags: a texel tells its own generation, and is loaded until it has come. Every access is a
//             relaxed atomic of device scope, and nothing else depends on it. Lawful.

#include "include/cut.glsl"

layout(constant_id = 0) const uint MULTIPLIER = 1;
layout(constant_id = 1) const int PASSES = 1;
// Tiles in x and y.
layout(constant_id = 2) const int COLUMNS = 1;
layout(constant_id = 3) const int LINES = 1;
// Words from flag to flag.
layout(constant_id = 4) const int FLAG_STRIDE = 1;
// Invocations that look at flags, from 1 to all of a workgroup.
layout(constant_id = 5) const int POLLERS = 1;
// A flag counts the finished tiles of a line of tiles, in place of one for each tile.
layout(constant_id = 6) const bool FLAGS_A_LINE = false;
// The order of the lines of tiles comes from a table, in place of pass by pass.
layout(constant_id = 7) const bool ORDERED = false;
// A workgroup takes ticket after ticket, in place of one.
layout(constant_id = 8) const bool TAKES_ALL = false;
// Two layers take turns, in place of one for each generation.
layout(constant_id = 9) const bool TWO_IN_TURN = false;

#if defined SAMPLED
layout(set = 0, binding = 0, r32ui) uniform devicecoherent writeonly uimage2DArray generations;
#elif defined CHAINED
layout(set = 0, binding = 0, r32ui) uniform nonprivate uimage2DArray generations;
#else
layout(set = 0, binding = 0, r32ui) uniform devicecoherent uimage2DArray generations;
#endif
layout(std430, set = 0, binding = 1) buffer Flags {
    uint ticket;     // the next
    uint unused[31]; // which has a cache line of its own
    uint flags[];    // passes that a tile has behind it; with FLAGS_A_LINE, tiles that a line of tiles has
};
layout(std430, set = 0, binding = 2) buffer BailOuts {
    uint bail_outs; // waits that ended in vain
};
// Of each line of tiles, in the order of the tickets: pass and line.
layout(std430, set = 0, binding = 3) readonly buffer Order {
    uvec2 order[];
};
#ifdef SAMPLED
layout(set = 0, binding = 4) uniform utexture2DArray sampled;
#endif

const uint UNITS = uint(PASSES * COLUMNS * LINES);

#include "chain/spin.glsl"

// The layer that holds a generation. With two in turn a tile overwrites what its neighbours read for the pass
// before; they have told that they are past it, since it waits for just those that wait for it.
int layer_of(int generation) {
    return TWO_IN_TURN ? generation % 2 : generation;
}

uint load_texel(ivec2 at, int generation) {
    int layer = layer_of(generation);
#if defined TAGGED
    return imageAtomicLoad(generations, ivec3(at, layer), gl_ScopeDevice, 0, 0);
#elif defined SAMPLED
    return texelFetch(sampled, ivec3(at, layer), 0).x;
#else
    return imageLoad(generations, ivec3(at, layer)).x;
#endif
}

#ifdef TAGGED
bool has_come(uint texel, int generation) {
    return texel >> MIX_BITS >= uint(generation);
}

// The texel, once it is of this generation.
uint load_arrived(ivec2 at, int generation) {
    uint texel = load_texel(at, generation);
    if (!has_come(texel, generation)) {
        Spin spin = begin_spin();
        while (!has_come(texel, generation) && may_turn(spin)) {
            for (uint i = 0; i < LOOKS && !has_come(texel, generation); ++i) {
                pause(i);
                texel = load_texel(at, generation);
            }
        }
        end_spin(has_come(texel, generation));
    }
    return texel;
}
#endif

void store_texel(ivec2 at, int generation, uint texel) {
    int layer = layer_of(generation);
#ifdef TAGGED
    imageAtomicStore(generations, ivec3(at, layer), texel, gl_ScopeDevice, 0, 0);
#else
    imageStore(generations, ivec3(at, layer), uvec4(texel));
#endif
}

#ifdef STAGED
#include "chain/staged.glsl"
#else
#ifdef TAGGED
// All that a step reads is waited for in one place: with a wait at each load the pause, which is long on a CPU, makes
// so much code that lavapipe (Mesa 25.0.7, LLVM 15) compiles it for minutes, within the submit.
void await_texels(ivec2 at, ivec2 last, int generation) {
    for (int n = 0; n <= 4 * RADIUS; ++n) {
        int d = (n + 3) / 4 * (n % 2 == 0 ? 1 : -1);
        ivec2 arm = n % 4 == 1 || n % 4 == 2 ? ivec2(d, 0) : ivec2(0, d);
        load_arrived(clamp(at + arm, ivec2(0), last), generation);
    }
}

uint load_in_step(ivec2 at, int generation) {
    return ON_CPU ? load_texel(at, generation) : load_arrived(at, generation);
}
#else
#define load_in_step load_texel
#endif

uint step_texel(ivec2 at, ivec2 last, int generation) {
#ifdef TAGGED
    if (ON_CPU) {
        await_texels(at, last, generation);
    }
#endif
    Reads reads = first_read(load_in_step(at, generation));
    for (int d = 1; d <= RADIUS; ++d) {
        read_next(reads, load_in_step(ivec2(max(at.x - d, 0), at.y), generation), MULTIPLIER);
        read_next(reads, load_in_step(ivec2(min(at.x + d, last.x), at.y), generation), MULTIPLIER);
        read_next(reads, load_in_step(ivec2(at.x, max(at.y - d, 0)), generation), MULTIPLIER);
        read_next(reads, load_in_step(ivec2(at.x, min(at.y + d, last.y)), generation), MULTIPLIER);
    }
    return next_generation(reads);
}
#endif

// What is to be done with a ticket.
struct Unit {
    uint pass;
    uvec2 tile;
};

Unit unit_of(uint ticket) {
    uint line = ticket / COLUMNS;
    uvec2 at = ORDERED ? order[line] : uvec2(line / LINES, line % LINES);
    return Unit(at.x, uvec2(ticket % COLUMNS, at.y));
}

shared uint given;
shared uint is_late;

// With TAKES_ALL the flags of the next tile are looked at while another subgroup tells of this one.
uint in_turn() {
    return TAKES_ALL ? INVOCATIONS - 1u - gl_LocalInvocationIndex : gl_LocalInvocationIndex;
}

#include "chain/tile_flags.glsl"

// What a trace notes of a tile.
const uint LOADED = 0;
const uint STORED = 1;

void take_ticket() {
    if (in_turn() == 0) {
        given = atomicAdd(ticket, 1u, gl_ScopeDevice, 0, 0);
    }
}

void do_tile(Unit unit, ivec2 last) {
    ivec2 origin = ivec2(unit.tile) * ivec2(WIDTH, HEIGHT);
    int generation = int(unit.pass);
    for (int i = 0; i < ROWS; ++i) {
        ivec2 in_tile = ivec2(gl_LocalInvocationID.xy) + ivec2(0, i * STEP);
        ivec2 at = origin + in_tile;
        if (all(lessThanEqual(at, last))) {
#ifdef STAGED
            store_texel(at, generation + 1, step_staged(in_tile));
#else
            store_texel(at, generation + 1, step_texel(at, last, generation));
#endif
        }
    }
    trace_stamp(STORED);
}

// Ticket after ticket.
void do_tiles(uint mine, ivec2 last) {
    if (gl_LocalInvocationIndex == 0) {
        is_late = 0;
    }
    await(mine);
    meet();
    while (mine < UNITS) {
        Unit unit = unit_of(mine);
        trace_part(unit.pass, mine);
        ivec2 origin = ivec2(unit.tile) * ivec2(WIDTH, HEIGHT);
#ifdef STAGED
        stage(origin, last, int(unit.pass));
#endif
        take_ticket();
        barrier();
        trace_stamp(LOADED);
        // Whether the next tile could begin is seen before this one is computed, which hides the look: on an
        // H200 5 to 11 % of the whole at 4096x4096.
        uint next = given;
        if (!may_begin(next)) {
            is_late = 1;
        }
        do_tile(unit, last);
        part();
        tell(unit);
        trace_end();
        mine = next;
        if (is_late != 0) {
            await(mine);
            meet();
            if (gl_LocalInvocationIndex == 0) {
                is_late = 0;
            }
        }
    }
}

void main() {
    ivec2 last = imageSize(generations).xy - 1;
    take_ticket();
    barrier();
    uint mine = given;
    if (TAKES_ALL) {
        do_tiles(mine, last);
        return;
    }
    // The last row of workgroups may have more than there are tickets.
    if (mine >= UNITS) {
        return;
    }
    Unit unit = unit_of(mine);
    await(mine);
    meet();
    trace_part(unit.pass, mine);
#ifdef STAGED
    stage(ivec2(unit.tile) * ivec2(WIDTH, HEIGHT), last, int(unit.pass));
    barrier();
    trace_stamp(LOADED);
#endif
    do_tile(unit, last);
    part();
    tell(unit);
}
