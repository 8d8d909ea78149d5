/* What is learned and decided at the end of an instance, for the trace in JSON.
 *
 *   experience.c -> [before, after: with the record's lock] -> [tell: without it] -> trace_notes.h
 */
#ifndef OMP_EXT_INSTANCE_LEARNING_TRACE_H
#define OMP_EXT_INSTANCE_LEARNING_TRACE_H

#include "omp_ext/instance/shared_state.h"
#include "omp_ext/site/site.h"

#define KEEL_LEARNING_TRACE_THREADS 64 /* later ones are not told of */

struct keel_learning_trace {
    bool chooses;                              /* as `auto` does: */
    struct keel_selection before, after;       /* its choice */
    enum keel_blocks_decision blocks;          /* about blocks; set by who learns them */
    bool has_blocks;                           /* for the next instance: */
    double gain, iteration_ns;                 /* see schedules/learn/blocks.h */
    double share[KEEL_LEARNING_TRACE_THREADS]; /* iterations of each thread */
    double last_ns;                            /* how long the instance took */
    uint64_t instances;
};

/* Before anything is learned from the instance. */
void keel_learning_trace_before(struct keel_learning_trace *trace,
                                const struct keel_shared_state *shared_state);

/* All has been learned. */
void keel_learning_trace_after(struct keel_learning_trace *trace,
                               const struct keel_shared_state *shared_state);

/* Tells of it. Nobody else has the shared state. */
void keel_learning_trace_tell(const struct keel_learning_trace *trace,
                              const struct keel_shared_state *shared_state);

/* Tells of the paces of a team whose schedule weighs its threads by them. */
void keel_learning_trace_paces(const struct keel_record *record, const struct keel_policy *policy);

#endif
