/* Whether a load on its machine leaves a process next to nothing: its threads want a processor all
 * the time, and get none. One that waits for others looks the same where many programs run: it
 * needs little, and stands in a queue for it most of the time. But it gives the processor up soon,
 * by a sleep or a yield, again and again; one that computes goes on until it is taken away.
 *
 * Pure. */
#ifndef MPI_BACKEND_JOB_PROCESSES_STARVING_H
#define MPI_BACKEND_JOB_PROCESSES_STARVING_H

#include <stdbool.h>
#include <stdint.h>

#define KEEL_MPI_STARVING_SHARE 0.005 /* of one processor: what is next to nothing */
#define KEEL_MPI_STARVING_LOOKS 8     /* the fewest that tell */
#define KEEL_MPI_STARVING_RUN_S 5e-4  /* kernels give longer to who computes */

/* What a process has of processors. */
struct keel_mpi_processor {
    double had_s;
    uint64_t runs; /* how often one of its threads has had one, and had it no more */
    bool wants;    /* a thread runs, or waits for one */
};

/* All zero at first. */
struct keel_mpi_starving {
    double began_s;                   /* the time in which it may have been so; at its beginning: */
    struct keel_mpi_processor before; /* what the process had had */
    unsigned looks;                   /* in it */
};

/* At a time, in seconds from anywhere, the process has had that since it began. True: for limit_s
 * seconds it wanted a processor at each look, got less than KEEL_MPI_STARVING_SHARE of that time,
 * and had it for less than KEEL_MPI_STARVING_RUN_S at a time no more often than at every other
 * look. */
bool keel_mpi_starving_look(struct keel_mpi_starving *starving, double time_s,
                            struct keel_mpi_processor now, double limit_s);

#endif
