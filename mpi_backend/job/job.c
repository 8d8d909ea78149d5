/* The ranks of one communicator and what Keel keeps for them. */
#include "mpi_backend/job/job.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/processes.h"
#include "mpi_backend/report/mpi_report.h"

/* --- the channel lock --- */

void keel_mpi_job_lock(struct keel_mpi_job *job)
{
    for (unsigned backoff = 0; !keel_mpi_job_try_lock(job); backoff++) {
        keel_mpi_channel_wait(&job->channel, NULL, backoff, false);
    }
}

struct keel_mpi_job *keel_mpi_job_latest;

/* Jobs that are open, the latest first. */
static struct keel_mpi_job *jobs;

/* A job is an attribute of its communicator; and one of a communicator of survivors is the job
 * before, which stays for ever, as it has failed. */
static int job_key = MPI_KEYVAL_INVALID, before_key = MPI_KEYVAL_INVALID;

/* --- opening --- */

static bool allocate(struct keel_mpi_job *job)
{
    job->address = malloc(job->ranks * sizeof *job->address);
    job->node_first = calloc(job->ranks + 1, sizeof *job->node_first);
    job->ranks_by_node = malloc(job->ranks * sizeof *job->ranks_by_node);
    return job->address != NULL && job->node_first != NULL && job->ranks_by_node != NULL;
}

/* Numbers the nodes by their first ranks. leader: of each rank, the first rank of its node. */
static void number_nodes(struct keel_mpi_job *job, const uint32_t (*where)[2])
{
    uint32_t place = 0;

    for (uint32_t i = 0; i < job->ranks; i++) {
        if (where[i][1] == 0) {
            job->address[i].node = job->nodes++;
        }
    }
    for (uint32_t i = 0; i < job->ranks; i++) {
        job->address[i].node = job->address[where[i][0]].node;
        job->address[i].local = where[i][1];
        job->node_first[job->address[i].node + 1]++;
    }
    for (uint32_t i = 0; i < job->nodes; i++) {
        job->node_first[i + 1] += job->node_first[i];
    }
    for (uint32_t i = 0; i < job->ranks; i++) {
        place = job->node_first[job->address[i].node] + job->address[i].local;
        job->ranks_by_node[place] = i;
    }
    job->node = job->address[job->rank].node;
}

#define OPENED "a job was opened"
#define OPENING "while " OPENED

/* Before a call of MPI in which all ranks have to come, and which can't be given up. */
static void begin_watch(struct keel_mpi_watch *watch, struct keel_mpi_job *job, const char *what)
{
    keel_mpi_watch_begin(watch, &job->peers.processes, job->peers.rank, job->peers.hosts, NULL,
                         what);
}

/* Whether all ranks have got that far. */
static bool all_are_well(struct keel_mpi_job *job, bool well)
{
    return keel_mpi_all_are_well(&job->peers, OPENING, well, false);
}

/* The ranks of one machine. */
static bool split_machine(struct keel_mpi_job *job, MPI_Comm *machine)
{
    struct keel_mpi_peers *peers = &job->peers;
    struct keel_mpi_watch watch;

    begin_watch(&watch, job, OPENED);
    int returned = MPI_Comm_split_type(peers->comm, MPI_COMM_TYPE_SHARED, (int)job->rank,
                                       MPI_INFO_NULL, machine);
    keel_mpi_watch_end(&watch);
    return keel_mpi_check(peers, returned, "MPI_Comm_split_type") &&
           KEEL_MPI_CALL(peers, MPI_Comm_set_errhandler, *machine, MPI_ERRORS_RETURN);
}

/* Groups of them, where that is asked for. */
static bool split_groups(struct keel_mpi_job *job, MPI_Comm machine)
{
    struct keel_mpi_peers *peers = &job->peers;
    int most = (int)keel_mpi_settings()->node_ranks, local = 0;
    struct keel_mpi_watch watch;

    /* wherever it is, the others wait for it in MPI_Comm_split() */
    bool known = KEEL_MPI_CALL(peers, MPI_Comm_rank, machine, &local);
    begin_watch(&watch, job, OPENED);
    int returned = MPI_Comm_split(machine, most > 0 ? local / most : 0, local, &job->node_comm);
    keel_mpi_watch_end(&watch);
    return keel_mpi_check(peers, returned, "MPI_Comm_split") && known &&
           KEEL_MPI_CALL(peers, MPI_Comm_set_errhandler, job->node_comm, MPI_ERRORS_RETURN);
}

/* The ranks that share memory. These operations can't run in the background: before each one, and
 * after it, ranks learn whether all have come so far. */
static bool split(struct keel_mpi_job *job)
{
    MPI_Comm machine = MPI_COMM_NULL;

    return all_are_well(job, split_machine(job, &machine)) &&
           all_are_well(job, split_groups(job, machine)) &&
           KEEL_MPI_CALL(&job->peers, MPI_Comm_free, &machine);
}

/* The first rank of the node, and the place on it, of this rank. */
static bool find_place(struct keel_mpi_job *job, uint32_t place[2])
{
    struct keel_mpi_peers *peers = &job->peers;
    int local = 0, locals = 0;
    MPI_Request request;

    if (!KEEL_MPI_CALL(peers, MPI_Comm_rank, job->node_comm, &local) ||
        !KEEL_MPI_CALL(peers, MPI_Comm_size, job->node_comm, &locals)) {
        return false;
    }
    place[0] = job->rank;
    place[1] = job->local = (uint32_t)local;
    job->locals = (uint32_t)locals;
    return KEEL_MPI_CALL(peers, MPI_Ibcast, place, 1, MPI_UINT32_T, 0, job->node_comm, &request) &&
           keel_mpi_peers_await(peers, OPENING, 1, &request) == KEEL_MPI_OK;
}

/* The same of all ranks. Where that fails, operations on their way use `where`. */
static bool find_places(struct keel_mpi_job *job, uint32_t (*where)[2])
{
    uint32_t *own = where[job->ranks];

    return find_place(job, own) &&
           keel_mpi_peers_allgather(&job->peers, OPENING, own, where, 2 * sizeof *own);
}

/* Finds out who lives where. */
static bool find_nodes(struct keel_mpi_job *job)
{
    /* of all ranks, and of this one */
    uint32_t(*where)[2] = malloc((job->ranks + (size_t)1) * sizeof *where);
    bool room = where != NULL && allocate(job), found;

    if (!all_are_well(job, room)) {
        free(where);
        return false;
    }
    found = split(job) && find_places(job, where);
    if (found) {
        number_nodes(job, (const uint32_t(*)[2])where);
        free(where);
    }
    return all_are_well(job, found);
}

/* Memory that all ranks of the node see, zeroed. */
static void *share_memory(struct keel_mpi_job *job, size_t size)
{
    struct keel_mpi_watch watch;
    void *memory = NULL;
    MPI_Aint found;
    int unit;

    if (job->locals == 1) {
        return aligned_alloc(64, size);
    }
    begin_watch(&watch, job, OPENED);
    int returned = MPI_Win_allocate_shared(job->local == 0 ? (MPI_Aint)size : 0, 1, MPI_INFO_NULL,
                                           job->node_comm, &memory, &job->win);
    keel_mpi_watch_end(&watch);
    if (returned != MPI_SUCCESS) {
        job->win = MPI_WIN_NULL;
        return NULL;
    }
    return KEEL_MPI_CALL(&job->peers, MPI_Win_shared_query, job->win, 0, &found, &unit, &memory) &&
                   KEEL_MPI_CALL(&job->peers, MPI_Win_lock_all, MPI_MODE_NOCHECK, job->win)
               ? memory
               : NULL;
}

static bool make_windows(struct keel_mpi_job *job)
{
    size_t size;

    job->window_size = keel_mpi_window_size(job->locals, keel_mpi_job_paces(job));
    size = job->window_size * KEEL_MPI_WINDOWS + 64;
    bool room = (job->memory = share_memory(job, size)) != NULL;
    if (room && job->local == 0) {
        memset(job->memory, 0, size);
    }
    /* pages are shared, so the same bytes begin a cache line in every process */
    job->windows = (char *)(((uintptr_t)job->memory + 63) & ~(uintptr_t)63);
    return all_are_well(job, room);
}

/* --- closing --- */

static void free_memory(struct keel_mpi_job *job)
{
    struct keel_mpi_watch watch;

    if (job->win != MPI_WIN_NULL) {
        KEEL_MPI_CALL(&job->peers, MPI_Win_unlock_all, job->win);
        begin_watch(&watch, job, "the memory of a node was freed");
        int returned = MPI_Win_free(&job->win);
        keel_mpi_watch_end(&watch);
        keel_mpi_check(&job->peers, returned, "MPI_Win_free");
    } else {
        free(job->memory);
    }
    free(job->address);
    free(job->node_first);
    free(job->ranks_by_node);
}

static void unlink_job(struct keel_mpi_job *job)
{
    for (struct keel_mpi_job **link = &jobs; *link != NULL; link = &(*link)->next) {
        if (*link == job) {
            *link = job->next;
            break;
        }
    }
    if (keel_mpi_job_latest == job) {
        keel_mpi_job_latest = NULL;
    }
}

/* Messages of complete loops have been answered; others may still be on their way. False: some rank
 * has failed. */
static bool close_channel(struct keel_mpi_job *job)
{
    struct keel_mpi_message message;

    if (keel_mpi_job_code(job) != KEEL_MPI_OK ||
        !keel_mpi_all_are_well(&job->peers, "where a communicator or MPI ends", true, true)) {
        return false;
    }
    if (job->ranks > 1) {
        while (keel_mpi_channel_receive(&job->channel, &message)) {
        }
        keel_mpi_channel_close(&job->channel);
    }
    return true;
}

/* The program frees its communicator, or ends MPI. After a failure nothing is freed that collective
 * operations may still use. Collective. */
static void close_job(struct keel_mpi_job *job, bool comm_freed)
{
    if (job->user != NULL) {
        job->user->before_close(job, comm_freed);
    }
    bool well = close_channel(job);
    unlink_job(job);
    if (!well) {
        return;
    }
    if (job->user != NULL) {
        job->user->after_close(job);
    }
    free_memory(job);
    KEEL_MPI_CALL(&job->peers, MPI_Comm_free, &job->node_comm);
    keel_mpi_peers_close(&job->peers);
    free(job);
}

/* Some MPI libraries delete attributes when MPI must not be called any more. */
static bool is_too_late(void)
{
    int finalised;

    MPI_Finalized(&finalised);
    return finalised;
}

static int at_comm_free(MPI_Comm comm, int key, void *job, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    if (!is_too_late() && job != NULL && jobs != NULL) {
        close_job(job, true);
    }
    return MPI_SUCCESS;
}

void keel_mpi_job_close_all(void)
{
    while (!is_too_late() && jobs != NULL) {
        close_job(jobs, false);
    }
}

static bool make_keys(void)
{
    return job_key != MPI_KEYVAL_INVALID ||
           (keel_mpi_at_finalize(keel_mpi_job_close_all) &&
            KEEL_MPI_CALL(NULL, MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN, at_comm_free,
                          &job_key, NULL));
}

/* The rest of opening, on Keel's own communicator. */
static bool set_up(struct keel_mpi_job *job)
{
    job->rank = job->peers.rank;
    job->ranks = job->peers.ranks;
    if (!find_nodes(job) || !make_windows(job)) {
        return false;
    }
    if (job->ranks > 1) {
        keel_mpi_channel_open(&job->channel, &job->peers, job->peers.comm);
    }
    return keel_mpi_job_code(job) == KEEL_MPI_OK;
}

/* The job before, of a communicator of survivors. False: `comm` is none. */
static bool find_before(MPI_Comm comm, struct keel_mpi_job **before)
{
    int found = 0;

    *before = NULL;
    return before_key != MPI_KEYVAL_INVALID &&
           KEEL_MPI_CALL(NULL, MPI_Comm_get_attr, comm, before_key, before, &found) && found;
}

int keel_mpi_job_descend(MPI_Comm comm, MPI_Comm survivors)
{
    struct keel_mpi_job *before = keel_mpi_job_find(comm);

    if (before == NULL) {
        find_before(comm, &before);
    } else if (keel_mpi_job_code(before) == KEEL_MPI_OK) {
        keel_mpi_peers_fail(&before->peers, KEEL_MPI_RANKS_LOST);
    }
    return (before_key != MPI_KEYVAL_INVALID ||
            KEEL_MPI_CALL(NULL, MPI_Comm_create_keyval, MPI_COMM_NULL_COPY_FN,
                          MPI_COMM_NULL_DELETE_FN, &before_key, NULL)) &&
                   KEEL_MPI_CALL(NULL, MPI_Comm_set_attr, survivors, before_key, before)
               ? KEEL_MPI_OK
               : KEEL_MPI_ERROR;
}

/* Nothing is freed where that fails: ranks may be at different steps. */
static struct keel_mpi_job *open_job(MPI_Comm comm, const char *where, int *code)
{
    struct keel_mpi_job *job = calloc(1, sizeof *job);
    MPI_Comm copy;

    keel_mpi_process_begin();
    keel_mpi_events_begin();
    *code = keel_mpi_communicator_copy(comm, where, &copy);
    if (*code != KEEL_MPI_OK) {
        free(job);
        return NULL;
    }
    if (job == NULL) {
        *code = KEEL_MPI_NO_ROOM; /* others learn of it by waiting */
        return NULL;
    }
    job->win = MPI_WIN_NULL;
    atomic_flag_clear(&job->channel_lock);
    *code = keel_mpi_peers_open(&job->peers, copy);
    /* where no rank lacks memory, others may go on: they learn of errors there */
    if (*code != KEEL_MPI_NO_ROOM && !set_up(job)) {
        *code = keel_mpi_job_code(job) != KEEL_MPI_OK ? keel_mpi_job_code(job) : KEEL_MPI_NO_ROOM;
    }
    if (*code != KEEL_MPI_OK) {
        keel_mpi_communicator_give_up(comm, *code);
        return NULL;
    }
    keel_mpi_clocks_align(&job->peers);
    job->descends = find_before(comm, &job->before);
    job->next = jobs;
    jobs = job;
    return job;
}

/* --- finding --- */

#ifdef KEEL_SIMULATED
/* Ranks are contexts of one thread there, which MPI_Is_thread_main() takes for other threads. */
bool keel_mpi_job_may_call_mpi(void)
{
    return true;
}
#else
bool keel_mpi_job_may_call_mpi(void)
{
    int level, is_main;

    return KEEL_MPI_CALL(NULL, MPI_Query_thread, &level) &&
           KEEL_MPI_CALL(NULL, MPI_Is_thread_main, &is_main) &&
           (level >= MPI_THREAD_SERIALIZED || is_main);
}
#endif

bool keel_mpi_job_may_answer_aside(void)
{
    static bool said;
    int level;

    if (!keel_mpi_settings()->progress || !KEEL_MPI_CALL(NULL, MPI_Query_thread, &level)) {
        return false;
    }
    if (level < MPI_THREAD_MULTIPLE && !said) {
        said = true;
        keel_mpi_misuse("KEEL_MPI_PROGRESS: a thread that answers for this rank needs "
                        "MPI_THREAD_MULTIPLE; messages are answered between chunks, or objects, "
                        "only");
    }
    return level == MPI_THREAD_MULTIPLE;
}

struct keel_mpi_job *keel_mpi_job_find(MPI_Comm comm)
{
    struct keel_mpi_job *job = NULL;
    int found = 0;

    if (job_key != MPI_KEYVAL_INVALID && comm != MPI_COMM_NULL) {
        found = KEEL_MPI_CALL(NULL, MPI_Comm_get_attr, comm, job_key, &job, &found) && found;
    }
    return found ? job : NULL;
}

/* A call of MPI has failed outside of any job: no job is used any more, their code is
 * KEEL_MPI_ERROR. */
static void fail_all(void)
{
    for (struct keel_mpi_job *job = jobs; job != NULL; job = job->next) {
        keel_mpi_peers_fail(&job->peers, KEEL_MPI_ERROR);
    }
}

bool keel_mpi_job_is_intracomm(MPI_Comm comm)
{
    int between = 0;

    return comm != MPI_COMM_NULL && KEEL_MPI_CALL(NULL, MPI_Comm_test_inter, comm, &between) &&
           !between;
}

int keel_mpi_comm_look_at(MPI_Comm comm, const char *refusal)
{
    int code = keel_mpi_call_check();

    if (code != KEEL_MPI_OK) {
        return code;
    }
    bool usable = keel_mpi_job_is_intracomm(comm);
    if (keel_mpi_check_is_broken()) {
        return KEEL_MPI_ERROR;
    }
    if (!usable) {
        keel_mpi_misuse("%s", refusal);
        return KEEL_MPI_COMM;
    }
    return KEEL_MPI_OK;
}

int keel_mpi_comm_open(MPI_Comm comm, const char *where, struct keel_mpi_peers *peers)
{
    MPI_Comm copy;

    keel_mpi_process_begin();
    keel_mpi_events_begin();
    int code = keel_mpi_communicator_copy(comm, where, &copy);
    if (code == KEEL_MPI_OK) {
        code = peers != NULL ? keel_mpi_peers_open(peers, copy) : KEEL_MPI_NO_ROOM;
    }
    if (code == KEEL_MPI_OK) {
        keel_mpi_clocks_align(peers);
    }
    return code;
}

struct keel_mpi_job *keel_mpi_job_of(MPI_Comm comm, const char *where, int *code)
{
    struct keel_mpi_job *job;

    *code = KEEL_MPI_COMM;
    bool usable = keel_mpi_job_is_intracomm(comm);
    if (!usable && !keel_mpi_check_is_broken()) {
        keel_mpi_misuse(
            "a loop can be shared over an intracommunicator only; it runs whole on every "
            "rank");
        return NULL;
    }
    *code = KEEL_MPI_OK;
    make_keys();
    job = keel_mpi_job_find(comm);
    if (keel_mpi_check_is_broken()) {
        fail_all();
        *code = KEEL_MPI_ERROR;
        return NULL;
    }
    if (job != NULL) {
        *code = keel_mpi_job_code(job);
        return *code == KEEL_MPI_OK ? job : NULL;
    }
    if ((job = open_job(comm, where, code)) == NULL) {
        keel_mpi_misuse(
            "loops can't be shared over this communicator (%s); they run whole on every "
            "rank",
            keel_mpi_error_name(*code));
        return NULL;
    }
    if (!KEEL_MPI_CALL(&job->peers, MPI_Comm_set_attr, comm, job_key, job)) {
        *code = KEEL_MPI_ERROR;
        return NULL;
    }
    return job;
}

/* --- calls of the program --- */

int keel_mpi_call_check(void)
{
    int initialised, finalised = 0;

    if (keel_mpi_kind_is_wrong()) {
        return KEEL_MPI_OTHER_MPI;
    }
    if (!KEEL_MPI_CALL(NULL, MPI_Initialized, &initialised) ||
        (initialised && !KEEL_MPI_CALL(NULL, MPI_Finalized, &finalised))) {
        fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!initialised || finalised) {
        keel_mpi_misuse("MPI is %s; nothing is shared among ranks",
                        initialised ? "finalised" : "not initialised");
        return KEEL_MPI_NOT_READY;
    }
    bool calls_mpi = keel_mpi_job_may_call_mpi();
    if (keel_mpi_check_is_broken()) {
        fail_all();
        return KEEL_MPI_ERROR;
    }
    if (!calls_mpi) {
        keel_mpi_misuse(
            "a thread that may not call MPI wants to share a loop among ranks; expected "
            "the one that initialised it, or MPI_THREAD_SERIALIZED; nothing is shared");
        return KEEL_MPI_THREADS;
    }
    return KEEL_MPI_OK;
}
