/* Whether a program can tell how many threads its teams have.
 *
 * A program that neither asks for thread numbers nor has data of its own for each thread computes
 * the same with teams of any size, one region after another. What it asks libraries for, and
 * thread-local data, stand in the tables by which the dynamic linker has loaded it. */
#ifndef MPI_BACKEND_CALLS_THREAD_NUMBERS_H
#define MPI_BACKEND_CALLS_THREAD_NUMBERS_H

#include <stdbool.h>

struct keel_team_use {
    bool sees_numbers; /* some object can tell */
    bool sets_sizes;   /* some object calls omp_set_num_threads() or its like */
};

/* Looks at the program and at all its libraries, but for those of the system, of compilers and of
 * MPI. What they load later is not seen. Waits for a thread that loads or unloads a library. */
struct keel_team_use keel_team_use_of_program(void);

#endif
