/* Keel's interface for programs, and for lenders; OpenMP's own call that it has to know about. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "omp_ext/entry/entry.h"
#include "omp_ext/include/keel.h"
#include "omp_ext/lending/lending.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/site/known_costs.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/message.h"
#include "omp_ext/support/slow_lock.h"
#include "schedules/loop/spec.h"

/* --- keel.h --- */

static _Thread_local char problem[KEEL_PROBLEM_MAX];

static int note(const struct keel_policy *set_policy)
{
    keel_thread.set_policy = set_policy;
    if (set_policy != NULL) {
        keel_loop_activate();
    }
    return set_policy != NULL && keel_settings()->schedules.standard != NULL ? KEEL_OVERRULED
                                                                             : KEEL_OK;
}

KEEL_ENTRY int keel_set_schedule(const char *schedule)
{
    bool mended;

    problem[0] = '\0';
    if (schedule == NULL) {
        return note(NULL);
    }
    const struct keel_policy *policy =
        keel_policy_read(schedule, strlen(schedule), &keel_settings()->defaults, &mended, problem);
    if (policy == NULL) {
        return mended ? KEEL_NO_ROOM : KEEL_UNREADABLE;
    }
    return mended ? KEEL_UNREADABLE : note(policy);
}

KEEL_ENTRY int keel_get_schedule(char *text, size_t size)
{
    const struct keel_policy *policy = keel_loop_default_policy();

    return keel_policy_write(policy != NULL ? policy : &keel_policy_libgomp, text, size);
}

KEEL_ENTRY const char *keel_problem(void)
{
    return problem;
}

KEEL_ENTRY const char *keel_version(void)
{
    return KEEL_VERSION;
}

KEEL_ENTRY void keel_get_version(int *major, int *minor)
{
    *major = KEEL_VERSION_MAJOR;
    *minor = KEEL_VERSION_MINOR;
}

KEEL_ENTRY void keel_set_message_handler(void (*handler)(const char *text, void *context),
                                         void *context)
{
    keel_message_set_handler(handler, context);
}

/* --- keel_set_costs --- */

static pthread_key_t thread_end;
static bool thread_end_known;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void let_go(void *unused)
{
    (void)unused;
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = NULL;
}

static void make_thread_end(void)
{
    thread_end_known = pthread_key_create(&thread_end, let_go) == 0;
}

/* Makes these the thread's costs, and holds them until it ends. */
static void hold(struct keel_known_costs *costs)
{
    pthread_once(&once, make_thread_end);
    if (thread_end_known && costs != NULL) {
        pthread_setspecific(thread_end, &keel_thread);
    }
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = costs;
}

static bool are_costs(const double *costs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(costs[i]) || costs[i] < 0) {
            snprintf(problem, sizeof problem,
                     "cost '%g' of iteration %zu, counted from 0, is not a finite number of at "
                     "least 0",
                     costs[i], i);
            return false;
        }
    }
    return true;
}

/* Costs that are given again keep their packings. */
KEEL_ENTRY int keel_set_costs(const double *costs, size_t count)
{
    problem[0] = '\0';
    if (costs == NULL || count == 0) {
        hold(NULL);
        return KEEL_OK;
    }
    if (!are_costs(costs, count)) {
        return KEEL_UNREADABLE;
    }
    if (keel_known_costs_equal(keel_thread.costs, costs, count)) {
        return KEEL_OK;
    }
    struct keel_known_costs *made = keel_known_costs_make(costs, count);
    if (made == NULL) {
        snprintf(problem, sizeof problem, "no memory for the costs of %zu iterations", count);
        return KEEL_NO_ROOM;
    }
    hold(made);
    return KEEL_OK;
}

/* --- omp_set_schedule --- */

/* A program that sets libgomp's schedule means it: OMP_SCHEDULE and keel_set_schedule() no longer
 * hold for this thread. KEEL_SCHEDULE does. */
static void libgomp_was_asked(void)
{
    if (keel_loop_active()) {
        keel_thread.set_policy = &keel_policy_libgomp;
    }
}

KEEL_ENTRY void omp_set_schedule(int kind, int chunk)
{
    libgomp_was_asked();
    keel_loop_libgomp(KEEL_CALLER)->omp_set_schedule(kind, chunk);
}

KEEL_ENTRY void omp_set_schedule_(const int32_t *kind, const int32_t *chunk)
{
    libgomp_was_asked();
    keel_loop_libgomp(KEEL_CALLER)->omp_set_schedule_(kind, chunk);
}

KEEL_ENTRY void omp_set_schedule_8_(const int32_t *kind, const int64_t *chunk)
{
    libgomp_was_asked();
    keel_loop_libgomp(KEEL_CALLER)->omp_set_schedule_8_(kind, chunk);
}

/* --- what libkeel.so exports to lenders, and to those who want to know the time in loops --- */

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
    .time_loops = keel_timed_loop_enable,
    .hand_message = keel_message_handled,
};

KEEL_ENTRY const struct keel_lending *keel_lending_meet(uint32_t version, uint32_t *newest)
{
    *newest = KEEL_LENDING_VERSION;
    return version == KEEL_LENDING_VERSION ? &this_version : NULL;
}
