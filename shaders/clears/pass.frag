#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_samplerless_texture_functions : require
#include "clears/next.glsl"

// A pass as a pixel shader: the next generation of the texel behind the pixel.

layout(set = 0, binding = 0) uniform texture2D previous;
layout(location = 0) out vec4 next;

void main() {
    next = next_texel(texelFetch(previous, ivec2(gl_FragCoord.xy), 0));
}
