/* libkeel.so, where it is in the process: it comes with the program, or by LD_PRELOAD.
 *
 *   lender.c, work.c, identity.c, events.c -> [libkeel] ->
 * omp_ext/lending/lending.h */
#ifndef MPI_BACKEND_PROCESS_LIBKEEL_H
#define MPI_BACKEND_PROCESS_LIBKEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keel_lending;

/* What libkeel.so does for this library; NULL: it is not there, or the two know no common version
 * of lending.h. Any thread. */
const struct keel_lending *keel_mpi_libkeel(void);

/* Whether it is in the process, of whatever version. */
bool keel_mpi_libkeel_is_there(void);

/* Writes the name of the loop that starts there into text[size]: "mandel.c:42 (render)", or its
 * place in its module. caller, outlined: as in omp_ext/lending/lending.h. */
void keel_mpi_libkeel_loop_name(const void *caller, void (*outlined)(void *), char *text,
                                size_t size);

/* The newest version by which the one in the process lends loops. */
uint32_t keel_mpi_libkeel_version(void);

#endif
