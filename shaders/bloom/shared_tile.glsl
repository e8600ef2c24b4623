#ifndef BLOOM_SHARED_TILE_GLSL
#define BLOOM_SHARED_TILE_GLSL

// The neighbours of a workgroup's texels through shared memory, into which each is loaded once. Before it come
// formulas.glsl and GL_EXT_control_flow_attributes.

// Size of the region of the first input that a tile reads, per kind of pass.
const ivec2 REGION_X = ivec2(WIDTH + 2 * RADIUS, HEIGHT);
const ivec2 REGION_Y = ivec2(WIDTH, HEIGHT + 2 * RADIUS);
const ivec2 REGION_HALF = ivec2((WIDTH + 1) / 2 + 2, (HEIGHT + 1) / 2 + 2);
const int TEXELS_X = REGION_X.x * REGION_X.y;
const int TEXELS_Y = REGION_Y.x * REGION_Y.y;
const int TEXELS_HALF = REGION_HALF.x * REGION_HALF.y;
const int TEXELS_BLUR = TEXELS_X > TEXELS_Y ? TEXELS_X : TEXELS_Y;
const int MOST_TEXELS = TEXELS_BLUR > TEXELS_HALF ? TEXELS_BLUR : TEXELS_HALF;
const int LOADS = (MOST_TEXELS + int(INVOCATIONS) - 1) / int(INVOCATIONS);

shared uvec2 region[MOST_TEXELS];
ivec2 region_corner;
int region_width;

// All loads come before the first store to shared memory, and their number is constant, so that they are in flight
// together.
void load_region(Pass pass, ivec2 corner, ivec2 sides) {
    region_corner = corner;
    region_width = sides.x;
    uvec2 loaded[LOADS];
    [[unroll]] for (int i = 0; i < LOADS; ++i) {
        int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
        if (at < sides.x * sides.y) {
            loaded[i] = pack(load_clamped(pass, corner + ivec2(at % sides.x, at / sides.x)));
        }
    }
    [[unroll]] for (int i = 0; i < LOADS; ++i) {
        int at = int(gl_LocalInvocationIndex) + i * int(INVOCATIONS);
        if (at < sides.x * sides.y) {
            region[at] = loaded[i];
        }
    }
    barrier();
}

void load_tile(Pass pass, ivec2 corner) {
    switch (pass.kind) {
    case BLUR_X:
        load_region(pass, corner - ivec2(RADIUS, 0), REGION_X);
        break;
    case BLUR_Y:
        load_region(pass, corner - ivec2(0, RADIUS), REGION_Y);
        break;
    case UP_SAMPLE:
    case COMPOSITE:
        load_region(pass, (corner >> 1) - 1, REGION_HALF);
        break;
    default: // no texel is read twice
        break;
    }
}

uvec4 load_neighbour(Pass pass, ivec2 at) {
    at -= region_corner;
    return unpack(region[at.y * region_width + at.x]);
}

#endif
