/* A worker in a shared loop: its claims, measurements and waits. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "schedules/claim/plan.h"

/* --- measuring --- */

/* Reads the paces of the rank's threads. */
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

/* Records the end of the worker's chunk. */
static void end_chunk(struct keel_mpi_worker *worker)
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

#define SAFE_NS 100e3 /* chunks up to this time are always allowed */
#define GIVEN_PART 4  /* a chunk is at most 1 / GIVEN_PART of a thread's share of what is left */

/* Others steal from the end of the rank's ranges, so no chunk takes much of them. */
static uint64_t shared_limit(const struct keel_mpi_worker *worker, uint64_t left, double mean_ns)
{
    uint64_t limit = left / (GIVEN_PART * (uint64_t)worker->loop->threads);

    return max_u64(limit, mean_ns > 0 ? (uint64_t)fmin(SAFE_NS / mean_ns, 1e18) : 1);
}

/* A worker that runs the progress engine has to return in time. */
static uint64_t poll_limit(const struct keel_mpi_worker *worker, double mean_ns)
{
    if (!worker->calls_mpi || worker->loop->job->nodes == 1) {
        return UINT64_MAX;
    }
    return mean_ns > 0 ? (uint64_t)fmin(worker->loop->poll_ns / mean_ns, 1e18) : 1;
}

/* Returns the size of the worker's chunk, from `left` units of a range that began with `length`. */
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

/* Takes a chunk from the ranges of the rank: the worker's own first. */
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

/* Cuts units [first, *last), which belong to the worker alone, to its chunk, and puts the rest into
 * its range, from which all may take. */
static void keep_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t *last)
{
    uint64_t length = *last - first, size = size_of(worker, length, length);

    if (size < length &&
        keel_mpi_window_range_fill(worker->loop->window, worker->range, first + size, *last)) {
        *last = first + size;
    }
}

/* Takes units that arrived while no range was empty. */
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

/* Gets the worker's next chunk, units [*first, *last), from the rank's ranges or by a claim. False:
 * there is none now. */
static bool claim(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
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

/* Records that the worker begins units [first, last). */
static void begin_chunk(struct keel_mpi_worker *worker, uint64_t first, uint64_t last)
{
    struct keel_mpi_loop *loop = worker->loop;

    worker->chunk = last - first;
    worker->had_last = !loop->whole && last == loop->units;
    worker->chunks++;
    if (loop->rest == NULL || !loop->alone) { /* otherwise these do not number missing units */
        keel_mpi_range_list_note(&worker->ranges, first, last);
    }
    /* relaxed: the sum of these is checked again later */
    atomic_fetch_add_explicit(&worker->range->begun, worker->chunk, memory_order_relaxed);
    if (loop->timed) {
        worker->start_ns = keel_mpi_clock_ns();
    }
}

/* --- joining --- */

struct keel_mpi_worker *keel_mpi_worker_join(struct keel_mpi_loop *loop, uint64_t number,
                                             const struct keel_mpi_worker_start *start)
{
    if (!keel_mpi_loop_enter(loop, number)) {
        return NULL;
    }
    keel_mpi_loop_open(loop, start);
    if (start->thread >= loop->threads) {
        keel_mpi_loop_leave(loop);
        return NULL;
    }
    struct keel_mpi_worker *worker = &loop->worker[start->thread];
    *worker = (struct keel_mpi_worker){
        .loop = loop,
        .thread = start->thread,
        .leads = start->thread == 0,
        .calls_mpi = keel_mpi_job_may_call_mpi(),
        .ranges = worker->ranges,
        .range = keel_mpi_window_ranges(loop->window, loop->job->local) + KEEL_MPI_RANGE_THREADS +
                 start->thread % KEEL_MPI_THREAD_RANGES,
    };
    keel_sizer_begin(&worker->sizer, &loop->local, loop->threads, (struct keel_pace){0});
    if (loop->plan != NULL) {
        keel_cursor_begin(&worker->cursor, loop->plan);
    }
    if (loop->timed) {
        worker->chunk_end_ns = keel_mpi_clock_ns();
    }
    if (loop->observed != NULL) {
        worker->joined_ns = keel_mpi_clock_ns();
    }
    if (worker->leads && worker->calls_mpi) {
        keel_mpi_progress_thread_serve(loop);
    } else if (worker->leads) {
        keel_mpi_misuse(
            "a shared loop runs in a team without the thread that may call MPI; each rank "
            "runs all of it");
        loop->code = loop->identity.code = KEEL_MPI_THREADS;
        loop->check = 0; /* others learn that when they compare */
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_MISMATCH);
    }
    return worker;
}

/* --- alone --- */

/* Whether ranks were lost during a repeatable loop, which others will finish. */
static bool is_left(const struct keel_mpi_loop *loop)
{
    return loop->repeatable && keel_mpi_job_code(loop->job) == KEEL_MPI_RANKS_LOST;
}

/* Ranks run different loops: the leader runs what the rank has not executed, when it is the last
 * worker. */
static bool next_alone(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    uint64_t units = loop->rest != NULL ? loop->rest->units : loop->units;

    if (is_left(loop)) {
        return false;
    }
    if (!loop->alone) {
        loop->alone = true;
        keel_mpi_measurements_collect_ranges(loop);
        if (loop->rest != NULL) {
            keel_mpi_rest_complete(loop->rest, &loop->ranges);
        }
    }
    if (!keel_mpi_range_list_gap(&loop->ranges, loop->alone_from, units, first, last)) {
        return false;
    }
    loop->alone_from = *last;
    begin_chunk(worker, *first, *last);
    return true;
}

/* --- timed waits --- */

static struct keel_mpi_span begin_wait(const struct keel_mpi_worker *worker)
{
    return worker->loop->observed != NULL ? keel_mpi_waits_begin() : (struct keel_mpi_span){0};
}

static void end_wait(struct keel_mpi_worker *worker, struct keel_mpi_span began)
{
    if (worker->loop->observed != NULL) {
        worker->waited_ns +=
            keel_mpi_waits_end(began, keel_mpi_loop_event_name(worker->loop), false);
    }
}

/* Records the worker's active time when it is done. */
static void note_active(struct keel_mpi_worker *worker)
{
    if (worker->loop->observed != NULL) {
        worker->active_ns = keel_mpi_clock_ns() - worker->joined_ns - worker->waited_ns;
    }
}

/* --- the end --- */

/* A wait, and how often in a row nothing was received. */
struct backoff {
    struct keel_mpi_wait_state wait;
    unsigned looks, all;
};

static struct backoff begin_backoff(const struct keel_mpi_worker *worker)
{
    return (struct backoff){.wait = keel_mpi_loop_wait_begin(worker->loop)};
}

/* Whether others are late, or MPI has failed. */
static bool is_late(struct keel_mpi_worker *worker, struct backoff *backoff)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (worker->leads && worker->calls_mpi) {
        keel_mpi_loop_wait_goes_on(loop, &backoff->wait, backoff->all++);
    }
    return keel_mpi_loop_see_failure(loop);
}

static void wait_a_little(struct keel_mpi_worker *worker, bool wants, MPI_Request *request,
                          struct backoff *backoff)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (worker->calls_mpi && keel_mpi_progress_now(loop, wants ? worker : NULL)) {
        backoff->looks = 0;
        return;
    }
    if (is_late(worker, backoff)) {
        return;
    }
    bool alone = worker->calls_mpi && loop->threads == 1 && loop->job->locals == 1;
    bool resumes = wants && loop->waiting && isfinite(loop->resume_ns);
    keel_mpi_channel_wait(&loop->job->channel, request, backoff->looks++, alone && !resumes);
}

/* Waits until the leader is the last worker, and no other can join. */
static void wait_for_workers(struct keel_mpi_worker *leader)
{
    struct backoff backoff = begin_backoff(leader);

    while (!keel_mpi_loop_close(leader->loop, 1)) {
        wait_a_little(leader, false, &leader->loop->agreement_request, &backoff);
    }
}

static void await_agreement(struct keel_mpi_worker *leader)
{
    struct keel_mpi_loop *loop = leader->loop;
    struct backoff backoff = begin_backoff(leader);

    while (leader->calls_mpi && !keel_mpi_agreement_is_known(loop) &&
           !keel_mpi_loop_see_failure(loop)) {
        wait_a_little(leader, false, keel_mpi_agreement_request(loop), &backoff);
    }
}

/* Waits for the error that another rank of the node knows: it decides who finishes the loop. */
static void await_failure(struct keel_mpi_worker *leader)
{
    struct keel_mpi_loop *loop = leader->loop;
    struct backoff backoff = begin_backoff(leader);

    while (leader->calls_mpi && loop->repeatable && !keel_mpi_loop_see_failure(loop) &&
           keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_FAILED) {
        wait_a_little(leader, false, &loop->agreement_request, &backoff);
    }
}

/* Waits of the leader, before it takes the rank's measurements. */
static void wait_for_all(struct keel_mpi_worker *leader)
{
    struct keel_mpi_span began = begin_wait(leader);

    if (leader->loop->waits && !leader->loop->alone) {
        await_agreement(leader);
    }
    await_failure(leader);
    wait_for_workers(leader);
    end_wait(leader, began);
}

/* Whether ranks run different loops or the loop has failed, even if the node's window was done
 * before that was known. A rank that may not call MPI gets no answer, and uses its own code. */
static bool is_mismatch(const struct keel_mpi_loop *loop)
{
    enum keel_mpi_window_end end = keel_mpi_window_end(loop->window);

    return loop->failed || loop->agreement == KEEL_MPI_AGREEMENT_MISMATCH ||
           loop->identity.code != KEEL_MPI_OK || end == KEEL_MPI_WINDOW_MISMATCH ||
           end == KEEL_MPI_WINDOW_FAILED;
}

static void leave_cancelled(struct keel_mpi_worker *worker)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (worker->calls_mpi && worker->leads) {
        keel_mpi_end_cancel(loop);
    } else if (worker->calls_mpi) {
        keel_mpi_progress_now(loop, NULL);
    }
    worker->finished = true;
    note_active(worker);
    keel_mpi_loop_leave(loop);
}

/* The loop has ended; a leader takes part in the agreement and sends its measurements. True: there
 * is another chunk, as ranks run different loops. */
static bool conclude(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (!worker->leads) {
        worker->finished = true;
        note_active(worker);
        keel_mpi_loop_leave(loop);
        return false;
    }
    if (keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_CANCELLED) {
        leave_cancelled(worker);
        return false;
    }
    wait_for_all(worker);
    if (is_mismatch(loop) && next_alone(worker, first, last)) {
        return true;
    }
    worker->finished = true;
    note_active(worker);
    if (worker->calls_mpi) {
        keel_mpi_loop_finish(loop);
    }
    if (loop->failed && loop->waits && !loop->alone && next_alone(worker, first, last)) {
        worker->finished = false;
        return true;
    }
    return false;
}

/* Waits until there is a chunk. False: the loop has ended. */
static bool wait_for_chunk(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;
    struct backoff backoff = begin_backoff(worker);
    struct keel_mpi_span began = begin_wait(worker);
    bool got = false;

    /* relaxed: only decides how much stays on this node */
    atomic_fetch_add_explicit(&loop->window->idle, !worker->had_last, memory_order_relaxed);
    while (keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_RUNNING && !got) {
        /* the end: jobs of one node find it here, others in progress.c */
        if ((loop->job->nodes == 1 && loop->claim_method->is_over(loop)) ||
            (worker->had_last && !worker->leads)) {
            break;
        }
        wait_a_little(worker, !worker->had_last, &loop->agreement_request, &backoff);
        if (worker->had_last && worker->calls_mpi) {
            keel_mpi_transfers_forward(loop);
        }
        got = !worker->had_last && claim(worker, first, last);
    }
    atomic_fetch_sub_explicit(&loop->window->idle, !worker->had_last, memory_order_relaxed);
    end_wait(worker, began);
    return got;
}

/* Before the first chunk: answers others, whose messages would wait for its end, but at most for
 * KEEL_MPI_POLL. */
static void await_others(struct keel_mpi_worker *worker)
{
    struct keel_mpi_loop *loop = worker->loop;
    double until_ns = keel_mpi_clock_ns() + loop->poll_ns;

    for (unsigned backoff = 0;
         loop->claim_method->awaits_others(loop) && keel_mpi_clock_ns() < until_ns &&
         keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_RUNNING;
         backoff++) {
        if (keel_mpi_progress_now(loop, NULL)) {
            backoff = 0;
        }
        keel_mpi_channel_wait(&loop->job->channel, NULL, backoff, false);
    }
}

/* Gets the worker's next chunk, in units. */
static bool next_units(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    struct keel_mpi_loop *loop = worker->loop;

    if (worker->finished) {
        return false;
    }
    end_chunk(worker);
    if (loop->alone) {
        return conclude(worker, first, last);
    }
    if (worker->calls_mpi && worker->chunks == 0 && worker->leads &&
        loop->claim_method->awaits_others != NULL) {
        await_others(worker);
    }
    if (worker->calls_mpi) {
        keel_mpi_progress_if_due(worker);
    }
    bool runs = keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_RUNNING;
    if ((runs && !worker->had_last && claim(worker, first, last)) ||
        wait_for_chunk(worker, first, last)) {
        begin_chunk(worker, *first, *last);
        return true;
    }
    return conclude(worker, first, last);
}

/* The same if chunks are of missing units, between which others have been executed. */
static bool next_missing(struct keel_mpi_worker *worker, const struct keel_mpi_rest *rest,
                         uint64_t *first, uint64_t *last)
{
    uint64_t *piece = worker->piece;

    if (piece[0] == piece[1] && !next_units(worker, first, last)) {
        return false;
    }
    if (worker->loop->alone) {
        return true; /* it numbers all units */
    }
    if (piece[0] == piece[1]) {
        piece[0] = *first, piece[1] = *last;
    }
    keel_mpi_rest_piece(rest, piece[0], piece[1], first, last);
    piece[0] += *last - *first;
    return true;
}

bool keel_mpi_worker_next(struct keel_mpi_worker *worker, uint64_t *first, uint64_t *last)
{
    /* read first: once the worker is done, the loop may be another one */
    uint64_t iterations = worker->loop->iterations, grain = worker->loop->grain;
    const struct keel_mpi_rest *rest = worker->loop->rest;

    if (!(rest != NULL ? next_missing(worker, rest, first, last)
                       : next_units(worker, first, last))) {
        return false;
    }
    *first = keel_grain_iteration(*first, iterations, grain);
    *last = keel_grain_iteration(*last, iterations, grain);
    return true;
}

/* Cancels the loop for all ranks, if it is not finished. */
void keel_mpi_worker_leave(struct keel_mpi_worker *worker, bool finished)
{
    if (finished) {
        return; /* the loop may be another one by now */
    }
    keel_mpi_window_end_loop(worker->loop->window, KEEL_MPI_WINDOW_CANCELLED);
    leave_cancelled(worker);
}
