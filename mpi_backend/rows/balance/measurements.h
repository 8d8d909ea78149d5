/* Measurements: what a rank sends about itself, so that it can be decided which rows move.
 *
 *   own_measurements.c -> [measurements of each rank] ~~> of all ranks -> sum_up -> rows_decision.c
 *
 * No MPI: sizes of messages are taken from here by what measures or models them. */
#ifndef MPI_BACKEND_ROWS_BALANCE_MEASUREMENTS_H
#define MPI_BACKEND_ROWS_BALANCE_MEASUREMENTS_H

#include <stdbool.h>
#include <stdint.h>

/* All doubles, so that a message is an array of them. */
struct keel_mpi_measurements {
    double call;          /* number of the balance call at which they were taken */
    double work;          /* of own rows */
    double rate;          /* work per s, filtered; 0: not known */
    double measured_rate; /* the same since the measurements before, not filtered; 0: not known */
    double weighted;      /* 1: its rows were weighed */
    double elapsed_s;     /* since the first balance call */
    double span_s;        /* for which the rate was measured */
    double busy_s;        /* computing in that span */
    double phase_s;       /* from one balance call to the next, on average */
    double movement_s; /* that the movement since the measurements before took; 0: there was none */
    double item_bytes; /* of items, in an own row, on average */
    double last_call;  /* number of the last balance call, as the program says; INFINITY: unknown */
    double skew_calls; /* in sweeps: balance calls from the first rank to the last one; else 0 */
    /* Of weights that follow from what loops have taken (costs/row_costs.h): */
    double told;         /* 1: the program has weighed its rows, nothing is measured */
    double measured;     /* 1: rows of some rank have got such weights */
    double watched;      /* 1: its loops over rows are timed */
    double in_sweep;     /* 1: these are of a balance call within a sweep: nothing is weighed */
    double unit;         /* what counts now that counted 1 in the measurements before; 1: as then */
    double phase_busy_s; /* computing in a phase since rows moved; 0: not known */
    double speed;        /* weight per s that its rows had by their times, when these were last
                            measured; 0: they were not */
    double low, high;    /* weight of a row at either end of its own; 0: not known */
    double rough;        /* mean square of differences of log weights along them */
    double shift[2], trust[2]; /* of rows that came from lower and higher ranks (row_weights.h) */
};

/* Doubles in a message of measurements. */
#define KEEL_MPI_MEASUREMENTS (sizeof(struct keel_mpi_measurements) / sizeof(double))

/* What the measurements of all ranks come to. */
struct keel_mpi_measurements_summary {
    /* the most of any rank */
    double span_s, busy_s, phase_s, movement_s, item_bytes, skew_calls;
    double work;         /* of all ranks */
    double last_call;    /* the soonest */
    bool weighted;       /* rows of some rank were weighed, */
    bool told, measured; /* by the program; by their times */
    bool watched;        /* loops of some rank are timed */
    bool in_sweep;       /* ranks may be some balance calls apart */
    bool differ;         /* measurements are of different balance calls */
};

/* ranks >= 1. Pure. */
struct keel_mpi_measurements_summary
keel_mpi_measurements_of_all(const struct keel_mpi_measurements *measurements, uint32_t ranks);

/* --- phases ---
 *
 * How fast a rank is in a phase, from those between two exchanges of measurements.
 *
 *   the balance call: time of computing, work -> [phases] -> rate -> learn.h
 *
 * A phase is what lies between two times that ranks wait for each other: exchanges of halos, or
 * balance calls where a program has none of these. Where others want the processor, a rank has it
 * for a quantum and then waits for one. In phases that are shorter, it is as fast as ever in most,
 * and slow in those in which it was interrupted, by about as much whatever rows it has: moving rows
 * does not help (round-robin scheduling, PAPERS.md S17), and makes the other phases longer. So
 * these are left out. Pure. */

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
