#version 460
// Modules: SAMPLED|SHARED|-
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#ifdef SAMPLED
#extension GL_EXT_samplerless_texture_functions : require
#endif
#include "bloom/formulas.glsl"

// One pass of a bloom, a tile per workgroup; the command buffer orders the passes. How neighbours are read:
//
//   -        from the storage buffer
//   SAMPLED  through a uniform texel buffer
//   SHARED   from shared memory, into which the workgroup has loaded its tile with a border

layout(constant_id = 0) const uint KIND = BLUR_X;

layout(push_constant) uniform Push {
    ivec2 size;
    ivec2 input_size;
};

#ifdef SAMPLED
layout(set = 0, binding = 0) uniform utextureBuffer input_texels;
layout(set = 0, binding = 1) uniform utextureBuffer second_input_texels;

uvec4 load_input(Pass pass, uint index) {
    return texelFetch(input_texels, int(index));
}

uvec4 load_second_input(Pass pass, uint index) {
    return texelFetch(second_input_texels, int(index));
}
#else
layout(std430, set = 0, binding = 0) readonly buffer Input { uvec2 input_texels[]; };
layout(std430, set = 0, binding = 1) readonly buffer SecondInput { uvec2 second_input_texels[]; };

uvec4 load_input(Pass pass, uint index) {
    return unpack(input_texels[index]);
}

uvec4 load_second_input(Pass pass, uint index) {
    return unpack(second_input_texels[index]);
}
#endif
layout(std430, set = 0, binding = 2) writeonly buffer Output { uvec2 output_texels[]; };

#ifdef SHARED
#include "bloom/shared_tile.glsl"
#else
void load_tile(Pass pass, ivec2 corner) {}

uvec4 load_neighbour(Pass pass, ivec2 at) {
    return load_clamped(pass, at);
}
#endif

void main() {
    Pass pass = Pass(size, input_size, KIND, 0, 0, 0);
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * ivec2(WIDTH, HEIGHT);
    load_tile(pass, corner);

    // All rows are computed before the first is stored, because a compiler may not move a load ahead of a store that
    // might change what it reads. Invocations beyond the edge compute a texel at the edge and do not store it.
    ivec2 first = corner + ivec2(gl_LocalInvocationID.xy);
    uvec2 texels[ROWS];
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        texels[row] = pack(compute_texel(pass, min(first + ivec2(0, row * STEP), size - 1)));
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = first + ivec2(0, row * STEP);
        if (all(lessThan(at, size))) {
            output_texels[index_of(at, size)] = texels[row];
        }
    }
}
