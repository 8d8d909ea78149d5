/* One thread's part in a loop that runs lent iterations, see lending/lending.h.
 *
 * Called by the thread that the loop state belongs to. */
#ifndef OMP_EXT_LOOP_LENT_LOOP_H
#define OMP_EXT_LOOP_LENT_LOOP_H

#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"

/* Joins the loop, which is in mode KEEL_LOOP_LENT then. */
void keel_lent_loop_start(struct keel_loop *loop, struct keel_loan *loan,
                          const struct keel_lent_loop *lent_loop);

/* The next chunk [*first, *last); false: there is none for this thread. */
bool keel_lent_loop_next(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* Leaves the loop: it is over for this thread, or was cancelled. */
void keel_lent_loop_leave(struct keel_loop *loop);

#endif
