/* The end of one shared loop on a rank: what it tells of itself is summed up along a tree, and the
 * summary of all ranks comes. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/report/mpi_report.h"
#include "schedules/claim/plan.h"

/* --- what this rank has executed --- */

void keel_mpi_figures_collect_ranges(struct keel_mpi_loop *loop)
{
    keel_mpi_range_list_clear(&loop->ranges);
    for (uint32_t i = 0; loop->worker != NULL && i < loop->threads; i++) {
        if (!keel_mpi_range_list_append(&loop->ranges, &loop->worker[i].ranges) ||
            loop->worker[i].ranges.incomplete) {
            loop->ranges.incomplete = true;
        }
    }
    keel_mpi_range_list_merge(&loop->ranges);
}

static double mean_overhead_ns(const struct keel_mpi_loop *loop)
{
    double overhead_ns = 0, chunks = 0;

    for (uint32_t i = 0; i < loop->threads; i++) {
        overhead_ns += loop->worker[i].overhead_ns;
        chunks += (double)loop->worker[i].chunks;
    }
    return chunks > 0 ? overhead_ns / chunks : 0;
}

/* What the rank has executed alone is all there is, and was not counted as missing units are. */
static void put_in_units(struct keel_mpi_loop *loop)
{
    if (loop->rest != NULL && loop->alone) {
        keel_mpi_range_list_clear(&loop->ranges);
        keel_mpi_range_list_note(&loop->ranges, 0, loop->rest->units);
    } else if (loop->rest != NULL) {
        keel_mpi_rest_complete(loop->rest, &loop->ranges);
    }
}

void keel_mpi_figures_put_in_iterations(struct keel_mpi_loop *loop)
{
    put_in_units(loop);
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

/* By ranges in iterations. */
static bool ran_last(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_range_list *ranges = &loop->ranges;

    return ranges->count > 0 && ranges->range[ranges->count - 1].last == loop->iterations;
}

/* In all of the rest of its time, no thread of the rank had anything to do. */
static double longest_active_ns(const struct keel_mpi_loop *loop)
{
    double longest_ns = 0;

    for (uint32_t i = 0; loop->worker != NULL && i < loop->threads; i++) {
        longest_ns = fmax(longest_ns, loop->worker[i].active_ns);
    }
    return longest_ns;
}

/* Report and figures by collected ranges, which are in iterations afterwards. Figures that have
 * been sent stay as they are. */
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
        loop->waited_ns += worker->waited_ns;
        if (worker->chunks > 0) {
            variance += keel_sizer_pace(&worker->sizer).variance_ns2;
            threads++;
        }
    }
    if (loop->observed != NULL) {
        loop->elapsed_ns = keel_mpi_clock_ns() - loop->opened_ns;
        if (loop->worker != NULL) {
            keel_mpi_waits_add(
                fmin(loop->elapsed_ns - longest_active_ns(loop), loop->worker[0].waited_ns));
        }
    }
    report->migrated = iterations_of(loop, migrated);
    keel_mpi_figures_put_in_iterations(loop);
    report->executed = keel_mpi_range_list_iterations(&loop->ranges);
    if (loop->summary_sent) {
        return; /* of a cancelled loop */
    }
    loop->figures = (struct keel_mpi_rank_figures){
        .executed = executed,
        .busy_ns = report->busy_s * 1e9,
        .threads = threads,
        .variance_ns2 = threads > 0 ? variance / threads : 0,
        .overhead_ns = loop->worker != NULL ? mean_overhead_ns(loop) : 0,
        .ran_last = ran_last(loop),
        .cancelled = keel_mpi_loop_is_open(loop) &&
                     keel_mpi_window_end(loop->window) == KEEL_MPI_WINDOW_CANCELLED,
    };
}

/* --- the end --- */

void keel_mpi_end_leave(struct keel_mpi_loop *loop)
{
    loop->left = true;
    keel_mpi_progress_thread_release(loop);
    keel_mpi_figures_collect_ranges(loop);
    sum_up(loop);
    keel_mpi_job_lock(loop->job);
    keel_mpi_agreement_exchange(loop);
    keel_mpi_job_unlock(loop->job);
    if (!loop->absent) {
        keel_mpi_window_leave(loop->window, loop->number, KEEL_MPI_WINDOWS);
    }
}

void keel_mpi_end_cancel(struct keel_mpi_loop *loop)
{
    keel_mpi_job_latest = loop->job;
    keel_mpi_job_lock(loop->job);
    keel_mpi_progress_locked(loop);
    if (!loop->summary_sent) {
        loop->figures = (struct keel_mpi_rank_figures){.cancelled = 1};
    }
    keel_mpi_agreement_exchange(loop);
    keel_mpi_job_unlock(loop->job);
}

/* --- completion --- */

/* Learns from the summary of all ranks, which is the same on all of them. */
static void learn(struct keel_mpi_loop *loop)
{
    bool cancelled = loop->summary.cancelled > 0;

    if (loop->failed) {
        return;
    }
    loop->last_rank =
        loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH ? (int)loop->summary.ran_last - 1 : -1;
    if (cancelled && loop->code == KEEL_MPI_OK) {
        loop->code = KEEL_MPI_CANCELLED;
    }
    if (!cancelled && loop->agreement == KEEL_MPI_AGREEMENT_SAME && loop->record != NULL &&
        loop->timed) {
        keel_mpi_record_note(loop->record, &loop->summary);
        if (loop->learns && loop->observed != NULL) {
            keel_mpi_loop_event_blocks(loop, loop->shares.decision);
        }
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
    bool done = keel_mpi_agreement_is_exchanged(loop);
    keel_mpi_job_unlock(loop->job);
    return done;
}

static void wait_for_figures(struct keel_mpi_loop *loop)
{
    struct keel_mpi_wait_state wait = keel_mpi_loop_wait_begin(loop);
    for (unsigned backoff = 0; !is_exchanged(loop); backoff++) {
        if (keel_mpi_progress_now(loop, NULL) ||
            !keel_mpi_loop_wait_goes_on(loop, &wait, backoff)) {
            continue;
        }
        keel_mpi_channel_wait(&loop->job->channel, keel_mpi_agreement_request(loop), backoff, true);
    }
}

/* The time belongs to the loop, also where the program asks for the end much later. */
static void wait_observed(struct keel_mpi_loop *loop)
{
    struct keel_mpi_span began = keel_mpi_waits_begin();

    wait_for_figures(loop);
    double waited_ns = keel_mpi_waits_end(began, keel_mpi_loop_event_name(loop), true);
    loop->waited_ns += waited_ns;
    loop->elapsed_ns += waited_ns;
    keel_mpi_loop_event_end(loop);
    keel_mpi_place_note(loop->observed, loop->identity.schedule, &loop->report,
                        loop->waited_ns * 1e-9, loop->elapsed_ns * 1e-9);
}

void keel_mpi_end_await(struct keel_mpi_loop *loop)
{
    if (!loop->left) {
        wait_for_workers(loop);
        keel_mpi_end_leave(loop);
    }
    if (loop->observed != NULL) {
        wait_observed(loop);
    } else {
        wait_for_figures(loop);
    }
    learn(loop);
}
