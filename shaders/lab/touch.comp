#version 460

// Does next to nothing: what runs before the timed window where no clock is read.

layout(local_size_x = 1) in;

layout(std430, set = 0, binding = 0) writeonly buffer Touched {
    uint touched;
};

void main() {
    touched = 1;
}
