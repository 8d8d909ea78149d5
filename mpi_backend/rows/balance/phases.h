/* How fast a rank is in a phase, from those between two exchanges of figures.
 *
 *   the hook: time of computing, work -> [phases] -> rate -> rate_filter.h
 *
 * A phase is what lies between two times that ranks wait for each other: exchanges of halos, or
 * hooks where a program has none of these. Where others want the processor, a rank has it for a
 * quantum and then waits for one. In phases that are shorter, it is as fast as ever in most, and
 * slow in those in which it was interrupted, by about as much whatever rows it has: moving rows
 * does not help (round-robin scheduling, PAPERS.md S17), and makes the other phases longer. So
 * these are left out. Pure. */
#ifndef MPI_BACKEND_ROWS_BALANCE_PHASES_H
#define MPI_BACKEND_ROWS_BALANCE_PHASES_H

#include <stdint.h>

#define KEEL_MPI_PHASES 64

/* A phase that took so many times what most of them did was interrupted. */
#define KEEL_MPI_PHASES_INTERRUPTED 4.0

/* Begins as {0}. Where there are more phases, every so-many-th is kept. */
struct keel_mpi_phases {
    unsigned count;         /* below KEEL_MPI_PHASES */
    uint64_t stride, since; /* phases for one that is kept, and since the last; 0: 1 */
    double work[KEEL_MPI_PHASES], busy_s[KEEL_MPI_PHASES];
};

/* Notes a phase in which `work` took `busy_s` of computing; either not > 0: ignored. */
void keel_mpi_phases_note(struct keel_mpi_phases *phases, double work, double busy_s);

/* The unit of work is another one from now on: all that was noted counts `factor` times. */
void keel_mpi_phases_scale(struct keel_mpi_phases *phases, double factor);

/* Work per s; 0: not known. In phases that last as long as a quantum or longer, on average, it is
 * all work in all time. */
double keel_mpi_phases_rate(const struct keel_mpi_phases *phases, double quantum_s);

#endif
