#version 460
// Modules: LOADED_ANEW|-
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep constants in registers.
#extension GL_EXT_control_flow_attributes : require
#include "drain_fill/step.glsl"

// A short shader over tiles: it looks up where its constants are, loads them, reads an item, does a step
// with each, and stores. A workgroup takes every so manieth tile, each where the launch of as many
// workgroups as tiles gives it one.

layout(constant_id = 1) const uint CONSTANTS = 8;

layout(local_size_x_id = 0) in;

layout(push_constant) uniform Push {
    uint items;
    uint tiles;
    uint workgroups;
    uint zero; // always 0, which no compiler knows
};

layout(std140, set = 0, binding = 0) uniform Table { uvec4 table[1 + CONSTANTS]; };
layout(std430, set = 0, binding = 1) restrict readonly buffer Items { uint values[]; };
layout(std430, set = 0, binding = 2) restrict writeonly buffer Results { uint results[]; };

uint constants[CONSTANTS];

void load_constants(uint where) {
    uint begin = table[where].x;
    [[unroll]] for (uint i = 0u; i < CONSTANTS; ++i) {
        constants[i] = table[begin + i].x;
    }
}

void main() {
    uint workgroup = in_line(gl_WorkGroupID, gl_NumWorkGroups);
    if (workgroup >= workgroups) {
        return;
    }
#ifndef LOADED_ANEW
    load_constants(zero);
#endif
    for (uint tile = workgroup; tile < tiles; tile += workgroups) {
#ifdef LOADED_ANEW
        // As if each tile had others.
        load_constants(tile * zero);
#endif
        uint item = tile * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
        if (item < items) {
            uint value = values[item];
            [[unroll]] for (uint i = 0u; i < CONSTANTS; ++i) {
                value = stepped(value, constants[i]);
            }
            results[item] = value;
        }
    }
}
