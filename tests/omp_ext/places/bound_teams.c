/* Starts teams of 1 to 12 threads, and compares where libgomp has bound them with what Keel
 * expects; prints nothing if that is the same. Each team is the first of a process of its own:
 * where a team grows from one region to the next, libgomp 12 leaves its last thread where the first
 * one is, in some sizes. */
#include <omp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "omp_ext/machine/team_places.h"

enum { THREADS_MAX = 12 };

static void compare(int threads)
{
    uint64_t expected[THREADS_MAX];
    int seen[THREADS_MAX];

    keel_team_places_of((int)omp_get_proc_bind(), (uint64_t)omp_get_num_places(),
                        (uint64_t)omp_get_place_num(), (uint64_t)threads, expected);
#pragma omp parallel num_threads(threads)
    seen[omp_get_thread_num()] = omp_get_place_num();
    for (int i = 0; i < threads; i++) {
        if (seen[i] != (int)expected[i]) {
            printf("thread %d of %d is on place %d, not %d\n", i, threads, seen[i],
                   (int)expected[i]);
        }
    }
}

int main(void)
{
    if (omp_get_num_places() == 0) {
        printf("not bound\n");
        return 0;
    }
    for (int threads = 1; threads <= THREADS_MAX; threads++) {
        pid_t child = fork();
        if (child == 0) {
            compare(threads);
            return 0;
        }
        int status = -1;
        if (waitpid(child, &status, 0) != child || status != 0) {
            printf("a team of %d threads ended with status %d\n", threads, status);
        }
    }
    return 0;
}
