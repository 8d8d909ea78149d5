/* What libkeel.so exports to lenders, and to those who want to know the time in loops. */
#include "omp_ext/lending/lending.h"

#include <stdio.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/loop_policy.h"
#include "omp_ext/loop/loop_time.h"
#include "omp_ext/site/site.h"
#include "omp_ext/site/site_source.h"
#include "omp_ext/support/slow_lock.h"

static void activate(void)
{
    keel_site_ready();
    atomic_store(&keel_activity, KEEL_ON);
}

KEEL_ENTRY bool keel_lending_lend_next(const struct keel_lender *lender, void *context)
{
    activate();
    return keel_loan_make(lender, context);
}

KEEL_ENTRY bool keel_lending_withdraw(void *context)
{
    return keel_loan_withdraw(context);
}

KEEL_ENTRY void keel_lending_loop_name(const void *caller, void (*outlined)(void *), char *text,
                                       size_t size)
{
    char name[KEEL_SITE_NAME_MAX];

    keel_site_source_ready();
    keel_slow_lock();
    keel_site_name(&(struct keel_call_site){caller, outlined}, name);
    keel_slow_unlock();
    snprintf(text, size, "%s", name);
}

KEEL_ENTRY const struct keel_loop_counters *keel_lending_count_loops(void)
{
    activate();
    return keel_loop_time_enable();
}
