#version 460
#extension GL_GOOGLE_include_directive : require
#include "first_pixel/triangles.glsl"

layout(location = 0) out flat uint triangle;

void main() {
    uvec2 began = clockRealtime2x32EXT();
    triangle = gl_VertexIndex / 3u;
    uint corner = gl_VertexIndex % 3u;
    uint columns = WIDTH / SIDE;
    uint link = 0u;
    for (uint i = 0u; i < LOADS; i++) {
        link = links[link];
    }
    // What was loaded moves nothing, which no compiler knows.
    vec2 cell = vec2(triangle % columns + (link - LOADS * STEP), triangle / columns);
    // Half a pixel more than the cell: no centre of a pixel is on an edge.
    vec2 at = cell * SIDE + vec2(corner == 1u, corner == 2u) * (SIDE + 0.5);
    gl_Position = vec4(at * 2.0 / WIDTH - 1.0, 0.0, 1.0);
    // A GPU may run the shader for vertices that are not drawn.
    if (corner == 0u && triangle < TRIANGLES) {
        notes[triangle] = began;
    }
}
