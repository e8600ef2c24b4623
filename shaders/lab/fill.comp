#version 460

// Gives each texel of a result a value that no pass stores. Runs before the timed window, for every sample.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 16, local_size_y = 8) in;

layout(push_constant) uniform Push {
    uint word;
};

layout(set = 0, binding = 0, r32ui) uniform writeonly uimage2D filled;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(filled)))) {
        imageStore(filled, at, uvec4(word));
    }
}
