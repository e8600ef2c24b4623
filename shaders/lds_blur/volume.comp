#version 460
// Modules: SHARED|-
// Untraced modules: SHARED COUNT_LOADS
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require

// The mean of the 27 texels around each texel of a volume. With SHARED, a workgroup loads its cube and the texels
// around it once into shared memory; without, every invocation loads all 27.

layout(constant_id = 0) const float SCALE = 1.0; // 1 / 27

layout(local_size_x_id = 1, local_size_y_id = 2, local_size_z_id = 3) in;

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

#ifdef SHARED
// Of the cube.
const int SIDE = int(gl_WorkGroupSize.x);
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
#ifdef SHARED
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
#ifdef SHARED
        ivec3 held = lane + step;
        sum += cube[(held.z * REACH + held.y) * REACH + held.x];
#else
        sum += load(at + step - 1, last);
#endif
    }
    imageStore(to, at, vec4(sum * SCALE));
}
