/* What loops of a job have shown: one record per place in the program, the same on all ranks.
 *
 *   summary of all ranks, at the end of a loop -> [record] -> parameters of the next instance
 *   parts of the ranks, of schedules that learn --^      \--> blocks, weights of the next instance
 * */
#ifndef MPI_BACKEND_LOOP_STATE_RECORD_H
#define MPI_BACKEND_LOOP_STATE_RECORD_H

#include <stdbool.h>

#include "mpi_backend/loop/state/summary.h"
#include "schedules/learn/blocks.h"
#include "schedules/learn/sample.h"
#include "schedules/loop/schedule.h"

/* What is learned of each rank by itself, where the schedule among ranks asks for it. It travels as
 * it lies in memory. */
struct keel_mpi_rank_part {
    double executed;  /* iterations; 0: its time was not measured */
    double worker_ns; /* the rank's time as one worker: that of its threads side by side */
};

struct keel_mpi_record {
    struct keel_mpi_record *next;
    uintptr_t site;
    uint64_t grain; /* what is called iterations here are units of so many */
    uint32_t ranks;
    struct keel_mpi_loop_identity place;       /* its module and addresses alone, see agreement.c */
    uint64_t instances;                        /* that blocks and weights have been learned from */
    struct keel_blocks *balance;               /* NULL: of none yet */
    double mean_ns, deviation_ns, overhead_ns; /* of iterations and chunks; 0: not known */
    struct keel_sample *sample;                /* of each rank; NULL: likewise */
};

/* The record of that place for loops of that grain, made on first sight; NULL: no memory, or too
 * many. */
struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks);

/* Takes in what an instance has cost on all ranks together. */
void keel_mpi_record_note(struct keel_mpi_record *record, const struct keel_mpi_summary *summary);

/* What others learn of a rank by itself. */
struct keel_mpi_rank_part keel_mpi_record_part(const struct keel_mpi_rank_figures *figures);

/* Takes in how an instance of `iterations` went on each rank. Returns what becomes of the blocks of
 * the next one. */
enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_rank_part *part);

/* Completes the parameters that a schedule wants to be measured; false: they are not known yet. */
bool keel_mpi_record_complete(const struct keel_mpi_record *record, struct keel_spec *spec);

void keel_mpi_record_free_all(struct keel_mpi_record *records);

#endif
