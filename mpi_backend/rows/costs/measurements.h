/* Measurements: what a rank sends about itself for the decision which rows move.
 *
 *   own_measurements.c -> [measurements of each rank] ~~> all ranks' -> summary -> rows_decision.c
 *
 * No MPI, so that programs that measure or model messages can take their sizes from here. */
#ifndef MPI_BACKEND_ROWS_COSTS_MEASUREMENTS_H
#define MPI_BACKEND_ROWS_COSTS_MEASUREMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "mpi_backend/rows/rows_constants.h"

/* All doubles, so that a message is an array of them. */
struct keel_mpi_measurements {
    double call;          /* number of the balance call at which they were taken */
    double work;          /* of own rows */
    double rate;          /* work per s, filtered; 0: not known */
    double measured_rate; /* since the measurements before, not filtered; 0: not known */
    double weighted;      /* 1: its rows were weighed */
    double elapsed_s;     /* since the first balance call */
    double span_s;        /* span for which the rate was measured */
    double busy_s;        /* computing in that span */
    double phase_s;       /* from one balance call to the next, on average */
    double movement_s;    /* time of the movement since the measurements before; 0: none */
    double item_bytes;    /* average bytes of the items of an own row */
    double last_call;  /* number of the last balance call, set by the program; INFINITY: unknown */
    double skew_calls; /* balance calls from the first rank of a sweep to the last; 0: none */
    /* Of weights that are computed from times of loops (costs/row_costs.h): */
    double weights_set;  /* 1: weights of its rows are set by the program, and not measured */
    double measured;     /* 1: rows of some rank have such weights */
    double timed;        /* 1: its loops over rows are timed */
    double in_sweep;     /* 1: taken within a sweep: rows are not weighed */
    double unit;         /* present value of what was 1 in the measurements before; 1: no change */
    double phase_busy_s; /* computing in a phase since rows moved; 0: not known */
    double speed;        /* weight per s of its rows when their times were last measured; 0: they
                            were not */
    double low, high;    /* weight of a row at either end of its rows; 0: not known */
    double rough;        /* mean square of differences of log weights along them */
    double shift[2], trust[2]; /* of rows that came from lower and higher ranks (row_weights.h) */
};

/* Doubles in a message of measurements. */
#define KEEL_MPI_MEASUREMENTS (sizeof(struct keel_mpi_measurements) / sizeof(double))

/* Summary of the measurements of all ranks. */
struct keel_mpi_measurements_summary {
    /* the maxima of all ranks */
    double span_s, busy_s, phase_s, movement_s, item_bytes, skew_calls;
    double work;                /* of all ranks */
    double last_call;           /* the earliest */
    bool weighted;              /* rows of some rank were weighed, */
    bool weights_set, measured; /* by the program; from times of loops */
    bool timed;                 /* loops of some rank are timed */
    bool in_sweep;              /* ranks may be some balance calls apart */
    bool differ;                /* measurements are of different balance calls */
};

/* ranks >= 1. Pure. */
struct keel_mpi_measurements_summary
keel_mpi_measurements_of_all(const struct keel_mpi_measurements *measurements, uint32_t ranks);

/* --- phases ---
 *
 * The rate of a rank, from the phases between two exchanges of measurements.
 *
 *   the balance call: time of computing, work -> [phases] -> rate -> learn.h
 *
 * A phase lies between two points where ranks wait for each other: exchanges of halos, or balance
 * calls in programs without halos. If other processes compete for the processor, a rank runs for a
 * quantum and then waits for one. If phases are shorter, the rank has its full speed in most of
 * them, and is slow in those in which it was interrupted, by about the same time whatever rows it
 * has: moving rows does not help (round-robin scheduling, PAPERS.md S17), and makes the other
 * phases longer. So interrupted phases are left out. Pure. */

/* Begins as {0}. If there are more phases, every stride-th is kept. */
struct keel_mpi_phases {
    unsigned count;         /* below KEEL_MPI_PHASES */
    uint64_t stride, since; /* phases per one that is kept, 0: 1; phases since the last */
    double work[KEEL_MPI_PHASES], busy_s[KEEL_MPI_PHASES];
};

/* Records a phase in which `work` took `busy_s` of computing; ignored unless both are > 0. */
void keel_mpi_phases_note(struct keel_mpi_phases *phases, double work, double busy_s);

/* The unit of work changes: multiplies all recorded work by `factor`. */
void keel_mpi_phases_scale(struct keel_mpi_phases *phases, double factor);

/* Returns work per s; 0: not known. If phases take at least quantum_s on average, it is all work /
 * all time. */
double keel_mpi_phases_rate(const struct keel_mpi_phases *phases, double quantum_s);

#endif
