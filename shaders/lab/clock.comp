#version 460
#extension GL_EXT_shader_realtime_clock : require

// Reads the clock that traces are taken with: how long its tick is, the timestamps beside it tell.

layout(local_size_x = 1) in;

layout(std430, set = 0, binding = 0) writeonly buffer Clock {
    uvec2 ticks;
};

void main() {
    ticks = clockRealtime2x32EXT();
}
