#version 460
#extension GL_GOOGLE_include_directive : require
#include "raster_or_compute/filter.glsl"

// The pass as a pixel shader.

layout(location = 0) out vec4 next;

void main() {
    next = filtered(ivec2(gl_FragCoord.xy));
}
