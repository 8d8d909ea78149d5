/* Messages of shared loops: sending, receiving, and those that arrive too early or too late. */
#include "mpi_backend/loop/exchange/exchange.h"

#include <stdio.h>
#include <stdlib.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/job.h"
#include "omp_ext/support/message.h"

/* A message about a loop that this rank has not opened yet. */
struct keel_mpi_deferred {
    struct keel_mpi_deferred *next;
    struct keel_mpi_message message;
};

/* --- sending --- */

void keel_mpi_messages_send(struct keel_mpi_loop *loop, uint32_t rank,
                            struct keel_mpi_message message)
{
    message.loop = loop->number;
    loop->messages++;
    keel_mpi_channel_send(&loop->job->channel, rank, &message);
}

/* An exponential mean over about the last four answers. */
void keel_mpi_messages_note_answer(struct keel_mpi_loop *loop, double sent_ns)
{
    double time_ns = keel_mpi_clock_ns() - sent_ns;
    double *mean_ns = &loop->job->answer_ns;

    *mean_ns = *mean_ns > 0 ? *mean_ns + (time_ns - *mean_ns) / 4 : time_ns;
}

/* --- receiving --- */

/* Keeps a message until its loop is opened. If there is no memory, it is lost, which costs a
 * migration, or delays the end until the next count. */
static void defer(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_deferred *deferred = malloc(sizeof *deferred);

    if (deferred != NULL) {
        deferred->message = *message;
        deferred->next = job->deferred;
        job->deferred = deferred;
    }
}

/* Handles a message. False: too early. */
static bool handle(struct keel_mpi_job *job, const struct keel_mpi_message *message,
                   const struct keel_mpi_message_handler *handlers)
{
    const struct keel_mpi_message_handler *handler = &handlers[message->kind];

    if (handler->serve != NULL) {
        return handler->serve(job, message);
    }
    struct keel_mpi_loop *loop = keel_mpi_loop_find(job, message->loop);
    if (loop == NULL) {
        return false;
    }
    handler->take(loop, message);
    return true;
}

/* A request for a loop that this rank has not opened is answered with an empty transfer at once and
 * kept, so that it can be served later. */
static void answer_and_defer(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_message copy = *message;

    if (message->kind == KEEL_MPI_MESSAGE_REQUEST || message->kind == KEEL_MPI_MESSAGE_QUERY) {
        bool keeps = message->kind == KEEL_MPI_MESSAGE_REQUEST && message->request.keep != 0;
        const struct keel_mpi_message nothing = {
            .kind = KEEL_MPI_MESSAGE_TRANSFER,
            .loop = message->loop,
            .transfer = {.sent_ns = message->request.sent_ns, .kept = keeps}};
        keel_mpi_channel_send(&job->channel, message->from, &nothing);
        copy.request.retried = 1;
    }
    if (message->kind != KEEL_MPI_MESSAGE_QUERY) {
        defer(job, &copy);
    }
}

/* Whether the loop is over for this rank. */
static bool is_past(const struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = job->running[number % KEEL_MPI_WINDOWS];

    return number <= job->loops && (loop == NULL || loop->number != number);
}

static void retry_deferred(struct keel_mpi_job *job,
                           const struct keel_mpi_message_handler *handlers)
{
    for (struct keel_mpi_deferred **link = &job->deferred; *link != NULL;) {
        struct keel_mpi_deferred *deferred = *link;
        if (is_past(job, deferred->message.loop) || handle(job, &deferred->message, handlers)) {
            *link = deferred->next;
            free(deferred);
        } else {
            link = &deferred->next;
        }
    }
}

/* A message about a loop that is over for this rank is ignored. But a rank that still asks for
 * iterations gets an answer. */
static void answer_late(struct keel_mpi_job *job, const struct keel_mpi_message *message)
{
    struct keel_mpi_message nothing = {.kind = KEEL_MPI_MESSAGE_TRANSFER, .loop = message->loop};

    if (message->kind == KEEL_MPI_MESSAGE_CLAIM) {
        nothing.kind = KEEL_MPI_MESSAGE_GRANT;
        nothing.grant = (struct keel_mpi_message_grant){.first = UINT64_MAX};
    } else if (message->kind != KEEL_MPI_MESSAGE_REQUEST &&
               message->kind != KEEL_MPI_MESSAGE_QUERY) {
        return;
    } else {
        nothing.transfer.sent_ns = message->request.sent_ns;
    }
    keel_mpi_channel_send(&job->channel, message->from, &nothing);
}

bool keel_mpi_messages_receive(struct keel_mpi_job *job,
                               const struct keel_mpi_message_handler *handlers)
{
    struct keel_mpi_message message;
    bool any = false;

    retry_deferred(job, handlers);
    while (keel_mpi_channel_receive(&job->channel, &message)) {
        if (is_past(job, message.loop)) {
            answer_late(job, &message);
        } else if (!handle(job, &message, handlers)) {
            answer_and_defer(job, &message);
        }
        any = true;
    }
    return any;
}

void keel_mpi_messages_free(struct keel_mpi_job *job)
{
    while (job->deferred != NULL) {
        struct keel_mpi_deferred *next = job->deferred->next;
        free(job->deferred);
        job->deferred = next;
    }
}

/* --- waits --- */

static void write_place(const void *subject, char *text)
{
    const struct keel_mpi_loop *loop = subject;
    char name[KEEL_MPI_LOOP_NAME_MAX] = "";

    if (loop->caller != NULL) {
        keel_mpi_identity_loop_name(loop, name);
    }
    snprintf(text, KEEL_MPI_WAIT_WHERE, "in %s%s",
             loop->caller != NULL ? "the shared loop " : "a shared loop", name);
}

struct keel_mpi_wait_state keel_mpi_loop_wait_begin(const struct keel_mpi_loop *loop)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&loop->job->peers, "in a shared loop");

    wait.write = write_place;
    wait.subject = loop;
    return wait;
}

bool keel_mpi_loop_wait_goes_on(struct keel_mpi_loop *loop, struct keel_mpi_wait_state *wait,
                                unsigned looks)
{
    if (looks < KEEL_MPI_LOOKS) {
        return true;
    }
    keel_mpi_job_lock(loop->job);
    bool goes_on = keel_mpi_wait_goes_on(wait);
    keel_mpi_job_unlock(loop->job);
    return goes_on;
}
