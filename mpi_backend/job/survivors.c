/* The ranks that are left when others have ended: keel_mpi_lost_ranks(), keel_mpi_survivors().
 *
 *   processes that have ended, and those that others report -> agreement -> MPI_Comm_create_group()
 *
 * Point to point, by the thread that calls: nothing collective ends any more. Messages to ranks
 * that have ended may never go, so that what they read stays for ever. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/job/processes.h"
#include "mpi_backend/job/survivors.h"
#include "omp_ext/support/message.h"

#define WHERE "in keel_mpi_survivors()"

/* Unlike those of all other messages on these communicators (rows/rows_room.h has kinds, too).
 * LOST: ranks that have ended, or with GIVES_UP, at its own place, that the sender waits no longer.
 * Sets have the number of their attempt, so that a late one is not taken for that of a later
 * attempt. */
enum { LOST = 13, SET = 14, KINDS = 16, NUMBERS = 2048 };
#define GIVES_UP 2

static int set_tag(const struct keel_mpi_agreement *agreement)
{
    return SET + KINDS * (int)(agreement->attempt % NUMBERS);
}

/* NULL: no memory. */
static unsigned char *known_of(struct keel_mpi_connected *connected)
{
    struct keel_mpi_agreement *agreement = &connected->agreement;

    if (agreement->known == NULL) {
        agreement->set = calloc(connected->ranks, 1);
        agreement->known = agreement->set != NULL ? calloc(connected->ranks, 1) : NULL;
    }
    return agreement->known;
}

/* Adds to what is known. */
static void learn_set(struct keel_mpi_connected *connected, const unsigned char *set)
{
    for (uint32_t i = 0; i < connected->ranks; i++) {
        connected->agreement.known[i] |= set[i] == 1;
    }
}

/* Looks at processes, and asks MPI. first: of consecutive looks. Returns whether there is news. */
static bool look(struct keel_mpi_connected *connected, bool first)
{
    bool found = false;
    unsigned char *known = connected->agreement.known;

    keel_mpi_processes_look(&connected->processes, first);
    for (uint32_t i = 0; i < connected->processes.count; i++) {
        const struct keel_mpi_rank_process *other = &connected->processes.other[i];
        if (other->looks < 0 && !known[other->rank]) {
            known[other->rank] = 1;
            found = true;
        }
    }
    return keel_mpi_ulfm_learn(connected->settling, known) || found;
}

KEEL_MPI_PUBLIC int keel_mpi_lost_ranks(MPI_Comm comm, const int **ranks, int *count)
{
    int code = keel_mpi_call_check();

    *ranks = NULL;
    *count = 0;
    if (code != KEEL_MPI_OK) {
        return keel_mpi_error_return(code);
    }
    if (!keel_mpi_job_is_intracomm(comm)) {
        return keel_mpi_error_return(KEEL_MPI_COMM);
    }
    struct keel_mpi_connected *connected = keel_mpi_connected_find(comm);
    if (connected == NULL) {
        return KEEL_MPI_OK; /* nothing is known of these ranks */
    }
    if (connected->lost == NULL) {
        connected->lost = malloc(connected->ranks * sizeof *connected->lost);
    }
    if (known_of(connected) == NULL || connected->lost == NULL) {
        return keel_mpi_error_return(KEEL_MPI_NO_ROOM);
    }
    look(connected, true);
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (connected->agreement.known[i]) {
            connected->lost[(*count)++] = (int)i;
        }
    }
    *ranks = connected->lost;
    return KEEL_MPI_OK;
}

/* --- messages --- */

/* To all that are not known to have ended. */
static int send_to_left(struct keel_mpi_connected *connected, const unsigned char *set, int tag)
{
    unsigned char *text = malloc(connected->ranks);
    MPI_Request request;

    if (text == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    memcpy(text, set, connected->ranks);
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (i == connected->rank || connected->agreement.known[i]) {
            continue;
        }
        int returned = MPI_Isend(text, (int)connected->ranks, MPI_BYTE, (int)i, tag,
                                 connected->settling, &request);
        if (keel_mpi_ulfm_passes_over(returned, connected->settling)) {
            continue;
        }
        if (!keel_mpi_check(NULL, returned, "MPI_Isend")) {
            return KEEL_MPI_ERROR;
        }
        MPI_Request_free(&request);
    }
    return KEEL_MPI_OK;
}

/* `there`: whether one has come; it is in `set`, then. */
static int receive(struct keel_mpi_connected *connected, int from, int tag, unsigned char *set,
                   int *there)
{
    MPI_Status status;
    int returned = MPI_Iprobe(from, tag, connected->settling, there, &status);

    if (keel_mpi_ulfm_passes_over(returned, connected->settling)) {
        *there = 0;
        return KEEL_MPI_OK;
    }
    if (!keel_mpi_check(NULL, returned, "MPI_Iprobe") ||
        (*there &&
         !KEEL_MPI_CALL(NULL, MPI_Recv, set, (int)connected->ranks, MPI_BYTE, status.MPI_SOURCE,
                        tag, connected->settling, MPI_STATUS_IGNORE))) {
        return KEEL_MPI_ERROR;
    }
    return KEEL_MPI_OK;
}

/* --- agreeing ---
 *
 *   what a rank knows -> [attempt: each rank is coordinator once, in order; others adopt its set]
 *       -> does a rank know of more by now? another attempt; else it is decided
 *
 * In an attempt the set of the first coordinator that lasts to its end is that of all from then on,
 * so all ranks that reach the end have the same set (Chandra and Toueg 1996, with a failure
 * detector that is never wrong). What is learned in its course counts in the next attempt only:
 * otherwise a coordinator that ends while it sends could leave two sets behind.
 * tests/models/survivors.pml is searched for a case in which these rules do not hold. */

#define NAMES 4           /* of ranks in a message, at most */
#define LOOKS_APART_S 0.1 /* at processes */

/* Of one call. */
struct waiting {
    double began_s, next_s, look_s;
    bool looked;
    unsigned char *set; /* that has come */
};

/* A rank that has been stopped for the deadline, for which no rank waits then; KEEL_MPI_NO_RANK if
 * there is none. */
static uint32_t stopped_rank(const struct keel_mpi_connected *connected)
{
    enum keel_ranks_on_late on_late = keel_mpi_settings()->on_late;
    bool counts = on_late == KEEL_RANKS_ON_LATE_AUTO || on_late == KEEL_RANKS_ON_LATE_FAIL;

    return counts ? keel_mpi_processes_long_stopped(&connected->processes,
                                                    keel_mpi_settings()->deadline_s / LOOKS_APART_S)
                  : KEEL_MPI_NO_RANK;
}

/* This rank waits no longer; the others are not to wait for it. */
static int give_up(struct keel_mpi_connected *connected, struct waiting *waiting)
{
    memset(waiting->set, 0, connected->ranks);
    waiting->set[connected->rank] = GIVES_UP;
    send_to_left(connected, waiting->set, LOST);
    return KEEL_MPI_LATE;
}

/* Says for whom it waits, ever more rarely. */
static int check_deadline(struct keel_mpi_connected *connected, struct waiting *waiting,
                          double time_s)
{
    uint32_t stopped = stopped_rank(connected), rank = connected->agreement.coordinator;
    bool ends =
        keel_mpi_settings()->on_late == KEEL_RANKS_ON_LATE_FAIL || stopped != KEEL_MPI_NO_RANK;

    if (time_s < waiting->next_s && stopped == KEEL_MPI_NO_RANK) {
        return KEEL_MPI_OK;
    }
    rank = stopped != KEEL_MPI_NO_RANK ? stopped : rank;
    keel_message("rank %u has waited %.1f s " WHERE " for rank %u (%s)%s (KEEL_MPI_DEADLINE)%s",
                 connected->rank, time_s - waiting->began_s, rank,
                 keel_mpi_hosts_name(connected->hosts, rank),
                 stopped != KEEL_MPI_NO_RANK ? ", stopped by a signal" : "",
                 ends ? "; it waits no longer" : "");
    waiting->next_s = time_s + (time_s - waiting->began_s);
    return ends ? give_up(connected, waiting) : KEEL_MPI_OK;
}

/* What this rank sees itself goes to all, as those on other machines can't see it. */
static int learn(struct keel_mpi_connected *connected, struct waiting *waiting, double time_s)
{
    int there = 1, code = KEEL_MPI_OK;

    while (code == KEEL_MPI_OK && there) {
        code = receive(connected, MPI_ANY_SOURCE, LOST, waiting->set, &there);
        if (code == KEEL_MPI_OK && there) {
            learn_set(connected, waiting->set);
            code = memchr(waiting->set, GIVES_UP, connected->ranks) != NULL ? KEEL_MPI_LATE : code;
        }
    }
    if (code == KEEL_MPI_OK && time_s >= waiting->look_s) {
        waiting->look_s = time_s + LOOKS_APART_S;
        keel_mpi_end_stopped(&connected->processes, connected->rank, connected->hosts,
                             keel_mpi_settings()->deadline_s / LOOKS_APART_S, LOOKS_APART_S);
        bool found = look(connected, !waiting->looked);
        waiting->looked = true;
        code = found ? send_to_left(connected, connected->agreement.known, LOST) : code;
    }
    return code;
}

/* Until the coordinator's set has come, or it is known to have ended. */
static int await_set(struct keel_mpi_connected *connected, struct waiting *waiting)
{
    struct keel_mpi_agreement *agreement = &connected->agreement;
    int code, there = 0;

    for (;;) {
        code = receive(connected, (int)agreement->coordinator, set_tag(agreement), waiting->set,
                       &there);
        if (code != KEEL_MPI_OK) {
            return code;
        }
        if (there) {
            /* tests/models/survivors.pml: adopt */
            memcpy(agreement->set, waiting->set, connected->ranks);
            learn_set(connected, waiting->set);
            return KEEL_MPI_OK;
        }
        if (agreement->known[agreement->coordinator]) {
            return KEEL_MPI_OK;
        }
        double time_s = keel_mpi_clock_s();
        code = learn(connected, waiting, time_s);
        code = code == KEEL_MPI_OK ? check_deadline(connected, waiting, time_s) : code;
        if (code != KEEL_MPI_OK) {
            return code;
        }
        sched_yield();
    }
}

/* tests/models/survivors.pml: attempt */
static int attempt(struct keel_mpi_connected *connected, struct waiting *waiting)
{
    struct keel_mpi_agreement *agreement = &connected->agreement;
    int code = KEEL_MPI_OK;

    agreement->attempt++;
    memcpy(agreement->set, agreement->known, connected->ranks);
    for (agreement->coordinator = 0;
         code == KEEL_MPI_OK && agreement->coordinator < connected->ranks;
         agreement->coordinator++) {
        code = agreement->coordinator == connected->rank
                   ? send_to_left(connected, agreement->set, set_tag(agreement))
                   : await_set(connected, waiting);
    }
    return code;
}

/* At the end of an attempt: no rank outside of the set is known to have ended. A rank that knows
 * one begins another attempt; those that have decided find that it has ended, too.
 * tests/models/survivors.pml: decide */
static bool is_decided(const struct keel_mpi_connected *connected)
{
    const struct keel_mpi_agreement *agreement = &connected->agreement;

    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (agreement->known[i] && !agreement->set[i]) {
            return false;
        }
    }
    return true;
}

/* Who is left, and is not known to have ended since. What other ranks knew at the beginning of an
 * attempt has come by its end. Where MPI agrees on that itself, one attempt has all ranks meet. */
static int agree(struct keel_mpi_connected *connected, struct waiting *waiting)
{
    int code = KEEL_MPI_OK;

    do {
        code = learn(connected, waiting, waiting->look_s);
        code = code == KEEL_MPI_OK ? attempt(connected, waiting) : code;
        code = code == KEEL_MPI_OK ? learn(connected, waiting, keel_mpi_clock_s()) : code;
    } while (code == KEEL_MPI_OK && !keel_mpi_ulfm_is_on() && !is_decided(connected));
    return code;
}

/* --- the communicator of those that are left --- */

#define TAG 32765 /* of MPI_Comm_create_group() */

#ifdef KEEL_SIMULATED
static int make_communicator(MPI_Comm comm, struct keel_mpi_connected *connected,
                             unsigned char *without, MPI_Comm *survivors)
{
    (void)connected;
    (void)without;
    MPI_Comm_dup(comm, survivors);
    return KEEL_MPI_OK;
}
#else

static void begin_watch(struct keel_mpi_watch *watch, struct keel_mpi_connected *connected,
                        const unsigned char *without)
{
    keel_mpi_watch_begin(watch, &connected->processes, connected->rank, connected->hosts, without,
                         "the communicator of those that are left was made");
}

/* Looks for ranks that are stopped: for those that end MPI does not wait. */
static int shrink(struct keel_mpi_connected *connected, unsigned char *without, MPI_Comm *survivors)
{
    struct keel_mpi_watch watched;
    unsigned char *all = malloc(connected->ranks);

    if (all == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    memset(all, 1, connected->ranks);
    begin_watch(&watched, connected, all);
    int returned = keel_mpi_ulfm_shrink(connected->settling, without, survivors);
    keel_mpi_watch_end(&watched);
    free(all);
    return keel_mpi_check(NULL, returned, "MPIX_Comm_shrink") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

static int create(struct keel_mpi_connected *connected, const unsigned char *without,
                  MPI_Comm *survivors)
{
    int *rank = malloc(connected->ranks * sizeof *rank), count = 0;
    struct keel_mpi_watch watched;
    MPI_Group all, left;

    if (rank == NULL) {
        return KEEL_MPI_NO_ROOM;
    }
    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (without[i] != 1) {
            rank[count++] = (int)i;
        }
    }
    MPI_Comm_group(connected->settling, &all);
    MPI_Group_incl(all, count, rank, &left);
    begin_watch(&watched, connected, without);
    int returned = MPI_Comm_create_group(connected->settling, left, TAG, survivors);
    keel_mpi_watch_end(&watched);
    bool lost = keel_mpi_ulfm_is_loss(returned, connected->settling); /* another one, meanwhile */
    MPI_Group_free(&left);
    MPI_Group_free(&all);
    free(rank);
    if (lost) {
        return KEEL_MPI_RANKS_LOST;
    }
    return keel_mpi_check(NULL, returned, "MPI_Comm_create_group") ? KEEL_MPI_OK : KEEL_MPI_ERROR;
}

/* Makes the communicator of those that have been agreed on, in the order of their ranks; without: 1
 * for each of the others. If MPI agrees on that itself, it is set to the result. Errors are
 * handled there as the program has it for `comm`. MPI_Comm_create_group() can't be given up:
 * where one of them ends in its course, this process ends, too, with a message, and others see
 * that. */
static int make_communicator(MPI_Comm comm, struct keel_mpi_connected *connected,
                             unsigned char *without, MPI_Comm *survivors)
{
    MPI_Errhandler handler;
    int code = keel_mpi_ulfm_is_on() ? shrink(connected, without, survivors)
                                     : create(connected, without, survivors);

    if (code == KEEL_MPI_OK && MPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(*survivors, handler);
        MPI_Errhandler_free(&handler);
    }
    return code;
}
#endif

/* --- the end of a process that has gone on --- */

/* us in which mpirun passes on what a process wrote before it ended, as it may not later */
#define HEARD_US 500000

static bool speaks;

static void leave(void)
{
    keel_mpi_job_close_all();
    if (speaks) {
        keel_message("ranks end here, with status %d: MPI_Finalize() would wait for those that "
                     "have ended before",
                     KEEL_MPI_RANKS_LOST);
    }
    fflush(NULL);
    usleep(HEARD_US);
    exit(KEEL_MPI_RANKS_LOST);
}

/* MPI_Finalize() of Open MPI 4.1 waits for all ranks that there ever were: as it begins, the
 * process ends what is Keel's, and itself, by exit() with KEEL_MPI_RANKS_LOST, and says so if it
 * `tells`. */
static void leave_at_finalize(bool tells)
{
    static bool leaves;

    speaks = tells;
    leaves = leaves || keel_mpi_at_finalize(leave);
}

/* --- going on --- */

static uint32_t first_left(const unsigned char *without)
{
    uint32_t rank = 0;

    while (without[rank] == 1) {
        rank++;
    }
    return rank;
}

/* Says who has ended. Returns how many they are. */
static uint32_t report_lost(const struct keel_mpi_connected *connected)
{
    char text[NAMES * (KEEL_MPI_HOST_MAX + 24)] = "";
    bool tells = first_left(connected->agreement.set) == connected->rank;
    uint32_t lost = 0;

    for (uint32_t i = 0; i < connected->ranks; i++) {
        if (connected->agreement.set[i] && lost++ < NAMES) {
            keel_mpi_hosts_add_to(connected->hosts, i, text, sizeof text);
        }
    }
    if (lost > 0) {
        leave_at_finalize(tells);
    }
    if (lost > 0 && tells) {
        keel_message("%u of %u ranks go on without those that have ended: %s%s",
                     connected->ranks - lost, connected->ranks, text, lost > NAMES ? ", ..." : "");
    }
    return lost;
}

static int make(MPI_Comm comm, struct keel_mpi_connected *connected, MPI_Comm *survivors)
{
    int code = make_communicator(comm, connected, connected->agreement.set, survivors);
    learn_set(connected, connected->agreement.set);
    bool lost = code == KEEL_MPI_OK && report_lost(connected) > 0;

    return lost ? keel_mpi_job_descend(comm, *survivors) : code;
}

static int find_survivors(MPI_Comm comm, struct keel_mpi_connected *connected, MPI_Comm *survivors)
{
    double time_s = keel_mpi_clock_s(), limit_s = keel_mpi_settings()->deadline_s;
    struct waiting waiting = {
        .began_s = time_s, .next_s = time_s + limit_s, .set = malloc(connected->ranks)};
    int code = waiting.set != NULL && known_of(connected) != NULL ? KEEL_MPI_OK : KEEL_MPI_NO_ROOM;

    code = code == KEEL_MPI_OK ? agree(connected, &waiting) : code;
    code = code == KEEL_MPI_OK ? make(comm, connected, survivors) : code;
    free(waiting.set);
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_survivors(MPI_Comm comm, MPI_Comm *survivors)
{
    struct keel_mpi_connected *connected = NULL;
    int code = keel_mpi_call_check();

    *survivors = MPI_COMM_NULL;
    if (code == KEEL_MPI_OK && !keel_mpi_job_is_intracomm(comm)) {
        code = KEEL_MPI_COMM;
    }
    if (code == KEEL_MPI_OK && (connected = keel_mpi_connected_find(comm)) == NULL) {
        keel_mpi_job_of(comm, WHERE, &code); /* no rank is known to be lost */
        connected = code == KEEL_MPI_OK ? keel_mpi_connected_find(comm) : NULL;
        code = code == KEEL_MPI_OK && connected == NULL ? KEEL_MPI_NO_ROOM : code;
    }
    if (code == KEEL_MPI_OK) {
        code = connected->code != KEEL_MPI_OK ? connected->code
                                              : find_survivors(comm, connected, survivors);
        connected->code = code;
    }
    return keel_mpi_error_return(code);
}
