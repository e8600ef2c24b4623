#version 460

// Two dispatches of this in turn, A to B and B to A, without a barrier are a hazard that
// synchronization validation must report. Where it does not, its silence elsewhere proves nothing.

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D from;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D to;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(to, at, imageLoad(from, at) + 1u);
}
