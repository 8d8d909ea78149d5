/* The post: small letters between ranks. */
#include "mpi_backend/post.h"

#include <stdlib.h>
#include <time.h>

#define TAG 1

/* A letter on its way. */
struct keel_outgoing {
    struct keel_outgoing *next;
    MPI_Request request;
    struct keel_letter letter;
};

static void receive(struct keel_post *post)
{
    MPI_Irecv(&post->incoming, sizeof post->incoming, MPI_BYTE, MPI_ANY_SOURCE, TAG, post->comm,
              &post->receive);
}

void keel_post_open(struct keel_post *post, MPI_Comm comm)
{
    *post = (struct keel_post){.comm = comm};
    MPI_Comm_rank(comm, &post->rank);
    receive(post);
}

/* Some simulators of MPI leave the flag alone where there is no request. */
bool keel_post_is_done(MPI_Request *request)
{
    int done = 1;

    if (*request != MPI_REQUEST_NULL) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
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
            MPI_Wait(&out->request, MPI_STATUS_IGNORE);
        }
        if (keel_post_is_done(&out->request)) {
            *link = out->next;
            free(out);
        } else {
            link = &out->next;
        }
    }
}

bool keel_post_take(struct keel_post *post, struct keel_letter *letter)
{
    if (!keel_post_is_done(&post->receive)) {
        return false;
    }
    *letter = post->incoming;
    receive(post);
    return true;
}

void keel_post_send(struct keel_post *post, uint32_t rank, const struct keel_letter *letter)
{
    struct keel_letter copy = *letter;

    sweep(post, false);
    copy.from = (uint32_t)post->rank;
    post->letters++;
    struct keel_outgoing *out = malloc(sizeof *out);
    if (out == NULL) {
        MPI_Send(&copy, sizeof copy, MPI_BYTE, (int)rank, TAG, post->comm);
        return;
    }
    out->letter = copy;
    out->next = post->sent;
    post->sent = out;
    MPI_Isend(&out->letter, sizeof out->letter, MPI_BYTE, (int)rank, TAG, post->comm,
              &out->request);
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
    MPI_Wait(&post->receive, MPI_STATUS_IGNORE);
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

void keel_post_close(struct keel_post *post)
{
    struct keel_letter last = {.kind = KEEL_LETTER_CLOSE};

    keel_post_send(post, (uint32_t)post->rank, &last);
    MPI_Wait(&post->receive, MPI_STATUS_IGNORE);
    while (post->incoming.kind != KEEL_LETTER_CLOSE) {
        receive(post);
        MPI_Wait(&post->receive, MPI_STATUS_IGNORE);
    }
    sweep(post, true);
}
