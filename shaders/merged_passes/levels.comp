#version 460
// Modules: ONE|-
#ifdef ONE
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
#endif

// Levels of a mip chain, each texel the mean of four of the level before. A workgroup reduces a tile of 64x64 texels by LEVELS levels:
// each invocation 4x4 texels in registers, then the workgroup in shared memory. With ONE level an invocation writes one texel.
//
// ONE dispatch for all levels: the last workgroup that ends reads what all of them wrote of the sixth level, and goes on. None waits.

layout(local_size_x = 16, local_size_y = 16) in;
layout(constant_id = 0) const uint LEVELS = 1u;

layout(push_constant) uniform Push {
    uint source; // word at which the level begins that is read
    uint side;   // its side
    uint target; // word at which the next level begins; the others follow
    uint rest;   // with ONE: levels behind the first LEVELS
};

// Texels row by row, four bytes each.
layout(set = 0, binding = 0, std430) readonly buffer Pairs { uvec2 pairs[]; };
layout(set = 0, binding = 0, std430) readonly buffer Quads { uvec4 quads[]; };
layout(set = 0, binding = 1, std430) buffer Levels { uint levels[]; };
#ifdef ONE
layout(set = 0, binding = 2, std430) buffer Ended { uint ended; };
#endif

shared uint tile[16][16];
shared bool is_last;

// Rounded, byte by byte.
uint mean(uint a, uint b, uint c, uint d) {
    const uint EVEN = 0x00FF00FFu;
    uint even = (a & EVEN) + (b & EVEN) + (c & EVEN) + (d & EVEN) + 0x00020002u;
    uint odd = (a >> 8 & EVEN) + (b >> 8 & EVEN) + (c >> 8 & EVEN) + (d >> 8 & EVEN) + 0x00020002u;
    return (even >> 2 & EVEN) | (odd >> 2 & EVEN) << 8;
}

// Two levels of 4x4 texels. Returns the texel of the second.
uint two_levels(uvec4 rows[4], uvec2 at, uint begin, uint width) {
    uvec2 upper = uvec2(mean(rows[0].x, rows[0].y, rows[1].x, rows[1].y), mean(rows[0].z, rows[0].w, rows[1].z, rows[1].w));
    uvec2 lower = uvec2(mean(rows[2].x, rows[2].y, rows[3].x, rows[3].y), mean(rows[2].z, rows[2].w, rows[3].z, rows[3].w));
    uint first = begin + 2u * (at.y * width + at.x);
    levels[first] = upper.x;
    levels[first + 1u] = upper.y;
    levels[first + width] = lower.x;
    levels[first + width + 1u] = lower.y;
    uint texel = mean(upper.x, upper.y, lower.x, lower.y);
    levels[begin + width * width + at.y * (width / 2u) + at.x] = texel;
    return texel;
}

// The levels from the third on, of which 16x16 texels of the second are in `tile`. `begin` and `width` are those of the second.
void more_levels(uint count, uvec2 group, uint begin, uint width) {
    uvec2 local = gl_LocalInvocationID.xy;
    uint sides = 16u;
    for (uint level = 3u; level <= count; level++) {
        begin += width * width;
        width /= 2u;
        sides /= 2u;
        uvec2 at = group * sides + local;
        bool writes = all(lessThan(local, uvec2(sides))) && all(lessThan(at, uvec2(width)));
        uint texel = 0u;
        barrier();
        if (writes) {
            uvec2 from = 2u * local;
            texel = mean(tile[from.y][from.x], tile[from.y][from.x + 1u], tile[from.y + 1u][from.x], tile[from.y + 1u][from.x + 1u]);
        }
        barrier();
        if (writes) {
            tile[local.y][local.x] = texel;
            uint word = begin + at.y * width + at.x;
#ifdef ONE
            if (level == LEVELS) { // for the last workgroup
                atomicStore(levels[word], texel, gl_ScopeDevice, 0, 0);
            } else
#endif
            {
                levels[word] = texel;
            }
        }
    }
}

void reduce() {
    uvec2 at = gl_GlobalInvocationID.xy, local = gl_LocalInvocationID.xy;
    uint width = side / 2u;
    if (all(lessThan(at, uvec2(side / 4u)))) {
        uvec4 rows[4];
        for (uint row = 0u; row < 4u; row++) {
            rows[row] = quads[(source + (4u * at.y + row) * side) / 4u + at.x];
        }
        tile[local.y][local.x] = two_levels(rows, at, target, width);
    }
    more_levels(LEVELS, gl_WorkGroupID.xy, target + width * width, width / 2u);
}

#ifdef ONE
// Begin of the level that is so many behind that at `begin` with this width.
uint behind(uint begin, uint width, uint count) {
    for (uint level = 0u; level < count; level++) {
        begin += width * width;
        width /= 2u;
    }
    return begin;
}

// What is left, by one workgroup.
void reduce_rest() {
    uvec2 local = gl_LocalInvocationID.xy;
    uint read = side >> LEVELS, from = behind(target, side / 2u, LEVELS - 1u), width = read / 2u;
    uint begin = from + read * read;
    if (all(lessThan(local, uvec2(read / 4u)))) {
        uvec4 rows[4];
        for (uint row = 0u; row < 4u; row++) {
            for (uint column = 0u; column < 4u; column++) {
                uint texel = from + (4u * local.y + row) * read + 4u * local.x + column;
                rows[row][column] = atomicLoad(levels[texel], gl_ScopeDevice, 0, 0);
            }
        }
        tile[local.y][local.x] = two_levels(rows, local, begin, width);
    }
    more_levels(rest, uvec2(0u), begin + width * width, width / 2u);
}
#endif

void main() {
    if (LEVELS == 1u) {
        uvec2 at = gl_GlobalInvocationID.xy;
        uint width = side / 2u;
        if (all(lessThan(at, uvec2(width)))) {
            uvec2 upper = pairs[(source + 2u * at.y * side) / 2u + at.x];
            uvec2 lower = pairs[(source + (2u * at.y + 1u) * side) / 2u + at.x];
            levels[target + at.y * width + at.x] = mean(upper.x, upper.y, lower.x, lower.y);
        }
        return;
    }
    reduce();
#ifdef ONE
    // The invocation that stored the workgroup's texel of the last level says so.
    if (gl_LocalInvocationIndex == 0u) {
        uint before = atomicAdd(ended, 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
        is_last = before + 1u == gl_NumWorkGroups.x * gl_NumWorkGroups.y;
        if (is_last) {
            memoryBarrier(gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
        }
    }
    // What it acquired the others read too.
    controlBarrier(
        gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared, gl_SemanticsAcquireRelease
    );
    if (is_last) {
        reduce_rest();
    }
#endif
}
