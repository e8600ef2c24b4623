#version 460
// Modules: -
// Untraced modules: TELL_PLACES
#extension GL_GOOGLE_include_directive : require
// Only an unrolled loop has the taps' offsets as constants, and many fetches under way at a time.
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
#include "swizzled_remap/remap.glsl"

// How open each pixel is to its surroundings: 255 where no tap stands above its surface. The formula is
// told in samples/src/bin/swizzled_remap/reference.rs. All is integers, so that the result is the same whichever lane has which
// pixel, which is all that the variants differ in.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
// Texels of a workgroup, which need not have the sides of its lanes.
layout(constant_id = 2) const uint AREA_X = 8;
layout(constant_id = 3) const uint AREA_Y = 8;
layout(constant_id = 14) const bool REMAPPED = false;
// Tiles of 8x8 below each other, as a power of two.
layout(constant_id = 4) const int ROW_BITS = 0;
layout(constant_id = 15) const bool IN_COLUMNS = false;
layout(constant_id = 5) const uint COLUMN_GROUPS = 1;
// Constants, so that a division by them takes a multiplication.
layout(constant_id = 6) const uint GRID_X = 1;
layout(constant_id = 7) const uint GRID_Y = 1;

#if defined TELL_PLACES
// In place of the work: where each lane of each workgroup stands.
layout(set = 0, binding = 0) writeonly buffer Places {
    uint places[]; // y above x, 16 bits each
};
#else
// From the eye to the image, in pixels.
layout(constant_id = 8) const int FOCAL = 1;
// Of the neighbourhood, in the unit of depth, and in pixels at the most.
layout(constant_id = 9) const int RADIUS = 1;
layout(constant_id = 10) const int MOST_PIXELS = 2;
// Height above the surface at which a tap begins to count, in FOCAL * 127 of the unit of depth, and what
// of it is cut off to have 255 for a whole one.
layout(constant_id = 11) const int BIAS = 0;
layout(constant_id = 12) const int HEIGHT_SHIFT = 0;
layout(constant_id = 13) const int FRACTION_BITS = 12;
layout(constant_id = 16) const int TAPS = 1;

layout(push_constant) uniform Push {
    ivec2 size;
};

layout(set = 0, binding = 0) uniform utexture2D depths;
layout(set = 0, binding = 1) uniform utexture2D normals;
layout(set = 0, binding = 2, r32ui) uniform writeonly uimage2D openness;

const int TURNS_SIDE = 4;
// Directions in which the pixels of a block of 4x4 turn the taps, and the taps: a spiral within a circle, both as
// long as 2^(FRACTION_BITS / 2).
layout(set = 0, binding = 3) uniform Directions {
    ivec4 turns[TURNS_SIDE * TURNS_SIDE];
    ivec4 spiral[TAPS];
};
#endif

// The texel of this lane. Vulkan does not say which local indices make a subgroup; the talk's order, like
// this one, takes for granted that consecutive ones do.
uvec2 place() {
    uvec2 cell = REMAPPED ? remap(gl_LocalInvocationIndex, ROW_BITS) : gl_LocalInvocationID.xy;
    uvec2 group = IN_COLUMNS ? in_columns(gl_WorkGroupID.xy, uvec2(GRID_X, GRID_Y), COLUMN_GROUPS)
                             : gl_WorkGroupID.xy;
    return group * uvec2(AREA_X, AREA_Y) + cell;
}

#if defined TELL_PLACES
void main() {
    uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
    uvec2 at = place();
    places[group * AREA_X * AREA_Y + gl_LocalInvocationIndex] = at.y << 16 | at.x;
}
#else
int depth_at(ivec2 at) {
    return int(texelFetch(depths, at, 0).r);
}

ivec3 normal_at(ivec2 at) {
    int bytes = int(texelFetch(normals, at, 0).r);
    return ivec3(bitfieldExtract(bytes, 0, 8), bitfieldExtract(bytes, 8, 8), bitfieldExtract(bytes, 16, 8));
}

uint open(ivec2 at) {
    int depth = depth_at(at);
    ivec3 normal = normal_at(at);
    // What lies at depth z behind a pixel stands z * (normal . ray) along the normal, where the ray is
    // (pixel - size / 2, FOCAL).
    int centre = FOCAL * normal.z - normal.x * (size.x / 2) - normal.y * (size.y / 2);
    // Both products may wrap (GLSL 4.60, 4.1.3); for a tap in range their difference does not.
    int surface = depth * (normal.x * at.x + normal.y * at.y + centre) + BIAS;
    int pixels = clamp(RADIUS * FOCAL / depth, 2, MOST_PIXELS);
    ivec2 turn = pixels * turns[at.y % TURNS_SIDE * TURNS_SIDE + at.x % TURNS_SIDE].xy;
    ivec2 from = (at << FRACTION_BITS) + (1 << (FRACTION_BITS - 1));
    int occluded = 0;
    [[unroll]] for (int i = 0; i < TAPS; ++i) {
        ivec2 tap = (from + spiral[i].x * turn + spiral[i].y * ivec2(-turn.y, turn.x)) >> FRACTION_BITS;
        tap = clamp(tap, ivec2(0), size - 1);
        int there = depth_at(tap);
        int height = there * (normal.x * tap.x + normal.y * tap.y + centre) - surface;
        // What stands far before or behind is another thing that happens to be seen beside it.
        occluded += abs(there - depth) < RADIUS ? clamp(height >> HEIGHT_SHIFT, 0, 255) : 0;
    }
    return 255 - occluded / TAPS;
}

void main() {
    ivec2 at = ivec2(place());
    if (all(lessThan(at, size))) {
        imageStore(openness, at, uvec4(open(at)));
    }
}
#endif
