#version 460
// Only unrolled loops issue all loads before the first store.
#extension GL_EXT_control_flow_attributes : require

// The mean of 3x3 texels in buffers, without shared memory. An invocation loads four neighbours at once, and one to each
// side, which the caches hold. It does so for ROWS rows and the two around them.

layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(constant_id = 2) const int ROWS = 4;

layout(push_constant) uniform Push {
    ivec2 last; // column of four texels, and row
};

layout(std430, set = 0, binding = 0) readonly buffer From { vec4 from[]; };
layout(std430, set = 0, binding = 1) writeonly buffer To { vec4 to[]; };

int place(int x, int y) {
    return y * (last.x + 1) + x;
}

// The sums of three neighbours in a row, for four texels. Outside the image, the nearest texel inside.
vec4 row_sums(int x, int y) {
    int at = place(x, clamp(y, 0, last.y));
    vec4 four = from[at];
    float left = x > 0 ? from[at - 1].w : four.x;
    float right = x < last.x ? from[at + 1].x : four.w;
    float middle = four.y + four.z;
    return vec4(left + four.x + four.y, four.x + middle, middle + four.w, four.z + four.w + right);
}

void main() {
    int x = int(gl_GlobalInvocationID.x);
    int top = int(gl_GlobalInvocationID.y) * ROWS;
    if (x > last.x) {
        return;
    }
    vec4 sums[ROWS + 2];
    [[unroll]] for (int row = 0; row < ROWS + 2; ++row) {
        sums[row] = row_sums(x, top + row - 1);
    }
    [[unroll]] for (int row = 0; row < ROWS; ++row) {
        if (top + row <= last.y) {
            to[place(x, top + row)] = (sums[row] + sums[row + 1] + sums[row + 2]) * (1.0 / 9.0);
        }
    }
}
