#version 460
// Modules: -
#extension GL_EXT_shader_realtime_clock : require

// A workgroup that writes timestamps when it begins and ends.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint AT = 0u;

layout(push_constant) uniform Push {
    uint more; // what is added to each result
};

// The clock (low and high word).
layout(set = 0, binding = 0, std430) writeonly buffer Notes { uvec2 notes[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uint results[]; };

void main() {
    uvec2 began = clockRealtime2x32EXT();
    uint self = gl_LocalInvocationIndex;
    results[self] = 3u * self + more;
    barrier();
    if (self == 0u) {
        notes[AT] = began;
        notes[AT + 1u] = clockRealtime2x32EXT();
    }
}
