/* A thread joins an instance of a loop, and gets its chunks, by the loop's mode. */
#include "omp_ext/loop/loop_open.h"

#include "omp_ext/check/check.h"
#include "omp_ext/gomp/loop_mark.h"
#include "omp_ext/lending/loan.h"
#include "omp_ext/loop/modes.h"
#include "omp_ext/loop/observed_loop.h"
#include "omp_ext/loop/timed_loop.h"
#include "omp_ext/machine/clock.h"
#include "omp_ext/site/site.h"

/* --- joining an instance --- */

/* Starts libgomp's work-sharing construct, and returns the memory that the team shares in it; the
 * program's own comes first there, as the program expects. The construct is ready to run by
 * libgomp's schedule, too. drawn: libgomp has given the first chunk already, as it does in wide
 * loops; under a policy of Keel's, that chunk is not used. */
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

/* The first thread's proposal is the policy of all (compare-and-swap). Proposals may differ:
 * threads may have asked for different schedules, or the site's measurement was completed in
 * between. */
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
    return (const struct keel_policy *)((uintptr_t)agreed & ~(uintptr_t)KEEL_INSTANCE_LEFT);
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
    if (plan->claim == KEEL_CLAIM_WEIGHTED && policy->records != NULL) {
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

/* Out of line, so that the path of other loops stays short. */
static __attribute__((noinline)) void start_lent(struct keel_loop *loop, struct keel_loan *loan,
                                                 const struct keel_lent_loop *lent_loop)
{
    keel_lent_loop_start(loop, loan, lent_loop != NULL ? lent_loop : &loan->lent_loop);
}

/* Sets how the thread gets its chunks. */
static void choose_mode(struct keel_loop *loop, struct keel_instance *instance,
                        const struct keel_policy *policy)
{
    loop->chunk = 0;
    if (policy->static_shares) {
        keel_static_share_start(loop, instance, policy);
        return;
    }
    loop->timed = true;
    loop->done = 0;
    loop->busy_ns = 0;
    if (policy->measurement != NULL) {
        loop->measurement = policy->measurement;
        loop->cost = (struct keel_cost){0};
    }
    if (policy->shared_states != NULL &&
        (policy = keel_adaptive_start(loop, instance, policy)) == NULL) {
        return;
    }
    loop->policy = policy;
    loop->claims = &instance->claims;
    use_plan(loop, policy);
    loop->mode = mode_of(policy, loop->plan);
    if (policy->measurement == NULL) {
        loop->measurement = NULL; /* another policy runs in place of the measured one */
    }
    if (loop->mode == KEEL_LOOP_EQUAL) {
        loop->chunk_stride = loop->plan->tail_chunk * loop->space.stride;
        loop->last_step = loop->plan->steps - 1;
    } else if (loop->mode == KEEL_LOOP_LEARNING) {
        keel_learning_start(loop, policy->records);
    }
}

/* From here on the loop's space is in the policy's units. */
static inline void divide_into_units(struct keel_loop *loop, const struct keel_policy *policy)
{
    if (__builtin_expect(policy->grain > 1, 0)) {
        loop->space = keel_space_in_units(&loop->space, policy->grain);
    }
}

/* lent_loop: describes the loop, in case it gets lent iterations; NULL: the loan does. */
static void join_instance(struct keel_loop *loop, struct keel_instance *instance,
                          const struct keel_policy *policy, const struct keel_lent_loop *lent_loop,
                          const struct keel_call_site *place)
{
    keel_loop_mark();
    loop->agreed = policy;
    loop->policy = policy;
    if (__builtin_expect(policy->spec.schedule == NULL, 0)) {
        if (policy->loan != NULL) {
            start_lent(loop, policy->loan, lent_loop);
        } else {
            divide_into_units(loop, policy);
            keel_checked_loop_start(loop, instance, place, policy->spec.in_order);
        }
        return;
    }
    divide_into_units(loop, policy);
    bool awaits = __builtin_expect(loop->sized, 0) && keel_loop_await_core(loop, instance, policy);
    choose_mode(loop, instance, policy);
    if (awaits) {
        keel_loop_instrument(loop, false, false);
        loop->awaits = true;
    }
}

/* Loops of explicit clauses, and those that share memory, are not settled. */
static const struct keel_policy *propose(struct keel_loop *loop, const struct keel_start *start,
                                         const struct keel_policy *policy)
{
    if (policy->settled_site == NULL || start->chunk != 0 || start->memory != NULL ||
        start->reductions != NULL) {
        return policy;
    }
    struct keel_mode *mode = keel_start_mode(start, policy);
    keel_mode_meet(mode, keel_thread.outlined);
    const struct keel_policy *proposed =
        keel_settled_propose(policy, mode, loop->threads, start->space.iterations, loop->recheck);
    if (proposed->trial != NULL) {
        loop->chunk_start = keel_clock_ticks();
    }
    return proposed;
}

enum keel_opened keel_loop_open(const struct keel_libgomp *libgomp, const struct keel_start *start,
                                const struct keel_policy *policy)
{
    struct keel_loop *loop = keel_loop_begin(libgomp, &start->space);
    bool drawn = false;

    policy = propose(loop, start, policy);
    struct keel_instance *instance = start_construct(libgomp, start, &drawn);
    if (__builtin_expect(keel_loan_is_pending(), 0)) {
        keel_loan_propose(&instance->policy, start->space.iterations);
    }
    const struct keel_policy *agreed = agree_on_policy(instance, policy);
    if (agreed != &keel_policy_libgomp) {
        join_instance(loop, instance, agreed, &(struct keel_lent_loop){policy, start->construct},
                      &start->construct.place);
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
    struct keel_loop *loop = keel_loop_begin(libgomp, &start->space);
    uint64_t first, last;

    keel_loop_mark();
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

/* Joins the instance of the combined loop that is the thread's region. To libgomp this is a
 * region without work-sharing, so libgomp is not called at the loop's end. */
static void loop_open_combined(struct keel_loop *loop)
{
    struct keel_combined *combined = loop->combined;

    keel_loop_begin(combined->libgomp, &combined->space);
    if (combined->policy->trial != NULL) {
        loop->chunk_start = keel_clock_ticks();
    }
    join_instance(loop, &combined->instance, combined->policy, NULL, &combined->place);
}

/* --- ordered loops --- */

/* What an ordered loop runs under. libgomp runs an ordered loop over the step numbers: it hands out
 * tickets in order, and keeps the ordered regions in order. Each thread must know the number of
 * steps beforehand. Under weights or measured sizes it does not: factoring by halves then replaces
 * the schedule. */
static const struct keel_policy *ordered_policy(const struct keel_policy *policy)
{
    if (policy->spec.schedule == NULL) {
        policy = keel_check_ordered_policy();
        return policy != NULL ? policy : &keel_policy_factoring;
    }
    if (policy->ordered_policy != NULL) {
        return policy->ordered_policy;
    }
    if (policy->measurement != NULL || policy->is_completed || policy->shared_states != NULL ||
        policy->spec.schedule->claim == KEEL_CLAIM_WEIGHTED) {
        return &keel_policy_factoring;
    }
    return policy;
}

enum keel_opened keel_loop_open_ordered(const struct keel_libgomp *libgomp,
                                        const struct keel_start *start,
                                        const struct keel_policy *policy)
{
    struct keel_loop *loop = keel_loop_begin(libgomp, &start->space);

    keel_loop_mark();
    if (keel_check_wanted() && keel_thread.check.loop != NULL) {
        keel_check_report_loop(keel_thread.check.loop, loop->threads);
    }
    divide_into_units(loop, policy);
    loop->agreed = policy;
    loop->policy = ordered_policy(policy);
    use_plan(loop, loop->policy);
    loop->mode = KEEL_LOOP_ORDERED;
    long kind = loop->plan->claim == KEEL_CLAIM_OWN ? KEEL_GFS_STATIC : KEEL_GFS_DYNAMIC;
    loop->ticket_ready = libgomp->GOMP_loop_ull_ordered_start(
        true, 0, keel_plan_steps(loop->plan), 1, kind, 1, &loop->ticket, &loop->ticket_end,
        start->reductions, start->memory);
    loop->tickets_left = loop->ticket_ready;
    return KEEL_OPENED;
}

/* --- the next chunk --- */

/* A ticket is the number of a step. libgomp gives one at a time, but to a team of one all tickets
 * of a static loop at once. The first came with the start of the loop. */
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

static bool claim_by_mode(struct keel_loop *loop, uint64_t *first, uint64_t *last)
{
    switch (loop->mode) {
    case KEEL_LOOP_MEASURED:
    case KEEL_LOOP_LEARNING:
    case KEEL_LOOP_ADAPTIVE:
        return keel_counted_next(loop, first, last);
    case KEEL_LOOP_ORDERED:
        return next_ordered(loop, first, last);
    case KEEL_LOOP_LENT:
        return keel_lent_loop_next(loop, first, last);
    case KEEL_LOOP_CHECKED:
        return keel_checked_loop_next(loop, first, last);
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

/* libgomp's functions for runtime schedules go on with loops of all. */
static bool next_of_libgomp(const struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    const struct keel_libgomp *libgomp = loop->libgomp;

    if (loop->wide) {
        return (loop->ordered
                    ? libgomp->GOMP_loop_ull_ordered_runtime_next
                    : libgomp->GOMP_loop_ull_runtime_next)((keel_ull *)start, (keel_ull *)end);
    }
    return (loop->ordered ? libgomp->GOMP_loop_ordered_runtime_next
                          : libgomp->GOMP_loop_runtime_next)((long *)start, (long *)end);
}

/* The first `next` of a combined loop that is instrumented already. */
static void open_instrumented(struct keel_loop *loop)
{
    bool observed = loop->observed, in_pieces = loop->in_pieces, wide = loop->wide;

    loop->mode = KEEL_LOOP_COMBINED;
    loop_open_combined(loop);
    bool awaits = loop->mode == KEEL_LOOP_INSTRUMENTED && loop->awaits;
    keel_loop_instrument(loop, wide, false);
    loop->observed = observed;
    loop->in_pieces = in_pieces;
    loop->awaits = awaits;
}

/* By the loop's own mode, which it is in once nothing is left. */
static bool next_instrumented(struct keel_loop *loop, keel_bound *start, keel_bound *end)
{
    if (loop->in_pieces && keel_timed_loop_piece(loop, start, end)) {
        return true;
    }
    if (loop->own_mode == KEEL_LOOP_COMBINED) {
        open_instrumented(loop);
    }
    if (loop->observed) {
        keel_observed_loop_chunk_over();
    }
    if (loop->awaits) {
        keel_loop_await_core_again(loop);
    }
    loop->mode = loop->own_mode;
    bool taken = loop->mode == KEEL_LOOP_LIBGOMP ? next_of_libgomp(loop, start, end)
                                                 : keel_loop_next(loop, start, end);
    if (!taken) {
        return false;
    }
    loop->own_mode = loop->mode;
    loop->mode = KEEL_LOOP_INSTRUMENTED;
    if (loop->observed) {
        keel_observed_loop_taken(*start, *end);
    }
    if (loop->in_pieces) {
        keel_timed_loop_taken(loop->timed_part, start, end);
    }
    return true;
}

static __attribute__((noinline)) bool next_by_mode(struct keel_loop *loop, keel_bound *start,
                                                   keel_bound *end)
{
    uint64_t first, last;

    if (loop->mode == KEEL_LOOP_COMBINED) {
        loop_open_combined(loop);
        return keel_loop_next(loop, start, end);
    }
    if (__builtin_expect(loop->mode == KEEL_LOOP_INSTRUMENTED, 0)) {
        return next_instrumented(loop, start, end);
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

/* Out of line, so that the path of tables stays short. */
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
