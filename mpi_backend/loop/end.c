/* The end of a shared loop: what each rank has to tell of it, to all; and what follows. */
#include <stdlib.h>

#include "mpi_backend/loop/loan.h"
#include "mpi_backend/loop/loop.h"
#include "mpi_backend/loop/progress_thread.h"
#include "schedules/claim/grain.h"

/* --- figures --- */

static double mean_overhead_ns(const struct keel_mpi_loop *loop)
{
    double overhead_ns = 0, chunks = 0;

    for (uint32_t i = 0; i < loop->threads; i++) {
        overhead_ns += loop->worker[i].overhead_ns;
        chunks += (double)loop->worker[i].chunks;
    }
    return chunks > 0 ? overhead_ns / chunks : 0;
}

/* For the program. */
static void put_ranges_in_iterations(struct keel_mpi_loop *loop)
{
    for (size_t i = 0; i < loop->ranges.count; i++) {
        struct keel_mpi_range *range = &loop->ranges.range[i];
        range->first = keel_grain_iteration(range->first, loop->iterations, loop->grain);
        range->last = keel_grain_iteration(range->last, loop->iterations, loop->grain);
    }
}

/* The loop's last unit may be shorter, which is left out of account where units have moved. */
static uint64_t iterations_of(const struct keel_mpi_loop *loop, uint64_t units)
{
    uint64_t iterations;

    return __builtin_mul_overflow(units, loop->grain, &iterations) ? loop->iterations : iterations;
}

static bool ran_last_unit(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_range_list *ranges = &loop->ranges;

    return ranges->count > 0 && ranges->range[ranges->count - 1].last == loop->units;
}

static void sum_up(struct keel_mpi_loop *loop)
{
    struct keel_mpi_loop_report *report = &loop->report;
    double variance = 0, threads = 0;
    double executed = (double)keel_mpi_range_list_iterations(&loop->ranges);
    uint64_t migrated = loop->migrated;

    *report = (struct keel_mpi_loop_report){
        .iterations = loop->iterations,
        .migrations = loop->migrations,
        .messages = loop->messages,
    };
    for (uint32_t i = 0; loop->worker != NULL && i < loop->threads; i++) {
        const struct keel_mpi_worker *worker = &loop->worker[i];
        report->chunks += worker->chunks;
        report->migrations += worker->migrations;
        migrated += worker->migrated;
        report->busy_s += worker->busy_ns * 1e-9;
        if (worker->chunks > 0) {
            variance += keel_sizer_pace(&worker->sizer).variance_ns2;
            threads++;
        }
    }
    bool ran_last = ran_last_unit(loop);
    report->migrated = iterations_of(loop, migrated);
    put_ranges_in_iterations(loop);
    report->executed = keel_mpi_range_list_iterations(&loop->ranges);
    if (loop->figures_sent) {
        return; /* of a cancelled loop */
    }
    loop->figures = (struct keel_mpi_rank_figures){
        .executed = executed,
        .busy_ns = report->busy_s * 1e9,
        .threads = threads,
        .variance_ns2 = threads > 0 ? variance / threads : 0,
        .overhead_ns = loop->worker != NULL ? mean_overhead_ns(loop) : 0,
        .ran_last = ran_last,
        .cancelled = keel_mpi_loop_is_open(loop) &&
                     keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_CANCELLED,
        .identity = loop->identity,
    };
}

static void free_workers(struct keel_mpi_loop *loop)
{
    for (uint32_t i = 0; loop->worker != NULL && i < loop->threads; i++) {
        keel_mpi_range_list_free(&loop->worker[i].ranges);
    }
    if (loop->worker != &loop->only) {
        free(loop->worker);
    }
    loop->worker = NULL;
}

static void send_figures(struct keel_mpi_loop *loop)
{
    loop->left = true;
    keel_mpi_progress_thread_release(loop);
    keel_mpi_loop_collect_ranges(loop);
    sum_up(loop);
    keel_mpi_job_lock(loop->job);
    keel_mpi_loop_exchange(loop);
    keel_mpi_job_unlock(loop->job);
    if (!loop->absent) {
        keel_mpi_window_leave(loop->window, loop->number, KEEL_MPI_WINDOWS);
    }
}

void keel_mpi_loop_finish(struct keel_mpi_loop *loop)
{
    if (loop->left) { /* it has failed meanwhile, and the rank has run the rest */
        keel_mpi_loop_collect_ranges(loop);
        put_ranges_in_iterations(loop);
        return;
    }
    keel_mpi_job_latest = loop->job;
    send_figures(loop);
    if (loop->waits) {
        keel_mpi_loop_complete_all(loop->job); /* in order: the last one becomes the latest */
    }
}

void keel_mpi_loop_cancel(struct keel_mpi_loop *loop)
{
    keel_mpi_job_latest = loop->job;
    keel_mpi_job_lock(loop->job);
    keel_mpi_progress_locked(loop);
    if (!loop->figures_sent) {
        loop->figures = (struct keel_mpi_rank_figures){.cancelled = 1, .identity = loop->identity};
    }
    keel_mpi_loop_exchange(loop);
    keel_mpi_job_unlock(loop->job);
}

/* --- completion --- */

/* Nobody asks for its results any more. */
static void drop_results(struct keel_mpi_loop *loop)
{
    free_workers(loop);
    if (loop->plan != &loop->small) {
        free(loop->plan);
    }
    keel_mpi_range_list_free(&loop->ranges);
    keel_mpi_range_list_free(&loop->overflow);
}

static void free_loop(struct keel_mpi_loop *loop)
{
    if (loop != NULL) {
        free(loop->all_figures);
        free(loop->block);
        free(loop);
    }
}

/* Takes in what all ranks have told, which is the same on all. */
static void learn(struct keel_mpi_loop *loop)
{
    bool cancelled = false;

    if (loop->failed) {
        return;
    }
    for (uint32_t i = 0; i < loop->job->ranks; i++) {
        if (loop->all_figures[i].ran_last != 0) {
            loop->last_rank = (int)i;
        }
        cancelled |= loop->all_figures[i].cancelled != 0;
    }
    if (cancelled && loop->code == KEEL_MPI_OK) {
        loop->code = KEEL_MPI_CANCELLED;
    }
    if (!cancelled && loop->agreement == KEEL_MPI_AGREEMENT_SAME && loop->record != NULL &&
        loop->timed) {
        keel_mpi_record_learn(loop->record, loop->units, loop->all_figures);
    }
    if (loop->agreement == KEEL_MPI_AGREEMENT_NO_LOOP && loop->code == KEEL_MPI_OK) {
        loop->code = KEEL_MPI_NO_LOOP;
    }
}

/* Threads of a cancelled loop leave it when their region ends. */
static void wait_for_workers(struct keel_mpi_loop *loop)
{
    for (unsigned backoff = 0; !keel_mpi_loop_close(loop, 0); backoff++) {
        keel_mpi_progress_now(loop, NULL);
        keel_mpi_channel_wait(&loop->job->channel, NULL, backoff, false);
    }
}

static bool is_exchanged(struct keel_mpi_loop *loop)
{
    keel_mpi_job_lock(loop->job);
    bool done = keel_mpi_loop_is_exchanged(loop);
    keel_mpi_job_unlock(loop->job);
    return done;
}

void keel_mpi_loop_forget(struct keel_mpi_job *job)
{
    if (job->latest != NULL && job->latest->failed) {
        job->latest = NULL; /* operations on their way use it */
    }
    if (job->latest != NULL) {
        drop_results(job->latest);
        job->latest->spare = job->spare;
        job->spare = job->latest;
        job->latest = NULL;
    }
}

void keel_mpi_loop_complete(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    if (!loop->left) {
        wait_for_workers(loop);
        send_figures(loop);
    }
    struct keel_mpi_wait_state wait = keel_mpi_loop_wait(loop);
    for (unsigned backoff = 0; !is_exchanged(loop); backoff++) {
        if (keel_mpi_progress_now(loop, NULL) ||
            !keel_mpi_loop_wait_goes_on(loop, &wait, backoff)) {
            continue;
        }
        keel_mpi_channel_wait(&job->channel,
                              loop->agreement <= KEEL_MPI_AGREEMENT_PENDING
                                  ? &loop->agreement_request
                                  : &loop->figures_request,
                              backoff, true);
    }
    learn(loop);
    if (job->failed == KEEL_MPI_OK && !loop->refused && loop->code != KEEL_MPI_CANCELLED) {
        job->failed = loop->code;
    }
    job->running[loop->number % KEEL_MPI_WINDOWS] = NULL;
    if (job->pending_loop == loop) {
        job->pending_loop = NULL;
    }
    keel_mpi_loop_forget(job);
    job->latest = loop;
}

void keel_mpi_loop_complete_all(struct keel_mpi_job *job)
{
    for (uint64_t number = job->loops < KEEL_MPI_WINDOWS ? 1 : job->loops - KEEL_MPI_WINDOWS + 1;
         number <= job->loops; number++) {
        struct keel_mpi_loop *loop = job->running[number % KEEL_MPI_WINDOWS];
        if (loop != NULL && loop->number == number) {
            keel_mpi_loop_complete(loop);
        }
    }
}

/* --- loops that do not come --- */

void keel_mpi_loop_forfeit(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;
    const struct keel_mpi_window_loop none = {0};

    struct keel_mpi_wait_state wait = keel_mpi_loop_wait(loop);
    for (unsigned backoff = 0;
         !loop->absent && !keel_mpi_window_enter(loop->window, loop->number, KEEL_MPI_WINDOWS,
                                                 &none, job->locals, job->ranks, NULL, false);
         backoff++) {
        keel_mpi_channel_wait(&job->channel, NULL, backoff, false);
        loop->absent = !keel_mpi_loop_wait_goes_on(loop, &wait, backoff);
    }
    if (!loop->absent && loop->window->loop.check != 0) {
        keel_mpi_window_end_loop(loop->window, KEEL_MPI_WINDOW_MISMATCH);
    }
    keel_mpi_loop_close(loop, 0);
    loop->waits = false;
    loop->refused = loop->code != KEEL_MPI_OK;
    loop->identity.code = loop->code;
    keel_mpi_loop_finish(loop);
}

void keel_mpi_loop_abandon(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *loop = job->pending_loop;

    if (loop != NULL && keel_mpi_loan_withdraw(loop)) {
        keel_mpi_loop_forfeit(loop);
        job->pending_loop = NULL;
    }
}

void keel_mpi_loop_free_all(struct keel_mpi_job *job)
{
    keel_mpi_loop_forget(job);
    while (job->spare != NULL) {
        struct keel_mpi_loop *next = job->spare->spare;
        free_loop(job->spare);
        job->spare = next;
    }
    while (job->deferred != NULL) {
        struct keel_mpi_deferred *next = job->deferred->next;
        free(job->deferred);
        job->deferred = next;
    }
}
