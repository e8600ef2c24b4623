#ifndef FRAME_GLSL
#define FRAME_GLSL

// Where an island stands in the world: a rotation by quarter turns and a translation. A sum has one term that is not 0
// beside the translation, so neither direction rounds more than once.

// A matrix, row by row. The fourth row is 0, 0, 0, 1: only homogeneous coordinates need it.
struct Frame {
    vec4 rows[4];
};

Frame frame_of(vec4 x, vec4 y, vec4 z) {
    return Frame(vec4[](x, y, z, vec4(0.0, 0.0, 0.0, 1.0)));
}

float along(vec4 row, vec3 at) {
    precise float sum = ((row.x * at.x + row.y * at.y) + row.z * at.z) + row.w;
    return sum;
}

float along(vec4 row, vec4 at) {
    precise float sum = ((row.x * at.x + row.y * at.y) + row.z * at.z) + row.w * at.w;
    return sum;
}

vec3 to_world(Frame frame, vec3 at) {
    return vec3(along(frame.rows[0], at), along(frame.rows[1], at), along(frame.rows[2], at));
}

vec4 to_world(Frame frame, vec4 at) {
    return vec4(along(frame.rows[0], at), along(frame.rows[1], at), along(frame.rows[2], at), along(frame.rows[3], at));
}

// The inverse of a rotation is its transpose.
vec3 to_local(Frame frame, vec3 world) {
    precise vec3 d = world - vec3(frame.rows[0].w, frame.rows[1].w, frame.rows[2].w);
    precise vec3 local = (frame.rows[0].xyz * d.x + frame.rows[1].xyz * d.y) + frame.rows[2].xyz * d.z;
    return local;
}

#endif
