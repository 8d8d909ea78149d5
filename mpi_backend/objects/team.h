/* A team of the program's OpenMP, without needing one: libgomp is used if it is in the process.
 *
 *   keel_mpi_team_run() -> schedule(runtime) loop, as GCC compiles it -> libkeel.so, libgomp
 */
#ifndef MPI_BACKEND_OBJECTS_TEAM_H
#define MPI_BACKEND_OBJECTS_TEAM_H

#include <stdint.h>

/* What threads of a team do. */
struct keel_mpi_team_work {
    void (*begin)(void *context); /* by each thread that comes */
    void (*item)(void *context);  /* once for each iteration, by several threads at a time */
    void (*done)(void *context);  /* by each thread that gets no more */
    void *context;
};

/* How many threads a team would have; 1: there is no OpenMP in the process, MPI is not initialised
 * for threads, or this is within a parallel region. */
uint32_t keel_mpi_team_size(void);

/* Runs `items` iterations in a team. The calling thread is one of it. */
void keel_mpi_team_run(const struct keel_mpi_team_work *work, uint64_t items);

#endif
