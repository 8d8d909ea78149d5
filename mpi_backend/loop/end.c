/* The end of a shared loop: what each rank has to tell of it, to all; and what follows. */
#include <stdlib.h>

#include "mpi_backend/loop/loop.h"
#include "mpi_backend/loop/progress_thread.h"
#include "mpi_backend/loop/lender.h"
#include "schedules/claim/grain.h"

/* --- figures --- */

static double mean_overhead_ns(const struct keel_mpi_loop *loop)
{
    double overhead_ns = 0, chunks = 0;

    for (uint32_t i = 0; i < loop->threads; i++) {
        overhead_ns += loop->taker[i].overhead_ns;
        chunks += (double)loop->taker[i].chunks;
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
    const struct keel_ranges *ranges = &loop->ranges;

    return ranges->count > 0 && ranges->range[ranges->count - 1].last == loop->units;
}

static void sum_up(struct keel_mpi_loop *loop)
{
    struct keel_mpi_report *report = &loop->report;
    double variance = 0, threads = 0;
    double executed = (double)keel_ranges_iterations(&loop->ranges);
    uint64_t migrated = loop->migrated;

    *report = (struct keel_mpi_report){
        .iterations = loop->iterations,
        .migrations = loop->migrations,
        .messages = loop->letters,
    };
    for (uint32_t i = 0; loop->taker != NULL && i < loop->threads; i++) {
        const struct keel_taker *taker = &loop->taker[i];
        report->chunks += taker->chunks;
        report->migrations += taker->migrations;
        migrated += taker->migrated;
        report->busy_s += taker->busy_ns * 1e-9;
        if (taker->chunks > 0) {
            variance += keel_sizer_pace(&taker->sizer).variance_ns2;
            threads++;
        }
    }
    bool ran_last = ran_last_unit(loop);
    report->migrated = iterations_of(loop, migrated);
    put_ranges_in_iterations(loop);
    report->executed = keel_ranges_iterations(&loop->ranges);
    if (loop->figures_sent) {
        return; /* of a cancelled loop */
    }
    loop->figures = (struct keel_figures){
        .executed = executed,
        .busy_ns = report->busy_s * 1e9,
        .threads = threads,
        .variance_ns2 = threads > 0 ? variance / threads : 0,
        .overhead_ns = loop->taker != NULL ? mean_overhead_ns(loop) : 0,
        .ran_last = ran_last,
        .cancelled = keel_loop_is_open(loop) && keel_board_end(loop->board) == KEEL_BOARD_CANCELLED,
        .came = loop->came,
    };
}

static void free_takers(struct keel_mpi_loop *loop)
{
    for (uint32_t i = 0; loop->taker != NULL && i < loop->threads; i++) {
        keel_ranges_free(&loop->taker[i].ranges);
    }
    if (loop->taker != &loop->only) {
        free(loop->taker);
    }
    loop->taker = NULL;
}

static void send_figures(struct keel_mpi_loop *loop)
{
    loop->left = true;
    keel_progress_release(loop);
    keel_loop_gather_ranges(loop);
    sum_up(loop);
    keel_job_hold(loop->job);
    keel_loop_exchange(loop);
    keel_job_release(loop->job);
    if (!loop->absent) {
        keel_board_leave(loop->board, loop->number, KEEL_BOARDS);
    }
}

void keel_loop_finish(struct keel_mpi_loop *loop)
{
    if (loop->left) { /* it has failed meanwhile, and the rank has run the rest */
        keel_loop_gather_ranges(loop);
        put_ranges_in_iterations(loop);
        return;
    }
    keel_job_latest = loop->job;
    send_figures(loop);
    if (loop->waits) {
        keel_loop_complete_all(loop->job); /* in order: the last one becomes the latest */
    }
}

void keel_loop_cancel(struct keel_mpi_loop *loop)
{
    keel_job_latest = loop->job;
    keel_job_hold(loop->job);
    keel_loop_attend_held(loop);
    if (!loop->figures_sent) {
        loop->figures = (struct keel_figures){.cancelled = 1, .came = loop->came};
    }
    keel_loop_exchange(loop);
    keel_job_release(loop->job);
}

/* --- completion --- */

/* Nobody asks for its results any more. */
static void drop_results(struct keel_mpi_loop *loop)
{
    free_takers(loop);
    if (loop->plan != &loop->small) {
        free(loop->plan);
    }
    keel_ranges_free(&loop->ranges);
    keel_ranges_free(&loop->overflow);
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
    if (!cancelled && loop->agreement == KEEL_AGREEMENT_SAME && loop->record != NULL &&
        loop->timed) {
        keel_record_learn(loop->record, loop->units, loop->all_figures);
    }
    if (loop->agreement == KEEL_AGREEMENT_NOBODY && loop->code == KEEL_MPI_OK) {
        loop->code = KEEL_MPI_NO_LOOP;
    }
}

/* Threads of a cancelled loop leave it when their region ends. */
static void wait_for_takers(struct keel_mpi_loop *loop)
{
    for (unsigned patience = 0; !keel_loop_close(loop, 0); patience++) {
        keel_loop_attend(loop, NULL);
        keel_post_idle(&loop->job->post, NULL, patience, false);
    }
}

static bool is_exchanged(struct keel_mpi_loop *loop)
{
    keel_job_hold(loop->job);
    bool done = keel_loop_exchanged(loop);
    keel_job_release(loop->job);
    return done;
}

void keel_loop_forget(struct keel_job *job)
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

void keel_loop_complete(struct keel_mpi_loop *loop)
{
    struct keel_job *job = loop->job;

    if (!loop->left) {
        wait_for_takers(loop);
        send_figures(loop);
    }
    struct keel_wait wait = keel_loop_wait(loop);
    for (unsigned patience = 0; !is_exchanged(loop); patience++) {
        if (keel_loop_attend(loop, NULL) || !keel_loop_waits_on(loop, &wait, patience)) {
            continue;
        }
        keel_post_idle(&job->post,
                       loop->agreement <= KEEL_AGREEMENT_ASKED ? &loop->agreement_request
                                                               : &loop->figures_request,
                       patience, true);
    }
    learn(loop);
    if (job->failed == KEEL_MPI_OK && !loop->refused && loop->code != KEEL_MPI_CANCELLED) {
        job->failed = loop->code;
    }
    job->running[loop->number % KEEL_BOARDS] = NULL;
    if (job->offered == loop) {
        job->offered = NULL;
    }
    keel_loop_forget(job);
    job->latest = loop;
}

void keel_loop_complete_all(struct keel_job *job)
{
    for (uint64_t number = job->loops < KEEL_BOARDS ? 1 : job->loops - KEEL_BOARDS + 1;
         number <= job->loops; number++) {
        struct keel_mpi_loop *loop = job->running[number % KEEL_BOARDS];
        if (loop != NULL && loop->number == number) {
            keel_loop_complete(loop);
        }
    }
}

/* --- loops that do not come --- */

void keel_loop_forfeit(struct keel_mpi_loop *loop)
{
    struct keel_job *job = loop->job;
    const struct keel_board_loop none = {0};

    struct keel_wait wait = keel_loop_wait(loop);
    for (unsigned patience = 0;
         !loop->absent && !keel_board_enter(loop->board, loop->number, KEEL_BOARDS, &none,
                                            job->locals, job->ranks, NULL, false);
         patience++) {
        keel_post_idle(&job->post, NULL, patience, false);
        loop->absent = !keel_loop_waits_on(loop, &wait, patience);
    }
    if (!loop->absent && loop->board->loop.check != 0) {
        keel_board_close(loop->board, KEEL_BOARD_APART);
    }
    keel_loop_close(loop, 0);
    loop->waits = false;
    loop->refused = loop->code != KEEL_MPI_OK;
    loop->came.code = loop->code;
    keel_loop_finish(loop);
}

void keel_loop_abandon(struct keel_job *job)
{
    struct keel_mpi_loop *loop = job->offered;

    if (loop != NULL && keel_share_take_back(loop)) {
        keel_loop_forfeit(loop);
        job->offered = NULL;
    }
}

void keel_loop_release_all(struct keel_job *job)
{
    keel_loop_forget(job);
    while (job->spare != NULL) {
        struct keel_mpi_loop *next = job->spare->spare;
        free_loop(job->spare);
        job->spare = next;
    }
    while (job->deferred != NULL) {
        struct keel_deferred *next = job->deferred->next;
        free(job->deferred);
        job->deferred = next;
    }
}
