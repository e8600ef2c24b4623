#ifndef ISLAND_GLSL
#define ISLAND_GLSL
#include "group_physics/frame.glsl"

// An island in the shared memory of its workgroup, which holds nothing else: of 16,384 bytes three workgroups run on a
// multiprocessor of an H200 (driver 580), and with a word more two. The file that includes this one declares PARTICLES.

layout(local_size_x_id = 0) in;
layout(constant_id = 4) const float FALL = 0; // 0 without gravity
layout(constant_id = 5) const float FLOOR = 0;

layout(set = 0, binding = 0, std430) readonly buffer Particles { vec4 particles[]; };
layout(set = 0, binding = 2, std430) readonly buffer Frames { vec4 frames[]; };
// x, y, z and the squared distance from the start.
layout(set = 0, binding = 3, std430) writeonly buffer Results { vec4 results[]; };

// x, y, z and the inverse mass.
shared vec4 position[PARTICLES];

const uint THREADS = gl_WorkGroupSize.x;
uint island = gl_WorkGroupID.x;
uint thread = gl_LocalInvocationIndex;

Frame load_frame() {
    return frame_of(frames[4u * island], frames[4u * island + 1u], frames[4u * island + 2u]);
}

// Particles of a thread. Loops over them are unrolled, so that all loads can be issued before the first is waited for.
const uint EACH = (PARTICLES + THREADS - 1u) / THREADS;

void load_particles() {
    Frame frame = load_frame();
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        uint p = i * THREADS + thread;
        if (p >= PARTICLES) {
            break;
        }
        vec4 particle = particles[island * PARTICLES + p];
        vec3 world = to_world(frame, particle.xyz);
        world.y -= particle.w > 0.0 ? FALL : 0.0;
        position[p] = vec4(world, particle.w);
    }
}

// Lifts what has sunk below the floor.
void lift_particles() {
    if (FALL > 0.0) {
        for (uint p = thread; p < PARTICLES; p += THREADS) {
            position[p].y = max(position[p].y, FLOOR);
        }
        barrier();
    }
}

// Loads frame and start again: kept, they take registers of the loop.
void store_results() {
    Frame frame = load_frame();
    [[unroll]] for (uint i = 0u; i < EACH; ++i) {
        uint p = i * THREADS + thread;
        if (p >= PARTICLES) {
            break;
        }
        vec3 start = to_world(frame, particles[island * PARTICLES + p].xyz);
        vec3 end = position[p].xyz;
        precise vec3 displacement = end - start;
        results[island * PARTICLES + p] = vec4(to_local(frame, end), squared(displacement));
    }
}

#endif
