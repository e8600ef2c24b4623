#version 460
#extension GL_EXT_control_flow_attributes : require
// Modules: SCALAR|-

// A workgroup walks through a volume whose cells are in Morton order, so that an address takes dozens of integer
// operations. From the number of the workgroup (SCALAR) a scalar unit computes it once for all lanes, and loads the cell
// for all of them. From the numbers of the invocations a compiler does not see that all lanes have the same cell.

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint ACROSS = 16u; // workgroups in a row
layout(constant_id = 2) const uint SIDE = 32u;   // cells along an axis, a power of two
layout(constant_id = 3) const uint WORDS = 16u;  // of a cell
layout(constant_id = 4) const uint TURNS = 16u;

layout(set = 0, binding = 0, std430) readonly buffer Cells { uint cells[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Results { uint results[]; };

// Moves bit i to bit 3 i.
uint spread(uint x) {
    x = (x | x << 8u) & 0x0300f00fu;
    x = (x | x << 4u) & 0x030c30c3u;
    return (x | x << 2u) & 0x09249249u;
}

void main() {
#ifdef SCALAR
    uint workgroup = gl_WorkGroupID.x;
#else
    uint workgroup = gl_GlobalInvocationID.x / gl_WorkGroupSize.x;
#endif
    uvec3 start = uvec3(workgroup % ACROSS, workgroup / ACROSS, 0u);
    uint x = gl_GlobalInvocationID.x;
    [[dont_unroll]] for (uint turn = 0u; turn < TURNS; ++turn) {
        uvec3 cell = (start + turn) % SIDE;
        uint first = WORDS * (spread(cell.x) | spread(cell.y) << 1u | spread(cell.z) << 2u);
        [[unroll]] for (uint i = 0u; i < WORDS; ++i) {
            x = (x << 5u | x >> 27u) + cells[first + i];
        }
    }
    results[gl_GlobalInvocationID.x] = x;
}
