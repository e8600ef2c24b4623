#version 460

// The shortest pixel shader: it writes the same number for all pixels.

layout(push_constant) uniform Push {
    uint layer;
};

layout(location = 0) out uint drawn;

void main() {
    drawn = layer;
}
