#version 460
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require

// The mean of the 27 texels around each texel of a volume. With a SIDE above 0, a workgroup loads its cube and
// the texels around it once into shared memory; without, every invocation loads all 27.

#ifndef SIDE
#define SIDE 0
#endif

layout(constant_id = 0) const float SCALE = 1.0; // 1 / 27

#if SIDE > 0
layout(local_size_x = SIDE, local_size_y = SIDE, local_size_z = SIDE) in;
#else
// The shape that the article takes without shared memory: 256 invocations.
layout(local_size_x = 8, local_size_y = 8, local_size_z = 4) in;
#endif

layout(set = 0, binding = 0) uniform texture3D from;
layout(set = 0, binding = 1, r32f) uniform writeonly image3D to;
#ifdef COUNT_LOADS
layout(std430, set = 0, binding = 2) buffer Counters { uint loads; };
#endif

float load(ivec3 at, ivec3 last) {
#ifdef COUNT_LOADS
    atomicAdd(loads, 1u);
#endif
    return texelFetch(from, clamp(at, ivec3(0), last), 0).r;
}

#if SIDE > 0
const int REACH = SIDE + 2;
shared float cube[REACH * REACH * REACH];

void fill(ivec3 corner, ivec3 last) {
    for (int i = int(gl_LocalInvocationIndex); i < REACH * REACH * REACH; i += SIDE * SIDE * SIDE) {
        ivec3 step = ivec3(i % REACH, i / REACH % REACH, i / (REACH * REACH));
        cube[i] = load(corner + step - 1, last);
    }
}
#endif

void main() {
    ivec3 last = imageSize(to) - 1;
    ivec3 at = ivec3(gl_GlobalInvocationID);
#if SIDE > 0
    fill(ivec3(gl_WorkGroupID) * SIDE, last);
    barrier();
    ivec3 lane = ivec3(gl_LocalInvocationID);
#endif
    if (any(greaterThan(at, last))) {
        return;
    }
    float sum = 0.0;
    [[unroll]] for (int i = 0; i < 27; ++i) {
        ivec3 step = ivec3(i % 3, i / 3 % 3, i / 9);
#if SIDE > 0
        ivec3 held = lane + step;
        sum += cube[(held.z * REACH + held.y) * REACH + held.x];
#else
        sum += load(at + step - 1, last);
#endif
    }
    imageStore(to, at, vec4(sum * SCALE));
}
