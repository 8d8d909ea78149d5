/* Parallel regions, and how their loops start and end. */
#include "omp_ext/entry/entry.h"

#include "omp_ext/check/check.h"
#include "omp_ext/gomp/loop_mark.h"
#include "omp_ext/gomp/worksharing.h"
#include "omp_ext/loop/team_sizes.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/loop.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/machine/module.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/mode.h"
#include "omp_ext/support/address_table.h"
#include "schedules/learn/learn.h"
#include "schedules/loop/registry.h"

/* --- how many threads to ask for --- */

/* A program that has set one thread may rely on it: where it has set fewer, they are as many. */
unsigned keel_region_team_asked(unsigned threads)
{
    const struct keel_libgomp *libgomp = keel_libgomp_known();

    keel_thread.sizes_team = false;
    if (threads != 0 || libgomp == NULL || libgomp->omp_in_parallel()) {
        return threads;
    }
    unsigned most = (unsigned)libgomp->omp_get_max_threads();
    unsigned asked = atomic_load_explicit(&keel_team_sizes, memory_order_relaxed)->threads();
    keel_thread.sizes_team = true;
    return asked < most ? asked : most;
}

__attribute__((visibility("default"))) void keel_team_sizes_ask(const struct keel_team_sizes *sizes)
{
    /* relaxed: a region that begins meanwhile may ask or not */
    atomic_store_explicit(&keel_team_sizes, sizes, memory_order_relaxed);
}

/* --- regions --- */

#define CHANGE_AFTER 64 /* loops of a region that ask, and then after twice as many each time */

struct keel_region keel_region_of(const struct keel_libgomp *libgomp, void (*outlined)(void *),
                                  void *data, struct keel_combined *combined)
{
    return (struct keel_region){
        .outlined = outlined,
        .run = outlined,
        .data = data,
        .libgomp = libgomp,
        .set_policy = keel_thread.set_policy,
        .costs = keel_thread.costs,
        .combined = combined,
        .before_lending = !keel_loan_may_come(),
        .recheck = combined == NULL && keel_loop_take_recheck(),
        .costless = keel_known_costs_missing(),
        .in_team = keel_thread.in_team,
        .outermost = keel_thread.in_team ? keel_thread.outlined : outlined,
        .time_scope = keel_loop_time_scope_within(),
        .before_activity = !keel_loop_active(),
        .sized = keel_thread.sizes_team,
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
        !keel_skip_next(caller, outlined) && !keel_observed_take_skip(libgomp)) {
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

/* Whether loops may divide themselves: only the schedules of the environment apply to them, and no
 * observer records them. */
static bool region_allows_modes(void)
{
    const struct keel_settings *settings = keel_settings();

    return keel_loop_active() && settings->schedules.standard != NULL && !settings->check.on &&
           !keel_observing() && !keel_timed_loop_wanted() && !keel_loop_time_counts() &&
           !keel_loan_may_come();
}

void keel_region_fork(struct keel_region *region, struct keel_region_watch *watch,
                      const void *caller)
{
    watch->begun = region->in_team ? 0
                                   : keel_mode_begin_team(region->outlined, region_allows_modes(),
                                                          region->recheck);
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

/* Begins the calling thread's part in an observed region. */
static void region_begin_part(const struct keel_region *region, struct keel_observed_thread *part)
{
    struct keel_seen_region *seen = region->seen;

    keel_observed_begin(part, &seen->observed, region->libgomp);
    if (seen->loop.place.caller != NULL) {
        keel_observed_loop_combined(region->libgomp, &seen->loop);
    }
}

/* Gives the calling thread the loop state `loop` for the region. Of the loop state, the rest is set
 * when a loop opens. */
static void region_enter(const struct keel_region *region, struct keel_loop *loop)
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
    loop->sized = region->sized;
    loop->awaited = NULL;
    loop->recheck = region->recheck;
    loop->costless = region->costless;
    loop->asked = 0;
    loop->change_after = region->in_team || region->before_activity ? 0 : CHANGE_AFTER;
    loop->timed_part = NULL;
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

static inline void begin_timed(const struct keel_region *region)
{
    if (__builtin_expect(region->timed != NULL, 0)) {
        keel_timed_loop_combined(region->libgomp, region->timed);
    }
}

/* Out of line: the thread's part is on the stack. */
static __attribute__((noinline)) void run_observed(const struct keel_region *region)
{
    struct keel_observed_thread part;

    region_begin_part(region, &part);
    begin_timed(region);
    region->run(region->data);
    keel_observed_end(&part);
}

void keel_region_run(void *argument)
{
    const struct keel_region *region = argument;
    struct keel_thread outer = keel_thread;
    struct keel_loop loop;
    struct keel_timed_part timed;

    region_enter(region, &loop);
    loop.timed_part = &timed;
    if (__builtin_expect(region->check != NULL, 0) && region->check->active) {
        keel_delay_region(region->check);
    }
    if (__builtin_expect(region->seen != NULL, 0)) {
        run_observed(region);
    } else {
        begin_timed(region);
        region->run(region->data);
    }
    keel_region_leave(&outer);
}

/* --- loops of regions --- */

/* Whether a loop of this region may take a loan, so that its threads have to agree on a policy also
 * where it is libgomp's. */
static bool may_be_lent(void)
{
    return keel_loan_may_come() && (keel_thread.loop == NULL || !keel_thread.loop->before_lending);
}

/* Whether a thread may take its static share of the loop without an agreement of the team. Lent
 * iterations need a loop that the team shares. All threads of the team get the same answer. */
static bool may_be_static(const struct keel_start *start)
{
    return start->memory == NULL && start->reductions == NULL && start->chunk == 0 &&
           !may_be_lent();
}

/* Whether each thread of the team finds by itself that the loop has static shares under `policy`.
 * All get the same answer: it follows from the schedule that the environment
 * names, and from the loop's mode. */
static bool take_static(const struct keel_libgomp *libgomp, const struct keel_start *start,
                        const struct keel_policy *policy)
{
    const struct keel_spec *spec = &policy->spec;

    if (keel_settings()->schedules.standard == NULL || !may_be_static(start)) {
        return false;
    }
    if (policy->settled_site == NULL) {
        return spec->schedule == &keel_schedule_static && spec->given == 0 && policy->grain <= 1 &&
               spec->value[KEEL_MIN].count <= 1;
    }
    struct keel_mode *mode = keel_start_mode(start, policy);
    bool divides = keel_mode_divides(mode, start->space.iterations);
    if (!divides && keel_thread.in_team && keel_loop_of_team(libgomp)->threads == 1) {
        return region_allows_modes(); /* a region of one thread, with nothing to share */
    }
    if (divides && start->mode == NULL && !keel_settings()->schedules.wants_costs) {
        keel_site_set_mode(&start->construct.place, mode);
    }
    return divides;
}

/* The same for a loop that needs no policy to be known for one: it has been found static before.
 * Its schedule does not change, and what is agreed on needs a team that is known. */
static bool is_known_static(const struct keel_libgomp *libgomp, const struct keel_start *start)
{
    const struct keel_mode *mode = keel_site_mode(&start->construct.place);

    return mode != NULL && keel_mode_divides(mode, start->space.iterations) &&
           may_be_static(start) && keel_loop_team_known(libgomp);
}

/* What this thread proposes to its team; NULL: the loop is libgomp's from the start. */
static const struct keel_policy *policy_of(keel_opener *open, const struct keel_libgomp *libgomp,
                                           const struct keel_start *start)
{
    const struct keel_policy *policy = keel_loop_policy(libgomp, &start->construct);

    if (policy == NULL && open == keel_loop_open && libgomp->shares &&
        (keel_settings()->schedules.standard == NULL || may_be_lent())) {
        policy = &keel_policy_libgomp;
    }
    if (policy != NULL && !keel_loop_team_known(libgomp)) {
        keel_loop_needs_keel();
        policy = NULL;
    }
    return policy;
}

/* Whether a program that was built with the plugin has the loop's static blocks itself. */
static bool has_static_blocks(const struct keel_start *start)
{
    return (start->flags & (KEEL_WORKSHARING_KIND | KEEL_WORKSHARING_ORDERED)) ==
               KEEL_WORKSHARING_STATIC &&
           start->chunk == 0;
}

/* The program gives static blocks by itself, unless the time that they take is wanted, or modes are
 * to change at the loop's end. Where they are observed, Keel gives the same ones. */
static enum keel_opened leave(const struct keel_libgomp *libgomp, const struct keel_start *start)
{
    if (has_static_blocks(start) &&
        (keel_loop_time_wanted() || keel_observed_has_part() || keel_start_changes_modes())) {
        keel_loop_time_before_loop(libgomp);
        return keel_loop_open_static(libgomp, start);
    }
    keel_loop_pass_to_libgomp();
    return KEEL_OPENED_NOTHING;
}

/* Under what the environment asks for, the loop divides itself, now and later. */
static void settle_for_good(const struct keel_libgomp *libgomp, const struct keel_start *start)
{
    const struct keel_rules *schedules = &keel_settings()->schedules;
    struct keel_mode *mode = start->mode;

    if (mode != NULL && schedules->standard != NULL &&
        (schedules->rules == 0 || keel_site_ready()) && keel_loop_team_known(libgomp) &&
        atomic_load_explicit(&mode->due, memory_order_relaxed) != KEEL_MODE_ALWAYS) {
        keel_mode_set(mode, KEEL_MODE_ALWAYS, true);
    }
}

enum keel_opened keel_start_loop(keel_opener *open, const struct keel_libgomp *libgomp,
                                 const struct keel_start *start, bool scheduled)
{
    bool shared = open == keel_loop_open;

    if (!shared && keel_loan_is_pending()) {
        keel_loan_pass(start->construct.place.caller);
    }
    if (!scheduled) {
        return leave(libgomp, start);
    }
    if (keel_thread.loop != NULL) {
        keel_thread.loop->asked++; /* all threads of its team meet the same ones */
    }
    if (start->flags == 0) {
        keel_loop_time_before_loop(libgomp);
        if (shared && is_known_static(libgomp, start)) {
            return keel_loop_open_static(libgomp, start);
        }
    }
    const struct keel_policy *policy = policy_of(open, libgomp, start);
    bool is_static = policy != NULL && shared && take_static(libgomp, start, policy);
    if (policy == NULL || (is_static && policy->settled_site == NULL)) {
        settle_for_good(libgomp, start);
    }
    if (is_static) {
        keel_loop_mark();
    }
    if (policy == NULL || (is_static && has_static_blocks(start))) {
        return leave(libgomp, start);
    }
    if (start->flags != 0) {
        keel_loop_time_before_loop(libgomp);
    }
    if (is_static) {
        return keel_loop_open_static(libgomp, start);
    }
    if (start->flags & KEEL_WORKSHARING_WAIT_FIRST) {
        libgomp->GOMP_barrier();
    }
    return open(libgomp, start, policy);
}

/* All threads are at the end of the loop, and wait for the initial one. */
void keel_start_change_modes(const struct keel_libgomp *libgomp)
{
    struct keel_loop *loop = keel_thread.loop;

    loop->change_after *= 2;
    if (libgomp->omp_get_thread_num() == 0) {
        keel_mode_change_within(region_allows_modes());
    }
    libgomp->GOMP_barrier();
}

void keel_start_observed_end(const struct keel_libgomp *libgomp, const void *caller)
{
    keel_observed_loop_arrive(KEEL_OBSERVED_LOOP_END, caller);
    keel_start_unobserved_end(libgomp);
    keel_observed_loop_leave(KEEL_OBSERVED_LOOP_END, caller);
}

bool keel_start_observed_end_cancel(const struct keel_libgomp *libgomp, const void *caller)
{
    keel_observed_loop_arrive(KEEL_OBSERVED_LOOP_END, caller);
    bool cancelled = keel_start_unobserved_end_cancel(libgomp);
    keel_observed_loop_leave(KEEL_OBSERVED_LOOP_END, caller);
    return cancelled;
}

/* --- short regions that are passed on as they are --- */

/* A region of the program. Threads of a team do the same, whatever is found; where two threads
 * learn of one region at once, an instance may not count. */
struct keel_passing_region {
    struct keel_address_key key; /* the function that its threads run */
    atomic_bool passed;
    _Atomic unsigned unloadings; /* keel_unload_count at which it was looked at: later, another
                                    library may be there */
    _Atomic unsigned instances;  /* one after the other that have needed nothing */
    _Atomic unsigned returns;    /* times that it was passed on and would have needed Keel */
};

static struct keel_address_table regions;

/* Out of line, as begin_anew(): where these are part of what passes a region on, that keeps more on
 * its stack, and a region of a microsecond takes 5 % longer. NULL: there is no room. */
static __attribute__((noinline)) struct keel_passing_region *region_of(void (*outlined)(void *))
{
    return keel_address_entry(&regions, sizeof(struct keel_passing_region), (uintptr_t)outlined, 0);
}

static bool is_known(const struct keel_passing_region *region)
{
    return region->unloadings == keel_unload_count_now();
}

static __attribute__((noinline)) void begin_anew(struct keel_passing_region *region)
{
    region->passed = false;
    region->instances = 0;
    region->unloadings = keel_unload_count_now();
}

static bool may_pass(void)
{
    return region_allows_modes() && keel_thread.costs == NULL && keel_libgomp_known() != NULL;
}

/* The other threads of the team have no loop state, as they are in no region that Keel has seen,
 * and do not know whose libgomp it is: there has to be one only. So this one has none either.
 * Returns whether the region has needed Keel. */
static bool run(void (*outlined)(void *), void *data, unsigned threads, unsigned flags)
{
    const struct keel_thread outer = keel_thread;
    unsigned begun = outer.in_team ? 0 : keel_mode_begin_team(outlined, true, false);
    bool needs_keel = false;

    keel_thread.loop = NULL;
    keel_thread.needs_keel = &needs_keel;
    keel_thread.in_team = true;
    keel_thread.passed_on++;
    keel_libgomp_known()->GOMP_parallel(outlined, data, threads, flags);
    keel_known_costs_release(keel_thread.costs);
    keel_thread.costs = NULL;
    keel_thread.loop = outer.loop;
    keel_thread.needs_keel = outer.needs_keel;
    keel_thread.in_team = outer.in_team;
    keel_thread.passed_on--;
    keel_thread.set_policy = outer.set_policy;
    if (begun != 0) {
        keel_mode_end_team(begun);
    }
    return needs_keel;
}

bool keel_passing_run(struct keel_passing_watch *watch, void (*outlined)(void *), void *data,
                      unsigned threads, unsigned flags)
{
    struct keel_passing_region *region = may_pass() ? region_of(outlined) : NULL;

    watch->region = region;
    if (region == NULL || !region->passed || !is_known(region) || keel_loop_recheck_is_next()) {
        return false;
    }
    keel_thread.regions++;
    if (run(outlined, data, threads, flags)) {
        region->returns++;
        begin_anew(region);
    }
    return true;
}

void keel_passing_fork(struct keel_passing_watch *watch, struct keel_region *region)
{
    watch->needs_keel = false;
    if (watch->region != NULL) {
        watch->began = keel_clock_ticks();
        region->needs_keel = &watch->needs_keel;
    }
}

void keel_passing_join(const struct keel_passing_watch *watch)
{
    struct keel_passing_region *region = watch->region;

    if (region == NULL) {
        return;
    }
    if ((watch->needs_keel && region->instances > 0) || !is_known(region)) {
        begin_anew(region);
    }
    if (!watch->needs_keel) {
        double region_ns = keel_clock_span_ns(watch->began, keel_clock_ticks());
        region->instances++;
        if (keel_worthwhile_pass(region_ns, region->instances, region->returns)) {
            region->passed = true;
        }
    }
}
