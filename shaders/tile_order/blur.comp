#version 460
// Modules: -

// Sums of nine texels of a row or a column. A workgroup has a tile of 8x8 texels.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int AXIS = 0; // of the sum: 0 along rows, 1 along columns
// The order in which workgroups take tiles: row by row, column by column, or row by row from the last one.
layout(constant_id = 3) const uint ORDER = 0u;
// Workgroups of 64x1, whose invocations form quads.
layout(constant_id = 4) const bool IS_REMAPPED = false;

layout(push_constant) uniform Size { ivec2 size; };

// Texels of 16 bytes in buffers: a texture unit returns too few of them to wait for the memory.
layout(set = 0, binding = 0, std430) readonly buffer From { uvec4 from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uvec4 to[]; };

const uint BY_COLUMN = 1u, BACKWARDS = 2u;
const int RADIUS = 4;

uvec2 tile() {
    uvec2 id = gl_WorkGroupID.xy;
    return ORDER == BY_COLUMN ? id.yx : ORDER == BACKWARDS ? gl_NumWorkGroups.xy - 1u - id : id;
}

// Of a workgroup of 64x1, by the even and the odd bits of its number.
uvec2 remapped(uint i) {
    return uvec2(i & 1u | i >> 1 & 2u | i >> 2 & 4u, i >> 1 & 1u | i >> 2 & 2u | i >> 3 & 4u);
}

void main() {
    uvec2 within = IS_REMAPPED ? remapped(gl_LocalInvocationID.x) : gl_LocalInvocationID.xy;
    ivec2 at = ivec2(8u * tile() + within);
    if (any(greaterThanEqual(at, size))) {
        return;
    }
    // No conditional expression: lavapipe 22.3 selects no vector by a constant.
    ivec2 axis = ivec2(1 - AXIS, AXIS);
    uvec4 sum = uvec4(0u);
    for (int i = -RADIUS; i <= RADIUS; i++) {
        ivec2 tap = clamp(at + i * axis, ivec2(0), size - 1);
        sum += from[tap.y * size.x + tap.x];
    }
    to[at.y * size.x + at.x] = sum;
}
