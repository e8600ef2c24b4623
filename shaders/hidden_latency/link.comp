#version 460
// Untraced modules: -
#include "include/lines.glsl"

// Links the lines of a buffer: each holds the word where the next line of the round begins.

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0, std430) writeonly buffer Words { uint words[]; };

void main() {
    uint i = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
    if (i < lines) {
        words[word_of(i)] = word_of(i + 1u);
    }
}
