#version 460
#extension GL_EXT_samplerless_texture_functions : require

// A short pass that reads what the pass before it drew.

layout(set = 0, binding = 0) uniform utexture2D previous;
layout(location = 0) out uint next;

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    ivec2 beside = ivec2((at.x + 1) % textureSize(previous, 0).x, at.y);
    next = 3u * texelFetch(previous, at, 0).x + texelFetch(previous, beside, 0).x + 1u;
}
