#ifndef LIST_OPEN_GLSL
#define LIST_OPEN_GLSL
#include "group_physics/constraint.glsl"

// A workgroup per island lists the constraints that are still open, in order: a thread's place in the list is the
// number of open constraints before its own, a prefix sum of bits. The files that include this one compute it.

layout(local_size_x_id = 0) in;
const uint THREADS = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint PARTICLES = 1;
// A constraint is open while its residual is larger than this length.
layout(constant_id = 2) const float TOLERANCE = 0;
// Of an island's list: the count of open constraints, the first of them, and NOT_LISTED behind the last.
layout(constant_id = 3) const uint LIST_WORDS = 64;
const uint NOT_LISTED = 0xFFFFFFFFu;

layout(push_constant) uniform Push {
    uint colours;
};

layout(set = 0, binding = 0, std430) readonly buffer Solved { vec4 solved[]; };
layout(set = 0, binding = 1, std430) readonly buffer Constraints { uvec2 constraints[]; };
layout(set = 0, binding = 2, std430) readonly buffer Bounds { uint bounds[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Lists { uint lists[]; };

// This thread's place in the order of the sum.
uint place();
// How many places before this one say yes, and how many say yes in all.
uvec2 count(bool yes);

bool is_open(uint island, uvec2 words) {
    uvec2 pair = island * PARTICLES + pair_in(words);
    precise vec3 d = solved[pair.x].xyz - solved[pair.y].xyz;
    return residual(squared(d), rest_and_stiffness_in(words), is_contact_in(words)) > TOLERANCE;
}

void main() {
    uint island = gl_WorkGroupID.x;
    uint first = bounds[island * (colours + 1u)];
    uint end = bounds[island * (colours + 1u) + colours];
    uint list = island * LIST_WORDS;
    uint entry = 1u;
    for (uint begin = first; begin < end; begin += THREADS) {
        uint at = begin + place();
        bool open = at < end && is_open(island, constraints[at]);
        uvec2 counted = count(open);
        if (open && entry + counted.x < LIST_WORDS) {
            lists[list + entry + counted.x] = at - first;
        }
        entry += counted.y;
    }
    if (gl_LocalInvocationIndex == 0u) {
        lists[list] = entry - 1u;
    }
    for (uint rest = entry + gl_LocalInvocationIndex; rest < LIST_WORDS; rest += THREADS) {
        lists[list + rest] = NOT_LISTED;
    }
}

#endif
