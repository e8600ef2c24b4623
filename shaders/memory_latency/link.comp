#version 460
// Untraced modules: -
#include "include/lines.glsl"

// Links the lines of one of four buffers, which a walk reads in turn: each line holds where the next buffer's line is.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint IS_LAST = 0u; // of the buffers: it leads to the next line of the first

layout(set = 0, binding = 0, std430) writeonly buffer Words { uint words[]; };

void main() {
    uint i = gl_GlobalInvocationID.y * gl_NumWorkGroups.x * gl_WorkGroupSize.x + gl_GlobalInvocationID.x;
    if (i < lines) {
        uint ahead = IS_LAST == 1u ? lines - 3u * AHEAD + 1u : AHEAD;
        words[word_of(i)] = word_of(i + ahead);
    }
}
