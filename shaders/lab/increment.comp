#version 460

// One more than the texel that was read: the smallest kernel that a hazard, or a first sample, needs.

layout(local_size_x = 8, local_size_y = 8) in;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D from;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D to;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(to)))) {
        return;
    }
    imageStore(to, at, imageLoad(from, at) + 1u);
}
