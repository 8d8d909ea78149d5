/* The end of one shared loop on a rank: what it tells of itself is summed up along a tree, and the
 * summary of all ranks comes. */
#include "mpi_backend/loop/end.h"

#include "mpi_backend/job/job_lock.h"
#include "mpi_backend/report/waits.h"
#include "mpi_backend/loop/exchange/agreement.h"
#include "mpi_backend/loop/exchange/loop_events.h"
#include "mpi_backend/loop/exchange/loop_wait.h"
#include "mpi_backend/loop/figures.h"
#include "mpi_backend/loop/progress/progress.h"
#include "mpi_backend/loop/progress/progress_thread.h"

void keel_mpi_end_leave(struct keel_mpi_loop *loop)
{
    loop->left = true;
    keel_mpi_progress_thread_release(loop);
    keel_mpi_figures_collect_ranges(loop);
    keel_mpi_figures_sum_up(loop);
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
        loop->figures = (struct keel_mpi_rank_figures){.cancelled = 1, .identity = loop->identity};
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
    loop->last_rank = (int)loop->summary.ran_last - 1;
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
