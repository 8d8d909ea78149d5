/* The ranks that a communicator of Keel's own connects. */
#include "mpi_backend/job/peers.h"

#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/processes.h"
#include "mpi_backend/job/survivors.h"
#include "mpi_backend/report/mpi_report.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- waiting --- */

#define STOPPED 255 /* instead of an answer to the roll: the rank is */
#define GRACE_S 0.5 /* in which those that wait as well answer to a call */
#define NAMES 4     /* of ranks in a message, at most */

struct keel_mpi_wait_state keel_mpi_wait_begin(struct keel_mpi_peers *peers, const char *where)
{
    return (struct keel_mpi_wait_state){.peers = peers, .where = where};
}

/* From look to look at processes, s: eight of them before the deadline, and one a second. */
static double look_apart_s(const struct keel_mpi_wait_state *wait)
{
    return fmin(1, wait->limit_s / 8);
}

static void start(struct keel_mpi_wait_state *wait)
{
    if (wait->limit_s == 0) {
        wait->limit_s = keel_mpi_settings()->deadline_s;
    }
    wait->began_s = keel_mpi_clock_s();
    wait->next_s = wait->began_s + wait->limit_s;
    wait->look_s = wait->began_s + look_apart_s(wait);
}

/* Whether this rank prints the roll call: the first of those that wait. */
static bool reports(const struct keel_mpi_peers *peers)
{
    for (uint32_t i = 0; i < peers->rank; i++) {
        if (peers->answer[i] == KEEL_MPI_NOTICE_WAITS ||
            peers->answer[i] == KEEL_MPI_NOTICE_ELSEWHERE) {
            return false;
        }
    }
    return true;
}

/* Writes up to NAMES of the ranks that gave that answer. Returns how many did. */
static uint32_t list(const struct keel_mpi_peers *peers, unsigned char answer, char *text,
                     size_t size)
{
    uint32_t count = 0;

    text[0] = '\0';
    for (uint32_t i = 0; i < peers->ranks; i++) {
        if (i == peers->rank || peers->answer[i] != answer) {
            continue;
        }
        if (count++ < NAMES) {
            keel_mpi_hosts_add_to(peers->hosts, i, text, size);
        }
    }
    if (count > NAMES) {
        size_t length = strlen(text);
        snprintf(text + length, size - length, " and %u more", count - NAMES);
    }
    return count;
}

static void write_where(const struct keel_mpi_wait_state *wait, char where[KEEL_MPI_WAIT_WHERE])
{
    if (wait->write != NULL) {
        wait->write(wait->subject, where);
    } else {
        snprintf(where, KEEL_MPI_WAIT_WHERE, "%s", wait->where);
    }
}

/* Whether KEEL_MPI_LATE follows when it has taken too long. */
static bool ends_late(const struct keel_mpi_wait_state *wait)
{
    enum keel_ranks_on_late on_late = keel_mpi_settings()->on_late;

    return !wait->ends && (wait->gives_up || on_late == KEEL_RANKS_ON_LATE_FAIL ||
                           (on_late == KEEL_RANKS_ON_LATE_AUTO && wait->stopped));
}

/* No rank is missing: the message is on its way. */
static bool all_wait(const struct keel_mpi_peers *peers)
{
    for (uint32_t i = 0; i < peers->ranks; i++) {
        if (i != peers->rank && peers->answer[i] != KEEL_MPI_NOTICE_WAITS &&
            peers->answer[i] != KEEL_MPI_NOTICE_ELSEWHERE) {
            return false;
        }
    }
    return true;
}

static const char *ending(bool ends)
{
    return ends ? "; it waits no longer" : "";
}

/* For the deadline. A rank that was itself stopped meanwhile has not looked. */
static double looks_needed(const struct keel_mpi_wait_state *wait)
{
    return wait->limit_s / look_apart_s(wait);
}

/* By the first of those that wait, or by one that has left it to that one in vain. ends: it waits
 * no longer. */
static void report_states(const struct keel_mpi_wait_state *wait, double waited_s, bool ends)
{
    const struct keel_mpi_peers *peers = wait->peers;
    char where[KEEL_MPI_WAIT_WHERE], text[200], how[48];
    const char *state;

    if (!reports(peers) && !(ends && wait->deferred)) {
        return;
    }
    write_where(wait, where);
    if (list(peers, STOPPED, text, sizeof text) > 0) {
        state = ", stopped by a signal";
    } else if (list(peers, KEEL_MPI_NOTICE_CALL, text, sizeof text) > 0) {
        state = " to come there, or to answer";
    } else if (list(peers, KEEL_MPI_NOTICE_WORKS, text, sizeof text) > 0) {
        state = ", still computing";
    } else if (list(peers, KEEL_MPI_NOTICE_ELSEWHERE, text, sizeof text) > 0) {
        snprintf(how, sizeof how, " to call %s", peers->call != NULL ? peers->call : "");
        state = peers->call != NULL ? how : ", waiting elsewhere";
    } else {
        state = "messages; all ranks have come";
    }
    keel_message("rank %u (%s) has waited %.1f s %s for %s%s (KEEL_MPI_DEADLINE)%s", peers->rank,
                 keel_mpi_hosts_name(peers->hosts, peers->rank), waited_s, where, text, state,
                 ending(ends));
}

/* The same where ranks can't ask each other. */
static void report_plainly(const struct keel_mpi_wait_state *wait, double waited_s, bool ends)
{
    char where[KEEL_MPI_WAIT_WHERE], ranks[200] = "other ranks";

    if (wait->list != NULL && !wait->list(wait->subject, ranks, sizeof ranks)) {
        return;
    }
    write_where(wait, where);
    keel_message("rank %u has waited %.1f s %s for %s (KEEL_MPI_DEADLINE)%s", wait->peers->rank,
                 waited_s, where, ranks, ending(ends));
}

static void mark_stopped(const struct keel_mpi_wait_state *wait)
{
    const struct keel_mpi_processes *processes = &wait->peers->processes;

    for (uint32_t i = 0; wait->stopped && wait->peers->answer != NULL && i < processes->count;
         i++) {
        if (keel_mpi_process_stopped(&processes->other[i]) >= looks_needed(wait)) {
            wait->peers->answer[processes->other[i].rank] = STOPPED;
        }
    }
}

/* At the processes of all ranks on this machine. Two looks at one that has ended: what has started
 * the ranks may be about to end them all. */
static void look(struct keel_mpi_wait_state *wait, double time_s)
{
    struct keel_mpi_peers *peers = wait->peers;
    char where[KEEL_MPI_WAIT_WHERE];

    wait->look_s = time_s + look_apart_s(wait);
    keel_mpi_processes_look(&peers->processes, !wait->looked);
    wait->looked = true;
    write_where(wait, where);
    if (keel_mpi_say_lost(&peers->processes, peers->rank, where, peers->hosts)) {
        keel_mpi_peers_fail(peers, KEEL_MPI_RANKS_LOST);
    }
    keel_mpi_end_stopped(&peers->processes, peers->rank, peers->hosts, looks_needed(wait),
                         look_apart_s(wait));
    wait->stopped =
        keel_mpi_processes_long_stopped(&peers->processes, looks_needed(wait)) != KEEL_MPI_NO_RANK;
    if (wait->stopped && !wait->called && ends_late(wait) &&
        time_s >= wait->began_s + wait->limit_s) {
        wait->next_s = fmin(wait->next_s, time_s);
    }
}

/* At first, and ever more rarely: who waits as well? Then, for whom? */
static void call_roll(struct keel_mpi_wait_state *wait, double time_s)
{
    struct keel_mpi_peers *peers = wait->peers;
    bool asks = peers->notices != MPI_COMM_NULL && peers->answer != NULL && peers->hosts != NULL;

    if (asks && !wait->called) {
        wait->called = true;
        wait->next_s = time_s + GRACE_S;
        keel_mpi_notices_call(peers);
        return;
    }
    if (asks && ends_late(wait) && !reports(peers) && !wait->deferred) {
        wait->deferred = true;
        wait->next_s = time_s + 2 * GRACE_S;
        return;
    }
    /* a wait that only gives up has the time of messages if no rank is missing */
    mark_stopped(wait);
    bool ends = ends_late(wait) && !(wait->gives_up && asks && all_wait(peers));
    wait->called = false;
    wait->next_s = time_s + (time_s - wait->began_s);
    (asks ? report_states : report_plainly)(wait, time_s - wait->began_s, ends);
    wait->deferred = false;
    wait->late = ends;
    if (ends && !wait->gives_up) {
        keel_mpi_peers_fail(peers, KEEL_MPI_LATE);
    }
}

bool keel_mpi_wait_goes_on(struct keel_mpi_wait_state *wait)
{
    struct keel_mpi_peers *peers = wait->peers;

    if (wait->began_s == 0) {
        start(wait);
    }
    double time_s = keel_mpi_clock_s();
    peers->where = wait->where;
    keel_mpi_peers_poll_every(peers, true, time_s, KEEL_MPI_POLLS_CLOSE_S);
    if (keel_mpi_meeting_is_in_vain(wait->meeting, peers->fewest_meetings)) {
        wait->late = wait->in_vain = true;
    }
    if (keel_mpi_wait_code(wait) == KEEL_MPI_OK && time_s >= wait->look_s) {
        look(wait, time_s);
    }
    if (keel_mpi_wait_code(wait) == KEEL_MPI_OK && time_s >= wait->next_s) {
        call_roll(wait, time_s);
    }
    return keel_mpi_wait_code(wait) == KEEL_MPI_OK;
}

bool keel_mpi_wait_again(struct keel_mpi_wait_state *wait)
{
    if (wait->looks++ < KEEL_MPI_LOOKS) {
        return true;
    }
    bool goes_on = keel_mpi_wait_goes_on(wait);
    double time_s = keel_mpi_clock_s();
    if (wait->looks == KEEL_MPI_LOOKS + 1) {
        wait->way = keel_mpi_give_way_begin(time_s);
    }
    if (time_s >= wait->way.not_before_s) {
        sched_yield();
        keel_mpi_give_way_note(&wait->way, time_s, keel_mpi_clock_s());
    }
    return goes_on;
}

#ifdef KEEL_SIMULATED
int keel_mpi_wait_for(struct keel_mpi_wait_state *wait, int count, MPI_Request *request)
{
    for (int i = 0; i < count; i++) {
        MPI_Wait(&request[i], MPI_STATUS_IGNORE);
    }
    return wait->peers->code;
}
#else
/* MPICH's header promises as many states as requests; MPI_STATUSES_IGNORE has none. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wstringop-overflow"

static int wait_for(struct keel_mpi_wait_state *wait, int count, MPI_Request *request)
{
    struct keel_mpi_peers *peers = wait->peers;
    int done = 0;

    wait->looks = 0;
    do {
        if (!KEEL_MPI_CALL(peers, MPI_Testall, count, request, &done, MPI_STATUSES_IGNORE)) {
            return peers->code;
        }
        if (done) {
            return KEEL_MPI_OK;
        }
    } while (keel_mpi_wait_again(wait));
    return keel_mpi_wait_code(wait);
}

#pragma GCC diagnostic pop

int keel_mpi_wait_for(struct keel_mpi_wait_state *wait, int count, MPI_Request *request)
{
    struct keel_mpi_span began = keel_mpi_waits_begin();
    int code = wait_for(wait, count, request);

    keel_mpi_waits_end(began, NULL, true);
    return code;
}
#endif

/* Some simulators of MPI leave the flag alone where there is no request. */
bool keel_mpi_peers_test(struct keel_mpi_peers *peers, MPI_Request *request)
{
    int done = 0;

    return *request == MPI_REQUEST_NULL ||
           (KEEL_MPI_CALL(peers, MPI_Test, request, &done, MPI_STATUS_IGNORE) && done);
}

int keel_mpi_peers_await(struct keel_mpi_peers *peers, const char *where, int count,
                         MPI_Request *request)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(peers, where);

    return keel_mpi_wait_for(&wait, count, request);
}

bool keel_mpi_peers_start_maxima(struct keel_mpi_peers *peers, MPI_Comm comm, const uint64_t *own,
                                 uint64_t *all, int count, MPI_Request *request)
{
    return KEEL_MPI_CALL(peers, MPI_Iallreduce, own, all, count, MPI_UINT64_T, MPI_MAX, comm,
                         request);
}

int keel_mpi_peers_maxima(struct keel_mpi_peers *peers, const char *where, uint64_t *number,
                          int count)
{
    MPI_Request request;

    if (peers->code != KEEL_MPI_OK) {
        return peers->code;
    }
    memcpy(peers->word[0], number, (size_t)count * sizeof *number);
    if (!keel_mpi_peers_start_maxima(peers, peers->comm, peers->word[0], peers->word[1], count,
                                     &request)) {
        return peers->code;
    }
    int code = keel_mpi_peers_await(peers, where, 1, &request);
    if (code == KEEL_MPI_OK) {
        memcpy(number, peers->word[1], (size_t)count * sizeof *number);
    }
    return code;
}

bool keel_mpi_peers_allgather(struct keel_mpi_peers *peers, const char *where, const void *own,
                              void *all, size_t bytes)
{
    MPI_Request request;

    return KEEL_MPI_CALL(peers, MPI_Iallgather, own, (int)bytes, MPI_BYTE, all, (int)bytes,
                         MPI_BYTE, peers->comm, &request) &&
           keel_mpi_peers_await(peers, where, 1, &request) == KEEL_MPI_OK;
}

/* --- opening --- */

#define OPENING "while communicators were made"

#ifdef KEEL_SIMULATED
/* No rank is late there. */
int keel_mpi_peers_copy(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy)
{
    (void)where;
    MPI_Comm_dup(peers->comm, copy);
    return KEEL_MPI_OK;
}
#else
int keel_mpi_peers_copy(struct keel_mpi_peers *peers, const char *where, MPI_Comm *copy)
{
    struct keel_mpi_making *making = malloc(sizeof *making);

    *copy = MPI_COMM_NULL;
    if (making == NULL) {
        keel_mpi_peers_fail(peers, KEEL_MPI_NO_ROOM);
    } else if (!KEEL_MPI_CALL(peers, MPI_Comm_idup, peers->comm, &making->copy, &making->request)) {
        free(making);
    } else if (keel_mpi_peers_await(peers, where, 1, &making->request) == KEEL_MPI_OK) {
        *copy = making->copy;
        free(making);
        KEEL_MPI_CALL(peers, MPI_Comm_set_errhandler, *copy, MPI_ERRORS_RETURN);
    } else {
        keel_mpi_making_give_up(making);
    }
    return keel_mpi_peers_code(peers);
}
#endif

/* The data that ranks exchange when they are connected. */
struct finding {
    char host[KEEL_MPI_HOST_MAX]; /* of this rank */
    struct keel_mpi_process process;
    struct keel_mpi_process all[]; /* of each rank; before, of names */
};

_Static_assert(sizeof(struct keel_mpi_process) <= KEEL_MPI_HOST_MAX,
               "processes fit where names do");

/* Finds out about all ranks' hosts and processes. Where that fails, operations on their way use the
 * memory, and it stays. Collective. */
static void find(struct keel_mpi_peers *peers, struct finding *finding)
{
    void *names = finding->all;

    memset(finding->host, 0, sizeof finding->host);
    gethostname(finding->host, sizeof finding->host - 1);
    if (!keel_mpi_peers_allgather(peers, OPENING, finding->host, names, sizeof finding->host)) {
        return;
    }
    peers->hosts = keel_mpi_hosts_note(peers->hosts, names);
    if (peers->notices != MPI_COMM_NULL) { /* otherwise simulated */
        finding->process = keel_mpi_process_own();
        if (!keel_mpi_peers_allgather(peers, OPENING, &finding->process, finding->all,
                                      sizeof finding->process)) {
            return;
        }
        keel_mpi_processes_open(&peers->processes, peers->rank, finding->all, peers->ranks);
    }
    free(finding);
}

/* KEEL_MPI_WEIGHTS is for the ranks of MPI_COMM_WORLD. */
static void check_weights(uint32_t ranks)
{
    unsigned weights = keel_mpi_settings()->weights;
    int all;

    if (weights > 0 && weights != ranks && MPI_Comm_size(MPI_COMM_WORLD, &all) == MPI_SUCCESS &&
        (uint32_t)all == ranks) {
        keel_mpi_misuse("KEEL_MPI_WEIGHTS: %u weights for %d ranks; %s", weights, all,
                        weights > ranks ? "those that are too many count for nothing"
                                        : "those that are missing count as 1");
    }
}

#ifdef KEEL_SIMULATED
#define OPENING_WORDS 1 /* all ranks are one program */
#define SOURCES 0
#else
extern const char keel_mpi_sources[]; /* a digest, which the build makes */

#define OPENING_WORDS 3
/* Libraries of other sources may send other messages. Below 2^63, as MPICH 4.0 takes maxima of
 * signed numbers. */
#define SOURCES (keel_digest_text(KEEL_DIGEST_START, keel_mpi_sources) >> 1)
#endif

int keel_mpi_peers_open(struct keel_mpi_peers *peers, MPI_Comm comm)
{
    int rank = 0, ranks = 1;

    *peers = (struct keel_mpi_peers){
        .comm = comm, .notices = MPI_COMM_NULL, .settling = comm, .fewest_meetings = UINT64_MAX};
    KEEL_MPI_CALL(peers, MPI_Comm_set_errhandler, comm, MPI_ERRORS_RETURN);
    KEEL_MPI_CALL(peers, MPI_Comm_rank, comm, &rank);
    KEEL_MPI_CALL(peers, MPI_Comm_size, comm, &ranks);
    peers->rank = (uint32_t)rank, peers->ranks = (uint32_t)ranks;
    check_weights(peers->ranks);
#ifndef KEEL_SIMULATED
    MPI_Comm settling;

    keel_mpi_peers_copy(peers, OPENING, &peers->notices);
    if (keel_mpi_ulfm_is_on() && keel_mpi_peers_copy(peers, OPENING, &settling) == KEEL_MPI_OK) {
        peers->settling = settling;
    }
#endif
    peers->hosts = keel_mpi_hosts_room(peers->ranks);
    peers->answer = calloc(peers->ranks, sizeof *peers->answer);
    struct finding *finding = malloc(sizeof *finding + (size_t)peers->ranks * KEEL_MPI_HOST_MAX);
    bool room = peers->hosts != NULL && peers->answer != NULL && finding != NULL;
    /* The code; in its lowest bit, which counts where all codes are KEEL_MPI_OK, that a rank does
     * not trace. And the most and the least of the ranks' sources. */
    uint64_t sources = SOURCES;
    uint64_t word[] = {(uint64_t)(room ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM) << 1 |
                           (keel_mpi_events() == NULL),
                       sources, INT64_MAX - sources};
    int code = keel_mpi_peers_maxima(peers, OPENING, word, OPENING_WORDS);
    if (code == KEEL_MPI_OK && word[1] != INT64_MAX - word[2]) {
        word[0] = KEEL_MPI_NO_KEEL << 1;
        if (peers->rank == 0) {
            keel_message("ranks have come with libkeel_mpi.so of different versions, expected one; "
                         "nothing is shared among them");
        }
    }
    if (code == KEEL_MPI_OK && word[0] >> 1 == KEEL_MPI_OK) {
        peers->traced = (word[0] & 1) == 0;
        find(peers, finding);
        keel_mpi_connected_add(peers);
    } else {
        free(finding);
    }
    return code != KEEL_MPI_OK ? code : (int)(word[0] >> 1);
}

void keel_mpi_peers_close(struct keel_mpi_peers *peers)
{
    if (peers->code != KEEL_MPI_OK) {
        return; /* operations on their way use what is left */
    }
    keel_mpi_peers_poll(peers, false);
    if (peers->notices != MPI_COMM_NULL) {
        MPI_Comm_free(&peers->notices);
    }
    free(peers->answer);
    if (keel_mpi_connected_remove(peers)) {
        if (peers->settling != peers->comm) {
            MPI_Comm_free(&peers->settling);
        }
        MPI_Comm_free(&peers->comm);
        keel_mpi_hosts_free(peers->hosts);
        keel_mpi_processes_close(&peers->processes);
    }
}

/* --- whether all ranks are well --- */

#ifdef KEEL_SIMULATED
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well, bool ends)
{
    uint64_t ill = !well;

    (void)ends;
    return keel_mpi_peers_maxima(peers, where, &ill, 1) == KEEL_MPI_OK && !ill;
}
#else

#define TOGETHER_S 5 /* in which ranks come that know of an error, at most */

/* Ranks that have got an error still come; those that wait no longer for others do not. */
static bool all_come(const struct keel_mpi_wait_state *wait)
{
    int code = keel_mpi_wait_code(wait);

    return code != KEEL_MPI_LATE && code != KEEL_MPI_RANKS_LOST;
}

/* Waits until all have come, for a while also once something has failed. */
static bool have_all_come(struct keel_mpi_wait_state *wait, MPI_Request *request)
{
    double failed_s = 0;

    while (!keel_mpi_peers_test(wait->peers, request)) {
        if (!keel_mpi_wait_again(wait)) {
            double time_s = keel_mpi_clock_s();
            failed_s = failed_s != 0 ? failed_s : time_s;
            if (!all_come(wait) || time_s - failed_s > fmin(wait->limit_s, TOGETHER_S)) {
                return false;
            }
        }
    }
    return true;
}

/* Over the communicator of notices, where no other operation is collective: ranks that have failed
 * may have missed operations of the others. */
bool keel_mpi_all_are_well(struct keel_mpi_peers *peers, const char *where, bool well, bool ends)
{
    struct keel_mpi_wait_state wait = keel_mpi_wait_begin(peers, where);
    MPI_Request request;

    wait.ends = ends;
    peers->ill[0] = !well || keel_mpi_peers_code(peers) != KEEL_MPI_OK;
    return all_come(&wait) && peers->notices != MPI_COMM_NULL &&
           keel_mpi_peers_start_maxima(peers, peers->notices, &peers->ill[0], &peers->ill[1], 1,
                                       &request) &&
           have_all_come(&wait, &request) && peers->ill[1] == 0;
}
#endif
