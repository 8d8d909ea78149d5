/* The post: small letters between ranks. */
#include "mpi_backend/job/channel.h"

#include <stdlib.h>
#include <time.h>

#include "mpi_backend/include/keel_mpi.h"
#include "omp_ext/support/message.h"

#define TAG 1

/* A letter on its way. */
struct keel_outgoing {
    struct keel_outgoing *next;
    MPI_Request request;
    struct keel_letter letter;
};

static bool check(const struct keel_post *post, int returned, const char *call)
{
    return keel_check(post->peers, returned, call);
}

static void receive(struct keel_post *post)
{
    if (!check(post,
               MPI_Irecv(&post->incoming, sizeof post->incoming, MPI_BYTE, MPI_ANY_SOURCE, TAG,
                         post->comm, &post->receive),
               "MPI_Irecv")) {
        post->receive = MPI_REQUEST_NULL;
    }
}

void keel_post_open(struct keel_post *post, struct keel_peers *peers, MPI_Comm comm)
{
    *post = (struct keel_post){.peers = peers, .comm = comm, .rank = (int)peers->rank};
    receive(post);
}

/* Some simulators of MPI leave the flag alone where there is no request. */
bool keel_post_is_done(struct keel_peers *peers, MPI_Request *request)
{
    int done = 1;

    if (*request != MPI_REQUEST_NULL) {
        done = keel_check(peers, MPI_Test(request, &done, MPI_STATUS_IGNORE), "MPI_Test") && done;
    }
    return done;
}

/* Frees the letters that have gone. */
static void sweep(struct keel_post *post, bool wait)
{
    struct keel_outgoing **link = &post->sent;

    while (*link != NULL) {
        struct keel_outgoing *out = *link;
        if (wait) {
            keel_peers_await(post->peers, "for messages to go", 1, &out->request);
        }
        if (keel_post_is_done(post->peers, &out->request)) {
            *link = out->next;
            free(out);
        } else {
            link = &out->next;
        }
    }
}

/* Whether it is as long as a letter, and from whom it says. */
static bool is_letter(struct keel_post *post, MPI_Status *status)
{
    int bytes = 0;
    bool is = check(post, MPI_Get_count(status, MPI_BYTE, &bytes), "MPI_Get_count") &&
              bytes == (int)sizeof post->incoming &&
              post->incoming.from == (uint32_t)status->MPI_SOURCE;

    if (!is && !post->complained) {
        post->complained = true;
        keel_message(
            "rank %d has got a message of %d bytes from rank %d, expected one of %zu that names "
            "its sender; it is ignored, and so are others of that kind",
            post->rank, bytes, status->MPI_SOURCE, sizeof post->incoming);
    }
    return is;
}

/* Whether something has come, in post->incoming. */
static bool has_come(struct keel_post *post, MPI_Status *status)
{
    int there = 0;

    if (post->waited) {
        *status = post->status;
        post->waited = false;
        return true;
    }
    if (post->receive == MPI_REQUEST_NULL) {
        return false;
    }
    int returned = MPI_Test(&post->receive, &there, status), class = MPI_SUCCESS;
    if (returned != MPI_SUCCESS) {
        MPI_Error_class(returned, &class);
    }
    if (class == MPI_ERR_TRUNCATE) { /* it is longer than any letter */
        post->receive = MPI_REQUEST_NULL;
        post->incoming.from = UINT32_MAX;
        return true;
    }
    return check(post, returned, "MPI_Test") && there;
}

bool keel_post_take(struct keel_post *post, struct keel_letter *letter)
{
    MPI_Status status;

    while (has_come(post, &status)) {
        bool is = is_letter(post, &status);
        *letter = post->incoming;
        receive(post);
        if (is) {
            return true;
        }
    }
    return false;
}

/* Without memory: it may take until the receiver looks. */
static void send_and_wait(struct keel_post *post, uint32_t rank, const struct keel_letter *letter)
{
    check(post, MPI_Send(letter, sizeof *letter, MPI_BYTE, (int)rank, TAG, post->comm), "MPI_Send");
}

void keel_post_send(struct keel_post *post, uint32_t rank, const struct keel_letter *letter)
{
    struct keel_letter copy = *letter;

    if (keel_peers_code(post->peers) != KEEL_MPI_OK) {
        return;
    }
    sweep(post, false);
    copy.from = (uint32_t)post->rank;
    post->letters++;
    struct keel_outgoing *out = malloc(sizeof *out);
    if (out == NULL) {
        send_and_wait(post, rank, &copy);
        return;
    }
    out->letter = copy;
    if (!check(post,
               MPI_Isend(&out->letter, sizeof out->letter, MPI_BYTE, (int)rank, TAG, post->comm,
                         &out->request),
               "MPI_Isend")) {
        free(out);
        return;
    }
    out->next = post->sent;
    post->sent = out;
}

#define LOOKS 64          /* this often a wait only looks again, for about 20 us */
#define PAUSES 8          /* of the processor, between two looks */
#define SHORTEST_NS 10000 /* then it sleeps, longer from time to time */
#define LONGEST_NS 200000

#ifdef KEEL_SIMULATED
/* In a simulation of MPI, a wait costs nothing and ends at the right moment, and time passes only
 * in waits and sleeps. Collective operations get on only while they are tested there. */
static bool wait_otherwise(struct keel_post *post, const MPI_Request *request, unsigned *patience,
                           bool alone)
{
    *patience += LOOKS;
    if (!alone || request == NULL || *request != MPI_REQUEST_NULL) {
        return false;
    }
    MPI_Wait(&post->receive, &post->status);
    post->waited = true;
    return true;
}
#else
static bool wait_otherwise(struct keel_post *post, const MPI_Request *request, unsigned *patience,
                           bool alone)
{
    (void)post;
    (void)request;
    (void)patience;
    (void)alone;
    return false;
}
#endif

void keel_post_idle(struct keel_post *post, MPI_Request *request, unsigned patience, bool alone)
{
    if (!wait_otherwise(post, request, &patience, alone)) {
        keel_post_pause(patience);
    }
}

void keel_post_pause(unsigned patience)
{
    if (patience < LOOKS) {
        for (unsigned i = 0; i < PAUSES; i++) {
#ifdef __x86_64__
            __builtin_ia32_pause();
#endif
        }
        return;
    }
    unsigned doublings = patience - LOOKS < 8 ? (patience - LOOKS) / 2 : 4;
    long time_ns = SHORTEST_NS << doublings;
    nanosleep(&(struct timespec){.tv_nsec = time_ns < LONGEST_NS ? time_ns : LONGEST_NS}, NULL);
}

/* Whether it is the one that this rank has sent to itself. */
static bool is_last(const struct keel_post *post, const MPI_Status *status)
{
    return post->incoming.kind == KEEL_LETTER_CLOSE && status->MPI_SOURCE == post->rank;
}

void keel_post_close(struct keel_post *post)
{
    const struct keel_letter last = {.kind = KEEL_LETTER_CLOSE};
    MPI_Status status;

    keel_post_send(post, (uint32_t)post->rank, &last);
    while (post->receive != MPI_REQUEST_NULL &&
           check(post, MPI_Wait(&post->receive, &status), "MPI_Wait") && !is_last(post, &status)) {
        receive(post);
    }
    sweep(post, true);
}
