/* Measurements of the loops of a job: one record per place in the program.
 *
 *   summary of all ranks, at the end of a loop -> [record] -> parameters of the next instance
 *   the rank's own time, of schedules that learn --^     \--> its block, its weight there
 *
 * Costs are the same on all ranks. Of single other ranks, a rank only knows the blocks of those on
 * its node: memory does not grow with the number of ranks. */
#ifndef MPI_BACKEND_LOOP_STATE_LOOP_RECORD_H
#define MPI_BACKEND_LOOP_STATE_LOOP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/learn/learn.h"
#include "schedules/loop/schedule.h"
#include "schedules/ranks/rate_share.h"

/* --- summaries ---
 *
 * Sums over the ranks of a job at the end of a shared loop.
 *
 *   measurements of a rank -> keel_mpi_summary_of() -> keel_mpi_summary_add() along a tree of ranks
 *                     -> the summary of all ranks, on each of them
 *
 * No MPI, and only memory of the caller. */

#define KEEL_MPI_IDENTITY_SCHEDULE 24

/* The loop that a rank runs, as other ranks see it; for a message if ranks run different ones. */
struct keel_mpi_loop_identity {
    uint64_t check; /* equal for equal loops; 0: it has none */
    uint64_t iterations;
    uint64_t caller, outlined; /* where the loop starts in its module; 0: not known */
    uint32_t module;           /* equal for equal names of the module */
    int32_t code;              /* KEEL_MPI_...: why it has no loop to share */
    char schedule[KEEL_MPI_IDENTITY_SCHEDULE]; /* of the ranks, shortened */
};

/* One rank's part in one loop. */
struct keel_mpi_rank_measurements {
    double executed;     /* iterations */
    double busy_ns;      /* time in them, summed over the threads */
    double threads;      /* threads that have executed chunks */
    double variance_ns2; /* of iteration times */
    double overhead_ns;  /* mean time to get a chunk; 0: not known */
    bool ran_last;       /* it ran the last iteration */
    bool cancelled;      /* the loop ended early on it */
};

/* Sums for schedules that use the speeds of ranks. */
struct keel_mpi_summary_speeds {
    struct keel_rate_sums rates; /* rates.ranks: ranks that take part */
    struct keel_speeds speeds;
    double slowest_ns;    /* the largest pace of those in `speeds` */
    uint64_t most, least; /* of digests of the records of ranks before: equal if all are alike */
};

/* Sent as it is in memory. */
struct keel_mpi_summary {
    /* Over the ranks whose times were measured. */
    double measured; /* their number */
    double iterations, busy_ns;
    double squares_ns2; /* iterations times the variance of their times */
    double overhead_ns;
    struct keel_mpi_summary_speeds learned; /* over the ranks that learn: loop_record.c */
    uint32_t ran_last;                      /* 1 + the rank that ran the last iteration; 0: none */
    uint32_t cancelled;                     /* ranks on which the loop ended early */
};

/* Returns the summary of one rank. */
struct keel_mpi_summary keel_mpi_summary_of(const struct keel_mpi_rank_measurements *measurements,
                                            uint32_t rank);

/* Adds a summary of other ranks, in any order: only sums of doubles may differ by rounding. */
void keel_mpi_summary_add(struct keel_mpi_summary *summary, const struct keel_mpi_summary *other);

/* --- records --- */

/* Data of one rank, for schedules that use speeds. */
struct keel_mpi_record_rank {
    struct keel_rate_share share;
    struct keel_sample sample;
};

struct keel_mpi_record {
    struct keel_mpi_record *next;
    uintptr_t site;
    uint64_t grain; /* iterations of this record are units of this many */
    uint32_t ranks, rank;
    struct keel_mpi_loop_identity place;       /* only its module and addresses, see identity.c */
    uint64_t instances;                        /* from which blocks and weights were computed */
    double mean_ns, deviation_ns, overhead_ns; /* of iterations and chunks; 0: not known */
    struct keel_mpi_record_rank own;           /* up to the last instance */
    struct keel_mpi_record_rank tried;         /* with the ending instance, should it count */
    struct keel_speeds speeds;                 /* of all ranks; the same on all of them */
    double slowest_ns;                         /* the largest pace of a rank, alike on all */
    double (*part)[2]; /* of each rank of the node: begin and end of its block, as parts of the
                          loop; NULL: not known */
};

/* Returns the record of that place for loops of that grain, made if there is none; NULL: no memory,
 * or too many. */
struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks, uint32_t rank);

/* Allocates memory for the blocks of `locals` ranks of the node. False: there is none. */
bool keel_mpi_record_make_room(struct keel_mpi_record *record, uint32_t locals);

/* Records the costs of an instance on all ranks together. */
void keel_mpi_record_note(struct keel_mpi_record *record, const struct keel_mpi_summary *summary);

/* Records the measurements of an instance on this rank, and adds its speeds to the summary. */
void keel_mpi_record_add_speeds(struct keel_mpi_record *record,
                                const struct keel_mpi_rank_measurements *measurements,
                                struct keel_mpi_summary *summary);

/* Learns from the summary of an instance of `iterations`, with the speeds of
 * keel_mpi_record_add_speeds(), and returns the decision on blocks: the same on all ranks. Learns
 * nothing if ranks are missing in it, or none was measured. If the records of ranks differed
 * before, as ranks had run the loop at different places of the program, all begin anew. */
enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_summary *summary);

/* Discards all that was learned. If all ranks that have run an instance do so, their records are
 * equal from then on. */
void keel_mpi_record_forget(struct keel_mpi_record *record);

/* Returns the rank's own weight among all, whose sum is their number, and the least weight; 1 if
 * not known. */
void keel_mpi_record_weights(const struct keel_mpi_record *record, double *own, double *least);

/* Fills in the measured parameters of a schedule. False: they are not known yet. */
bool keel_mpi_record_complete(const struct keel_mpi_record *record, struct keel_spec *spec);

void keel_mpi_record_free_all(struct keel_mpi_record *records);

#endif
