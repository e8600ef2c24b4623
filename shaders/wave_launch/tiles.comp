#version 460
#extension GL_GOOGLE_include_directive : require
// Only unrolled loops keep constants in registers.
#extension GL_EXT_control_flow_attributes : require
#include "include/step.glsl"

// A short shader: it loads its constants, loads an item, computes a step with each constant and stores. A workgroup
// does this for one tile after another, or for one only where there are as many workgroups as tiles.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint CONSTANTS = 8;
// Load the constants again for each tile, as a launch of a workgroup per tile does.
layout(constant_id = 2) const bool LOADS_EACH_TILE = false;

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

// The first entry says where the constants begin, so that their fetch depends on another one.
void load_constants(uint entry) {
    uint begin = table[entry].x;
    [[unroll]] for (uint i = 0u; i < CONSTANTS; ++i) {
        constants[i] = table[begin + i].x;
    }
}

void main() {
    uint workgroup = in_line(gl_WorkGroupID, gl_NumWorkGroups);
    if (workgroup >= workgroups) {
        return;
    }
    if (!LOADS_EACH_TILE) {
        load_constants(zero);
    }
    for (uint tile = workgroup; tile < tiles; tile += workgroups) {
        if (LOADS_EACH_TILE) {
            load_constants(tile * zero); // an index that depends on the tile: the load stays in the loop
        }
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
