#version 460
// Modules: FORMAT=r8|FORMAT=rgba8|FORMAT=rgba16f

// Clears an image to zero.

layout(local_size_x_id = 0, local_size_y_id = 1) in;

layout(push_constant) uniform Push {
    ivec2 size;
};

layout(set = 0, binding = 0, FORMAT) uniform writeonly image2D cleared;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, size))) {
        imageStore(cleared, at, vec4(0.0));
    }
}
