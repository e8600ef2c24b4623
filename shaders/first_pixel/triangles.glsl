#ifndef TRIANGLES_GLSL
#define TRIANGLES_GLSL
#extension GL_EXT_shader_realtime_clock : require

// Right triangles of the same size in cells of a square grid, whose shaders note when their waves begin.

layout(constant_id = 1) const uint TRIANGLES = 1u;
layout(constant_id = 2) const uint WIDTH = 1024u; // of the target in pixels, a power of two
layout(constant_id = 3) const uint SIDE = 3u;     // of a cell in pixels
layout(constant_id = 4) const uint LOADS = 0u;    // of each vertex, each with the address from the one before

layout(constant_id = 5) const uint STEP = 64u;    // from one of these addresses to the next, in words

// The clock (low and high word): of each triangle's first vertex, then of the pixel in its corner.
layout(set = 0, binding = 0, std430) writeonly buffer Notes { uvec2 notes[]; };
// Words that are far apart, each the index of the next.
layout(set = 0, binding = 1, std430) readonly buffer Links { uint links[]; };

#endif
