#ifndef LAVAPIPE_GLSL
#define LAVAPIPE_GLSL

// lavapipe before Mesa 25 ends all loops of an invocation in silence after 65,535 turns together, while the workgroup that is
// waited for may be on a thread that the operating system has put aside for many milliseconds. So a poll takes long on a CPU:
// atomics, in a row and not in a loop, of a kind that no compiler merges. Before it comes the counter `timeouts`.

#define TWICE(x) x x
#define TIMES_64(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x))))))
void pause_on_cpu() {
    uint seen = 0;
    TIMES_64(seen |= atomicAdd(timeouts, 0u);)
    if (seen == 0xFFFFFFFFu) {
        atomicAdd(timeouts, 0u);
    }
}

#endif
