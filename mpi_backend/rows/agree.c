/* Whether all ranks make the same call. */
#include "mpi_backend/rows/rows_room.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/job.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

bool keel_mpi_rows_is_missing(const struct keel_mpi_rows *rows)
{
    if (rows == NULL) {
        keel_mpi_misuse("a distribution of rows is NULL, expected one from keel_mpi_rows_create(); "
                        "nothing is done");
    }
    return rows == NULL;
}

int keel_mpi_rows_check(const struct keel_mpi_rows *rows)
{
    int code = keel_mpi_rows_is_missing(rows) ? KEEL_MPI_ARGUMENT : keel_mpi_call_check();

    if (code == KEEL_MPI_ERROR) {
        keel_mpi_peers_fail((struct keel_mpi_peers *)&rows->peers, code); /* informs the others */
    }
    return code == KEEL_MPI_OK ? keel_mpi_peers_code(&rows->peers) : code;
}

/* --- waiting --- */

/* This rank stops moving rows, as another one has withdrawn. */
static void learn_late(struct keel_mpi_rows *rows, bool says)
{
    const struct keel_mpi_peers *peers = &rows->peers;

    rows->late = true;
    if (says) {
        keel_message(
            "rank %u (%s) came late: rank %u (%s) waits no longer; rows stay where they are "
            "from now on",
            peers->rank, keel_mpi_hosts_name(peers->hosts, peers->rank), peers->withdrawn,
            keel_mpi_hosts_name(peers->hosts, peers->withdrawn));
    }
}

/* This rank stops waiting for others. Ranks that have waited as long print no message. */
static void leave(struct keel_mpi_rows *rows, const struct keel_mpi_wait_state *wait)
{
    if (wait->in_vain) {
        learn_late(rows, keel_mpi_clock_s() - wait->began_s < wait->limit_s / 2);
    } else {
        rows->late = true;
        keel_mpi_peers_withdraw(&rows->peers, rows->meetings);
    }
}

/* Balancing may be given up to save the job, unless the user has excluded that: with
 * KEEL_MPI_ON_LATE=wait and end a rank waits on here as everywhere. */
static bool may_give_up(void)
{
    enum keel_ranks_on_late on_late = keel_mpi_settings()->on_late;

    return on_late == KEEL_RANKS_ON_LATE_AUTO || on_late == KEEL_RANKS_ON_LATE_FAIL;
}

static int wait_at(struct keel_mpi_rows *rows, const char *where, uint64_t meeting, bool gives_up,
                   int count, MPI_Request *request)
{
    if (rows->late && gives_up) {
        return keel_mpi_rows_late_code(rows);
    }
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(&rows->peers, where);
    double silent_s = keel_mpi_clock_s() - rows->all_heard_s;

    wait.limit_s = keel_mpi_settings()->deadline_s;
    if (may_give_up()) {
        wait.limit_s = fmax(wait.limit_s, 10 * silent_s);
        wait.gives_up = gives_up;
    }
    wait.bound = !gives_up;
    wait.meeting = meeting;
    int code = keel_mpi_wait_for(&wait, count, request);
    if (code != KEEL_MPI_OK && keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK) {
        leave(rows, &wait);
    }
    return code;
}

/* In meeting number `meeting` of all ranks. */
static bool meet(struct keel_mpi_rows *rows, const char *where, uint64_t meeting, bool gives_up,
                 MPI_Request *request)
{
    double began_s = keel_mpi_clock_s();

    if (wait_at(rows, where, meeting, gives_up, 1, request) != KEEL_MPI_OK) {
        return false;
    }
    rows->all_heard_s = keel_mpi_clock_s();
    rows->report.waiting_s += rows->all_heard_s - began_s;
    return true;
}

#define WHERE "at keel_mpi_rows_balance(), or where ranks agree on rows,"
#define BOUND "where rows that have moved count"

bool keel_mpi_rows_await(struct keel_mpi_rows *rows, MPI_Request *request)
{
    return meet(rows, WHERE, rows->meetings + 1, true, request);
}

int keel_mpi_rows_await_messages(struct keel_mpi_rows *rows, const char *where, int count,
                                 MPI_Request *request)
{
    return wait_at(rows, where, rows->meetings + 1, true, count, request);
}

bool keel_mpi_rows_all_are_there(struct keel_mpi_rows *rows)
{
    keel_mpi_peers_poll(&rows->peers, true);
    if (keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK && !rows->late &&
        keel_mpi_meeting_is_in_vain(rows->meetings + 1, rows->peers.fewest_meetings)) {
        learn_late(rows, true);
    }
    return !rows->late && keel_mpi_peers_code(&rows->peers) == KEEL_MPI_OK;
}

int keel_mpi_rows_late_code(const struct keel_mpi_rows *rows)
{
    int code = keel_mpi_peers_code(&rows->peers);

    return code != KEEL_MPI_OK ? code : KEEL_MPI_LATE;
}

/* --- agreeing --- */

/* Joins the next meeting with that code and number. False: keel_mpi_rows_late_code() is the
 * reason. */
static bool come(struct keel_mpi_rows *rows, int code, uint64_t number, bool bound)
{
    uint64_t(*word)[KEEL_MPI_AGREED_WORDS] = rows->agreement;
    MPI_Request request;

    if (rows->late || keel_mpi_peers_code(&rows->peers) != KEEL_MPI_OK) {
        return false;
    }
    memcpy(word[0], (uint64_t[]){(uint64_t)code, number, ~number, rows->weighted}, sizeof word[0]);
    if (!keel_mpi_peers_start_maxima(&rows->peers, rows->peers.comm, word[0], word[1],
                                     KEEL_MPI_AGREED_WORDS, &request)) {
        return false;
    }
    rows->meetings++;
    return meet(rows, bound ? BOUND : WHERE, rows->meetings, !bound, &request);
}

int keel_mpi_rows_agree(struct keel_mpi_rows *rows, int code, uint64_t number)
{
    const uint64_t *all = rows->agreement[1];

    if (!come(rows, code, number, false)) {
        return keel_mpi_rows_late_code(rows);
    }
    rows->weighted = all[3] != 0;
    if (all[0] != KEEL_MPI_OK) {
        return (int)all[0];
    }
    return all[1] == ~all[2] ? KEEL_MPI_OK : KEEL_MPI_MISMATCH;
}

int keel_mpi_rows_agree_bound(struct keel_mpi_rows *rows)
{
    return come(rows, KEEL_MPI_OK, 0, true) ? KEEL_MPI_OK : keel_mpi_rows_late_code(rows);
}

int keel_mpi_rows_agree_for_good(struct keel_mpi_rows *rows, int code, uint64_t number)
{
    bool was_late = rows->late;
    int all = keel_mpi_rows_agree(rows, code, number);

    if (rows->late && !was_late) {
        keel_mpi_peers_fail(&rows->peers, KEEL_MPI_LATE);
    } else if (all == KEEL_MPI_OK) {
        keel_mpi_peers_poll(&rows->peers, true); /* this rank may be the late one */
        all = keel_mpi_peers_code(&rows->peers);
    }
    return all;
}

uint64_t keel_mpi_rows_digest(const uint64_t *number, size_t count)
{
    return keel_digest_bytes(KEEL_DIGEST_START, number, count * sizeof *number);
}

int keel_mpi_rows_agree_on(struct keel_mpi_rows *rows, int code, const uint64_t *number,
                           size_t count)
{
    int all = keel_mpi_rows_agree_for_good(rows, code, keel_mpi_rows_digest(number, count));

    if (all == KEEL_MPI_MISMATCH && code == KEEL_MPI_OK && rows->rank == 0) {
        keel_message("ranks have called a function of a distribution of rows with different "
                     "arguments, or KEEL_MPI_WEIGHTS or KEEL_MPI_COPIES, expected the same on all "
                     "of them; nothing is done");
    }
    return all;
}

int keel_mpi_rows_largest(struct keel_mpi_peers *peers, const char *where, double *value, int count)
{
    uint64_t word[KEEL_MPI_MAXIMA_MAX];

    /* numbers >= 0 are in the order of their representations */
    memcpy(word, value, (size_t)count * sizeof *word);
    int code = keel_mpi_peers_maxima(peers, where, word, count);
    memcpy(value, word, (size_t)count * sizeof *word);
    return code;
}

int keel_mpi_rows_largest_in_time(struct keel_mpi_rows *rows, const char *where, double *value,
                                  int count)
{
    struct keel_mpi_peers *peers = &rows->peers;
    MPI_Request request;

    if (rows->late || keel_mpi_peers_code(peers) != KEEL_MPI_OK) {
        return keel_mpi_rows_late_code(rows);
    }
    memcpy(peers->word[0], value, (size_t)count * sizeof *value);
    if (!keel_mpi_peers_start_maxima(peers, peers->comm, peers->word[0], peers->word[1], count,
                                     &request) ||
        keel_mpi_rows_await_messages(rows, where, 1, &request) != KEEL_MPI_OK) {
        return keel_mpi_rows_late_code(rows);
    }
    memcpy(value, peers->word[1], (size_t)count * sizeof *value);
    return KEEL_MPI_OK;
}

/* --- messages between two ranks --- */

/* A type of more than INT_MAX bytes: blocks of INT_MAX, and the rest behind them. */
static bool make_large(struct keel_mpi_peers *peers, uint64_t bytes, MPI_Datatype *large)
{
    int rest = (int)(bytes % INT_MAX);
    MPI_Aint behind = (MPI_Aint)(bytes - (uint64_t)rest);
    MPI_Datatype block;

    return KEEL_MPI_CALL(peers, MPI_Type_contiguous, INT_MAX, MPI_BYTE, &block) &&
           KEEL_MPI_CALL(peers, MPI_Type_create_struct, 2, (int[]){(int)(bytes / INT_MAX), rest},
                         (MPI_Aint[]){0, behind}, (MPI_Datatype[]){block, MPI_BYTE}, large) &&
           KEEL_MPI_CALL(peers, MPI_Type_free, &block);
}

static bool make_part(struct keel_mpi_peers *peers, uint64_t bytes, MPI_Datatype *part)
{
    return bytes <= INT_MAX ? KEEL_MPI_CALL(peers, MPI_Type_contiguous, (int)bytes, MPI_BYTE, part)
                            : make_large(peers, bytes, part);
}

/* The committed type of a whole message. */
static bool make_type(struct keel_mpi_peers *peers, const struct keel_mpi_rows_message *message,
                      MPI_Datatype *type)
{
    MPI_Datatype part;
    int parts = message->parts > 0 ? (int)message->parts : 1;

    return make_part(peers, message->bytes, &part) &&
           KEEL_MPI_CALL(peers, MPI_Type_create_hvector, parts, 1, (MPI_Aint)message->apart, part,
                         type) &&
           KEEL_MPI_CALL(peers, MPI_Type_free, &part) &&
           KEEL_MPI_CALL(peers, MPI_Type_commit, type);
}

static void start(struct keel_mpi_peers *peers, const struct keel_mpi_rows_message *message,
                  int count, MPI_Datatype type, MPI_Request *request)
{
    bool started = message->sends
                       ? KEEL_MPI_CALL(peers, MPI_Isend, message->at, count, type, message->rank,
                                       message->tag, message->comm, request)
                       : KEEL_MPI_CALL(peers, MPI_Irecv, message->at, count, type, message->rank,
                                       message->tag, message->comm, request);

    if (!started) {
        *request = MPI_REQUEST_NULL;
    }
}

void keel_mpi_rows_message_start(struct keel_mpi_peers *peers,
                                 const struct keel_mpi_rows_message *message, MPI_Request *request)
{
    MPI_Datatype type;

    *request = MPI_REQUEST_NULL;
    if (message->parts <= 1 && message->bytes <= INT_MAX) {
        start(peers, message, (int)message->bytes, MPI_BYTE, request);
    } else if (make_type(peers, message, &type)) {
        start(peers, message, 1, type, request);
        KEEL_MPI_CALL(peers, MPI_Type_free, &type); /* stays until the message is complete */
    }
}
