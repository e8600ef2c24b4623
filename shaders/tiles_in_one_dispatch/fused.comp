#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "tiles_in_one_dispatch/shape.glsl"
#include "tiles_in_one_dispatch/region.glsl"

// DEPTH passes of the chain in one dispatch, of which only the last is stored. No workgroup waits for another.

layout(std430, set = 0, binding = 0) restrict readonly buffer Previous { uvec4 previous[]; };
layout(std430, set = 0, binding = 1) restrict writeonly buffer Next { uvec4 next[]; };

void main() {
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * TILE - BORDER;
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 at = inside_image(corner + my_place() + ivec2(0, row));
        mine[row] = previous[at.y * VECTORS + at.x];
    }
    step_region(corner);
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        ivec2 place = my_place() + ivec2(0, row);
        if (is_stored(place, corner)) {
            next[(corner.y + place.y) * VECTORS + corner.x + place.x] = mine[row];
        }
    }
}
