/* Loop schedules with ranks as their workers: a rank claims by moving a counter on, and works out
 * for itself what chunk that is. No rank computes chunks for others.
 *
 * The counter stands on the window of the home node, rank 0's. Ranks there move it themselves;
 * others send a message to a rank of that node, one chunk ahead of their need. */
#include "mpi_backend/loop/claim/counter.h"

#include <math.h>
#include <stdlib.h>

#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/loop/claim/dealt.h"
#include "mpi_backend/loop/claim/rank_ranges.h"
#include "mpi_backend/loop/exchange/messages.h"
#include "schedules/claim/ahead.h"

#define HOME 0 /* node */

static enum keel_claim kind_of(const struct keel_mpi_loop *loop)
{
    return loop->spec.schedule->claim;
}

/* Whether chunks follow from what ranks have measured of each other in this instance. */
static bool goes_by_paces(const struct keel_mpi_loop *loop)
{
    return kind_of(loop) == KEEL_CLAIM_SIZED || loop->spec.schedule->learns >= KEEL_LEARNS_BATCHES;
}

static bool is_home(const struct keel_mpi_loop *loop)
{
    return loop->job->node == HOME;
}

/* --- opening --- */

/* What instances before have shown, or the person who runs the job has said. NULL: nothing. */
static double *make_weights(const struct keel_mpi_loop *loop)
{
    const struct keel_ranks_settings *settings = keel_mpi_settings();
    const struct keel_mpi_record *record = loop->record;
    bool learned =
        loop->spec.schedule->learns != KEEL_LEARNS_NOT && record != NULL && record->sample != NULL;
    struct keel_speeds speeds = {0};
    double *weight = malloc(loop->job->ranks * sizeof *weight), sum = 0;

    for (uint32_t i = 0; learned && i < loop->job->ranks; i++) {
        keel_speeds_add(&speeds, keel_sample_pace_ns(&record->sample[i]));
    }
    for (uint32_t i = 0; weight != NULL && i < loop->job->ranks; i++) {
        weight[i] = i < settings->weights ? settings->weight[i] : 1;
        if (speeds.measured > 0) {
            weight[i] = keel_speeds_weight(&speeds, keel_sample_pace_ns(&record->sample[i]));
        }
        sum += weight[i];
    }
    for (uint32_t i = 0; weight != NULL && i < loop->job->ranks; i++) {
        weight[i] *= loop->job->ranks / sum;
    }
    return weight;
}

static bool open_plan(struct keel_mpi_loop *loop)
{
    double *weight = kind_of(loop) == KEEL_CLAIM_WEIGHTED ? make_weights(loop) : NULL;
    const struct keel_problem problem = {
        .spec = &loop->spec,
        .iterations = loop->units,
        .threads = loop->job->ranks,
        .thread = loop->job->rank,
        .weights = weight,
    };

    loop->plan = keel_plan_build(&problem, realloc, &loop->small);
    keel_cursor_begin(&loop->cursor, loop->plan);
    atomic_init(&loop->own_step, loop->job->rank);
    free(weight);
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

static bool counter_open(struct keel_mpi_loop *loop)
{
    if (!open_method(loop)) {
        return false;
    }
    keel_mpi_dealt_plan(loop);
    return true;
}

/* --- sized claims --- */

static void publish_pace(struct keel_mpi_window *window, uint32_t rank, struct keel_pace pace)
{
    keel_mpi_window_set_pace(&keel_mpi_window_paces(window)[rank], pace);
}

static struct keel_paces read_paces(struct keel_mpi_window *window)
{
    struct keel_paces paces = {0};

    for (uint32_t i = 0; i < window->job_ranks; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&keel_mpi_window_paces(window)[i]);
        keel_timing_join(&paces, &pace);
    }
    return paces;
}

#define GROWTH \
    2 /* times what a rank has had: paces that follow from a few iterations are uncertain */

/* Size of the rank's next chunk, should `known` iterations have been claimed. By the thread that
 * holds `sizing`. */
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
    if (loop->dealt_each > 0) {
        size = min_u64(size, GROWTH * max_u64(claim_context->begun, 1));
    }
    return min_u64(max_u64(size, loop->spec.value[KEEL_MIN].count), claim_context->remaining);
}

/* On the home node: reads the paces of other ranks now and then, as in a team (team.c). */
static uint64_t sized_at_home(struct keel_mpi_loop *loop, uint64_t known)
{
    uint64_t often = min_u64(loop->claims / 4 + 1, 16);

    publish_pace(loop->window, loop->job->rank, keel_mpi_rank_ranges_pace(loop));
    if (loop->claims % often == 0 || loop->claim_context.team.measured < loop->job->ranks) {
        loop->claim_context.team = read_paces(loop->window);
    }
    loop->claims++;
    return sized(loop, known);
}

/* The counter passes N by a chunk of each rank at most, as nobody adds to it once it has. Sized
 * claims, which could wrap, compare and swap. */
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
        return false; /* another thread of the rank does so: the caller tries again */
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

/* What the rank adds to the position: its weight, which follows from the paces where the schedule
 * learns in mid-loop. */
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
        publish_pace(loop->window, loop->job->rank, keel_mpi_rank_ranges_pace(loop));
        const struct keel_paces team = read_paces(loop->window);
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

    if (atomic_load_explicit(&loop->exhausted, memory_order_relaxed) ||
        (!is_home(loop) && kind_of(loop) != KEEL_CLAIM_OWN)) {
        return false;
    }
    /* who looks whether all is over finds a claim that is being made, or its iterations */
    atomic_fetch_add(&loop->claiming_workers, 1);
    bool got = claim_at_home(worker, first, last);
    if (got) {
        atomic_fetch_add(&loop->claimed, *last - *first);
    }
    /* nobody may come again after the chunk that ends the loop */
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

/* What the rank sees of an answer is how long it took until its own iteration was done; the counter's
 * owner is away for an iteration of its own at most. */
static double answer_ns(const struct keel_mpi_loop *loop)
{
    double measured_ns = loop->job->answer_ns, looks_ns = loop->looks_ns;

    return looks_ns > 0 ? fmin(measured_ns, looks_ns) : measured_ns;
}

/* Claims are made so large that they last until the answer after this one, as far as that is not
 * much of what is left. `scale`: iterations of each of `left`. */
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

/* Whether claims ahead of need leave what others get as it is: chunks are not much smaller later. */
static bool may_claim_ahead(const struct keel_mpi_loop *loop)
{
    return loop->has_equal_chunks || kind_of(loop) == KEEL_CLAIM_SIZED;
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

/* Half of its share at most, as af has it: what is measured may be off. */
static uint64_t sized_amount(struct keel_mpi_loop *loop)
{
    uint64_t size = sized(loop, loop->known);
    struct keel_ahead half = sized_ahead(loop);

    half.left /= 2;
    return loop->known < loop->units && loop->known_ns > 0 ? max_u64(size, keel_ahead_amount(&half))
                                                           : size;
}

/* What to add to the counter. */
static uint64_t amount_of(struct keel_mpi_loop *loop)
{
    switch (kind_of(loop)) {
    case KEEL_CLAIM_WEIGHTED:
        return share_of(loop, &loop->claim_context.team);
    case KEEL_CLAIM_SIZED:
        return sized_amount(loop);
    default:
        return steps_amount(loop);
    }
}

/* Adding up the paces of all ranks takes the counter's owner a time in P. */
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

#define FIRST_AHEAD 2 /* units: how long before its need a rank claims that has had no answer yet */

/* Whether the rank's threads will be done before an answer could come. */
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

/* Whether one of the rank's ranges can take in what comes. */
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

    if (!is_home(loop) && kind_of(loop) != KEEL_CLAIM_OWN && !loop->claim_pending &&
        !atomic_load(&loop->exhausted) && has_room(loop) && runs_out_soon(loop) &&
        is_wanted(loop)) {
        request(loop);
    }
}

/* A size that was worked out when less had been claimed shrinks with what remains. */
static uint64_t scaled(uint64_t size, uint64_t known, uint64_t seen, uint64_t iterations)
{
    if (seen <= known || seen >= iterations) {
        return size;
    }
    double part = (double)(iterations - seen) / (double)(iterations - known);
    return max_u64(1, (uint64_t)ceil((double)size * part));
}

static void grant_sized(struct keel_mpi_window *window, const struct keel_mpi_message_claim *claim,
                        struct keel_mpi_message_grant *grant)
{
    uint64_t iterations = window->loop.iterations;
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed), end;

    do {
        uint64_t size = scaled(claim->amount, claim->known, seen, iterations);
        end = seen >= iterations ? seen : seen + min_u64(size, iterations - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, end, memory_order_relaxed,
                                                    memory_order_relaxed));
    grant->first = seen;
    grant->amount = end - seen;
}

/* The counter stops at the largest number, which no loop's last iteration has: however large the
 * claims are, it never begins again. What is counted, and up to where, is the claiming rank's
 * affair: the loop may not have begun here. */
static void grant_amount(struct keel_mpi_window *window, uint64_t amount,
                         struct keel_mpi_message_grant *grant)
{
    uint64_t seen = atomic_load_explicit(&window->next, memory_order_relaxed);

    do {
        grant->amount = min_u64(amount, UINT64_MAX - seen);
    } while (!atomic_compare_exchange_weak_explicit(&window->next, &seen, seen + grant->amount,
                                                    memory_order_relaxed, memory_order_relaxed));
    grant->first = seen;
}

/* Paces of the ranks of this node, which send no messages. */
static void publish_own(struct keel_mpi_job *job, struct keel_mpi_window *window)
{
    for (uint32_t i = 0; i < job->locals; i++) {
        uint32_t rank = job->ranks_by_node[job->node_first[job->node] + i];
        double speed = keel_mpi_window_speed(window, i);
        if (speed > 0) {
            publish_pace(window, rank, (struct keel_pace){.mean_ns = 1 / speed});
        }
    }
}

/* Whether claims of that loop are for steps of a plan, as far as this rank knows it. */
static bool claims_steps(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);

    return loop != NULL && loop->plan != NULL && kind_of(loop) == KEEL_CLAIM_STEPS;
}

/* Steps of what a claim asks for, which was worked out when less had been claimed. */
static uint64_t steps_of(struct keel_mpi_job *job, const struct keel_mpi_message *message,
                         uint64_t seen)
{
    const struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;

    return claims_steps(job, message) ? scaled(claim->amount, claim->known, seen, loop->plan->steps)
                                      : claim->amount;
}

bool keel_mpi_counter_serve(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_window *window = keel_mpi_job_window(job, message->loop);
    const struct keel_mpi_message_claim *claim = &message->claim;
    struct keel_mpi_message answer = {.kind = KEEL_MPI_MESSAGE_GRANT, .loop = message->loop};
    struct keel_mpi_message_grant *grant = &answer.grant;

    if (!keel_mpi_window_is_open(window, message->loop)) {
        return false;
    }
    *grant = (struct keel_mpi_message_grant){.looks_ns =
                                                 keel_mpi_window_iteration_ns(window, job->local)};
    publish_pace(window, message->from, claim->pace);
    if (claim->sized) {
        grant_sized(window, claim, grant);
    } else {
        grant_amount(
            window,
            steps_of(job, message, atomic_load_explicit(&window->next, memory_order_relaxed)),
            grant);
    }
    if (claim->wants_paces) {
        if (claims_steps(job, message)) {
            publish_own(job, window);
        }
        grant->paces = read_paces(window);
    }
    keel_mpi_channel_send(&job->channel, message->from, &answer);
    return true;
}

/* The chunks of `steps` steps from `step` on, as far as there are any. */
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

/* The chunk that the counter's movement stands for; false: none. */
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

static void counter_answer(struct keel_mpi_loop *loop, const struct keel_mpi_message *message)
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
    keel_mpi_messages_note_answer(loop, loop->request_ns);
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
    }
}

const struct keel_mpi_claim_method keel_mpi_claim_by_counter = {
    .open = counter_open,
    .entered = keel_mpi_dealt_give,
    .refill = counter_refill,
    .request_ahead = counter_request_ahead,
    .answer = counter_answer,
    .is_over = counter_is_over,
};
