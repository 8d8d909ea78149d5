/* What libkeel.so exports to lenders, and to those who want to know the time in loops. */
#include "omp_ext/lending/lending.h"

#include <stdio.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/watched_loop.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"

static bool lend_next(const struct keel_lender *lender, void *context)
{
    keel_loop_activate();
    return keel_loan_make(lender, context);
}

/* Once Keel has been found to have nothing to do, loops are under way that know of no loans. */
static void expect_loans(void)
{
    if (atomic_load_explicit(&keel_activity, memory_order_relaxed) == KEEL_UNKNOWN) {
        keel_loan_expect();
    }
}

static void loop_name(const void *caller, void (*outlined)(void *), char *text, size_t size)
{
    char name[KEEL_SITE_NAME_MAX];

    keel_site_source_ready();
    keel_slow_lock();
    keel_site_name(&(struct keel_call_site){caller, outlined}, name);
    keel_slow_unlock();
    snprintf(text, size, "%s", name);
}

static const struct keel_loop_counters *count_loops(void)
{
    keel_loop_activate();
    return keel_loop_time_enable();
}

static const struct keel_lending this_version = {
    .lend_next = lend_next,
    .expect_loans = expect_loans,
    .withdraw = keel_loan_withdraw,
    .loop_name = loop_name,
    .count_loops = count_loops,
    .watch_loops = keel_watched_loop_enable,
    .hand_message = keel_message_handled,
};

KEEL_ENTRY const struct keel_lending *keel_lending_meet(uint32_t version, uint32_t *newest)
{
    *newest = KEEL_LENDING_VERSION;
    return version == KEEL_LENDING_VERSION ? &this_version : NULL;
}
