/* The one pending loan of iterations, and how the next loop gets it.
 *
 *   entry/api.c -> [loan] -> a loop's agreement on a policy -> loop/modes.c
 *
 * A loan that a loop takes is a policy of its own, so that all threads of the loop come to it in
 * the way in which they agree on any policy. Loans are taken under keel_slow_lock: a loop has
 * agreed on one before any thread can see that it is no longer pending. */
#ifndef OMP_EXT_LENDING_LOAN_H
#define OMP_EXT_LENDING_LOAN_H

#include <stdatomic.h>

#include "omp_ext/lending/lending.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/site/site.h"

/* The loop that is lent iterations, as it would run without them. */
struct keel_lent_loop {
    const struct keel_policy *own; /* NULL or with an empty spec: libgomp's, or checked */
    struct keel_construct construct;
};

/* Written under keel_slow_lock before any loop can take it; `joined` and `used` by all threads of
 * the team. */
struct keel_loan {
    struct keel_policy policy; /* of the loop that takes it; policy.loan points back here */
    const struct keel_lender *lender;
    void *context;
    struct keel_lent_loop lent_loop; /* combined loops: written by the thread that takes the loan */
    _Atomic uint32_t joined;         /* threads of the team that have come */
    atomic_bool used;                /* it is pending, or a thread may still come to it */
};

/* NULL: none is pending. Use keel_loan_is_pending(). */
extern _Atomic(struct keel_loan *) keel_loan_pending;
extern atomic_bool keel_loan_ever;

/* Loans may come. Any thread. */
void keel_loan_expect(void);

/* Makes a loan pending; false: another one is. Any thread. */
bool keel_loan_make(const struct keel_lender *lender, void *context);

/* Takes the pending loan of this context back; false: there is none. Any thread. */
bool keel_loan_withdraw(void *context);

/* Has the team whose agreement is `agreed` take the pending loan, if there still is one and the
 * team has agreed on nothing (NULL) yet. iterations: of the loop. */
void keel_loan_propose(_Atomic(const struct keel_policy *) *agreed, uint64_t iterations);

/* The same for a combined loop, before its team starts. Returns what the loop runs under: the
 * loan's policy, or lent_loop->own. */
const struct keel_policy *keel_loan_take(const struct keel_lent_loop *lent_loop,
                                         uint64_t iterations);

/* A thread is at a loop that can take no loan, while one is pending. */
void keel_loan_pass(const void *caller);

/* A thread of a team of `threads` has read what the loan says. Its record serves another loan
 * once all have. */
void keel_loan_joined(struct keel_loan *loan, uint32_t threads);

static inline bool keel_loan_is_pending(void)
{
    /* relaxed: a thread that has to see the loan learned of it from the one that made it, and
     * nothing is read through the pointer but under keel_slow_lock */
    return atomic_load_explicit(&keel_loan_pending, memory_order_relaxed) != NULL;
}

/* Whether any has been made in this process, or is expected. */
static inline bool keel_loan_may_come(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&keel_loan_ever, memory_order_relaxed);
}

#endif
