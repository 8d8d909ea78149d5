/* The loops of a job: the running ones, the end of a loop, the latest complete one, and those to
 * reuse. */
#include "mpi_backend/loop/shared_loop.h"

#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/report/mpi_report.h"
#include "schedules/claim/plan.h"

/* --- loops that are not shared --- */

/* Communicators whose last loop was refused; the oldest is replaced. KEEL_MPI_OK: free */
#define REFUSALS 16
static struct {
    MPI_Comm comm;
    int code;
} refusals[REFUSALS];
static unsigned next_refusal;

/* Threads that may not call MPI may be refused at any time, too. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the communicator's index; -1: none. */
static int find(MPI_Comm comm)
{
    for (int i = 0; i < REFUSALS; i++) {
        if (refusals[i].code != KEEL_MPI_OK && refusals[i].comm == comm) {
            return i;
        }
    }
    return -1;
}

int keel_mpi_refusal_note(MPI_Comm comm, int code)
{
    pthread_mutex_lock(&mutex);
    int place = find(comm);
    if (place < 0 && code != KEEL_MPI_OK) {
        place = (int)(next_refusal++ % REFUSALS);
        refusals[place].comm = comm;
    }
    if (place >= 0) {
        refusals[place].code = code;
    }
    pthread_mutex_unlock(&mutex);
    return code;
}

int keel_mpi_refusal_of(MPI_Comm comm)
{
    pthread_mutex_lock(&mutex);
    int place = find(comm), code = place >= 0 ? refusals[place].code : KEEL_MPI_OK;
    pthread_mutex_unlock(&mutex);
    return code;
}

/* --- running loops, and keel_mpi_poll() from within them --- */

/* Whether the loop that was lent last has not started. */
static bool awaits_loan(const struct keel_mpi_job *job)
{
    return job->pending_loop != NULL && !keel_mpi_loop_is_open(job->pending_loop);
}

static bool is_active(const struct keel_mpi_job *job, unsigned i)
{
    return job->running[i] != NULL && keel_mpi_loop_is_active(job->running[i]);
}

bool keel_mpi_running_any(const struct keel_mpi_job *job)
{
    for (unsigned i = 0; i < KEEL_MPI_WINDOWS; i++) {
        if (is_active(job, i)) {
            return true;
        }
    }
    return false;
}

bool keel_mpi_running_busy(const struct keel_mpi_job *job)
{
    return awaits_loan(job) || keel_mpi_running_any(job);
}

void keel_mpi_running_poll(void)
{
    struct keel_mpi_job *job = keel_mpi_job_latest;

    for (unsigned i = 0; job != NULL && i < KEEL_MPI_WINDOWS; i++) {
        if (is_active(job, i)) {
            keel_mpi_progress_poll(job->running[i]);
        }
    }
}

/* --- loops of a job --- */

/* --- results --- */

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

/* Frees the results of a loop, which the program does not need any more. */
static void drop_results(struct keel_mpi_loop *loop)
{
    free_workers(loop);
    if (loop->plan != &loop->small) {
        free(loop->plan);
    }
    keel_mpi_range_list_free(&loop->ranges);
    keel_mpi_range_list_free(&loop->overflow);
}

void keel_mpi_loop_forget(struct keel_mpi_job *job)
{
    if (job->pending_loop == job->latest) {
        job->pending_loop = NULL;
    }
    if (job->latest != NULL && job->latest->failed) {
        job->latest = NULL; /* pending operations use it */
    }
    if (job->latest != NULL) {
        drop_results(job->latest);
        job->latest->spare = job->spare;
        job->spare = job->latest;
        job->latest = NULL;
    }
}

/* --- what this rank has executed --- */

void keel_mpi_measurements_collect_ranges(struct keel_mpi_loop *loop)
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

/* Converts missing units to those of the whole loop, all of them if the rank has run the rest
 * alone. */
static void put_in_units(struct keel_mpi_loop *loop)
{
    if (loop->rest != NULL && loop->alone) {
        keel_mpi_range_list_clear(&loop->ranges);
        keel_mpi_range_list_note(&loop->ranges, 0, loop->rest->units);
    } else if (loop->rest != NULL) {
        keel_mpi_rest_complete(loop->rest, &loop->ranges);
    }
}

/* Converts loop->ranges to iterations, for the program. */
static void put_in_iterations(struct keel_mpi_loop *loop)
{
    put_in_units(loop);
    for (size_t i = 0; i < loop->ranges.count; i++) {
        struct keel_mpi_range *range = &loop->ranges.range[i];
        range->first = keel_grain_iteration(range->first, loop->iterations, loop->grain);
        range->last = keel_grain_iteration(range->last, loop->iterations, loop->grain);
    }
}

/* Iterations of moved units. That the loop's last unit may be shorter is ignored. */
static uint64_t iterations_of(const struct keel_mpi_loop *loop, uint64_t units)
{
    uint64_t iterations;

    return __builtin_mul_overflow(units, loop->grain, &iterations) ? loop->iterations : iterations;
}

/* Whether this rank ran the last iteration; ranges are in iterations. */
static bool ran_last(const struct keel_mpi_loop *loop)
{
    const struct keel_mpi_range_list *ranges = &loop->ranges;

    return ranges->count > 0 && ranges->range[ranges->count - 1].last == loop->iterations;
}

/* The longest active time of a thread: for the rest of the time, no thread of the rank had work. */
static double longest_active_ns(const struct keel_mpi_loop *loop)
{
    double longest_ns = 0;

    for (uint32_t i = 0; loop->worker != NULL && i < loop->threads; i++) {
        longest_ns = fmax(longest_ns, loop->worker[i].active_ns);
    }
    return longest_ns;
}

/* Fills in report and measurements from collected ranges, which are in iterations afterwards.
 * Measurements that have been sent stay. */
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
    put_in_iterations(loop);
    report->executed = keel_mpi_range_list_iterations(&loop->ranges);
    if (loop->summary_sent) {
        return; /* of a cancelled loop */
    }
    loop->measurements = (struct keel_mpi_rank_measurements){
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

/* --- the end of a loop: measurements are summed along a tree to the summary of all ranks --- */

/* Ends the rank's part: sends its measurements, and leaves the node's window. Once; no worker is in
 * the loop. */
static void end_leave(struct keel_mpi_loop *loop)
{
    loop->left = true;
    keel_mpi_progress_thread_release(loop);
    keel_mpi_measurements_collect_ranges(loop);
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
        loop->measurements = (struct keel_mpi_rank_measurements){.cancelled = 1};
    }
    keel_mpi_agreement_exchange(loop);
    keel_mpi_job_unlock(loop->job);
}

/* Learns from the summary of all ranks, which is the same on all of them. */
static void learn(struct keel_mpi_loop *loop)
{
    bool cancelled = loop->summary.cancelled > 0;

    if (loop->failed) {
        return;
    }
    if (loop->learned_apart && loop->record != NULL) {
        keel_mpi_record_forget(loop->record);
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

static void wait_for_measurements(struct keel_mpi_loop *loop)
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

/* The time counts for the loop, also if the program waits for its end much later. */
static void wait_observed(struct keel_mpi_loop *loop)
{
    struct keel_mpi_span began = keel_mpi_waits_begin();

    wait_for_measurements(loop);
    double waited_ns = keel_mpi_waits_end(began, keel_mpi_loop_event_name(loop), true);
    loop->waited_ns += waited_ns;
    loop->elapsed_ns += waited_ns;
    keel_mpi_loop_event_end(loop);
    keel_mpi_place_note(loop->observed, loop->identity.schedule, &loop->report,
                        loop->waited_ns * 1e-9, loop->elapsed_ns * 1e-9);
}

/* Waits for the summary of all ranks, and learns from them. Leaves a cancelled loop first. */
static void end_await(struct keel_mpi_loop *loop)
{
    if (!loop->left) {
        wait_for_workers(loop);
        end_leave(loop);
    }
    if (loop->observed != NULL) {
        wait_observed(loop);
    } else {
        wait_for_measurements(loop);
    }
    learn(loop);
}

/* --- completion --- */

/* The program has shared a loop, and none has started. */
static void say_missing(const struct keel_mpi_loop *loop)
{
    const void *passed = loop->passed;
    char name[KEEL_MPI_LOOP_NAME_MAX];

    if (passed == NULL) {
        keel_mpi_misuse("%s", loop->missing);
        return;
    }
    keel_mpi_libkeel_loop_name(passed, NULL, name, sizeof name);
    keel_mpi_misuse("%.120s has an `ordered` clause, so that it can't be shared among ranks; it "
                    "runs whole on every rank",
                    name);
}

/* Waits for the measurements of the loop, which becomes the latest. */
static void complete(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    end_await(loop);
    if (loop->missing != NULL && loop->agreement != KEEL_MPI_AGREEMENT_MISMATCH) {
        say_missing(loop);
    }
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
            complete(loop);
        }
    }
}

void keel_mpi_loop_finish(struct keel_mpi_loop *loop)
{
    if (loop->left) { /* it has failed since, and the rank has run the rest */
        keel_mpi_measurements_collect_ranges(loop);
        put_in_iterations(loop);
        return;
    }
    keel_mpi_job_latest = loop->job;
    end_leave(loop);
    if (loop->waits) {
        keel_mpi_loop_complete_all(loop->job); /* in order: the last one becomes the latest */
    }
}

/* --- loops that this rank does not run --- */

void keel_mpi_loop_forfeit(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;
    const struct keel_mpi_window_loop none = {0};

    struct keel_mpi_wait_state wait = keel_mpi_loop_wait_begin(loop);
    for (unsigned backoff = 0;
         !loop->absent &&
         !keel_mpi_window_enter(loop->window, loop->number, KEEL_MPI_WINDOWS, &none, job->locals,
                                keel_mpi_job_paces(job), NULL, false);
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

void keel_mpi_loop_abandon(struct keel_mpi_job *job, const char *missing)
{
    struct keel_mpi_loop *loop = job->pending_loop;

    if (loop != NULL && loop->withdraw != NULL && loop->withdraw(loop)) {
        loop->missing = missing;
        if (loop->left) {
            say_missing(loop); /* there are no other ranks */
        } else {
            keel_mpi_loop_forfeit(loop);
        }
        job->pending_loop = NULL;
    }
}

/* --- when the job is freed --- */

static void end_loops(struct keel_mpi_job *job, bool comm_freed)
{
    keel_mpi_loop_abandon(job, comm_freed
                                   ? "a communicator is freed before the loop that was to be "
                                     "shared over it has come; that loop runs whole on "
                                     "every rank"
                                   : KEEL_MPI_LOOP_MISSING);
    keel_mpi_loop_complete_all(job);
    keel_mpi_periodic_stop(&job->progress);
}

void keel_mpi_loop_drop(struct keel_mpi_loop *loop)
{
    if (loop != NULL && loop->loans-- == 0) {
        free(loop->block);
        free(loop);
    }
}

static void free_loops(struct keel_mpi_job *job)
{
    keel_mpi_loop_forget(job);
    while (job->spare != NULL) {
        struct keel_mpi_loop *next = job->spare->spare;
        keel_mpi_loop_drop(job->spare);
        job->spare = next;
    }
    keel_mpi_messages_free(job);
    keel_mpi_agreement_free(job);
    keel_mpi_record_free_all(job->records);
    if (job->rest != NULL) {
        keel_mpi_rest_free(job->rest);
        free(job->rest);
    }
}

static const struct keel_mpi_job_user job_user = {.before_close = end_loops,
                                                  .after_close = free_loops};

/* --- new loops --- */

/* Returns a loop with memory for blocks; all other fields but `loans` are 0. */
static struct keel_mpi_loop *spare_or_new(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *loop = job->spare;
    uint64_t(*block)[2];
    unsigned loans = 0;

    if (loop != NULL) {
        job->spare = loop->spare;
        block = loop->block;
        loans = loop->loans;
        memset(loop, 0, sizeof *loop);
    } else {
        loop = calloc(1, sizeof *loop);
        block = malloc(job->locals * sizeof *block);
        if (loop == NULL || block == NULL) {
            free(loop);
            free(block);
            return NULL;
        }
    }
    loop->block = block;
    loop->loans = loans;
    return loop;
}

/* Whether a loop begins by measurements of earlier instances. */
static bool builds_on_records(const struct keel_ranks_schedule *schedule)
{
    return schedule->kind == KEEL_RANKS_RATE ||
           (schedule->kind == KEEL_RANKS_LOOP_SCHEDULE &&
            (schedule->spec.schedule->learns != KEEL_LEARNS_NOT ||
             keel_spec_unmeasured(&schedule->spec) != 0));
}

/* Waits for the loop whose slot the next one takes, and for all loops if all ranks need the same
 * measurements of earlier instances. Also after a loop that learns: ranks agree on its shares in
 * several steps, and operations of two loops must have the same order on all ranks. */
static void make_room(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *oldest = job->running[(job->loops + 1) % KEEL_MPI_WINDOWS];
    const struct keel_mpi_loop *last = job->running[job->loops % KEEL_MPI_WINDOWS];
    /* !left: it was cancelled, see worker.c */
    bool owes = last != NULL && (!last->left || last->learns);

    if (builds_on_records(keel_mpi_requested_schedule()) || owes) {
        keel_mpi_loop_complete_all(job);
    } else if (oldest != NULL) {
        complete(oldest);
    }
}

struct keel_mpi_loop *keel_mpi_loop_new(struct keel_mpi_job *job, bool waits)
{
    job->user = &job_user;
    make_room(job);
    struct keel_mpi_loop *loop = spare_or_new(job);
    if (loop == NULL) {
        return NULL;
    }
    loop->job = job;
    loop->number = ++job->loops;
    loop->waits = waits;
    loop->repeatable = job->repeatable && waits;
    loop->instance = loop->repeatable ? job->instance : 0;
    loop->rest = loop->repeatable ? job->next_rest : NULL;
    job->repeatable = false;
    job->next_rest = NULL;
    loop->agreement_request = loop->summary_request = MPI_REQUEST_NULL;
    loop->shares.request = loop->identity_request = MPI_REQUEST_NULL;
    loop->last_rank = -1;
    loop->window = keel_mpi_job_window(job, loop->number);
    loop->poll_ns = keel_mpi_settings()->poll_ns;
    atomic_flag_clear(&loop->sizing);
    job->running[loop->number % KEEL_MPI_WINDOWS] = loop;
    keel_mpi_loop_publish(loop);
    return loop;
}

struct keel_mpi_loop *keel_mpi_loop_new_alone(struct keel_mpi_job *job)
{
    job->user = &job_user;
    job->repeatable = false;
    job->next_rest = NULL;
    keel_mpi_loop_complete_all(job);
    keel_mpi_loop_forget(job);
    struct keel_mpi_loop *loop = spare_or_new(job);
    if (loop == NULL || !keel_mpi_range_list_open(&loop->ranges)) {
        keel_mpi_loop_drop(loop);
        return NULL;
    }
    loop->job = job;
    loop->left = true;
    loop->last_rank = -1;
    loop->code = KEEL_MPI_NO_LOOP;
    job->latest = job->pending_loop = loop;
    return loop;
}

void keel_mpi_loop_come_alone(struct keel_mpi_loop *loop, uint64_t iterations)
{
    loop->iterations = iterations;
    loop->code = KEEL_MPI_OK;
    loop->report = (struct keel_mpi_loop_report){
        .iterations = iterations, .executed = iterations, .chunks = iterations > 0};
    if (iterations > 0) {
        loop->last_rank = 0;
        keel_mpi_range_list_note(&loop->ranges, 0, iterations);
    }
    /* release: pairs with the acquire in keel_mpi_loop_is_open() */
    atomic_store_explicit(&loop->stage, KEEL_MPI_LOOP_OPEN, memory_order_release);
}
