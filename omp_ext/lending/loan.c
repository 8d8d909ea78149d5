/* The standing offer. */
#include "omp_ext/lending/loan.h"

#include "omp_ext/support/slow_lock.h"

/* Records are used in turn. One stays in use where a cancelled region kept a thread from its loop
 * for ever; once all are, the oldest is taken again. */
#define OFFERS KEEL_SHARE_BEHIND_MAX

_Atomic(struct keel_offer *) keel_offer_standing;
atomic_bool keel_offer_ever;

/* Guarded by keel_slow_lock. */
static struct keel_offer offers[OFFERS];
static unsigned next_offer;

static struct keel_offer *unused_offer(void)
{
    for (unsigned i = 0; i < OFFERS; i++) {
        struct keel_offer *offer = &offers[next_offer++ % OFFERS];
        /* acquire: pairs with the release in keel_offer_joined() */
        if (!atomic_load_explicit(&offer->used, memory_order_acquire)) {
            return offer;
        }
    }
    return &offers[next_offer++ % OFFERS];
}

static void stand(struct keel_offer *offer)
{
    atomic_store_explicit(&keel_offer_standing, offer, memory_order_relaxed);
}

bool keel_offer_make(const struct keel_lender *lender, void *loan)
{
    keel_slow_lock();
    bool free = !keel_offer_stands();
    if (free) {
        struct keel_offer *offer = unused_offer();
        *offer = (struct keel_offer){
            .policy = {.offer = offer}, .lender = lender, .loan = loan, .used = true};
        atomic_store_explicit(&keel_offer_ever, true, memory_order_relaxed);
        stand(offer);
    }
    keel_slow_unlock();
    return free;
}

bool keel_offer_withdraw(void *loan)
{
    keel_slow_lock();
    struct keel_offer *offer = atomic_load_explicit(&keel_offer_standing, memory_order_relaxed);
    bool mine = offer != NULL && offer->loan == loan;
    if (mine) {
        stand(NULL);
        atomic_store_explicit(&offer->used, false, memory_order_relaxed);
    }
    keel_slow_unlock();
    return mine;
}

void keel_offer_propose(struct keel_instance *instance)
{
    const struct keel_policy *agreed = NULL;

    if (atomic_load_explicit(&instance->policy, memory_order_relaxed) != NULL) {
        return;
    }
    keel_slow_lock();
    struct keel_offer *offer = atomic_load_explicit(&keel_offer_standing, memory_order_relaxed);
    /* release: pairs with the acquire of threads that agree */
    if (offer != NULL &&
        atomic_compare_exchange_strong_explicit(&instance->policy, &agreed, &offer->policy,
                                                memory_order_release, memory_order_relaxed)) {
        stand(NULL);
    }
    keel_slow_unlock();
}

const struct keel_policy *keel_offer_take(const struct keel_borrower *borrower)
{
    const struct keel_policy *policy = borrower->own;

    keel_slow_lock();
    struct keel_offer *offer = atomic_load_explicit(&keel_offer_standing, memory_order_relaxed);
    if (offer != NULL) {
        offer->borrower = *borrower;
        policy = &offer->policy;
        stand(NULL);
    }
    keel_slow_unlock();
    return policy;
}

void keel_offer_joined(struct keel_offer *offer, uint32_t threads)
{
    /* acquire and release: the last thread has seen all others read the record */
    if (atomic_fetch_add_explicit(&offer->joined, 1, memory_order_acq_rel) + 1 == threads) {
        atomic_store_explicit(&offer->used, false, memory_order_release);
    }
}
