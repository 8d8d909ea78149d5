/* Messages between ranks beside their work: which ranks wait where, and errors. */
#include "mpi_backend/job/peers.h"

#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/survivors.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* Over `notices` each is a word: its kind, plus NOTICES times its value. Kinds before FAILED are in
 * enum keel_mpi_notice; the value of a CALL is a digest of the place where its sender waits. FAILED
 * + code: nothing is collective any more. WITHDRAWN: the meetings that its sender has reached. */
#define TAG 0
#define NOTICES 32
#define FAILED (KEEL_MPI_NOTICE_ELSEWHERE + 1)
#define WITHDRAWN (NOTICES - 1)

/* --- notices --- */

/* What sends read: constant, so that several may be on their way at once. */
static const uint64_t notice_words[NOTICES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                               22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

/* Small enough to be sent at once, also without a receive. Errors here are known already. */
static void send_word(struct keel_mpi_peers *peers, uint32_t rank, const uint64_t *word)
{
    MPI_Request request;

    if (MPI_Isend(word, 1, MPI_UINT64_T, (int)rank, TAG, peers->notices, &request) == MPI_SUCCESS) {
        MPI_Request_free(&request);
    }
}

static void send_to_all(struct keel_mpi_peers *peers, const uint64_t *word)
{
    for (uint32_t i = 0; peers->notices != MPI_COMM_NULL && i < peers->ranks; i++) {
        if (i != peers->rank) {
            send_word(peers, i, word);
        }
    }
}

/* The CALL of a rank that waits where this one last did. */
static uint64_t roll_of(const struct keel_mpi_peers *peers)
{
    uint64_t digest = keel_digest_text(KEEL_DIGEST_START, peers->where != NULL ? peers->where : "");

    return digest / NOTICES * NOTICES + KEEL_MPI_NOTICE_CALL;
}

void keel_mpi_notices_call(struct keel_mpi_peers *peers)
{
    memset(peers->answer, KEEL_MPI_NOTICE_CALL, peers->ranks);
    peers->roll = roll_of(peers);
    send_to_all(peers, &peers->roll);
}

static void take_notice(struct keel_mpi_peers *peers, uint32_t from, uint64_t word, bool waits)
{
    uint32_t notice = word % NOTICES;

    if (notice == WITHDRAWN) {
        bool is_first = word / NOTICES < peers->fewest_meetings;
        peers->fewest_meetings = is_first ? word / NOTICES : peers->fewest_meetings;
        peers->withdrawn = is_first ? from : peers->withdrawn;
        return;
    }
    if (notice >= FAILED) {
        int none = KEEL_MPI_OK;
        atomic_compare_exchange_strong(&peers->code, &none, (int)(notice - FAILED));
        return;
    }
    if (notice == KEEL_MPI_NOTICE_CALL) {
        notice = word == roll_of(peers) ? KEEL_MPI_NOTICE_WAITS : KEEL_MPI_NOTICE_ELSEWHERE;
        send_word(peers, from, &notice_words[waits ? notice : KEEL_MPI_NOTICE_WORKS]);
    }
    if (peers->answer != NULL) {
        peers->answer[from] = (unsigned char)notice;
    }
}

#ifdef KEEL_SIMULATED
/* In a simulation of MPI a wait costs nothing and ends at the right moment; no rank is late. */
void keel_mpi_peers_poll(struct keel_mpi_peers *peers, bool waits)
{
    (void)peers;
    (void)waits;
    (void)take_notice;
}
#else
void keel_mpi_peers_poll(struct keel_mpi_peers *peers, bool waits)
{
    MPI_Status status;
    int there = 1;

    peers->polled_s = keel_mpi_clock_s();
    while (peers->notices != MPI_COMM_NULL && there) {
        uint64_t word;
        if (!KEEL_MPI_CALL(peers, MPI_Iprobe, MPI_ANY_SOURCE, TAG, peers->notices, &there,
                           &status) ||
            (there && !KEEL_MPI_CALL(peers, MPI_Recv, &word, 1, MPI_UINT64_T, status.MPI_SOURCE,
                                     TAG, peers->notices, MPI_STATUS_IGNORE))) {
            return;
        }
        if (there) {
            take_notice(peers, (uint32_t)status.MPI_SOURCE, word, waits);
        }
    }
}
#endif

void keel_mpi_peers_poll_every(struct keel_mpi_peers *peers, bool waits, double time_s,
                               double apart_s)
{
    if (time_s - peers->polled_s >= apart_s) {
        keel_mpi_peers_poll(peers, waits);
    }
}

void keel_mpi_peers_withdraw(struct keel_mpi_peers *peers, uint64_t meetings)
{
    peers->withdrawal = WITHDRAWN + NOTICES * meetings;
    send_to_all(peers, &peers->withdrawal);
}

/* --- errors --- */

void keel_mpi_peers_fail(struct keel_mpi_peers *peers, int code)
{
    int none = KEEL_MPI_OK;

    if (atomic_compare_exchange_strong(&peers->code, &none, code)) {
        send_to_all(peers, &notice_words[FAILED + (uint32_t)code]);
    }
}

static atomic_bool broken;

bool keel_mpi_check_is_broken(void)
{
    return atomic_load(&broken);
}

static void say_failed(const char *call, int returned, bool peers)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    MPI_Error_string(returned, text, &length);
    keel_message("%s has failed%s: %.200s", call,
                 peers ? ", so that nothing is shared among its ranks any more" : "", text);
}

bool keel_mpi_check(struct keel_mpi_peers *peers, int returned, const char *call)
{
    if (returned == MPI_SUCCESS) {
        return true;
    }
    if (peers == NULL) {
        say_failed(call, returned, false);
        atomic_store(&broken, true);
        return false;
    }
    bool lost = keel_mpi_ulfm_is_loss(returned, peers->comm);
    if (peers->code == KEEL_MPI_OK &&
        !(lost && keel_mpi_ulfm_say_lost(peers->comm, peers->rank, peers->hosts, call))) {
        say_failed(call, returned, true);
    }
    keel_mpi_peers_fail(peers, lost ? KEEL_MPI_RANKS_LOST : KEEL_MPI_ERROR);
    return false;
}
