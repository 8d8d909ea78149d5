/* Which loops make results differ: narrowed down by runs in which only some are scheduled at
 * random, and printed. */
#ifndef OMP_EXT_COMMAND_CHECK_FINDINGS_H
#define OMP_EXT_COMMAND_CHECK_FINDINGS_H

#include "omp_ext/command/check/runs.h"

#define KEEL_FINDINGS_SEEDS_MAX 16

/* What is known when the search begins. */
struct keel_suspicion {
    struct keel_runs *runs;
    const struct keel_loops *loops;
    bool others_serial;                     /* how loops run that are left alone */
    unsigned differing, total;              /* runs in which all loops were scheduled at random */
    uint64_t seed[KEEL_FINDINGS_SEEDS_MAX]; /* of the first of those that differ */
    uint64_t next_seed;                     /* not used yet */
    unsigned runs_max;                      /* per question */
};

/* Narrows it down, within runs->end_s, and prints what has been found. */
void keel_findings_print(const struct keel_suspicion *suspicion);

#endif
