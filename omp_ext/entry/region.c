/* Parallel regions. */
#include "omp_ext/entry/region.h"

#include "omp_ext/check/check.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/watched_loop.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/mode.h"

#define CHANGE_AFTER 64 /* loops of a region that ask, and then after twice as many each time */

struct keel_region keel_region_of(const struct keel_libgomp *libgomp, void (*outlined)(void *),
                                  void *data, struct keel_combined *combined)
{
    return (struct keel_region){
        .outlined = outlined,
        .data = data,
        .libgomp = libgomp,
        .set_policy = keel_thread.set_policy,
        .costs = keel_thread.costs,
        .combined = combined,
        .before_lending = !keel_loan_may_come(),
        .recheck = combined == NULL && keel_loop_recheck_due(),
        .costless = keel_known_costs_missing(),
        .in_team = keel_thread.in_team,
        .outermost = keel_thread.in_team ? keel_thread.outlined : outlined,
        .time_scope = keel_loop_time_scope_within(),
        .before_activity = !keel_loop_active(),
        .starter = &keel_thread,
    };
}

/* --- observers --- */

enum keel_region_way keel_region_way(const struct keel_libgomp *libgomp, const void *caller,
                                     void (*outlined)(void *))
{
    if (libgomp->foreign) {
        return KEEL_REGION_HIDE;
    }
    if (keel_loop_attends() && keel_observing() && keel_thread.observed != &keel_unobserved &&
        !keel_skip_next(caller, outlined) && !keel_observed_is_passed_by(libgomp)) {
        return KEEL_REGION_OBSERVE;
    }
    return keel_loop_active() || keel_libgomp_known() == NULL ? KEEL_REGION_RUN : KEEL_REGION_HIDE;
}

static void begin_seen(struct keel_region *region, struct keel_seen_region *seen,
                       const void *caller)
{
    seen->observed = (struct keel_observed_region){
        .place = {caller, region->outlined},
        .outer = keel_thread.observed,
    };
    seen->loop.place.caller = NULL;
    region->seen = seen;
    keel_observe_fork(&seen->observed);
}

bool keel_region_allows_modes(void)
{
    const struct keel_settings *settings = keel_settings();

    return keel_loop_active() && settings->schedules.standard != NULL && !settings->check.on &&
           !keel_observing() && !keel_watched_loop_wanted() && !keel_loop_time_counts() &&
           !keel_loan_may_come();
}

void keel_region_fork(struct keel_region *region, struct keel_region_watch *watch,
                      const void *caller)
{
    watch->begun =
        region->in_team
            ? 0
            : keel_mode_begin_team(region->outlined, keel_region_allows_modes(), region->recheck);
    if (__builtin_expect(watch->way == KEEL_REGION_OBSERVE, 0)) {
        begin_seen(region, &watch->seen, caller);
    } else if (keel_observing()) {
        watch->part = keel_region_hide();
    }
}

void keel_region_join(struct keel_region_watch *watch)
{
    if (__builtin_expect(watch->way == KEEL_REGION_OBSERVE, 0)) {
        keel_observe_join(&watch->seen.observed);
    } else if (keel_observing()) {
        keel_region_show(watch->part);
    }
    if (watch->begun != 0) {
        keel_mode_end_team(watch->begun);
    }
}

void keel_region_begin_part(const struct keel_region *region, struct keel_observed_thread *part)
{
    struct keel_seen_region *seen = region->seen;

    keel_observed_begin(part, &seen->observed, region->libgomp);
    if (seen->loop.place.caller != NULL) {
        keel_observed_loop_combined(region->libgomp, &seen->loop);
    }
}

/* Of the loop state, the rest is set when a loop opens. */
void keel_region_enter(const struct keel_region *region, struct keel_loop *loop)
{
    loop->mode = region->combined != NULL ? KEEL_LOOP_COMBINED : KEEL_LOOP_LIBGOMP;
    loop->combined = region->combined;
    loop->kept = NULL;
    loop->shared_state = NULL;
    loop->threads = 0;
    loop->without_libgomp = false;
    loop->libgomp = NULL;
    loop->before_lending = region->before_lending;
    loop->before_activity = region->before_activity;
    loop->recheck = region->recheck;
    loop->costless = region->costless;
    loop->asked = 0;
    loop->change_after = region->in_team || region->before_activity ? 0 : CHANGE_AFTER;
    loop->watched = NULL;
    keel_thread = (struct keel_thread){
        .loop = loop,
        .libgomp = region->libgomp,
        .time_scope = region->time_scope,
        .set_policy = region->set_policy,
        .costs = keel_known_costs_acquire(region->costs),
        .check.region = region->check,
        .observed = keel_thread.observed,
        .in_team = true,
        .outlined = region->outermost,
        .needs_keel = region->starter == &keel_thread ? region->needs_keel : NULL,
    };
}

void keel_region_leave(const struct keel_thread *outer)
{
    keel_loop_close(keel_thread.loop);
    keel_known_costs_release(keel_thread.costs);
    keel_thread = *outer;
}

static inline void begin_watched(const struct keel_region *region)
{
    if (__builtin_expect(region->watched != NULL, 0)) {
        keel_watched_loop_combined(region->libgomp, region->watched);
    }
}

static inline void run_outlined(const struct keel_region *region)
{
    if (__builtin_expect(region->run_shares != NULL, 0)) {
        region->run_shares(region->shares);
    } else {
        region->outlined(region->data);
    }
}

/* Out of line: the thread's part stands on the stack. */
static __attribute__((noinline)) void run_observed(const struct keel_region *region)
{
    struct keel_observed_thread part;

    keel_region_begin_part(region, &part);
    begin_watched(region);
    run_outlined(region);
    keel_observed_end(&part);
}

void keel_region_run(void *argument)
{
    const struct keel_region *region = argument;
    struct keel_thread outer = keel_thread;
    struct keel_loop loop;
    struct keel_watched_part watched;

    keel_region_enter(region, &loop);
    loop.watched = &watched;
    if (__builtin_expect(region->check != NULL, 0) && region->check->active) {
        keel_delay_region(region->check);
    }
    if (__builtin_expect(region->seen != NULL, 0)) {
        run_observed(region);
    } else {
        begin_watched(region);
        run_outlined(region);
    }
    keel_region_leave(&outer);
}
