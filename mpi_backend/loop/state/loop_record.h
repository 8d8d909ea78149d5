/* What loops of a job have shown: one record per place in the program.
 *
 *   summary of all ranks, at the end of a loop -> [record] -> parameters of the next instance
 *   the rank's own time, of schedules that learn --^     \--> its block, its weight there
 *
 * Costs are the same on all ranks. Of other ranks one by one, a rank knows the blocks of those on
 * its node, and nothing of any other: what is kept does not grow with their number. */
#ifndef MPI_BACKEND_LOOP_STATE_LOOP_RECORD_H
#define MPI_BACKEND_LOOP_STATE_LOOP_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "schedules/learn/learn.h"
#include "schedules/loop/schedule.h"
#include "schedules/ranks/rate_share.h"

/* --- summaries ---
 *
 * What the ranks of a job tell of one shared loop when it ends: sums.
 *
 *   measurements of a rank -> keel_mpi_summary_of() -> keel_mpi_summary_add() along a tree of ranks
 *                     -> the summary of all ranks, on each of them
 *
 * No MPI, and no memory but the caller's. */

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

/* One rank's part in one loop. */
struct keel_mpi_rank_measurements {
    double executed;     /* iterations */
    double busy_ns;      /* time in them, summed over the threads */
    double threads;      /* that have taken any */
    double variance_ns2; /* of iteration times */
    double overhead_ns;  /* mean time to get a chunk; 0: not known */
    bool ran_last;       /* it ran the last iteration */
    bool cancelled;      /* the loop ended early on it */
};

/* What schedules that go by the speeds of ranks learn of all of them. */
struct keel_mpi_summary_speeds {
    struct keel_rate_sums rates; /* rates.ranks: ranks that take part */
    struct keel_speeds speeds;
    double slowest_ns;    /* the largest pace, of those in `speeds` */
    uint64_t most, least; /* of digests of what ranks had learned before: all alike if equal */
};

/* It travels as it lies in memory. */
struct keel_mpi_summary {
    /* Over the ranks whose times were measured. */
    double measured; /* how many they are */
    double iterations, busy_ns;
    double squares_ns2; /* iterations times the variance of their times */
    double overhead_ns;
    struct keel_mpi_summary_speeds learned; /* over the ranks that learn: loop_record.c */
    uint32_t ran_last;  /* 1 + the rank that ran the last iteration; 0: none did */
    uint32_t cancelled; /* ranks on which the loop ended early */
};

/* Of one rank. */
struct keel_mpi_summary keel_mpi_summary_of(const struct keel_mpi_rank_measurements *measurements,
                                            uint32_t rank);

/* Takes in other ranks. In any order: only sums of doubles may be rounded differently. */
void keel_mpi_summary_add(struct keel_mpi_summary *summary, const struct keel_mpi_summary *other);

/* --- records --- */

/* Of one rank, for schedules that go by speeds. */
struct keel_mpi_record_rank {
    struct keel_rate_share share;
    struct keel_sample sample;
};

struct keel_mpi_record {
    struct keel_mpi_record *next;
    uintptr_t site;
    uint64_t grain; /* what is called iterations here are units of so many */
    uint32_t ranks, rank;
    struct keel_mpi_loop_identity place; /* its module and addresses alone, see loop_agreement.c */
    uint64_t instances;                  /* that blocks and weights have been learned from */
    double mean_ns, deviation_ns, overhead_ns; /* of iterations and chunks; 0: not known */
    struct keel_mpi_record_rank own;           /* up to the last instance */
    struct keel_mpi_record_rank tried;         /* with the one that is ending, should it count */
    struct keel_speeds speeds;                 /* of all ranks; the same on all of them */
    double slowest_ns;                         /* the largest pace of a rank; likewise */
    double (*part)[2]; /* of each rank of the node: where its block begins and ends, as parts of the
                          loop; NULL: nothing has been learned of ranks */
};

/* The record of that place for loops of that grain, made on first sight; NULL: no memory, or too
 * many. */
struct keel_mpi_record *keel_mpi_record_of(struct keel_mpi_record **records, uintptr_t site,
                                           uint64_t grain, uint32_t ranks, uint32_t rank);

/* Memory for what is learned of `locals` ranks of the node; false: there is none. */
bool keel_mpi_record_has_room(struct keel_mpi_record *record, uint32_t locals);

/* Takes in what an instance has cost on all ranks together. */
void keel_mpi_record_note(struct keel_mpi_record *record, const struct keel_mpi_summary *summary);

/* Takes in how an instance went on this rank, and adds to the summary what others learn of it. */
void keel_mpi_record_tell(struct keel_mpi_record *record,
                          const struct keel_mpi_rank_measurements *measurements,
                          struct keel_mpi_summary *summary);

/* Takes in what all ranks have told of an instance of `iterations`, as they did by
 * keel_mpi_record_tell(), and returns what becomes of their blocks: the same on all of them. Where
 * not all have told, or nobody was measured, nothing is learned. Ranks that had not learned the
 * same before, as they ran the loop at different places of the program, all begin anew. */
enum keel_blocks_decision keel_mpi_record_learn(struct keel_mpi_record *record, uint64_t iterations,
                                                const struct keel_mpi_summary *summary);

/* Forgets all that has been learned. Where each rank does so that has run an instance, they have
 * the same from then on. */
void keel_mpi_record_forget(struct keel_mpi_record *record);

/* The rank's own weight among all, whose sum is their number, and the least of them all; 1 where
 * nothing is known. */
void keel_mpi_record_weights(const struct keel_mpi_record *record, double *own, double *least);

/* Completes the parameters that a schedule wants to be measured; false: they are not known yet. */
bool keel_mpi_record_complete(const struct keel_mpi_record *record, struct keel_spec *spec);

void keel_mpi_record_free_all(struct keel_mpi_record *records);

#endif
