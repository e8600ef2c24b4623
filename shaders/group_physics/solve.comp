#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "group_physics/frame.glsl"
#include "group_physics/loaded.glsl"

// A workgroup per island: it loads the particles into shared memory, projects the constraints one colour after the
// other with a barrier after each, and stores the result. No two constraints of a colour share a particle.
//
// The switches here and in loaded.glsl save registers, those of the article and one of our own (tricks.rs says which);
// PREFETCH, also ours, takes more.

layout(local_size_x_id = 0) in;
const uint THREADS = gl_WorkGroupSize.x;
layout(constant_id = 1) const uint PARTICLES = 256;
layout(constant_id = 2) const uint COLOURS = 1;
// Constraints per thread in the largest colour.
layout(constant_id = 3) const uint ROUNDS = 1;
layout(constant_id = 4) const float FALL = 0; // 0 without gravity
layout(constant_id = 5) const float FLOOR = 0;

// Reads the matrix, which all threads share, from a raw buffer: scalar loads cannot read through a typed view.
layout(constant_id = 10) const bool RAW = false;
// Three coordinates and three rows of the matrix. The inverse mass takes the place of the fourth coordinate.
layout(constant_id = 11) const bool NO_W = false;
// Where the initial position is kept until the result needs it: in registers of its thread (which then has one
// particle), in shared memory, or only in memory, from which it and the matrix are loaded again.
layout(constant_id = 12) const uint START = 0;
const uint IN_SHARED_MEMORY = 1;
const uint IN_MEMORY = 2;
// Loads the next colour's constraint before this colour's barrier: its latency overlaps with the work and the wait.
layout(constant_id = 13) const bool PREFETCH = false;

layout(push_constant) uniform Push {
    uint colours; // COLOURS
    uint iterations;
};

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 1, std430) readonly buffer Constraints { uvec2 constraints[]; };
layout(set = 0, binding = 2, std430) readonly buffer Bounds { uint bounds[]; };
layout(set = 0, binding = 3, std430) readonly buffer Frames { vec4 frames[]; };
layout(set = 0, binding = 4) uniform textureBuffer typed_frames;
layout(set = 0, binding = 5, std430) writeonly buffer Results { vec4 results[]; };

// x, y, z, and 1 or the inverse mass.
shared vec4 position[PARTICLES];
shared float inverse_mass[NO_W ? 1 : PARTICLES];
shared float parked[START == IN_SHARED_MEMORY ? 3 * PARTICLES : 1];
// Where the constraints of each colour begin, and the end.
shared uint begin[COLOURS + 1];

uint island = gl_WorkGroupID.x;
uint thread = gl_LocalInvocationIndex;

Frame load_frame() {
    Frame frame;
    [[unroll]] for (uint row = 0u; row < 4u; ++row) {
        frame.rows[row] = RAW ? frames[4u * island + row] : texelFetch(typed_frames, int(4u * island + row));
    }
    return frame;
}

vec4 in_world(Frame frame, vec3 local) {
    return NO_W ? vec4(to_world(frame, local), 1.0) : to_world(frame, vec4(local, 1.0));
}

// Puts a particle into shared memory, and returns its start.
vec3 load(Frame frame, uint p) {
    vec4 particle = particles[island * PARTICLES + p];
    vec4 start = in_world(frame, particle.xyz);
    vec3 fallen = vec3(start.x, start.y - (particle.w > 0.0 ? FALL : 0.0), start.z);
    position[p] = vec4(fallen, NO_W ? particle.w : start.w);
    if (!NO_W) {
        inverse_mass[p] = particle.w;
    }
    if (START == IN_SHARED_MEMORY) {
        parked[p] = start.x;
        parked[PARTICLES + p] = start.y;
        parked[2 * PARTICLES + p] = start.z;
    }
    return start.xyz;
}

// Colours of this island, the others have more.
uint own_colours;

// This thread's constraint of a colour, from memory; the k-th where it has several.
Loaded fetch(uint colour, uint k) {
    uint at = begin[colour] + k * THREADS + thread;
    return load_from(at < begin[colour + 1u] ? constraints[at] : NONE);
}

Loaded next[ROUNDS]; // prefetched

Loaded take(uint colour, uint k) {
    if (!PREFETCH) {
        return fetch(colour, k);
    }
    Loaded loaded = next[k];
    next[k] = fetch(colour + 1u < own_colours ? colour + 1u : 0u, k);
    return loaded;
}

void project(Loaded loaded) {
    uvec2 pair = pair_of(loaded);
    vec4 a = position[pair.x];
    vec4 b = position[pair.y];
    float inverse_mass_a = NO_W ? a.w : inverse_mass[pair.x];
    float inverse_mass_b = NO_W ? b.w : inverse_mass[pair.y];
    precise vec4 d = a - b;
    float square = NO_W ? squared(d.xyz) : squared(d);
    vec2 rest_and_stiffness = rest_and_stiffness_of(loaded);
    float correction =
        correction_of(square, inverse_mass_a + inverse_mass_b, rest_and_stiffness, is_contact(loaded));
    precise vec4 moved_a = a - d * (correction * inverse_mass_a);
    precise vec4 moved_b = b + d * (correction * inverse_mass_b);
    position[pair.x] = NO_W ? vec4(moved_a.xyz, a.w) : moved_a;
    position[pair.y] = NO_W ? vec4(moved_b.xyz, b.w) : moved_b;
}

// The result: x, y, z in the island's coordinates, and the squared distance from the start.
void store(Frame frame, uint p, vec3 start) {
    if (START == IN_SHARED_MEMORY) {
        start = vec3(parked[p], parked[PARTICLES + p], parked[2 * PARTICLES + p]);
    } else if (START == IN_MEMORY) {
        start = in_world(frame, particles[island * PARTICLES + p].xyz).xyz;
    }
    vec3 end = position[p].xyz;
    precise vec3 displacement = end - start;
    results[island * PARTICLES + p] = vec4(to_local(frame, end), squared(displacement));
}

void main() {
    for (uint colour = thread; colour <= colours; colour += THREADS) {
        begin[colour] = bounds[island * (colours + 1u) + colour];
    }
    Frame frame = load_frame();
    vec3 start;
    for (uint p = thread; p < PARTICLES; p += THREADS) {
        start = load(frame, p);
    }
    barrier();
    own_colours = colours;
    while (own_colours > 0u && begin[own_colours - 1u] == begin[colours]) {
        --own_colours;
    }
    [[unroll]] for (uint k = 0u; PREFETCH && k < ROUNDS; ++k) {
        next[k] = fetch(0u, k);
    }
    [[dont_unroll]] for (uint iteration = 0u; iteration < iterations; ++iteration) {
        [[dont_unroll]] for (uint colour = 0u; colour < own_colours; ++colour) {
            [[unroll]] for (uint k = 0u; k < ROUNDS; ++k) {
                Loaded loaded = take(colour, k);
                if (is_there(loaded)) {
                    project(loaded);
                }
            }
            barrier();
        }
        if (FALL > 0.0) {
            for (uint p = thread; p < PARTICLES; p += THREADS) {
                position[p].y = max(position[p].y, FLOOR);
            }
            barrier();
        }
    }
    if (START == IN_MEMORY) {
        frame = load_frame();
    }
    for (uint p = thread; p < PARTICLES; p += THREADS) {
        store(frame, p, start);
    }
}
