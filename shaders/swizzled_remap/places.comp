#version 460
// Untraced modules: -
#extension GL_GOOGLE_include_directive : require
#include "swizzled_remap/place.glsl"

// The proof that each lane of each workgroup has the texel that the CPU reference gives it.

layout(set = 0, binding = 0) writeonly buffer Places {
    uint places[]; // y above x, 16 bits each
};

void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uvec2 at = place();
    places[group * AREA_X * AREA_Y + gl_LocalInvocationIndex] = at.y << 16 | at.x;
}
