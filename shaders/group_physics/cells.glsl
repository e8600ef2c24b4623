#ifndef CELLS_GLSL
#define CELLS_GLSL
#include "group_physics/constraint.glsl"

// A cell of a cloth: four particles with rows, columns and diagonals between them, which one thread projects in
// registers. Cells of a colour share no particle. There are four colours, by whether x and y of a cell's first particle
// are odd: cells of the first two have six constraints, of the others the two diagonals. samples/src/bin/group_physics/cells.rs sorts constraints into cells.

layout(constant_id = 1) const uint PARTICLES = 256;
// Particles in a row of the cloth.
layout(constant_id = 40) const uint SIDE = 16;
// Particles are numbered by whether x and y are odd: the first with odd x, with odd y, and with both odd.
layout(constant_id = 41) const uint ODD_X = 64;
layout(constant_id = 42) const uint ODD_Y = 128;
layout(constant_id = 43) const uint ODD_X_AND_Y = 192;

const uint COLOURS = 4u;
const uvec2 ODD[COLOURS] = uvec2[](uvec2(0, 0), uvec2(1, 1), uvec2(1, 0), uvec2(0, 1));
const uint COLUMNS = (SIDE + 1u) / 2u; // cells of a colour in a row
const uint CELLS = COLUMNS * COLUMNS;  // of a colour

// The constraints of a cell, two by two.
const uint PARTS = 3u; // rows, columns, diagonals
const uint ROW_PART = 0u;
const uint COLUMN_PART = 1u;
// Parts of all colours: the third has no columns, the fourth no rows.
const uint ALL_PARTS = 10u;

// Rest lengths and stiffness of two constraints, 16-bit floats; 0 for a constraint that does not exist. It moves nothing.
layout(set = 0, binding = 1, std430) readonly buffer Cells { uvec2 cells[]; };

uvec2 lengths_of(uint island, uint colour, uint part, uint cell) {
    if ((colour == 2u && part == COLUMN_PART) || (colour == 3u && part == ROW_PART)) {
        return uvec2(0u);
    }
    uint first = colour < 2u ? PARTS * colour : 2u * colour + 2u;
    uint before = colour < 2u ? part : colour == 2u ? min(part, 1u) : part - 1u;
    return cells[(island * ALL_PARTS + first + before) * CELLS + cell];
}

// Of a corner: from 0 to 2, counted from the particle with even x and y.
uvec2 steps_to(uint colour, uint corner) {
    return ODD[colour] + uvec2(corner & 1u, corner >> 1);
}

// Whether a cell at the border has this corner.
bool has_corner(uint cell, uint colour, uint corner) {
    uvec2 steps = steps_to(colour, corner);
    uvec2 place = uvec2(cell % COLUMNS, cell / COLUMNS);
    if (SIDE % 2u == 0u && PARTICLES == SIDE * SIDE) {
        return (steps.x < 2u || place.x + 1u < COLUMNS) && (steps.y < 2u || place.y + 1u < COLUMNS);
    }
    uvec2 at = 2u * place + steps;
    return at.x < SIDE && at.y * SIDE + at.x < PARTICLES;
}

// The particle at a corner. In a cloth with an even side it is the cell's number and a constant.
uint particle_at(uint cell, uint colour, uint corner) {
    uvec2 steps = steps_to(colour, corner);
    bool odd_x = (steps.x & 1u) != 0u;
    bool odd_y = (steps.y & 1u) != 0u;
    uint first = odd_y ? (odd_x ? ODD_X_AND_Y : ODD_Y) : (odd_x ? ODD_X : 0u);
    uint columns = odd_x ? SIDE / 2u : COLUMNS;
    uint number = columns == COLUMNS ? cell : cell / COLUMNS * columns + cell % COLUMNS;
    return first + number + steps.y / 2u * columns + steps.x / 2u;
}

void project(inout vec4 a, inout vec4 b, uint rest_and_stiffness) {
    precise vec3 d = a.xyz - b.xyz;
    float correction = correction_of(squared(d), a.w + b.w, unpackHalf2x16(rest_and_stiffness), false);
    precise vec3 moved_a = a.xyz - d * (correction * a.w);
    precise vec3 moved_b = b.xyz + d * (correction * b.w);
    a.xyz = moved_a;
    b.xyz = moved_b;
}

// Projects the constraints of a cell. `at` has x, y, z and the inverse mass of its corners, row by row. The two of a part
// share no particle, so that one fills the other's waits. Only rows and columns at a border are seldom there.
void solve(uint colour, inout vec4 at[4], uvec2 rows, uvec2 columns, uvec2 diagonals) {
    if (colour < 2u || (rows.x | rows.y) != 0u) {
        project(at[0], at[1], rows.x);
        project(at[2], at[3], rows.y);
    }
    if (colour < 2u || (columns.x | columns.y) != 0u) {
        project(at[0], at[2], columns.x);
        project(at[1], at[3], columns.y);
    }
    project(at[0], at[3], diagonals.x);
    project(at[1], at[2], diagonals.y);
}

#endif
