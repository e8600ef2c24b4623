#version 460
#extension GL_GOOGLE_include_directive : require
#include "texel.glsl"

// Several passes of the chain without a word to other workgroups: a tile comes into shared memory with all that
// its passes read around it, and the border that is still right shrinks by the reach with each. Only the last of
// these passes is stored. Texels of the border are computed by several workgroups.

#ifndef DEPTH
// Length of the cross's arms in texels, passes of a dispatch, side of a tile in texels.
#define RADIUS 2
#define DEPTH 1
#define SIDE 32
#endif

layout(local_size_x = 32, local_size_y = 8) in;
layout(constant_id = 0) const uint MULTIPLIER = 1;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D previous;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D next;

const int INVOCATIONS = 32 * 8;
const int BORDER = DEPTH * RADIUS;
const int PITCH = SIDE + 2 * BORDER;
const int AREA = PITCH * PITCH;

// One generation and the next, in turn.
shared uint texels[2 * AREA];

uint step_texel(int from, ivec2 at, ivec2 corner, ivec2 last) {
    ivec2 low = -corner;
    ivec2 high = last - corner;
    int row = from + at.y * PITCH;
    Reads reads = first_read(texels[row + at.x]);
    for (int d = 1; d <= RADIUS; ++d) {
        read_next(reads, texels[row + max(at.x - d, low.x)], MULTIPLIER);
        read_next(reads, texels[row + min(at.x + d, high.x)], MULTIPLIER);
        read_next(reads, texels[from + max(at.y - d, low.y) * PITCH + at.x], MULTIPLIER);
        read_next(reads, texels[from + min(at.y + d, high.y) * PITCH + at.x], MULTIPLIER);
    }
    return next_generation(reads);
}

void main() {
    ivec2 last = imageSize(next) - 1;
    ivec2 origin = ivec2(gl_WorkGroupID.xy) * SIDE;
    ivec2 corner = origin - BORDER;
    for (int i = int(gl_LocalInvocationIndex); i < AREA; i += INVOCATIONS) {
        texels[i] = imageLoad(previous, clamp(corner + ivec2(i % PITCH, i / PITCH), ivec2(0), last)).x;
    }
    for (int pass = 0; pass < DEPTH; ++pass) {
        barrier();
        int from = (pass % 2) * AREA;
        int to = AREA - from;
        int gone = (pass + 1) * RADIUS;
        ivec2 sides = ivec2(SIDE + 2 * (BORDER - gone));
        for (int i = int(gl_LocalInvocationIndex); i < sides.x * sides.y; i += INVOCATIONS) {
            ivec2 at = gone + ivec2(i % sides.x, i / sides.x);
            ivec2 in_image = corner + at;
            if (any(lessThan(in_image, ivec2(0))) || any(greaterThan(in_image, last))) {
                continue;
            }
            uint texel = step_texel(from, at, corner, last);
            if (pass + 1 < DEPTH) {
                texels[to + at.y * PITCH + at.x] = texel;
            } else {
                imageStore(next, in_image, uvec4(texel));
            }
        }
    }
}
