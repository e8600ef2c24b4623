#version 460
// Modules: FLAGS_INT RAW|NO_W|PACKED|BALLOT|LOOP|SMALL|PARK|RELOAD|-
// Modules: FLAGS_BOOL|FLAGS_BITS|FLAGS_SIGN
// Modules: RAW NO_W PACKED FLAGS_SIGN BALLOT|- LOOP RELOAD|PARK|-
// Modules: NO_W PACKED FLAGS_SIGN BALLOT|- LOOP RELOAD
// Modules: RAW PACKED FLAGS_SIGN BALLOT|- LOOP RELOAD
// Modules: RAW NO_W FLAGS_SIGN BALLOT|- LOOP RELOAD
// Modules: RAW NO_W PACKED FLAGS_INT BALLOT|- LOOP RELOAD
// Modules: RAW NO_W PACKED FLAGS_SIGN BALLOT|- RELOAD
// Modules: RAW NO_W PACKED FLAGS_SIGN BALLOT|- LOOP RELOAD FROM_MEMORY
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef BALLOT
#extension GL_KHR_shader_subgroup_ballot : require
#endif
#ifdef SMALL
#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
#endif
#include "group_physics/constraint.glsl"
#include "group_physics/frame.glsl"
#include "group_physics/state.glsl"

// An island a workgroup: all iterations over all colours in shared memory, and only the result goes
// back. Each of the article's ways to save registers is a macro of its own:
//
//   RAW      what all threads share comes from raw buffers, which scalar loads can read
//   NO_W     see frame.glsl
//   PACKED, SMALL, FLAGS_*    see held.glsl
//   BALLOT   counts what lies before a thread by bits instead of by sums in shared memory
//   LOOP     one loop over the colours that loads as it goes, instead of PREFETCH colours at a time
//   PARK     what is needed again at the end waits in shared memory instead of in registers
//   RELOAD   what is needed again at the end is read again
//
// A colour has at most half as many constraints as an island has particles, so a group may have twice as
// many threads as it needs: it then solves in TURNS. Where it has too few, each thread has several ROUNDS.

layout(local_size_x_id = 8) in;

// How often every constraint is projected; 0 where other dispatches have done it.
layout(constant_id = 0) const uint ITERATIONS = 0;
layout(constant_id = 1) const float TOLERANCE = 0;
layout(constant_id = 2) const float SUM_SCALE = 1;
// Of a report: words, and those before its list.
layout(constant_id = 3) const uint REPORT_WORDS = 64;
layout(constant_id = 4) const uint REPORT_HEAD = 3;
layout(constant_id = 5) const uint NOT_LISTED = 0;
layout(constant_id = 14) const bool GRAVITY = false;
layout(constant_id = 6) const float FALL = 0;
layout(constant_id = 7) const float FLOOR = 0;

layout(constant_id = 9) const uint PARTICLES = 256;
layout(constant_id = 10) const uint COLOURS = 1;
// Colours whose constraints are loaded at a time.
layout(constant_id = 11) const uint PREFETCH = 1;
layout(constant_id = 12) const uint TURNS = 1;
layout(constant_id = 13) const uint ROUNDS = 1;

const uint GROUP = gl_WorkGroupSize.x;
// Threads that solve a colour.
const uint LANES = GROUP / TURNS;

layout(push_constant) uniform Push {
    uint colours; // COLOURS, where no compiler can know it
};

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 1, std430) readonly buffer Constraints { uvec2 constraints[]; };
#ifdef RAW
layout(set = 0, binding = 2, std430) readonly buffer Bounds { uint bounds[]; };
layout(set = 0, binding = 3, std430) readonly buffer Frames { vec4 frames[]; };
#else
layout(set = 0, binding = 2) uniform utextureBuffer bounds;
layout(set = 0, binding = 3) uniform textureBuffer frames;
#endif
layout(set = 0, binding = 4, std430) writeonly buffer Results { vec4 results[]; };
layout(set = 0, binding = 5, std430) writeonly buffer Reports { uint reports[]; };
#ifdef FROM_MEMORY
layout(set = 0, binding = 6, std430) readonly buffer State { vec4 state[]; };
#endif

// Words that threads share one count among.
const uint SPREAD = 16;

// x, y, z, and 1; with NO_W the inverse mass has the fourth place.
shared vec4 position[PARTICLES];
// Without NO_W the inverse masses, as long as anything is solved; then what the report counts with.
#if defined BALLOT && defined NO_W
shared uint scratch[GROUP / 4 > 3 * SPREAD ? GROUP / 4 : 3 * SPREAD]; // no subgroup is smaller than 4
#elif defined NO_W
shared uint scratch[GROUP];
#else
shared uint scratch[GROUP > PARTICLES ? GROUP : PARTICLES];
#endif
#ifdef PARK
shared float parked[3 * PARTICLES]; // coordinate by coordinate
#endif
#ifdef LOOP
shared uint begins[COLOURS + TURNS + 1]; // of a colour's constraints; one that is not there has none
#endif

uint thread() {
    return gl_LocalInvocationIndex;
}

uint island() {
    return gl_WorkGroupID.x;
}

uint load_bound(uint colour) {
    uint at = island() * (colours + 1u) + colour;
#ifdef RAW
    return bounds[at];
#else
    return texelFetch(bounds, int(at)).x;
#endif
}

// Where a colour's constraints begin.
uint bound(uint colour) {
#ifdef LOOP
    return begins[colour];
#else
    return load_bound(colour);
#endif
}

Frame load_frame() {
    Frame frame;
    [[unroll]] for (uint row = 0u; row < ROWS; ++row) {
#ifdef RAW
        frame.rows[row] = frames[4u * island() + row];
#else
        frame.rows[row] = texelFetch(frames, int(4u * island() + row));
#endif
    }
    return frame;
}

// Puts a particle into shared memory; returns where it starts.
Point load(Frame frame, uint p) {
    vec4 particle = particles[island() * PARTICLES + p];
    Point start = to_world(frame, particle.xyz);
    Point at = start;
    at.y -= GRAVITY && particle.w > 0.0 ? FALL : 0.0;
#ifdef FROM_MEMORY
    at.xyz = state[island() * PARTICLES + p].xyz;
#endif
#ifdef NO_W
    position[p] = vec4(at, particle.w);
#else
    position[p] = at;
    scratch[p] = floatBitsToUint(particle.w);
#endif
    return start;
}

void solve(Held held, uint flags, uint slot) {
    uvec2 pair = pair_of(held);
    vec2 material = abs(material_of(held));
    bool contact = is_contact(held, flags, slot);
    vec4 a = position[pair.x];
    vec4 b = position[pair.y];
#ifdef NO_W
    precise vec3 d = a.xyz - b.xyz;
    float pull = gain(squared(d), a.w + b.w, material.x, material.y, contact);
    precise vec3 moved_a = a.xyz - d * (pull * a.w);
    precise vec3 moved_b = b.xyz + d * (pull * b.w);
    position[pair.x] = vec4(moved_a, a.w);
    position[pair.y] = vec4(moved_b, b.w);
#else
    float inverse_mass_a = uintBitsToFloat(scratch[pair.x]);
    float inverse_mass_b = uintBitsToFloat(scratch[pair.y]);
    precise vec4 d = a - b;
    float pull = gain(squared(d), inverse_mass_a + inverse_mass_b, material.x, material.y, contact);
    precise vec4 moved_a = a - d * (pull * inverse_mass_a);
    precise vec4 moved_b = b + d * (pull * inverse_mass_b);
    position[pair.x] = moved_a;
    position[pair.y] = moved_b;
#endif
}

#ifdef LOOP
// What a thread solves next: one constraint, or ROUNDS of them where a colour has more than threads.
struct Ahead {
    uvec2 words[ROUNDS];
    bool there[ROUNDS];
};

void fetch(inout Ahead ahead, uint colour) {
    uint first = begins[colour] + thread() % LANES;
    uint end = begins[colour + 1u];
    [[unroll]] for (uint k = 0u; k < ROUNDS; ++k) {
        uint at = first + k * LANES;
        ahead.there[k] = at < end;
        // Something is read where nothing is there, in place of a branch.
        ahead.words[k] = constraints[at < end ? at : 0u];
    }
}

// The parts of the group take turns: while one solves its colour, what the other solves next is on
// its way. No load can pass a barrier by itself.
void solve_all(inout Ahead ahead) {
    for (uint first = 0u; first < colours; first += TURNS) {
        [[unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
            if (thread() / LANES == turn) {
                [[unroll]] for (uint k = 0u; k < ROUNDS; ++k) {
                    uint flags = 0u;
                    Held held = hold(ahead.words[k], true, flags, 0u);
                    if (ahead.there[k]) {
                        solve(held, flags, 0u);
                    }
                }
                fetch(ahead, (first + TURNS < colours ? first + TURNS : 0u) + turn);
            }
            barrier();
        }
    }
}
#else
// No colour has more constraints than the group has threads: each takes two particles.
void solve_all() {
    [[unroll]] for (uint first = 0u; first < COLOURS; first += PREFETCH) {
        Held held[PREFETCH];
        uint flags = 0u;
        [[unroll]] for (uint k = 0u; k < PREFETCH && first + k < COLOURS; ++k) {
            uint at = bound(first + k) + thread();
            bool there = at < bound(first + k + 1u);
            held[k] = hold(there ? constraints[at] : NONE, there, flags, k);
        }
        [[unroll]] for (uint k = 0u; k < PREFETCH && first + k < COLOURS; ++k) {
            if (is_there(held[k], flags, k)) {
                solve(held[k], flags, k);
            }
            barrier();
        }
    }
}
#endif

// The place in the order in which the report lists constraints.
uint place() {
#ifdef BALLOT
    return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
#else
    return thread();
#endif
}

// How many places before this one say yes, and how many there are in all.
uvec2 count(bool yes) {
#ifdef BALLOT
    uvec4 mask = subgroupBallot(yes);
    uvec2 counted = uvec2(subgroupBallotExclusiveBitCount(mask), 0u);
    if (gl_SubgroupInvocationID == 0u) {
        scratch[gl_SubgroupID] = subgroupBallotBitCount(mask);
    }
    barrier();
    for (uint subgroup = 0u; subgroup < gl_NumSubgroups; ++subgroup) {
        uint in_subgroup = scratch[subgroup];
        counted += uvec2(subgroup < gl_SubgroupID ? in_subgroup : 0u, in_subgroup);
    }
#else
    scratch[place()] = uint(yes);
    barrier();
    for (uint reach = 1u; reach < GROUP; reach *= 2u) {
        uint before = place() >= reach ? scratch[place() - reach] : 0u;
        barrier();
        scratch[place()] += before;
        barrier();
    }
    uvec2 counted = uvec2(scratch[place()] - uint(yes), scratch[GROUP - 1]);
#endif
    barrier();
    return counted;
}

float residual_of(Held held, uint flags) {
    uvec2 pair = pair_of(held);
    precise vec3 d = position[pair.x].xyz - position[pair.y].xyz;
    return residual(squared(d), abs(material_of(held).x), is_contact(held, flags, 0u));
}

// What the threads have found in all. None of the three depends on the order: bits of floats above 0
// are ordered as the floats are. Threads that follow each other count in different words, because
// those that meet in one wait for each other.
void write_head(float worst, uint sum, uint open) {
    if (thread() < 3 * SPREAD) {
        scratch[thread()] = 0u;
    }
    barrier();
    uint at = thread() % SPREAD;
    atomicMax(scratch[at], floatBitsToUint(worst));
    atomicAdd(scratch[SPREAD + at], sum);
    atomicAdd(scratch[2 * SPREAD + at], open);
    barrier();
    if (thread() < REPORT_HEAD) {
        uint all = 0u;
        for (uint i = 0u; i < SPREAD; ++i) {
            uint part = scratch[thread() * SPREAD + i];
            all = thread() == 0u ? max(all, part) : all + part;
        }
        reports[island() * REPORT_WORDS + thread()] = all;
    }
}

// Lists what is not solved yet, in the order of the constraints, as far as there is room.
void write_report() {
    const uint room = REPORT_WORDS - REPORT_HEAD;
    uint first = bound(0u);
    uint last = bound(colours);
    uint list = island() * REPORT_WORDS + REPORT_HEAD;
    uint listed = 0u;
    float worst = 0.0;
    uint sum = 0u;
    uint open = 0u;
    for (uint begin = first; begin < last; begin += GROUP) {
        uint at = begin + place();
        float left = 0.0;
        if (at < last) {
            uint flags = 0u;
            Held held = hold(constraints[at], true, flags, 0u);
            left = residual_of(held, flags);
        }
        worst = max(worst, left);
        sum += uint(left * SUM_SCALE);
        bool is_open = left > TOLERANCE;
        open += uint(is_open);
        if (listed < room) {
            uvec2 counted = count(is_open);
            if (is_open && listed + counted.x < room) {
                reports[list + listed + counted.x] = at - first;
            }
            listed += counted.y;
        }
    }
    for (uint entry = listed + thread(); entry < room; entry += GROUP) {
        reports[list + entry] = NOT_LISTED;
    }
    write_head(worst, sum, open);
}

void store(Frame frame, uint p, vec3 start) {
    vec3 at = position[p].xyz;
    precise vec3 way = at - start;
#ifdef NO_W
    Point world = at;
#else
    Point world = vec4(at, 1.0);
#endif
    results[island() * PARTICLES + p] = vec4(to_local(frame, world).xyz, squared(way));
}

void main() {
#ifdef LOOP
    for (uint colour = thread(); colour < COLOURS + TURNS + 1u; colour += GROUP) {
        begins[colour] = load_bound(min(colour, colours));
    }
#endif
    Frame frame = load_frame();
    Point start;
    for (uint p = thread(); p < PARTICLES; p += GROUP) {
        start = load(frame, p);
#ifdef PARK
        parked[p] = start.x;
        parked[PARTICLES + p] = start.y;
        parked[2 * PARTICLES + p] = start.z;
#endif
    }
    barrier();
#ifdef LOOP
    Ahead ahead;
    fetch(ahead, thread() / LANES);
#endif
    for (uint iteration = 0u; iteration < ITERATIONS; ++iteration) {
#ifdef LOOP
        solve_all(ahead);
#else
        solve_all();
#endif
        if (GRAVITY) {
            for (uint p = thread(); p < PARTICLES; p += GROUP) {
                position[p].y = max(position[p].y, FLOOR);
            }
            barrier();
        }
    }
#ifdef RELOAD
    frame = load_frame();
#endif
    for (uint p = thread(); p < PARTICLES; p += GROUP) {
#if defined RELOAD
        start = to_world(frame, particles[island() * PARTICLES + p].xyz);
#elif defined PARK
        start.xyz = vec3(parked[p], parked[PARTICLES + p], parked[2 * PARTICLES + p]);
#endif
        store(frame, p, start.xyz);
    }
    write_report();
}
