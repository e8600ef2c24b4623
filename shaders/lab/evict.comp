#version 460

// Reads a buffer larger than the caches, so that nothing else is left in them.

layout(local_size_x = 256) in;

layout(std430, set = 0, binding = 0) readonly buffer Large {
    uvec4 large[];
};
layout(std430, set = 0, binding = 1) writeonly buffer Sink {
    uint sink;
};

void main() {
    uvec4 seen = uvec4(0);
    uint all = uint(large.length());
    for (uint at = gl_GlobalInvocationID.x; at < all; at += gl_NumWorkGroups.x * gl_WorkGroupSize.x) {
        seen |= large[at];
    }
    // The buffer holds zeros: this keeps the loads and never stores.
    if (any(notEqual(seen, uvec4(0)))) {
        sink = 1;
    }
}
