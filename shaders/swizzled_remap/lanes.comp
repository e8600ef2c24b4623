#version 460
#extension GL_GOOGLE_include_directive : require

#include "remap.glsl"

// Writes down where the functions of remap.glsl put each lane of a workgroup and each workgroup of a
// grid, so that they can be compared with their twin.

layout(local_size_x = 1) in;

layout(push_constant) uniform Push {
    int row_bits;
    uint groups_x; // 0: lanes, else workgroups
    uint groups_y;
    uint columns;
};

layout(std430, set = 0, binding = 0) writeonly buffer Places { uint places[]; };

void main() {
    uint at = gl_WorkGroupID.x;
    uvec2 groups = uvec2(groups_x, groups_y);
    uvec2 place =
        groups_x == 0u ? remapped(at, row_bits) : walked(uvec2(at % groups.x, at / groups.x), groups, columns);
    places[at] = place.y << 16 | place.x;
}
