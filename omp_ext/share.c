/* What libkeel.so exports to lenders. */
#include "omp_ext/share.h"

#include "omp_ext/entry.h"
#include "omp_ext/loop.h"
#include "omp_ext/offer.h"
#include "omp_ext/site.h"

KEEL_ENTRY bool keel_share_offer(const struct keel_lender *lender, void *loan)
{
    keel_site_ready();
    atomic_store(&keel_activity, KEEL_ON);
    return keel_offer_make(lender, loan);
}

KEEL_ENTRY bool keel_share_withdraw(void *loan)
{
    return keel_offer_withdraw(loan);
}
