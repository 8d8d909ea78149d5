/* Loop schedules with ranks as their workers: a rank claims by advancing a counter, and computes
 * for itself which chunk that is. No rank computes chunks for others.
 *
 * The counter is in the window of the home node, rank 0's. Ranks there advance it themselves;
 * others send a message to a rank of that node, ahead of their need, as that rank answers only
 * between its iterations. So they may have claimed iterations that others could begin earlier: once
 * the counter is exhausted, idle ranks ask for these (transfers.c). */
#include <math.h>
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/shared_loop.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "schedules/claim/team.h"

#define HOME 0 /* node */

static enum keel_claim kind_of(const struct keel_mpi_loop *loop)
{
    return loop->spec.schedule->claim;
}

/* Whether chunks follow from paces of ranks that are measured in this instance. */
static bool goes_by_paces(const struct keel_mpi_loop *loop)
{
    return kind_of(loop) == KEEL_CLAIM_SIZED || loop->spec.schedule->learns >= KEEL_LEARNS_BATCHES;
}

static bool is_home(const struct keel_mpi_loop *loop)
{
    return loop->job->node == HOME;
}

/* --- opening --- */

/* This rank's weight and the least of all, set by the user. */
static void user_weights(const struct keel_mpi_loop *loop, double *own, double *least)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    uint32_t ranks = loop->job->ranks, known = (uint32_t)min_u64(settings->weights, ranks);
    double sum = ranks - known, smallest = known < ranks ? 1 : INFINITY;

    for (uint32_t i = 0; i < known; i++) {
        sum += settings->weight[i];
        smallest = fmin(smallest, settings->weight[i]);
    }
    *own = (loop->job->rank < known ? settings->weight[loop->job->rank] : 1) * ranks / sum;
    *least = smallest * ranks / sum;
}

/* The same, measured in earlier instances if there are any. */
static void set_weights(const struct keel_mpi_loop *loop, struct keel_problem *problem)
{
    bool learns = loop->spec.schedule->learns != KEEL_LEARNS_NOT && loop->record != NULL;

    if (learns && loop->record->speeds.measured > 0) {
        keel_mpi_record_weights(loop->record, &problem->own_weight, &problem->least_weight);
    } else {
        user_weights(loop, &problem->own_weight, &problem->least_weight);
    }
}

static bool open_plan(struct keel_mpi_loop *loop)
{
    struct keel_problem problem = {
        .spec = &loop->spec,
        .iterations = loop->units,
        .threads = loop->job->ranks,
        .thread = loop->job->rank,
    };

    if (kind_of(loop) == KEEL_CLAIM_WEIGHTED) {
        set_weights(loop, &problem);
    }
    loop->plan = keel_plan_build(&problem, realloc, &loop->small);
    /* the least weight raises a given minimum, on which the position of batches depends */
    keel_mpi_loop_agree_on(loop, &loop->plan->walk.view.min_chunk,
                           sizeof loop->plan->walk.view.min_chunk);
    keel_cursor_begin(&loop->cursor, loop->plan);
    atomic_init(&loop->own_step, loop->job->rank);
    return true;
}

static bool open_method(struct keel_mpi_loop *loop)
{
    if (kind_of(loop) != KEEL_CLAIM_SIZED) {
        return open_plan(loop);
    }
    loop->claim_context = (struct keel_claim_context){
        .spec = &loop->spec,
        .iterations = loop->units,
        .threads = loop->job->ranks,
        .divisor = loop->job->ranks,
    };
    return true;
}

/* Whether all chunks but the last one have the same size. If chunks shrink, a rank that claims
 * ahead of need takes larger ones. */
static bool has_equal_chunks(const struct keel_mpi_loop *loop)
{
    struct keel_cursor cursor;
    uint64_t first, last;

    keel_cursor_begin(&cursor, loop->plan);
    return keel_plan_any_chunk(loop->plan, &cursor.walk, 0, &first, &last) &&
           div_ceil(loop->units, last - first) == loop->plan->steps;
}

/* Whether claims ahead of need do not change what others get: later chunks are not much smaller. */
static bool may_claim_ahead(const struct keel_mpi_loop *loop)
{
    return loop->has_equal_chunks || kind_of(loop) == KEEL_CLAIM_SIZED;
}

/* Returns the size of a sized chunk before any measurement, at least 1. */
static uint64_t first_size(const struct keel_mpi_loop *loop)
{
    const struct keel_schedule *schedule = loop->spec.schedule;
    struct keel_claim_context context = loop->claim_context;

    context.remaining = loop->units;
    uint64_t size = loop->units > 0 && schedule->take != NULL ? schedule->take(&context) : 1;
    size = max_u64(size, loop->spec.value[KEEL_MIN].count);
    return max_u64(1, min_u64(size, loop->units));
}

static bool counter_open(struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;

    if (!open_method(loop)) {
        return false;
    }
    loop->has_equal_chunks = kind_of(loop) == KEEL_CLAIM_STEPS && has_equal_chunks(loop);
    if (job->nodes > 1 && may_claim_ahead(loop)) {
        uint64_t chunks =
            loop->has_equal_chunks ? loop->plan->steps : loop->units / first_size(loop);
        loop->first_chunks = keel_ahead_first(chunks, job->ranks);
        keel_victim_begin(&loop->victims, KEEL_VICTIM_STEAL, job->nodes, job->node, NULL, 0,
                          loop->number);
        keel_victim_use_lifelines(&loop->victims);
    }
    return true;
}

/* Other ranks claim as the loop begins. A rank that claims after the home node's first iteration
 * has begun would be idle until its end. */
static bool counter_awaits_others(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_record *record = loop->record;
    bool is_short = record != NULL && record->mean_ns > 0 && record->mean_ns < loop->poll_ns;

    /* relaxed: only a count, which publishes no data */
    return is_home(loop) && loop->first_chunks > 1 && !is_short &&
           atomic_load_explicit(&loop->window->claimants, memory_order_relaxed) <
               loop->job->ranks - loop->job->locals;
}

/* --- sized claims --- */

#define GROWTH \
    2 /* times the iterations of a rank so far: paces from few iterations are uncertain */

/* Returns the size of the rank's next chunk if `known` iterations have been claimed. By the thread
 * that holds `sizing`. */
static uint64_t sized(struct keel_mpi_loop *loop, uint64_t known)
{
    const struct keel_schedule *schedule = loop->spec.schedule;
    struct keel_claim_context *claim_context = &loop->claim_context;

    if (known >= loop->units) {
        return 1;
    }
    claim_context->remaining = loop->units - known;
    claim_context->own = keel_mpi_rank_ranges_pace(loop);
    uint64_t size = schedule->take != NULL ? schedule->take(claim_context) : 1;
    if (loop->job->nodes > 1) {
        size = min_u64(size, GROWTH * max_u64(claim_context->begun, 1));
    }
    return min_u64(max_u64(size, loop->spec.value[KEEL_MIN].count), claim_context->remaining);
}

/* On the home node: reads the paces of other ranks now and then, as in a team (team.c). */
static uint64_t sized_at_home(struct keel_mpi_loop *loop, uint64_t known)
{
    uint64_t often = min_u64(loop->claims / 4 + 1, 16);

    keel_mpi_grants_publish_pace(loop->window, loop->job->rank, keel_mpi_rank_ranges_pace(loop));
    if (loop->claims % often == 0 || loop->claim_context.team.measured < loop->job->ranks) {
        loop->claim_context.team = keel_mpi_grants_paces(loop->window);
    }
    loop->claims++;
    return sized(loop, known);
}

/* Other claims pass N by a chunk of each rank at most, as none is made after that. Sized claims,
 * which could wrap, compare and swap, and never pass N. */
static bool add_sized(struct keel_mpi_loop *loop, uint64_t size, uint64_t *first, uint64_t *last)
{
    _Atomic uint64_t *next = &loop->window->next;
    /* relaxed here and below: hands out disjoint iterations */
    uint64_t seen = atomic_load_explicit(next, memory_order_relaxed);

    do {
        if (seen >= loop->units) {
            return false;
        }
        *last = seen + min_u64(size, loop->units - seen);
    } while (!atomic_compare_exchange_weak_explicit(next, &seen, *last, memory_order_relaxed,
                                                    memory_order_relaxed));
    *first = seen;
    return true;
}

static bool claim_sized(struct keel_mpi_loop *loop, uint64_t *first, uint64_t *last)
{
    if (atomic_flag_test_and_set_explicit(&loop->sizing, memory_order_acquire)) {
        return false; /* another thread of the rank sizes a claim: the caller tries again */
    }
    uint64_t known = atomic_load_explicit(&loop->window->next, memory_order_relaxed);
    bool got = add_sized(loop, sized_at_home(loop, known), first, last);
    if (got) {
        loop->claim_context.chunk = *last - *first;
        loop->claim_context.begun += loop->claim_context.chunk;
    } else {
        atomic_store(&loop->exhausted, true);
    }
    atomic_flag_clear_explicit(&loop->sizing, memory_order_release);
    return got;
}

/* --- weights --- */

/* Returns what the rank adds to the position: its weight, from the paces if the schedule learns
 * during the loop. */
static uint64_t share_of(const struct keel_mpi_loop *loop, const struct keel_paces *team)
{
    double own_ns = keel_mpi_rank_ranges_pace(loop).mean_ns;

    if (loop->spec.schedule->learns < KEEL_LEARNS_BATCHES || own_ns == 0 || team->measured == 0) {
        return loop->plan->share;
    }
    const struct keel_speeds speeds = {team->speed_per_ns, team->measured};
    return keel_plan_share(loop->plan, keel_speeds_weight(&speeds, own_ns));
}

static bool claim_weighted(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (goes_by_paces(loop)) {
        keel_mpi_grants_publish_pace(loop->window, loop->job->rank,
                                     keel_mpi_rank_ranges_pace(loop));
        const struct keel_paces team = keel_mpi_grants_paces(loop->window);
        worker->cursor.share = share_of(loop, &team);
    }
    struct keel_claims *claims = (struct keel_claims *)&loop->window->next;
    return keel_claim_weighted(loop->plan, claims, &worker->cursor, first, last);
}

/* --- claims at home --- */

static bool claim_own(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    /* relaxed: hands out disjoint steps among the rank's threads */
    uint64_t step = atomic_fetch_add_explicit(&worker->loop->own_step, worker->loop->job->ranks,
                                              memory_order_relaxed);

    return keel_plan_any_chunk(worker->loop->plan, &worker->cursor.walk, step, first, last);
}

static bool claim_at_home(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct keel_claims *claims = (struct keel_claims *)&loop->window->next;

    switch (kind_of(loop)) {
    case KEEL_CLAIM_OWN:
        return claim_own(worker, first, last);
    case KEEL_CLAIM_STEPS:
        return keel_claim_step(loop->plan, claims, &worker->cursor, first, last);
    case KEEL_CLAIM_WEIGHTED:
        return claim_weighted(worker, first, last);
    default:
        return claim_sized(loop, first, last);
    }
}

static bool counter_refill(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;

    bool exhausted = atomic_load_explicit(&loop->exhausted, memory_order_relaxed);
    if (exhausted && loop->job->nodes > 1 && may_claim_ahead(loop)) {
        return keel_mpi_node_steal(worker, first, last);
    }
    if (exhausted || (!is_home(loop) && kind_of(loop) != KEEL_CLAIM_OWN)) {
        return false;
    }
    /* counter_is_over() sees either a claim in progress or its iterations */
    atomic_fetch_add(&loop->claiming_workers, 1);
    bool got = claim_at_home(worker, first, last);
    if (got) {
        atomic_fetch_add(&loop->claimed, *last - *first);
    }
    /* no thread may claim after the chunk that ends the loop */
    if (got ? *last == loop->units : kind_of(loop) != KEEL_CLAIM_SIZED) {
        atomic_store(&loop->exhausted, true);
    }
    atomic_fetch_sub(&loop->claiming_workers, 1);
    return got;
}

static bool counter_is_over(struct keel_mpi_loop *loop)
{
    return atomic_load(&loop->exhausted) && atomic_load(&loop->claiming_workers) == 0 &&
           atomic_load(&loop->claimed) == keel_mpi_window_begun(loop->window, loop->job->local);
}

/* --- claims by message --- */

/* The measured time of an answer includes the rest of this rank's own iteration; the counter's
 * owner answers after an iteration of its own at the latest. */
static double answer_ns(const struct keel_mpi_loop *loop)
{
    double measured_ns = loop->job->answer_ns, looks_ns = loop->looks_ns;

    return looks_ns > 0 ? fmin(measured_ns, looks_ns) : measured_ns;
}

/* Claims are made so large that they last until the answer after this one, unless that is much of
 * what is left. `scale`: iterations of each of `left`. */
static struct keel_ahead ahead(const struct keel_mpi_loop *loop, uint64_t left, double scale)
{
    uint64_t held = keel_mpi_window_left(loop->window, loop->job->local);

    return (struct keel_ahead){.left = left,
                               .held = (uint64_t)ceil((double)held / scale),
                               .since_ns =
                                   loop->known_ns > 0 ? keel_mpi_clock_ns() - loop->known_ns : 0,
                               .own_ns = keel_mpi_rank_ranges_pace(loop).mean_ns * scale,
                               .team = loop->claim_context.team,
                               .scale = scale,
                               .workers = loop->job->ranks,
                               .answer_ns = answer_ns(loop)};
}

static struct keel_ahead steps_ahead(const struct keel_mpi_loop *loop)
{
    uint64_t steps = loop->plan->steps, left = steps > loop->known ? steps - loop->known : 0;

    return ahead(loop, left, fmax(1, (double)loop->claim_context.chunk));
}

static struct keel_ahead sized_ahead(const struct keel_mpi_loop *loop)
{
    return ahead(loop, loop->units > loop->known ? loop->units - loop->known : 0, 1);
}

static bool is_wanted(const struct keel_mpi_loop *loop)
{
    struct keel_ahead own =
        kind_of(loop) == KEEL_CLAIM_STEPS ? steps_ahead(loop) : sized_ahead(loop);

    return !may_claim_ahead(loop) || keel_ahead_is_wanted(&own);
}

static uint64_t steps_amount(const struct keel_mpi_loop *loop)
{
    struct keel_ahead own = steps_ahead(loop);

    return loop->has_equal_chunks ? keel_ahead_amount(&own) : keel_ahead_small_amount(&own);
}

/* At most half of its share, as in af: measurements may be inaccurate. */
static uint64_t sized_amount(struct keel_mpi_loop *loop)
{
    uint64_t size = sized(loop, loop->known);
    struct keel_ahead half = sized_ahead(loop);

    half.left /= 2;
    return loop->known < loop->units && loop->known_ns > 0 ? max_u64(size, keel_ahead_amount(&half))
                                                           : size;
}

/* The first claim of a rank, without any measurements. */
static uint64_t first_amount(const struct keel_mpi_loop *loop)
{
    uint64_t size = loop->has_equal_chunks ? 1 : first_size(loop);

    return size * max_u64(1, loop->first_chunks);
}

/* Returns the amount to add to the counter. */
static uint64_t amount_of(struct keel_mpi_loop *loop)
{
    if (loop->claims == 0 && may_claim_ahead(loop)) {
        return first_amount(loop);
    }
    switch (kind_of(loop)) {
    case KEEL_CLAIM_WEIGHTED:
        return share_of(loop, &loop->claim_context.team);
    case KEEL_CLAIM_SIZED:
        return sized_amount(loop);
    default:
        return steps_amount(loop);
    }
}

/* Adding up the paces of all ranks takes the counter's owner O(P). */
static bool wants_paces(const struct keel_mpi_loop *loop)
{
    return goes_by_paces(loop) || loop->claims % min_u64(loop->claims / 4 + 1, 16) == 0;
}

static void request(struct keel_mpi_loop *loop)
{
    loop->claim_pending = true;
    loop->request_ns = keel_mpi_clock_ns();
    keel_mpi_messages_send(
        loop, keel_mpi_job_rank_on(loop->job, HOME),
        (struct keel_mpi_message){.kind = KEEL_MPI_MESSAGE_CLAIM,
                                  .claim = {.known = loop->known,
                                            .amount = amount_of(loop),
                                            .sized = kind_of(loop) == KEEL_CLAIM_SIZED,
                                            .wants_paces = wants_paces(loop),
                                            .pace = keel_mpi_rank_ranges_pace(loop)}});
    loop->claims++;
}

#define FIRST_AHEAD 2 /* units by which a rank without any answer yet claims ahead of need */

/* Whether the rank's threads will be done before an answer could arrive. */
static bool runs_out_soon(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_job *job = loop->job;
    double speed = keel_mpi_window_speed(loop->window, job->local);
    uint64_t left = keel_mpi_window_left(loop->window, job->local);

    double first_ns = may_claim_ahead(loop) && speed > 0 ? fmax(loop->poll_ns, FIRST_AHEAD / speed)
                                                         : loop->poll_ns;
    double ahead_ns = job->answer_ns > 0 ? 2 * job->answer_ns : first_ns;

    return left == 0 || (speed > 0 && (double)left / speed < ahead_ns);
}

/* Whether one of the rank's ranges has room for a grant. */
static bool has_room(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_window_range *range =
        keel_mpi_window_ranges(loop->window, loop->job->local);

    if (!may_claim_ahead(loop)) {
        return keel_mpi_window_range_left(loop->window, &range[KEEL_MPI_RANGE_ARRIVAL]) == 0;
    }
    for (unsigned i = 0; i < keel_mpi_rank_ranges_in_use(loop); i++) {
        if (keel_mpi_window_range_left(loop->window, &range[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void counter_request_ahead(struct keel_mpi_worker *worker)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (atomic_load(&loop->exhausted) && may_claim_ahead(loop)) {
        keel_mpi_transfers_request(loop);
        return;
    }
    if (!is_home(loop) && kind_of(loop) != KEEL_CLAIM_OWN && !loop->claim_pending &&
        !atomic_load(&loop->exhausted) && has_room(loop) && runs_out_soon(loop) &&
        is_wanted(loop)) {
        request(loop);
    }
}

/* --- grants --- */

/* Returns the chunks of `steps` steps from `step` on. False: there are none. */
static bool granted_steps(struct keel_mpi_loop *loop, uint64_t step, uint64_t steps,
                          uint64_t *first, uint64_t *last)
{
    uint64_t unused;
    bool any = keel_plan_any_chunk(loop->plan, &loop->cursor.walk, step, first, last);

    loop->claim_context.chunk = any ? *last - *first : 0;
    for (uint64_t i = 1; any && i < steps; i++) {
        keel_plan_any_chunk(loop->plan, &loop->cursor.walk, step + i, &unused, last);
    }
    return any;
}

/* Returns the chunk of a grant. False: none. */
static bool granted(struct keel_mpi_loop *loop, const struct keel_mpi_message_grant *grant,
                    uint64_t *first, uint64_t *last)
{
    switch (kind_of(loop)) {
    case KEEL_CLAIM_STEPS:
        return granted_steps(loop, grant->first, grant->amount, first, last);
    case KEEL_CLAIM_WEIGHTED:
        *first = keel_position_iteration(loop->plan, &loop->cursor.walk, grant->first);
        *last =
            keel_position_iteration(loop->plan, &loop->cursor.walk, grant->first + grant->amount);
        return *first < loop->units;
    default:
        *first = grant->first;
        *last = grant->first + grant->amount;
        return *first < *last && *last <= loop->units;
    }
}

static void take_grant(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    const struct keel_mpi_message_grant *grant = &message->grant;
    uint64_t first, last;

    if (!loop->claim_pending) {
        return; /* no claim has been sent */
    }
    loop->claim_pending = false;
    if (grant->paces.measured > 0) {
        loop->claim_context.team = grant->paces;
    }
    loop->known = grant->first + grant->amount;
    loop->known_ns = keel_mpi_clock_ns();
    loop->looks_ns = grant->looks_ns;
    if (grant->looks_ns >
        0) { /* before its first iteration, the counter's owner waits for claims */
        keel_mpi_messages_note_answer(loop, loop->request_ns);
    }
    if (!granted(loop, grant, &first, &last)) {
        atomic_store(&loop->exhausted, true);
        return;
    }
    if (first < last) {
        if (kind_of(loop) != KEEL_CLAIM_STEPS) {
            loop->claim_context.chunk = last - first;
        }
        loop->claim_context.begun += last - first;
        atomic_fetch_add(&loop->claimed, last - first);
        keel_mpi_rank_ranges_add(loop, first, last);
        if (last == loop->units) {
            atomic_store(&loop->exhausted, true); /* its rank may not claim again */
        }
        keel_mpi_transfers_serve_kept(loop->job, loop->number);
    }
}

static void counter_answer(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
{
    if (message->kind == KEEL_MPI_MESSAGE_TRANSFER) {
        keel_mpi_transfers_take(loop, message);
    } else {
        take_grant(loop, message);
    }
}

const struct keel_mpi_claim_method keel_mpi_claim_by_counter = {
    .open = counter_open,
    .awaits_others = counter_awaits_others,
    .refill = counter_refill,
    .request_ahead = counter_request_ahead,
    .answer = counter_answer,
    .is_over = counter_is_over,
};
