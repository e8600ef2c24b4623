#ifndef FRAME_GLSL
#define FRAME_GLSL

// Where an island stands in the world: a rotation by quarter turns and a translation, so that a sum has
// one term that is not 0 beside the translation, and neither way rounds more than once.

#ifdef NO_W
// The fourth row of the matrix is 0, 0, 0, 1 and the fourth component 1: neither is kept.
#define Point vec3
#define ROWS 3
#else
#define Point vec4
#define ROWS 4
#endif

struct Frame {
    vec4 rows[ROWS];
};

float along(vec4 row, vec3 at) {
    precise float sum = ((row.x * at.x + row.y * at.y) + row.z * at.z) + row.w;
    return sum;
}

float along(vec4 row, vec4 at) {
    precise float sum = ((row.x * at.x + row.y * at.y) + row.z * at.z) + row.w * at.w;
    return sum;
}

Point to_world(Frame frame, vec3 at) {
#ifdef NO_W
    return vec3(along(frame.rows[0], at), along(frame.rows[1], at), along(frame.rows[2], at));
#else
    vec4 h = vec4(at, 1.0);
    return vec4(along(frame.rows[0], h), along(frame.rows[1], h), along(frame.rows[2], h), along(frame.rows[3], h));
#endif
}

// A rotation's inverse is its transpose.
Point to_local(Frame frame, Point world) {
#ifdef NO_W
    precise vec3 d = world - vec3(frame.rows[0].w, frame.rows[1].w, frame.rows[2].w);
    precise vec3 local = (frame.rows[0].xyz * d.x + frame.rows[1].xyz * d.y) + frame.rows[2].xyz * d.z;
#else
    precise vec4 d = world - vec4(frame.rows[0].w, frame.rows[1].w, frame.rows[2].w, 0.0);
    precise vec4 local = (vec4(frame.rows[0].xyz, 0.0) * d.x + vec4(frame.rows[1].xyz, 0.0) * d.y) +
                         vec4(frame.rows[2].xyz, 0.0) * d.z;
#endif
    return local;
}

#endif
