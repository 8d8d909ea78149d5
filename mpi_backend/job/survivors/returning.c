/* Ranks that others have left out, and that come back. */
#include "mpi_backend/job/survivors/returning.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/call_check.h"
#include "mpi_backend/job/clock.h"
#include "mpi_backend/job/errors.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/processes/fence.h"
#include "mpi_backend/job/processes/lines.h"
#include "mpi_backend/job/processes/watchdog.h"
#include "mpi_backend/job/settings.h"
#include "mpi_backend/job/survivors/leaving.h"
#include "mpi_backend/job/survivors/making.h"
#include "mpi_backend/job/survivors/ulfm.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_let_in()"
#define TAG 12 /* beside TELL and SET of survivors.c */

/* What a message says. */
enum { CAME, INVITED, READY, LET_IN };

/* Its first bytes; behind them a number for each rank of the origin: 0, with LET_IN, for one that
 * is out, else 1 more than its last return. The number of a return is that of the epoch (fence.h)
 * in which the rank is in again. */
struct head {
    uint32_t says, number;
};

/* Of ranks of an origin, as far as is known here: the last return of each that ... */
struct keel_mpi_returns {
    uint32_t *came;    /* it has told of */
    uint32_t *invited; /* this rank has invited it for */
    uint32_t *ready;   /* it has lifted its fence for */
    uint32_t *let_in;  /* it has come in by */
    uint32_t *chosen;  /* the first rank has chosen now; 0: none. Messages on their way read it */
    uint32_t *in;      /* numbers of the last LET_IN */
    unsigned char *message;
};

/* --- the origin --- */

static int origin_key = MPI_KEYVAL_INVALID;

struct keel_mpi_connected *keel_mpi_origin_of(MPI_Comm comm, struct keel_mpi_connected *connected)
{
    struct keel_mpi_connected *origin = NULL;
    int found = 0;

    if (origin_key != MPI_KEYVAL_INVALID) {
        keel_mpi_check(NULL, MPI_Comm_get_attr(comm, origin_key, &origin, &found),
                       "MPI_Comm_get_attr");
    }
    return found ? origin : connected;
}

static struct keel_mpi_returns *make_returns(uint32_t ranks)
{
    struct keel_mpi_returns *returns = calloc(1, sizeof *returns);
    uint32_t *numbers = calloc(ranks, 6 * sizeof *numbers);
    unsigned char *message = malloc(sizeof(struct head) + ranks * sizeof *numbers);

    if (returns == NULL || numbers == NULL || message == NULL) {
        free(returns);
        free(numbers);
        free(message);
        return NULL;
    }
    *returns = (struct keel_mpi_returns){.came = numbers,
                                         .invited = numbers + ranks,
                                         .ready = numbers + 2 * (size_t)ranks,
                                         .let_in = numbers + 3 * (size_t)ranks,
                                         .chosen = numbers + 4 * (size_t)ranks,
                                         .in = numbers + 5 * (size_t)ranks,
                                         .message = message};
    return returns;
}

static bool has_returns(struct keel_mpi_connected *origin)
{
    if (origin->returns == NULL) {
        origin->returns = make_returns(origin->ranks);
    }
    return origin->returns != NULL;
}

int keel_mpi_origin_note(MPI_Comm survivors, struct keel_mpi_connected *origin)
{
    if (!has_returns(origin)) {
        return KEEL_MPI_NO_ROOM;
    }
    return (origin_key != MPI_KEYVAL_INVALID ||
            keel_mpi_check(NULL,
                           MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN,
                                                  &origin_key, NULL),
                           "MPI_Comm_create_keyval")) &&
                   keel_mpi_check(NULL, MPI_Comm_set_attr(survivors, origin_key, origin),
                                  "MPI_Comm_set_attr")
               ? KEEL_MPI_OK
               : KEEL_MPI_ERROR;
}

/* --- messages --- */

static size_t message_bytes(const struct keel_mpi_connected *origin)
{
    return sizeof(struct head) + origin->ranks * sizeof *origin->returns->in;
}

/* What it reads stays: the rank may be stopped, or have ended. in: NULL, nothing is said of
 * ranks. */
static int send(const struct keel_mpi_connected *origin, uint32_t rank, struct head head,
                const uint32_t *in)
{
    size_t bytes = message_bytes(origin);
    unsigned char *message = calloc(bytes, 1);
    MPI_Request request;

    if (message == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    memcpy(message, &head, sizeof head);
    if (in != NULL) {
        memcpy(message + sizeof head, in, bytes - sizeof head);
    }
    int returned = MPI_Isend(message, (int)bytes, MPI_BYTE, (int)rank, TAG, origin->comm, &request);
    if (keel_mpi_ulfm_passes_over(returned, origin->comm)) {
        return KEEL_MPI_OK;
    }
    if (!keel_mpi_check(NULL, returned, "MPI_Isend")) {
        return KEEL_MPI_ERROR;
    }
    MPI_Request_free(&request);
    return KEEL_MPI_OK;
}

static int send_to_others(const struct keel_mpi_connected *origin, struct head head)
{
    int code = KEEL_MPI_OK;

    for (uint32_t i = 0; i < origin->ranks && code == KEEL_MPI_OK; i++) {
        code = i != origin->rank ? send(origin, i, head, NULL) : code;
    }
    return code;
}

/* One that has come, if it is whole; *from: less than 0, there is none. */
static int receive(struct keel_mpi_connected *origin, struct head *head, int *from)
{
    const int bytes = (int)message_bytes(origin);
    MPI_Status status;
    int there = 0, got = 0;

    *from = -1;
    int returned = MPI_Iprobe(MPI_ANY_SOURCE, TAG, origin->comm, &there, &status);
    if (keel_mpi_ulfm_passes_over(returned, origin->comm)) {
        return KEEL_MPI_OK;
    }
    if (!keel_mpi_check(NULL, returned, "MPI_Iprobe") ||
        (there &&
         (!keel_mpi_check(NULL,
                          MPI_Recv(origin->returns->message, bytes, MPI_BYTE, status.MPI_SOURCE,
                                   TAG, origin->comm, &status),
                          "MPI_Recv") ||
          !keel_mpi_check(NULL, MPI_Get_count(&status, MPI_BYTE, &got), "MPI_Get_count")))) {
        return KEEL_MPI_ERROR;
    }
    if (there && got == bytes) {
        memcpy(head, origin->returns->message, sizeof *head);
        *from = status.MPI_SOURCE;
        if (head->says == LET_IN) {
            memcpy(origin->returns->in, origin->returns->message + sizeof *head,
                   (size_t)bytes - sizeof *head);
        }
    }
    return KEEL_MPI_OK;
}

static void note_larger(uint32_t *number, uint32_t other)
{
    *number = other > *number ? other : *number;
}

/* What a rank that comes back has said. */
static void note(struct keel_mpi_returns *returns, struct head head, int from)
{
    if (head.says == CAME) {
        note_larger(&returns->came[from], head.number);
    } else if (head.says == READY) {
        note_larger(&returns->ready[from], head.number);
    }
}

/* What this rank has heard of one in earlier epochs does not count any more. */
static void begin_epoch(const struct keel_mpi_connected *origin, uint32_t rank, uint64_t epoch)
{
    const struct keel_mpi_rank_process *other = keel_mpi_processes_of(&origin->processes, rank);

    if (other != NULL) {
        keel_mpi_lines_let_in(other->process.line, epoch);
    }
}

/* --- the communicator with those that come back --- */

static uint32_t count_out(const struct keel_mpi_connected *origin, const unsigned char *without)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < origin->ranks; i++) {
        count += without[i];
    }
    return count;
}

/* Who is in it is what the first rank has said to all. before: over which this rank was;
 * MPI_COMM_NULL: it comes back, and what it has executed meanwhile counts for nothing. */
static int make(MPI_Comm comm, MPI_Comm before, struct keel_mpi_connected *origin,
                unsigned char *without, MPI_Comm *all)
{
    int code = keel_mpi_survivors_make(comm, origin, without, all);

    code = code == KEEL_MPI_OK ? keel_mpi_origin_note(*all, origin) : code;
    code = code == KEEL_MPI_OK ? keel_mpi_job_descend(before, *all) : code;
    if (code == KEEL_MPI_OK) {
        keel_mpi_connected_pass(*all);
        keel_mpi_leave_at_finalize(count_out(origin, without),
                                   keel_mpi_survivors_first(without) == origin->rank);
    }
    return code;
}

/* --- the rank that was left out --- */

/* Of one call. */
struct returning {
    double began_s, look_s;
    double says_s; /* that it waits, after so long */
    uint32_t number;
    bool let_in;
};

/* Whether all other ranks that it can look at have ended. */
static bool is_alone(const struct keel_mpi_connected *origin)
{
    const struct keel_mpi_processes *processes = &origin->processes;
    uint32_t ended = 0;

    for (uint32_t i = 0; i < processes->count; i++) {
        ended += keel_mpi_process_look(&processes->own, &processes->other[i].process) ==
                 KEEL_MPI_PROCESS_ENDED;
    }
    return ended > 0 && ended == processes->count;
}

/* Each second: whether there are others. Says that it waits, ever more rarely. */
static int check_others(const struct keel_mpi_connected *origin, struct returning *returning)
{
    double time_s = keel_mpi_clock_s(), waited_s = time_s - returning->began_s;

    if (time_s < returning->look_s) {
        return KEEL_MPI_OK;
    }
    returning->look_s = time_s + 1;
    bool alone = is_alone(origin);
    if (alone || waited_s >= returning->says_s) {
        returning->says_s = 2 * waited_s;
        keel_message("rank %u (%s) has waited %.0f s in keel_mpi_survivors() for others to let it "
                     "in (keel_mpi_let_in())%s",
                     origin->rank, keel_mpi_hosts_name(origin->hosts, origin->rank), waited_s,
                     alone ? "; they have ended" : "");
    }
    return alone ? KEEL_MPI_LATE : KEEL_MPI_OK;
}

static int take(struct keel_mpi_connected *origin, struct returning *returning)
{
    struct head head;
    int from, code = receive(origin, &head, &from);

    if (code != KEEL_MPI_OK || from < 0) {
        return code;
    }
    note(origin->returns, head, from);
    if (head.number != returning->number) {
        return KEEL_MPI_OK;
    }
    if (head.says == INVITED) {
        keel_mpi_fence_lift(head.number);
        return send(origin, (uint32_t)from, (struct head){READY, returning->number}, NULL);
    }
    returning->let_in = head.says == LET_IN;
    return KEEL_MPI_OK;
}

static int await_others(struct keel_mpi_connected *origin)
{
    uint64_t epoch;
    keel_mpi_fence_read(&epoch);
    struct returning returning = {.began_s = keel_mpi_clock_s(),
                                  .says_s = keel_mpi_settings()->deadline_s,
                                  .number = (uint32_t)epoch + 1};
    int code = send_to_others(origin, (struct head){CAME, returning.number});

    while (code == KEEL_MPI_OK && !returning.let_in) {
        code = take(origin, &returning);
        code = code == KEEL_MPI_OK && !returning.let_in ? check_others(origin, &returning) : code;
        sched_yield();
    }
    return code;
}

/* Who is in, by the message that has let this rank in. */
static void list_in(const struct keel_mpi_connected *origin, unsigned char *without)
{
    const struct keel_mpi_returns *returns = origin->returns;

    for (uint32_t i = 0; i < origin->ranks; i++) {
        without[i] = returns->in[i] == 0;
        if (returns->in[i] > 0) {
            note_larger(&returns->let_in[i], returns->in[i] - 1);
            begin_epoch(origin, i, returns->let_in[i]);
        }
    }
}

int keel_mpi_return(MPI_Comm comm, struct keel_mpi_connected *connected, MPI_Comm *all)
{
    struct keel_mpi_connected *origin = keel_mpi_origin_of(comm, connected);
    unsigned char *without = malloc(origin->ranks);

    if (without == NULL || !has_returns(origin)) {
        free(without);
        return KEEL_MPI_NO_ROOM;
    }
    keel_mpi_watchdog_returns(true);
    int code = await_others(origin);
    keel_mpi_watchdog_returns(false);
    if (code == KEEL_MPI_OK) {
        list_in(origin, without);
        code = make(comm, MPI_COMM_NULL, origin, without, all);
    }
    free(without);
    return code;
}

/* --- those that let it in --- */

#ifdef KEEL_SIMULATED
static int let_in(MPI_Comm comm, MPI_Comm *all)
{
    *all = comm;
    return KEEL_MPI_OK;
}
#else

/* without: 1 for each rank of the origin that is not among the `ranks` of `comm`. False: MPI has
 * failed. */
static bool list_out(MPI_Comm comm, int ranks, const struct keel_mpi_connected *origin,
                     unsigned char *without)
{
    MPI_Group here, there;
    bool done = keel_mpi_check(NULL, MPI_Comm_group(comm, &here), "MPI_Comm_group") &&
                keel_mpi_check(NULL, MPI_Comm_group(origin->comm, &there), "MPI_Comm_group");

    memset(without, 1, origin->ranks);
    for (int i = 0; done && i < ranks; i++) {
        int rank = MPI_UNDEFINED;
        done = keel_mpi_check(NULL, MPI_Group_translate_ranks(here, 1, &i, there, &rank),
                              "MPI_Group_translate_ranks");
        if (done && rank != MPI_UNDEFINED) {
            without[rank] = 0;
        }
    }
    if (done) {
        MPI_Group_free(&here);
        MPI_Group_free(&there);
    }
    return done;
}

static int receive_all(struct keel_mpi_connected *origin)
{
    struct head head;
    int from, code;

    do {
        code = receive(origin, &head, &from);
        if (code == KEEL_MPI_OK && from >= 0) {
            note(origin->returns, head, from);
        }
    } while (code == KEEL_MPI_OK && from >= 0);
    return code;
}

/* Not one that has been stopped again, or has ended, where that can be seen. */
static bool is_awake(const struct keel_mpi_connected *origin, uint32_t rank)
{
    const struct keel_mpi_rank_process *other = keel_mpi_processes_of(&origin->processes, rank);
    enum keel_mpi_process_state state =
        other != NULL ? keel_mpi_process_look(&origin->processes.own, &other->process)
                      : KEEL_MPI_PROCESS_UNKNOWN;

    return state == KEEL_MPI_PROCESS_RUNS || state == KEEL_MPI_PROCESS_UNKNOWN;
}

/* By the first rank: those that are ready are chosen, the others that have come are invited
 * (tests/models/returns.pml: choose). */
static int choose(struct keel_mpi_connected *origin, const unsigned char *without)
{
    struct keel_mpi_returns *returns = origin->returns;
    int code = KEEL_MPI_OK;

    for (uint32_t i = 0; i < origin->ranks && code == KEEL_MPI_OK; i++) {
        uint32_t number = returns->came[i];
        bool back = without[i] && number > returns->let_in[i];
        bool ready = back && returns->ready[i] == number && returns->invited[i] == number;
        if (ready) {
            begin_epoch(origin, i, number);
        }
        returns->chosen[i] = ready && is_awake(origin, i) ? number : 0;
        if (back && returns->invited[i] != number) {
            returns->invited[i] = number;
            code = send(origin, i, (struct head){INVITED, number}, NULL);
        }
    }
    return code;
}

static int tell_chosen(const struct keel_mpi_connected *origin, const unsigned char *without)
{
    const struct keel_mpi_returns *returns = origin->returns;
    int code = KEEL_MPI_OK;

    for (uint32_t i = 0; i < origin->ranks; i++) {
        returns->in[i] = without[i] ? 0 : returns->let_in[i] + 1;
    }
    for (uint32_t i = 0; i < origin->ranks && code == KEEL_MPI_OK; i++) {
        uint32_t number = returns->chosen[i];
        if (number > 0) {
            code = send(origin, i, (struct head){LET_IN, number}, returns->in);
            keel_message("rank %u (%s), which was left out, is among the others again", i,
                         keel_mpi_hosts_name(origin->hosts, i));
        }
    }
    return code;
}

/* The first rank's choice, with which all of them go on. Returns how many were chosen, or the
 * negative code. */
static int agree(struct keel_mpi_job *job, struct keel_mpi_connected *origin,
                 unsigned char *without)
{
    MPI_Request request;
    int count = 0;

    if (!keel_mpi_check(&job->peers,
                        MPI_Ibcast(origin->returns->chosen, (int)origin->ranks, MPI_UINT32_T, 0,
                                   job->peers.comm, &request),
                        "MPI_Ibcast") ||
        keel_mpi_peers_await(&job->peers, WHERE, 1, &request) != KEEL_MPI_OK) {
        return -keel_mpi_job_code(job);
    }
    for (uint32_t i = 0; i < origin->ranks; i++) {
        if (origin->returns->chosen[i] > 0) {
            origin->returns->let_in[i] = origin->returns->chosen[i];
            begin_epoch(origin, i, origin->returns->chosen[i]);
            without[i] = 0;
            count++;
        }
    }
    return count;
}

static int let_in_origin(MPI_Comm comm, struct keel_mpi_connected *origin, unsigned char *without,
                         MPI_Comm *all)
{
    int code;
    struct keel_mpi_job *job = keel_mpi_job_of(comm, WHERE, &code);

    code = job != NULL ? receive_all(origin) : code;
    if (code == KEEL_MPI_OK && job->rank == 0) {
        code = choose(origin, without);
    }
    if (job != NULL && code != KEEL_MPI_OK) {
        keel_mpi_peers_fail(&job->peers, code);
    }
    int count = code == KEEL_MPI_OK ? agree(job, origin, without) : -code;
    if (count <= 0) {
        return -count;
    }
    code = job->rank == 0 ? tell_chosen(origin, without) : KEEL_MPI_OK;
    return code == KEEL_MPI_OK ? make(comm, comm, origin, without, all) : code;
}

static int let_in(MPI_Comm comm, MPI_Comm *all)
{
    struct keel_mpi_connected *origin = keel_mpi_origin_of(comm, NULL);
    int ranks = 0;

    *all = comm;
    if (origin == NULL) {
        return KEEL_MPI_OK; /* no rank was ever lost of these */
    }
    if (!keel_mpi_check(NULL, MPI_Comm_size(comm, &ranks), "MPI_Comm_size")) {
        return KEEL_MPI_ERROR;
    }
    if ((uint32_t)ranks == origin->ranks) {
        return KEEL_MPI_OK; /* all are there again */
    }
    unsigned char *without = malloc(origin->ranks);
    if (without == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    int code = list_out(comm, ranks, origin, without) ? let_in_origin(comm, origin, without, all)
                                                      : KEEL_MPI_ERROR;
    free(without);
    return code;
}
#endif

KEEL_MPI_PUBLIC int keel_mpi_let_in(MPI_Comm comm, MPI_Comm *all)
{
    int code = keel_mpi_call_check();

    *all = comm;
    if (code == KEEL_MPI_OK && !keel_mpi_job_is_intracomm(comm)) {
        code = KEEL_MPI_COMM;
    }
    return keel_mpi_error_return(code == KEEL_MPI_OK ? let_in(comm, all) : code);
}
