/* The one standing offer of iterations, and how the next loop gets it.
 *
 *   share.c -> [offer] -> a loop's agreement on a policy -> lent_loop.c
 *
 * A taken offer is a policy of its own, so that all threads of the loop come to it in the way in
 * which they agree on any policy. Offers are taken under keel_slow_lock: a loop has agreed on one
 * before any thread can see that it no longer stands. */
#ifndef OMP_EXT_LENDING_LOAN_H
#define OMP_EXT_LENDING_LOAN_H

#include "omp_ext/loop/shared_state.h"
#include "omp_ext/settings/policy.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/site/site.h"

/* What borrows: a loop as it would run without the offer. */
struct keel_borrower {
    const struct keel_policy *own; /* NULL or with an empty spec: libgomp's, or checked */
    bool in_order;                 /* declared monotonic */
    uint64_t grain;                /* of its clause; 0 or 1: none */
    struct keel_place place;
};

/* Written under keel_slow_lock before anybody can meet it; `joined` and `used` by all threads of
 * the team. */
struct keel_offer {
    struct keel_policy policy; /* stands for it; policy.offer points back here */
    const struct keel_lender *lender;
    void *loan;
    struct keel_borrower borrower; /* combined loops: written by the thread that takes the offer */
    _Atomic uint32_t joined;       /* threads of the team that have come */
    atomic_bool used;              /* it stands, or some thread may still come to it */
};

/* NULL: none stands. Use keel_offer_stands(). */
extern _Atomic(struct keel_offer *) keel_offer_standing;
extern atomic_bool keel_offer_ever;

/* False: another stands. */
bool keel_offer_make(const struct keel_lender *lender, void *loan);

/* False: none of this loan stands. */
bool keel_offer_withdraw(void *loan);

/* Has the loop of `instance` take the standing offer, if there still is one and its team has agreed
 * on nothing yet. */
void keel_offer_propose(struct keel_instance *instance);

/* The same for a combined loop, before its team starts. Returns what the loop runs under: the
 * offer's policy, or borrower->own. */
const struct keel_policy *keel_offer_take(const struct keel_borrower *borrower);

/* A thread of a team of `threads` has read what the offer says. Its record serves another offer
 * once all have. */
void keel_offer_joined(struct keel_offer *offer, uint32_t threads);

static inline bool keel_offer_stands(void)
{
    /* relaxed: a thread that has to see the offer learned of it from the one that made it, and
     * nothing is read through the pointer but under keel_slow_lock */
    return atomic_load_explicit(&keel_offer_standing, memory_order_relaxed) != NULL;
}

/* Whether any has been made in this process. */
static inline bool keel_offer_made(void)
{
    /* relaxed: as above */
    return atomic_load_explicit(&keel_offer_ever, memory_order_relaxed);
}

#endif
