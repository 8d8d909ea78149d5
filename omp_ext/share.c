/* What libkeel.so exports to lenders, and to those who want to know the time in loops. */
#include "omp_ext/share.h"

#include "omp_ext/entry.h"
#include "omp_ext/loop.h"
#include "omp_ext/offer.h"
#include "omp_ext/site.h"
#include "omp_ext/watch.h"

static void activate(void)
{
    keel_site_ready();
    atomic_store(&keel_activity, KEEL_ON);
}

KEEL_ENTRY bool keel_share_offer(const struct keel_lender *lender, void *loan)
{
    activate();
    return keel_offer_make(lender, loan);
}

KEEL_ENTRY bool keel_share_withdraw(void *loan)
{
    return keel_offer_withdraw(loan);
}

KEEL_ENTRY const struct keel_share_work *keel_share_watch(void)
{
    activate();
    return keel_watch();
}
