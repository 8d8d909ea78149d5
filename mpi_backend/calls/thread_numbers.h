/* Whether a program can tell how many threads its teams have.
 *
 * A program that neither asks for thread numbers nor has data of its own for each thread computes
 * the same with teams of any size, one region after another. What it asks libraries for, and
 * thread-local data, stand in the tables by which the dynamic linker has loaded it. */
#ifndef MPI_BACKEND_CALLS_THREAD_NUMBERS_H
#define MPI_BACKEND_CALLS_THREAD_NUMBERS_H

#include <stdbool.h>

/* Looks at the program and at all its libraries that have OpenMP's regions. What they load later is
 * not seen. Waits for a thread that loads or unloads a library. */
bool keel_program_sees_thread_numbers(void);

#endif
