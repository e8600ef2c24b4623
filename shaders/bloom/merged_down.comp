#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "bloom/formulas.glsl"
#include "bloom/merged.glsl"

// Threshold and all five down-samples. A workgroup computes each level from its own texels of the level before, which it
// keeps in shared memory.

// Texels of the first level along a side: two for each invocation.
const ivec2 SIDES = 2 * ivec2(WIDTH, STEP);
shared uvec2 level[SIDES.x * SIDES.y];

uvec2 scene(ivec2 at) {
    return input_texels[index_of(min(at, scene_size - 1), scene_size)];
}

void main() {
    ivec2 size = halved(scene_size);
    ivec2 corner = ivec2(gl_WorkGroupID.xy) * SIDES;
    ivec2 lane = ivec2(gl_LocalInvocationID.xy);
    // All loads come before the first store, because a compiler cannot move a load ahead of a store that might change
    // what it reads.
    uvec2 texels[16];
    [[unroll]] for (int i = 0; i < 16; ++i) {
        ivec2 at = corner + lane + ivec2(i / 4 % 2, i / 8) * ivec2(WIDTH, STEP);
        texels[i] = scene(2 * at + ivec2(i % 2, i / 2 % 2));
    }
    [[unroll]] for (int i = 0; i < 4; ++i) {
        uvec4 bright[4];
        [[unroll]] for (int n = 0; n < 4; ++n) {
            bright[n] = above_threshold(unpack(texels[4 * i + n]));
        }
        uvec2 texel = pack(mean_of_four(bright[0], bright[1], bright[2], bright[3]));
        ivec2 at = lane + ivec2(i % 2, i / 2) * ivec2(WIDTH, STEP);
        level[index_of(at, SIDES)] = texel;
        store(corner + at, size, begins[0], texel);
    }
    int own = int(gl_LocalInvocationIndex);
    [[unroll]] for (int n = 1; n < LEVELS; ++n) {
        ivec2 sides = SIDES >> n;
        ivec2 last = size - 1 - corner;
        size = halved(size);
        corner /= 2;
        ivec2 at = ivec2(own % sides.x, own / sides.x);
        bool has_texel = own < sides.x * sides.y;
        uvec2 texel;
        barrier();
        if (has_texel) {
            ivec2 first = min(2 * at, last);
            ivec2 second = min(2 * at + 1, last);
            texel = pack(mean_of_four(
                unpack(level[index_of(first, SIDES)]), unpack(level[index_of(ivec2(second.x, first.y), SIDES)]),
                unpack(level[index_of(ivec2(first.x, second.y), SIDES)]), unpack(level[index_of(second, SIDES)])));
            store(corner + at, size, begins[n], texel);
        }
        if (n + 1 < LEVELS) {
            barrier();
            if (has_texel) {
                level[index_of(at, SIDES)] = texel;
            }
        }
    }
}
