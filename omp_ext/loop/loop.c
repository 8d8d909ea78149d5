/* One thread's part in one loop instance. */
#include "omp_ext/loop/loop.h"

#include "omp_ext/check/check.h"
#include "omp_ext/lending/lent_loop.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/adaptive.h"
#include "omp_ext/loop/learning.h"
#include "omp_ext/loop/static_share.h"
#include "omp_ext/loop/trace.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/settings/settings.h"
#include "omp_ext/site/settled.h"
#include "omp_ext/site/site.h"
#include "omp_ext/support/loop_mark.h"
#include "schedules/loop/registry.h"

/* Aligned so that libkeel.so moves the thread-local data of the libraries behind it by whole cache
 * lines. libgomp's threads write into each other's, and a loop start takes a tenth longer where
 * they lie across one line more. */
_Alignas(64) _Thread_local struct keel_thread keel_thread
    __attribute__((tls_model("initial-exec")));
_Atomic int keel_activity;

/* --- which policy --- */

bool keel_loop_find_activity(void)
{
    const struct keel_settings *settings = keel_settings();
    const struct keel_policy *standard = settings->schedules.standard;
    bool on = (standard != NULL && standard != &keel_policy_libgomp) ||
              settings->schedules.rules > 0 || settings->fallback != NULL || settings->check.on;
    int unknown = KEEL_UNKNOWN;

    if (on) {
        keel_site_ready();
    }
    /* keel_set_schedule may have switched it on meanwhile */
    atomic_compare_exchange_strong(&keel_activity, &unknown, on ? KEEL_ON : KEEL_OFF);
    return atomic_load(&keel_activity) == KEEL_ON;
}

/* The person who runs the program has the last word, then the program, then OMP_SCHEDULE as its
 * standard says. */
const struct keel_policy *keel_loop_default_policy(void)
{
    const struct keel_settings *settings = keel_settings();

    if (settings->schedules.standard != NULL) {
        return settings->schedules.standard;
    }
    return keel_thread.set_policy != NULL ? keel_thread.set_policy : settings->fallback;
}

const struct keel_policy *keel_loop_policy(const struct keel_libgomp *libgomp,
                                           const struct keel_construct *construct)
{
    const struct keel_settings *settings = keel_settings();
    const struct keel_policy *policy = keel_loop_default_policy();

    if (__builtin_expect(settings->check.on, 0)) {
        return libgomp->complete ? keel_check_policy(construct) : NULL;
    }
    if (settings->schedules.rules > 0 || settings->explain ||
        (policy != NULL && policy->incomplete)) {
        bool recheck = keel_thread.loop != NULL && keel_thread.loop->recheck;
        policy = keel_site_policy(&construct->place, policy, construct->grain, recheck);
    } else {
        policy = keel_policy_grained(policy, construct->grain);
    }
    if (policy == NULL || policy == &keel_policy_libgomp || !libgomp->complete) {
        return NULL;
    }
    return (construct->in_order || policy->spec.in_order) && policy->in_order != NULL
               ? policy->in_order
               : policy;
}

const struct keel_policy *keel_loop_combined_policy(const struct keel_libgomp *libgomp,
                                                    const struct keel_construct *construct,
                                                    const struct keel_space *space)
{
    const struct keel_policy *own = keel_loop_policy(libgomp, construct);

    if (__builtin_expect(keel_loan_is_pending(), 0) && libgomp->complete) {
        return keel_loan_take(&(struct keel_lent_loop){.own = own,
                                                       .in_order = construct->in_order,
                                                       .grain = construct->grain,
                                                       .place = construct->place});
    }
    return own != NULL && own->settling != NULL
               ? keel_settled_propose_combined(own, space->iterations)
               : own;
}

/* --- opening --- */

/* The state of the region that the thread is in. Outside of every region that Keel has seen, the
 * thread has one for good. */
static struct keel_loop *current_loop(void)
{
    static _Thread_local struct keel_loop outermost;

    if (keel_thread.loop == NULL) {
        keel_thread.loop = &outermost;
    }
    return keel_thread.loop;
}

bool keel_loop_may_be_lent(void)
{
    return keel_loan_was_made() && (keel_thread.loop == NULL || !keel_thread.loop->before_lending);
}

bool keel_loop_team_known(const struct keel_libgomp *libgomp)
{
    return keel_thread.loop != NULL || libgomp->omp_get_num_threads() == 1;
}

/* Starts libgomp's work-sharing construct, ready to run by libgomp's schedule, and finds what its
 * threads share. The program's own memory comes first, as it expects. Of a wide loop libgomp draws
 * its first chunk at once, which does no harm: Keel's chunks come from elsewhere. */
static struct keel_instance *start_construct(const struct keel_libgomp *libgomp,
                                             const struct keel_start *start, bool *drawn)
{
    const struct keel_space *space = &start->space;
    size_t wanted = start->memory != NULL ? (size_t)*start->memory : 0;
    size_t offset =
        (wanted + _Alignof(struct keel_instance) - 1) & ~(_Alignof(struct keel_instance) - 1);
    void *memory = (void *)(offset + sizeof(struct keel_instance));

    if (start->wide) {
        *drawn = libgomp->GOMP_loop_ull_start(start->up, space->start, space->end, space->stride,
                                              start->kind, start->chunk, start->istart, start->iend,
                                              start->reductions, &memory);
    } else {
        libgomp->GOMP_loop_start((long)space->start, (long)space->end, (long)space->stride,
                                 start->kind, (long)start->chunk, NULL, NULL, start->reductions,
                                 &memory);
    }
    if (start->memory != NULL) {
        *start->memory = memory;
    }
    return (struct keel_instance *)((char *)memory + offset);
}

/* All threads take the policy of the first one: they may have been asked for different ones, or
 * have met a measurement at different moments. */
static const struct keel_policy *agree_on_policy(struct keel_instance *instance,
                                                 const struct keel_policy *proposed)
{
    /* acquire and release: a policy's fields are complete before its address is seen */
    const struct keel_policy *agreed =
        atomic_load_explicit(&instance->policy, memory_order_acquire);

    if (agreed == NULL &&
        atomic_compare_exchange_strong_explicit(&instance->policy, &agreed, proposed,
                                                memory_order_acq_rel, memory_order_acquire)) {
        agreed = proposed;
    }
    return agreed;
}

static void use_plan(struct keel_loop *loop, const struct keel_policy *policy)
{
    struct keel_plan_key key = {
        .policy = policy,
        .iterations = loop->space.units,
        .threads = loop->threads,
        .thread = loop->thread,
    };

    loop->kept = keel_plan_cache_acquire(&key);
    if (loop->kept != NULL) {
        loop->plan = loop->kept->plan;
    } else {
        struct keel_problem problem = keel_plan_cache_problem(&key);
        loop->plan = keel_plan_build(&problem, NULL, &loop->own_plan);
    }
    keel_cursor_begin(&loop->cursor, loop->plan);
}

static enum keel_loop_mode mode_of(const struct keel_policy *policy, const struct keel_plan *plan)
{
    if (plan->claim == KEEL_CLAIM_WEIGHTED && policy->memory != NULL) {
        return KEEL_LOOP_LEARNING;
    }
    if (policy->measurement != NULL) {
        return KEEL_LOOP_MEASURED;
    }
    if (plan->claim == KEEL_CLAIM_WEIGHTED) {
        return KEEL_LOOP_WEIGHTED;
    }
    if (plan->claim != KEEL_CLAIM_STEPS || plan->walks) {
        return KEEL_LOOP_OTHER;
    }
    return plan->head == 0 && plan->steps > 0 ? KEEL_LOOP_EQUAL : KEEL_LOOP_STEPS;
}

/* The team is the same for all loops of a region, so libgomp is asked once. */
static void find_team(struct keel_loop *loop, const struct keel_libgomp *libgomp)
{
    if (loop->threads == 0 || loop->libgomp != libgomp) {
        loop->libgomp = libgomp;
        loop->threads = (uint32_t)libgomp->omp_get_num_threads();
        loop->thread = (uint32_t)libgomp->omp_get_thread_num();
    }
}

struct keel_loop *keel_loop_of_team(const struct keel_libgomp *libgomp)
{
    struct keel_loop *loop = current_loop();

    find_team(loop, libgomp);
    return loop;
}

static void begin_loop(struct keel_loop *loop, const struct keel_libgomp *libgomp,
                       const struct keel_space *space)
{
    keel_loop_close(loop);
    find_team(loop, libgomp);
    loop->space = *space;
    loop->without_libgomp = false;
    loop->chunk_start = 0;
    loop->measurement = NULL;
}

static void start_measuring(struct keel_loop *loop, const struct keel_policy *policy)
{
    loop->measurement = policy->measurement;
    loop->cost = (struct keel_cost){0};
}

/* Kept away from loops that run their own iterations. */
static __attribute__((noinline)) void start_lent(struct keel_loop *loop, struct keel_loan *loan,
                                                 const struct keel_lent_loop *lent_loop)
{
    keel_lent_loop_start(loop, loan, lent_loop != NULL ? lent_loop : &loan->lent_loop);
}

/* Settles how the thread takes its chunks. */
static void choose_mode(struct keel_loop *loop, struct keel_instance *instance,
                        const struct keel_policy *policy)
{
    loop->chunk = 0;
    if (policy->static_shares) {
        keel_static_share_start(loop, instance, policy);
        return;
    }
    if (policy->measurement != NULL) {
        start_measuring(loop, policy);
    }
    if (policy->shared_states != NULL &&
        (policy = keel_adaptive_start(loop, instance, policy)) == NULL) {
        return;
    }
    loop->claims = &instance->claims;
    use_plan(loop, policy);
    loop->mode = mode_of(policy, loop->plan);
    if (policy->measurement == NULL) {
        loop->measurement = NULL; /* what stands for the measured one this time is not timed */
    }
    if (loop->mode == KEEL_LOOP_EQUAL) {
        loop->chunk_stride = loop->plan->tail_chunk * loop->space.stride;
        loop->last_step = loop->plan->steps - 1;
    } else if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_start(loop, policy->memory);
    }
}

/* Where the number of the loop's instance stands; NULL: nothing is left to trace, or no memory was.
 */
static _Atomic uint64_t *trace_number_of(const struct keel_loop *loop,
                                         struct keel_instance *instance,
                                         const struct keel_policy *policy)
{
    if (policy->shared_states == NULL || loop->threads == 1) {
        return &instance->users;
    }
    return loop->shared_state != NULL ? &loop->shared_state->trace_number : NULL;
}

static __attribute__((noinline)) void trace(struct keel_loop *loop, _Atomic uint64_t *number,
                                            const struct keel_call_site *place)
{
    loop->traced = number != NULL ? keel_trace_join(number, place, loop->thread) : NULL;
    if (loop->traced != NULL) {
        keel_trace_set_mode(loop->traced, loop->mode);
        loop->mode = KEEL_LOOP_TRACED;
    }
}

/* From here on the loop's space is in the policy's units. */
static inline void divide_into_units(struct keel_loop *loop, const struct keel_policy *policy)
{
    if (__builtin_expect(policy->grain > 1, 0)) {
        loop->space = keel_space_in_units(&loop->space, policy->grain);
    }
}

/* lent_loop: the loop, should iterations be lent to it; NULL: it is in the loan. */
static void join_instance(struct keel_loop *loop, struct keel_instance *instance,
                          const struct keel_policy *policy, const struct keel_lent_loop *lent_loop,
                          const struct keel_call_site *place)
{
    keel_loop_mark();
    if (__builtin_expect(policy->spec.schedule == NULL, 0)) {
        if (policy->loan != NULL) {
            start_lent(loop, policy->loan, lent_loop);
        } else {
            divide_into_units(loop, policy);
            keel_check_start(loop, instance, place, policy->spec.in_order);
        }
        return;
    }
    divide_into_units(loop, policy);
    choose_mode(loop, instance, policy);
    if (keel_trace_wanted()) {
        trace(loop, trace_number_of(loop, instance, policy), place);
    }
}

/* Loops of explicit clauses, and those that share memory, are not settled. */
static const struct keel_policy *propose(struct keel_loop *loop, const struct keel_start *start,
                                         const struct keel_policy *policy)
{
    if (policy->settling == NULL || start->chunk != 0 || start->memory != NULL ||
        start->reductions != NULL) {
        return policy;
    }
    const struct keel_policy *proposed =
        keel_settled_propose(policy, loop->threads, start->space.iterations, loop->recheck);
    if (proposed->static_shares) {
        loop->chunk_start = keel_clock_ticks();
    }
    return proposed;
}

enum keel_opened keel_loop_open(const struct keel_libgomp *libgomp, const struct keel_start *start,
                                const struct keel_policy *policy)
{
    struct keel_loop *loop = current_loop();
    bool drawn = false;

    begin_loop(loop, libgomp, &start->space);
    policy = propose(loop, start, policy);
    struct keel_instance *instance = start_construct(libgomp, start, &drawn);
    if (__builtin_expect(keel_loan_is_pending(), 0)) {
        keel_loan_propose(instance);
    }
    const struct keel_policy *agreed = agree_on_policy(instance, policy);
    if (agreed != &keel_policy_libgomp) {
        join_instance(loop, instance, agreed,
                      &(struct keel_lent_loop){.own = policy,
                                               .in_order = start->in_order,
                                               .grain = start->grain,
                                               .place = {start->caller, NULL}},
                      &(struct keel_call_site){start->caller, NULL});
        if (agreed->lease > 0) {
            keel_static_share_lease(loop, start->caller, agreed);
        }
        return KEEL_OPENED;
    }
    if (!start->wide) {
        drawn = libgomp->GOMP_loop_runtime_next(start->istart, start->iend);
    }
    return drawn ? KEEL_LIBGOMP_CHUNK : KEEL_LIBGOMP_NONE;
}

enum keel_opened keel_loop_open_static(const struct keel_libgomp *libgomp,
                                       const struct keel_start *start)
{
    struct keel_loop *loop = current_loop();

    begin_loop(loop, libgomp, &start->space);
    keel_loop_mark();
    uint64_t first, last;
    keel_static_share_of(loop->space.iterations, loop->threads, loop->thread, &first, &last);
    loop->without_libgomp = true;
    if (first == last) {
        return KEEL_STATIC_SHARE_NONE;
    }
    loop->mode = KEEL_LOOP_STATIC_GIVEN;
    *(keel_bound *)start->istart = keel_space_value(&loop->space, first);
    *(keel_bound *)start->iend = keel_space_bound(&loop->space, last);
    return KEEL_STATIC_SHARE_CHUNK;
}

/* libgomp believes in a plain region without work-sharing, and asks nothing of the loop's end. */
static void open_combined(struct keel_loop *loop)
{
    struct keel_combined *combined = loop->combined;

    begin_loop(loop, combined->libgomp, &combined->space);
    if (combined->policy->trial != NULL) {
        loop->chunk_start = keel_clock_ticks();
    }
    join_instance(loop, &combined->instance, combined->policy, NULL, &combined->place);
}

void keel_loop_pass_to_libgomp(void)
{
    if (keel_thread.loop != NULL) {
        keel_loop_close(keel_thread.loop);
        keel_thread.loop->without_libgomp = false;
    }
}

/* --- taking chunks --- */

/* Takes in the chunk that has run for `time_ns`. */
static void count_chunk(struct keel_loop *loop, double time_ns)
{
    if (loop->measurement != NULL) {
        keel_cost_add(&loop->cost, loop->chunk, time_ns, loop->overhead_ns);
    }
    if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_chunk(loop, time_ns, loop->overhead_ns);
    }
}

static bool next_timed(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    uint64_t claim_start = keel_clock_ticks();

    if (loop->chunk > 0) {
        count_chunk(loop, keel_clock_span_ns(loop->chunk_start, claim_start));
    }
    bool taken = keel_claim(loop->plan, loop->claims, &loop->cursor, first, last);
    loop->chunk = taken ? *last - *first : 0;
    loop->chunk_start = keel_clock_ticks();
    loop->overhead_ns = keel_clock_span_ns(claim_start, loop->chunk_start);
    return taken;
}

/* Ticket `ticket` is that of step `ticket`. libgomp gives one at a time, but to a team of one all
 * of a static loop's at once. The first came with the start of the loop. */
static bool draw_ticket(struct keel_loop *loop)
{
    bool own = loop->plan->claim == KEEL_CLAIM_OWN;

    if (loop->ticket_ready) {
        loop->ticket_ready = false;
        return true;
    }
    return loop->tickets_left && (own ? loop->libgomp->GOMP_loop_ull_ordered_static_next
                                      : loop->libgomp->GOMP_loop_ull_ordered_dynamic_next)(
                                     &loop->ticket, &loop->ticket_end);
}

static bool next_ordered(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    uint64_t unused;

    if (!draw_ticket(loop)) {
        return false;
    }
    keel_plan_any_chunk(loop->plan, &loop->cursor.walk, loop->ticket, first, last);
    if (loop->ticket_end - 1 > loop->ticket) {
        keel_plan_any_chunk(loop->plan, &loop->cursor.walk, loop->ticket_end - 1, &unused, last);
    }
    return true;
}

static bool claim_by_mode(struct keel_loop *loop, uint64_t *first, uint64_t *last);

/* By the loop's own mode, which stays the loop's when nothing is left. */
static bool next_traced(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    keel_trace_chunk_over(loop->traced);
    loop->mode = (enum keel_loop_mode)keel_trace_mode(loop->traced);
    if (!claim_by_mode(loop, first, last)) {
        keel_trace_leave(loop->traced);
        return false;
    }
    loop->mode = KEEL_LOOP_TRACED;
    keel_trace_chunk(loop->traced, keel_space_iteration(&loop->space, *first),
                     keel_space_iteration(&loop->space, *last));
    return true;
}

static bool claim_by_mode(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    switch (loop->mode) {
    case KEEL_LOOP_MEASURED:
    case KEEL_LOOP_LEARNING:
        return next_timed(loop, first, last);
    case KEEL_LOOP_ADAPTIVE:
        return keel_adaptive_next(loop, first, last);
    case KEEL_LOOP_ORDERED:
        return next_ordered(loop, first, last);
    case KEEL_LOOP_LENT:
        return keel_lent_loop_next(loop, first, last);
    case KEEL_LOOP_CHECKED:
        return keel_check_next(loop, first, last);
    case KEEL_LOOP_TRACED:
        return next_traced(loop, first, last);
    case KEEL_LOOP_STATIC_GIVEN:
        return false;
    case KEEL_LOOP_STATIC:
        return keel_static_share_next(loop, first, last);
    default:
        return keel_claim(loop->plan, loop->claims, &loop->cursor, first, last);
    }
}

/* Gives the program units [first, last) as values of its loop variable; always true. */
static inline bool give_chunk(const struct keel_loop *loop, uint64_t first, uint64_t last,
                              keel_bound *start, keel_bound *end)
{
    *start = keel_space_value(&loop->space, first);
    *end = keel_space_bound(&loop->space, last);
    return true;
}

static __attribute__((noinline)) bool next_by_mode(struct keel_loop *loop, keel_bound *start,
                                                   keel_bound *end)
{
    uint64_t first, last;

    if (loop->mode == KEEL_LOOP_COMBINED) {
        open_combined(loop);
        return keel_loop_next(loop, start, end);
    }
    if (!claim_by_mode(loop, &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}

static __attribute__((noinline)) bool next_weighted(struct keel_loop *loop, keel_bound *start,
                                                    keel_bound *end)
{
    uint64_t first, last;

    if (!keel_claim_weighted(loop->plan, loop->claims, &loop->cursor, &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}

/* Kept away from the tables' path, which is quicker without the other calls in it. */
static __attribute__((noinline)) bool next_without_table(struct keel_loop *loop, keel_bound *start,
                                                         keel_bound *end)
{
    return loop->mode == KEEL_LOOP_WEIGHTED ? next_weighted(loop, start, end)
                                            : next_by_mode(loop, start, end);
}

/* Steps of a table or of the equal chunks behind it. */
bool keel_loop_next_other(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    uint64_t first, last;

    if (__builtin_expect(loop->mode != KEEL_LOOP_STEPS, 0)) {
        return next_without_table(loop, start, end);
    }
    keel_claim_prefetch(loop->claims);
    if (!keel_plan_chunk(loop->plan, keel_claim_next_step(loop->claims), &first, &last)) {
        return keel_loop_finish(loop);
    }
    return give_chunk(loop, first, last, start, end);
}

/* Once for each instance. */
static void report_costs(struct keel_loop *loop)
{
    keel_site_measured(loop->measurement, &loop->cost, loop->space.units, loop->threads, 0);
    loop->measurement = NULL;
}

bool keel_loop_finish(struct keel_loop *loop)
{
    if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_finish(loop);
    }
    if (loop->measurement != NULL && loop->mode != KEEL_LOOP_ADAPTIVE) {
        report_costs(loop);
    }
    loop->finished = true;
    keel_loop_close(loop);
    return false;
}

/* A loop that is left before its end, or whose last `next` was never asked for. */
static __attribute__((noinline)) void close_trace(struct keel_loop *loop)
{
    keel_trace_chunk_over(loop->traced);
    loop->mode = (enum keel_loop_mode)keel_trace_mode(loop->traced);
    keel_trace_leave(loop->traced);
}

void keel_loop_close(struct keel_loop *loop)
{
    if (__builtin_expect(loop->mode == KEEL_LOOP_TRACED, 0)) {
        close_trace(loop);
    }
    if (loop->shared_state != NULL) {
        keel_adaptive_leave(loop);
    }
    if (loop->kept != NULL) {
        keel_plan_cache_release(loop->kept);
        loop->kept = NULL;
    }
    if (__builtin_expect(loop->mode == KEEL_LOOP_LENT, 0)) {
        keel_lent_loop_leave(loop);
    }
    loop->mode = KEEL_LOOP_LIBGOMP;
}

/* --- ordered loops --- */

/* libgomp's ordered loop over the step numbers hands out tickets in order and keeps the ordered
 * regions in order. Every thread must know the number of steps beforehand, which leaves out weights
 * and measurements: factoring by halves stands in for them. */
static const struct keel_policy *ordered_policy(const struct keel_policy *policy)
{
    if (policy->spec.schedule == NULL) {
        policy = keel_check_ordered_policy();
        return policy != NULL ? policy : &keel_policy_factoring;
    }
    if (policy->plain != NULL) {
        return policy->plain;
    }
    if (policy->measurement != NULL || policy->measured || policy->shared_states != NULL ||
        policy->spec.schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return &keel_policy_factoring;
    }
    return policy;
}

enum keel_opened keel_loop_open_ordered(const struct keel_libgomp *libgomp,
                                        const struct keel_start *start,
                                        const struct keel_policy *policy)
{
    struct keel_loop *loop = current_loop();

    begin_loop(loop, libgomp, &start->space);
    keel_loop_mark();
    if (keel_check_wanted() && keel_thread.check.loop != NULL) {
        keel_check_report_loop(keel_thread.check.loop, loop->threads);
    }
    divide_into_units(loop, policy);
    use_plan(loop, ordered_policy(policy));
    loop->mode = KEEL_LOOP_ORDERED;
    long kind = loop->plan->claim == KEEL_CLAIM_OWN ? KEEL_GFS_STATIC : KEEL_GFS_DYNAMIC;
    loop->ticket_ready = libgomp->GOMP_loop_ull_ordered_start(
        true, 0, keel_plan_steps(loop->plan), 1, kind, 1, &loop->ticket, &loop->ticket_end,
        start->reductions, start->memory);
    loop->tickets_left = loop->ticket_ready;
    return KEEL_OPENED;
}
