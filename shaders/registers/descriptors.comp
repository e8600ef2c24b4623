#version 460
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_samplerless_texture_functions : require
// Modules: BUFFERS|- ONE|-

// Adds up a word of each of 16 images or BUFFERS, or of 16 parts of ONE. On GCN the descriptor of an image takes eight
// scalar registers, and that of a buffer four.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint WIDTH = 64u; // of an image, which is square
layout(constant_id = 2) const uint TURNS = 4u;

layout(set = 0, binding = 0, std430) writeonly buffer Results { uint results[]; };
#ifdef BUFFERS
#define INPUT(i) layout(set = 0, binding = 1 + i, std430) readonly buffer Words##i { uint words##i[]; };
#define LOAD_OF(input, part) words##input[uint(part) * WIDTH * WIDTH + at.y * WIDTH + at.x]
#else
#define INPUT(i) layout(set = 0, binding = 1 + i) uniform utexture2D words##i;
#define LOAD_OF(input, part) texelFetch(words##input, ivec2(at.x, uint(part) * WIDTH + at.y), 0).x
#endif
INPUT(0)
#ifdef ONE
#define LOAD(i) LOAD_OF(0, i)
#else
INPUT(1) INPUT(2) INPUT(3) INPUT(4) INPUT(5) INPUT(6) INPUT(7) INPUT(8)
INPUT(9) INPUT(10) INPUT(11) INPUT(12) INPUT(13) INPUT(14) INPUT(15)
#define LOAD(i) LOAD_OF(i, 0)
#endif
#define ADD(i) sum = (sum << 1u | sum >> 31u) + LOAD(i);

void main() {
    uint sum = 0u;
    [[dont_unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
        uint texel = gl_GlobalInvocationID.x + turn;
        uvec2 at = uvec2(texel, texel / WIDTH) % WIDTH;
        ADD(0) ADD(1) ADD(2) ADD(3) ADD(4) ADD(5) ADD(6) ADD(7)
        ADD(8) ADD(9) ADD(10) ADD(11) ADD(12) ADD(13) ADD(14) ADD(15)
    }
    results[gl_GlobalInvocationID.x] = sum;
}
