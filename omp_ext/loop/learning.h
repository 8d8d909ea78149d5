/* Loops whose threads time their chunks and take shares in proportion to their paces.
 *
 *   chunk -> time -> pace of the thread -> weight -> share -> next chunk
 *
 * Called by the thread that the loop state belongs to, in mode KEEL_LOOP_LEARNING. */
#ifndef OMP_EXT_LOOP_LEARNING_H
#define OMP_EXT_LOOP_LEARNING_H

#include "omp_ext/loop/loop.h"

/* Sets the thread's first share from what `memory` knows. Without room to learn, the loop turns
 * into a weighted one. */
void keel_learning_start(struct keel_loop *loop, struct keel_site_records *memory);

/* Takes in the chunk loop->chunk, which ran for `time_ns` after `overhead_ns` spent on getting it,
 * and sets the share for the next one. */
void keel_learning_chunk(struct keel_loop *loop, double time_ns, double overhead_ns);

/* Takes in the thread's part of the instance, for the instances to come. */
void keel_learning_finish(struct keel_loop *loop);

#endif
