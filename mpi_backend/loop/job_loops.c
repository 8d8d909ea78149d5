/* The loops of a job: which are running, the latest complete one, and those to use again. */
#include "mpi_backend/loop/shared_loop.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/loop/exchange/exchange.h"
#include "mpi_backend/loop/state/loop_state.h"

/* --- loops that are not shared --- */

/* Communicators whose last loop was refused; of more, the oldest is forgotten. KEEL_MPI_OK: free */
#define REFUSALS 16
static struct {
    MPI_Comm comm;
    int code;
} refusals[REFUSALS];
static unsigned next_refusal;

/* Threads that may not call MPI are refused, too, at any time. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* The communicator's place; -1: it has none. */
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

/* --- loops on their way, and keel_mpi_poll() from within them --- */

/* Whether the loop that was lent last has not come. */
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

/* The program does not ask for its results any more. */
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
        job->latest = NULL; /* operations on their way use it */
    }
    if (job->latest != NULL) {
        drop_results(job->latest);
        job->latest->spare = job->spare;
        job->spare = job->latest;
        job->latest = NULL;
    }
}

/* --- completion --- */

/* The program has shared a loop, and none has come. */
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

/* Waits for the figures of the loop, which becomes the latest. */
static void complete(struct keel_mpi_loop *loop)
{
    struct keel_mpi_job *job = loop->job;

    keel_mpi_end_await(loop);
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
    if (loop->left) { /* it has failed meanwhile, and the rank has run the rest */
        keel_mpi_figures_collect_ranges(loop);
        keel_mpi_figures_put_in_iterations(loop);
        return;
    }
    keel_mpi_job_latest = loop->job;
    keel_mpi_end_leave(loop);
    if (loop->waits) {
        keel_mpi_loop_complete_all(loop->job); /* in order: the last one becomes the latest */
    }
}

/* --- loops that no rank of the program runs here --- */

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

/* --- when the job goes --- */

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

static void free_loop(struct keel_mpi_loop *loop)
{
    if (loop != NULL) {
        free(loop->block);
        free(loop);
    }
}

static void free_loops(struct keel_mpi_job *job)
{
    keel_mpi_loop_forget(job);
    while (job->spare != NULL) {
        struct keel_mpi_loop *next = job->spare->spare;
        free_loop(job->spare);
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

/* With memory for blocks, and all else 0. */
static struct keel_mpi_loop *spare_or_new(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *loop = job->spare;
    uint64_t(*block)[2];

    if (loop != NULL) {
        job->spare = loop->spare;
        block = loop->block;
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
    return loop;
}

/* Whether what earlier instances have shown decides how a loop begins. */
static bool builds_on_records(const struct keel_ranks_schedule *schedule)
{
    return schedule->kind == KEEL_RANKS_RATE ||
           (schedule->kind == KEEL_RANKS_LOOP_SCHEDULE &&
            (schedule->spec.schedule->learns != KEEL_LEARNS_NOT ||
             keel_spec_unmeasured(&schedule->spec) != 0));
}

/* Waits for the loop whose place the next one takes and, where all ranks have to know the same of
 * earlier instances, for all. After a loop that learns, too: its shares are settled in several
 * steps, and operations of two loops may not come in another order on another rank. */
static void make_room(struct keel_mpi_job *job)
{
    struct keel_mpi_loop *oldest = job->running[(job->loops + 1) % KEEL_MPI_WINDOWS];
    const struct keel_mpi_loop *last = job->running[job->loops % KEEL_MPI_WINDOWS];
    /* it was cancelled: see worker.c */
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
    loop->shares.request = loop->telling = MPI_REQUEST_NULL;
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
        free_loop(loop);
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
