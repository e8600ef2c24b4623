#version 460
#extension GL_GOOGLE_include_directive : require
#include "chain/texel.glsl"

// Several passes of the chain without a word to other workgroups: a tile comes into shared memory with all that
// its passes read around it, and the border that is still right shrinks by the reach with each. Only the last of
// these passes is stored. Texels of the border are computed by several workgroups.

const int ACROSS = 32;
const int STEP = 8;
layout(local_size_x = 32, local_size_y = 8) in;
layout(constant_id = 0) const uint MULTIPLIER = 1;
// Length of the cross's arms in texels.
layout(constant_id = 1) const int RADIUS = 2;
// Passes of a dispatch.
layout(constant_id = 2) const int DEPTH = 1;
// Of a tile, in texels.
layout(constant_id = 3) const int SIDE = 32;

layout(set = 0, binding = 0, r32ui) uniform readonly uimage2D previous;
layout(set = 0, binding = 1, r32ui) uniform writeonly uimage2D next;

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
    ivec2 me = ivec2(gl_LocalInvocationID.xy);
    for (int y = me.y; y < PITCH; y += STEP) {
        for (int x = me.x; x < PITCH; x += ACROSS) {
            texels[y * PITCH + x] = imageLoad(previous, clamp(corner + ivec2(x, y), ivec2(0), last)).x;
        }
    }
    for (int pass = 0; pass < DEPTH; ++pass) {
        barrier();
        int from = (pass % 2) * AREA;
        int to = AREA - from;
        // What is still right, and within the image.
        int gone = (pass + 1) * RADIUS;
        ivec2 low = max(ivec2(gone), -corner);
        ivec2 high = min(ivec2(PITCH - 1 - gone), last - corner);
        for (int y = low.y + me.y; y <= high.y; y += STEP) {
            for (int x = low.x + me.x; x <= high.x; x += ACROSS) {
                uint texel = step_texel(from, ivec2(x, y), corner, last);
                if (pass + 1 < DEPTH) {
                    texels[to + y * PITCH + x] = texel;
                } else {
                    imageStore(next, corner + ivec2(x, y), uvec4(texel));
                }
            }
        }
    }
}
