/* What loops of a job have shown: one record per place in the program, the same on all ranks.
 *
 *   figures of all ranks, at the end of a loop -> [record] -> blocks, weights, parameters of the
 *                                                              next instance */
#ifndef MPI_BACKEND_LOOP_STATE_RECORD_H
#define MPI_BACKEND_LOOP_STATE_RECORD_H

#include <stdbool.h>

#include "schedules/learn/blocks.h"
#include "schedules/learn/sample.h"
#include "schedules/loop/schedule.h"

#define KEEL_MPI_IDENTITY_SCHEDULE 24

/* The loop that a rank runs, as other ranks see it; for a message where ranks run different
 * ones. */
struct keel_mpi_loop_identity {
    uint64_t check; /* equal for equal loops; 0: it came with none */
    uint64_t iterations;
    uint64_t caller, outlined; /* where the loop starts in its module; 0: not known */
    uint32_t module;           /* equal for equal names of the module */
    int32_t code;              /* KEEL_MPI_..., why it has no loop to share */
    char schedule[KEEL_MPI_IDENTITY_SCHEDULE]; /* that ranks share it by, shortened */
};

/* One rank's part in one loop, as the others get to know it. It travels as it lies in memory. */
struct keel_mpi_rank_figures {
    double executed;     /* iterations */
    double busy_ns;      /* time in them, summed over the threads */
    double threads;      /* that have taken any */
    double variance_ns2; /* of iteration times */
    double overhead_ns;  /* mean time to get a chunk; 0: not known */
    double ran_last;     /* 1: it ran the last iteration */
    double cancelled;    /* 1: the loop ended early on it */
    struct keel_mpi_loop_identity identity;
};

struct keel_mpi_record {
    struct keel_mpi_record *next;
    uintptr_t site;
    uint64_t grain; /* what is called iterations here are units of so many */
    uint32_t ranks;
    struct keel_mpi_loop_identity place; /* its module and addresses alone, see agreement.c */
    uint64_t instances;
    struct keel_blocks *balance;
    double mean_ns, deviation_ns, overhead_ns; /* of iterations and chunks; 0: not known */
    struct keel_sample sample[];               /* of each rank */
};

/* The record of that place for loops of that grain, made on first sight; NULL: no memory, or too
 * many. */
struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks);

/* Takes in how an instance of `iterations` went on all ranks. Returns what becomes of the blocks of
 * the next one. */
enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_rank_figures *figures);

/* Completes the parameters that a schedule wants to be measured; false: they are not known yet. */
bool keel_mpi_record_complete(const struct keel_mpi_record *record, struct keel_spec *spec);

void keel_mpi_record_free_all(struct keel_mpi_record *records);

#endif
