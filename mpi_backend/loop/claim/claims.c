/* A worker's chunks of a shared loop: what is measured, and what it claims of what its rank
 * holds. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "schedules/balance/victim.h"

/* --- what the rank holds --- */

struct keel_pace keel_mpi_rank_ranges_pace(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_window_range *range =
        keel_mpi_window_ranges(loop->window, loop->job->local);
    double speed = 0, variance = 0, threads = 0;

    for (unsigned i = KEEL_MPI_RANGE_THREADS; i < KEEL_MPI_RANK_RANGES; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&range[i].pace);
        if (pace.mean_ns > 0) {
            speed += 1 / pace.mean_ns;
            variance += pace.variance_ns2;
            threads++;
        }
    }
    if (threads == 0) {
        return (struct keel_pace){0};
    }
    /* k iterations take threads k / threads each: their time varies as one's does, over threads
     * squared */
    return (struct keel_pace){1 / speed, variance / (threads * threads * threads)};
}

/* Any range will do, so that a rank may begin a later grant before an earlier one, also with one
 * thread. Nothing that is promised rests on their order: threads of a shared loop get iterations in
 * any order, as stolen ones come from anywhere. But the loop's last iteration is the last one of
 * its thread: who has executed it takes nothing more, and a rank of one thread sends on what it
 * still holds (transfers.c: forwarding). */
void keel_mpi_rank_ranges_add(struct keel_mpi_loop *loop, uint64_t first, uint64_t last)
{
    struct keel_mpi_window_range *range = keel_mpi_window_ranges(loop->window, loop->job->local);

    if (loop->window->loop.keeps_last && last == loop->units) {
        atomic_store(&loop->window->last, 1);
        atomic_store(&loop->window->others_empty, 1);
        return;
    }
    unsigned ranges = keel_mpi_rank_ranges_in_use(loop);
    for (unsigned i = 1; i <= ranges; i++) {
        if (keel_mpi_window_range_fill(loop->window, &range[i % ranges], first, last)) {
            return;
        }
    }
    keel_mpi_range_list_note(&loop->overflow, first, last);
    atomic_store_explicit(&loop->overflows, true, memory_order_relaxed);
}

/* --- steals between the ranks of a node --- */

bool keel_mpi_node_steal(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct keel_mpi_window *window = loop->window;
    uint32_t own = loop->job->local, victim = keel_mpi_window_most_loaded(window, own);

    if (victim == UINT32_MAX) {
        return false;
    }
    const struct keel_amounts_side giver = {keel_mpi_window_left(window, victim),
                                            keel_mpi_window_speed(window, victim)};
    const struct keel_amounts_side to = {0, keel_mpi_window_speed(window, own)};
    uint64_t amount = keel_amounts_to_transfer(&giver, &to, 0, window->loop.gamma);
    if (!keel_mpi_window_cut(window, victim, amount, first, last)) {
        return false;
    }
    worker->migrations++;
    worker->migrated += *last - *first;
    if (loop->observed != NULL) {
        const struct keel_mpi_job *job = loop->job;
        uint32_t from = job->ranks_by_node[job->node_first[job->node] + victim];
        keel_mpi_loop_event_move(loop, from, *first, *last, 0);
    }
    return true;
}

/* --- chunks --- */

/* --- what is measured --- */

/* The paces of the rank's threads. */
static void read_paces(struct keel_mpi_worker *worker)
{
    const struct keel_mpi_window_range *range =
        keel_mpi_window_ranges(worker->loop->window, worker->loop->job->local);
    struct keel_paces team = {0};

    for (unsigned i = KEEL_MPI_RANGE_THREADS; i < KEEL_MPI_RANK_RANGES; i++) {
        const struct keel_pace pace = keel_mpi_window_pace(&range[i].pace);
        keel_timing_join(&team, &pace);
    }
    worker->team = team;
    worker->refresh = worker->chunks + min_u64(worker->chunks / 4 + 1, 16);
}

void keel_mpi_worker_end_chunk(struct keel_mpi_worker *worker)
{
    if (!worker->loop->timed) {
        return;
    }
    double now_ns = keel_mpi_clock_ns();
    if (worker->chunk > 0) {
        double time_ns = now_ns - worker->start_ns,
               overhead_ns = worker->start_ns - worker->chunk_end_ns;
        worker->busy_ns += time_ns;
        worker->overhead_ns += overhead_ns;
        keel_sizer_done(&worker->sizer, worker->chunk, time_ns, overhead_ns);
        keel_mpi_window_set_pace(&worker->range->pace, keel_sizer_pace(&worker->sizer));
        if (worker->chunks >= worker->refresh) {
            read_paces(worker);
        }
    }
    worker->chunk_end_ns = now_ns;
    worker->chunk = 0;
}

/* --- taking chunks --- */

#define SAFE_NS 100e3 /* chunks this short may be begun whatever happens next */
#define GIVEN_PART 4  /* of a thread's share of what is left, a chunk is this part at most */

/* Others steal from the end of what the rank has, so no chunk takes much of it. */
static uint64_t shared_limit(const struct keel_mpi_worker *worker, uint64_t left, double mean_ns)
{
    uint64_t limit = left / (GIVEN_PART * (uint64_t)worker->loop->threads);

    return max_u64(limit, mean_ns > 0 ? (uint64_t)fmin(SAFE_NS / mean_ns, 1e18) : 1);
}

/* A worker that runs the progress engine has to be back in time. */
static uint64_t poll_limit(const struct keel_mpi_worker *worker, double mean_ns)
{
    if (!worker->calls_mpi || worker->loop->job->nodes == 1) {
        return UINT64_MAX;
    }
    return mean_ns > 0 ? (uint64_t)fmin(worker->loop->poll_ns / mean_ns, 1e18) : 1;
}

/* Size of the worker's chunk, of `left` units of a range that began with `length`. */
static uint64_t size_of(void *context, uint64_t left, uint64_t length)
{
    struct keel_mpi_worker *worker = context;
    const struct keel_mpi_loop *loop = worker->loop;
    double mean_ns = keel_mpi_window_pace(&worker->range->pace).mean_ns;
    uint64_t size = left;

    if (!loop->whole || loop->claim_method == &keel_mpi_claim_by_blocks) {
        const struct keel_range_view range = {.length = length, .left = left};
        size = keel_sizer_size(&worker->sizer, &range, &worker->team);
    }
    if (loop->claim_method == &keel_mpi_claim_by_blocks) {
        size = min_u64(size, shared_limit(worker, left, mean_ns));
        size = max_u64(size, loop->schedule.spec.value[KEEL_MIN].count);
    }
    return min_u64(left, max_u64(1, min_u64(size, poll_limit(worker, mean_ns))));
}

/* From the ranges of the rank: the worker's own first. */
static bool take_own(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct keel_mpi_window_range *range = keel_mpi_window_ranges(loop->window, loop->job->local);

    if (keel_mpi_window_range_take(loop->window, worker->range, size_of, worker, first, last)) {
        return true;
    }
    for (unsigned i = 0; i < keel_mpi_rank_ranges_in_use(loop); i++) {
        if (keel_mpi_window_range_take(loop->window, &range[i], size_of, worker, first, last)) {
            return true;
        }
    }
    return false;
}

/* Of units [first, *last), which belong to the worker alone, its chunk; the rest goes into its
 * range, for all to take from. */
static void keep_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t *last)
{
    uint64_t length = *last - first, size = size_of(worker, length, length);

    if (size < length &&
        keel_mpi_window_range_fill(worker->loop->window, worker->range, first + size, *last)) {
        *last = first + size;
    }
}

/* From what has arrived while no range was empty. */
static bool take_overflow(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (!worker->calls_mpi || !atomic_load_explicit(&loop->overflows, memory_order_relaxed)) {
        return false;
    }
    keel_mpi_job_lock(loop->job);
    bool got = loop->overflow.count > 0;
    if (got) {
        *first = loop->overflow.range[loop->overflow.count - 1].first;
        *last = loop->overflow.range[loop->overflow.count - 1].last;
        loop->overflow.count--;
    }
    atomic_store_explicit(&loop->overflows, loop->overflow.count > 0, memory_order_relaxed);
    keel_mpi_job_unlock(loop->job);
    return got;
}

bool keel_mpi_worker_claim(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    if (take_own(worker, first, last)) {
        return true;
    }
    if (take_overflow(worker, first, last) ||
        worker->loop->claim_method->refill(worker, first, last)) {
        keep_chunk(worker, *first, last);
        return true;
    }
    return false;
}

void keel_mpi_worker_begin_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t last)
{
    struct keel_mpi_loop *loop = worker->loop;

    worker->chunk = last - first;
    worker->had_last = !loop->whole && last == loop->units;
    worker->chunks++;
    if (loop->rest == NULL || !loop->alone) { /* else these are no numbers of missing units */
        keel_mpi_range_list_note(&worker->ranges, first, last);
    }
    /* relaxed: whoever adds these up does so again later */
    atomic_fetch_add_explicit(&worker->range->begun, worker->chunk, memory_order_relaxed);
    if (loop->timed) {
        worker->start_ns = keel_mpi_clock_ns();
    }
}

bool keel_mpi_claims_are_over(struct keel_mpi_loop *loop)
{
    if (keel_mpi_window_end(loop->window) != KEEL_MPI_WINDOW_RUNNING) {
        return true;
    }
    return loop->job->nodes == 1 && loop->claim_method->is_over(loop);
}
