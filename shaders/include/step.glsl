#ifndef STEP_GLSL
#define STEP_GLSL

// Arithmetic of a known length: an item is a word, and a step is a bijection that no compiler merges with the next
// one. MULTIPLIER is odd; samples/src/steps.rs has the same formulas.
const uint MULTIPLIER = 0x9E3779B1u;

// Never 0 for as many items as a buffer holds.
uint first(uint item) {
    return (item + 1u) * MULTIPLIER;
}

uint stepped(uint value, uint multiplier) {
    return (value ^ value >> 15) * multiplier;
}

// Number of a workgroup in a grid of two dimensions: a device need not take more than 65,535 workgroups in a row.
uint in_line(uvec3 group, uvec3 groups) {
    return group.y * groups.x + group.x;
}

#endif
