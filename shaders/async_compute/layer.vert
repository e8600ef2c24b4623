#version 460

// A triangle that covers the viewport, in front of all layers before it, without vertex buffers.

// Depths are multiples of this part, which a float holds exactly.
const float NEARER = 1.0 / 64.0;

layout(push_constant) uniform Push {
    uint layer; // from 1 on
};

void main() {
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(4.0 * corner - 1.0, 1.0 - NEARER * float(layer), 1.0);
}
