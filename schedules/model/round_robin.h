/* A balanced program under round-robin scheduling of processors (PAPERS.md S17, Figures 11
 * and 13 of SS97): how large the grain has to be for shares of processors to be of use.
 *
 *   competing processes, quantum, grain, kind of synchronisation -> [simulation] -> elapsed time
 *
 * Each worker's processor is shared by the program's process and by competing ones, which always
 * compute. A process computes for one quantum at most; then it goes to the end of the queue. One
 * that has to wait gives the processor up at once, and goes to the end of the queue when what it
 * waits for has come. So, with c others, it waits for c turns, of which the first may be under way.
 * What comes at the very end of a turn comes before whose turn that was goes to the end of the
 * queue. Communication costs nothing. All times are in quanta.
 *
 * Pure and without chance. */
#ifndef SCHEDULES_MODEL_ROUND_ROBIN_H
#define SCHEDULES_MODEL_ROUND_ROBIN_H

#include <stddef.h>
#include <stdint.h>

#define KEEL_ROUND_ROBIN_BLOCKS_MAX 1e6

enum keel_round_robin_kind {
    KEEL_ROUND_ROBIN_PIPELINE, /* worker i begins a block when worker i - 1 has done it; as many as
                                  there are may lie between them */
    KEEL_ROUND_ROBIN_BARRIER   /* all begin a block when all have done the one before */
};

struct keel_round_robin {
    enum keel_round_robin_kind kind;
    uint32_t workers;          /* P >= 1 */
    const uint32_t *competing; /* c_i: of each worker's processor */
    double sequential;         /* all work, on one processor of its own, > 0 */

    /* What a block takes, from one synchronisation to the next, on a worker that gets exactly its
     * part 1 / (1 + c_i) of the processor. All workers take the same with balanced shares: worker
     * i computes for grain / (1 + c_i). A worker without competing processes computes for `grain`.
     * More than all, or not > 0: a single block. There are KEEL_ROUND_ROBIN_BLOCKS_MAX at most. */
    double grain;
};

struct keel_round_robin_result {
    uint64_t blocks;  /* M: ceil(sequential / (grain * available)); the last one may be smaller */
    double available; /* processors: the sum of 1 / (1 + c_i) */
    double elapsed;
    double fair;  /* sequential / (available * elapsed): the efficiency (S1), if competing processes
                     got their parts and no more. At the ends of short runs it can be above 1 */
    double bound; /* of the efficiency: S3 for pipelines, with P workers; 1 for barriers */
};

/* Bytes of room that keel_round_robin_simulate() takes, aligned as of malloc. */
size_t keel_round_robin_scratch(uint32_t workers);

/* Plays it. O(M P). */
struct keel_round_robin_result keel_round_robin_simulate(const struct keel_round_robin *run,
                                                         void *scratch);

#endif
