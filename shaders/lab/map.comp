#version 460

// Counts where the words of a result differ from what was expected, in a grid of bins: the picture of
// a run's races. Runs behind the timed window, and only where the picture is asked for.

// Every Vulkan device has workgroups of 128.
layout(local_size_x = 128) in;

layout(push_constant) uniform Push {
    uint width; // of the image
    uint height;
    uint columns; // of bins
    uint rows;
};

layout(std430, set = 0, binding = 0) readonly buffer Expected { uint expected[]; };
layout(std430, set = 0, binding = 1) readonly buffer Actual { uint actual[]; };
// How often a texel of each bin differed, summed over all samples.
layout(std430, set = 0, binding = 2) buffer Bins { uint bins[]; };

void main() {
    uint stride = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
    for (uint i = gl_GlobalInvocationID.x; i < width * height; i += stride) {
        if (expected[i] != actual[i]) {
            uvec2 at = uvec2(i % width, i / width) * uvec2(columns, rows) / uvec2(width, height);
            atomicAdd(bins[at.y * columns + at.x], 1);
        }
    }
}
