/* The ranks of one communicator and what Keel keeps for them. */
#include "mpi_backend/job.h"

#include <stdlib.h>
#include <string.h>

#include "mpi_backend/keel_mpi.h"
#include "mpi_backend/loop.h"
#include "mpi_backend/progress.h"
#include "mpi_backend/record.h"
#include "mpi_backend/settings.h"
#include "omp_ext/message.h"

struct keel_job *keel_job_latest;

/* Jobs that are open, the latest first. */
static struct keel_job *jobs;

/* Jobs hang on their communicators as attributes, and one on MPI_COMM_SELF tells of the end. */
static int job_key = MPI_KEYVAL_INVALID, end_key = MPI_KEYVAL_INVALID;

/* --- opening --- */

static bool allocate(struct keel_job *job)
{
    job->address = malloc(job->ranks * sizeof *job->address);
    job->node_first = calloc(job->ranks + 1, sizeof *job->node_first);
    job->ranks_by_node = malloc(job->ranks * sizeof *job->ranks_by_node);
    return job->address != NULL && job->node_first != NULL && job->ranks_by_node != NULL;
}

/* Numbers the nodes by their first ranks. leader: of each rank, the first rank of its node. */
static void number_nodes(struct keel_job *job, const uint32_t (*where)[2])
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

/* The ranks that share memory: those of one machine, or groups of them where that is asked for. */
static void split(struct keel_job *job)
{
    int most = (int)keel_mpi_settings()->node_ranks, local;
    MPI_Comm machine;

    MPI_Comm_split_type(job->comm, MPI_COMM_TYPE_SHARED, (int)job->rank, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local);
    MPI_Comm_split(machine, most > 0 ? local / most : 0, local, &job->node_comm);
    MPI_Comm_free(&machine);
}

/* Finds out who lives where. */
static bool find_nodes(struct keel_job *job)
{
    uint32_t(*where)[2] = malloc(job->ranks * sizeof *where);
    uint32_t own[2] = {job->rank, 0};
    int local, locals, room = where != NULL && allocate(job), all;

    split(job);
    MPI_Comm_rank(job->node_comm, &local);
    MPI_Comm_size(job->node_comm, &locals);
    job->local = own[1] = (uint32_t)local;
    job->locals = (uint32_t)locals;
    MPI_Bcast(own, 1, MPI_UINT32_T, 0, job->node_comm);
    MPI_Allreduce(&room, &all, 1, MPI_INT, MPI_MIN, job->comm);
    if (all) {
        MPI_Allgather(own, 2, MPI_UINT32_T, where, 2, MPI_UINT32_T, job->comm);
        number_nodes(job, (const uint32_t(*)[2])where);
    }
    free(where);
    return all;
}

/* Memory that all ranks of the node see, zeroed. */
static void *share_memory(struct keel_job *job, size_t size)
{
    void *memory = NULL;
    MPI_Aint found;
    int unit;

    if (job->locals == 1) {
        return aligned_alloc(64, size);
    }
    MPI_Comm_set_errhandler(job->node_comm, MPI_ERRORS_RETURN);
    if (MPI_Win_allocate_shared(job->local == 0 ? (MPI_Aint)size : 0, 1, MPI_INFO_NULL,
                                job->node_comm, &memory, &job->window) != MPI_SUCCESS) {
        job->window = MPI_WIN_NULL;
        return NULL;
    }
    MPI_Win_shared_query(job->window, 0, &found, &unit, &memory);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, job->window);
    return memory;
}

static bool make_boards(struct keel_job *job)
{
    size_t size;

    job->board_size = keel_board_size(job->locals, job->ranks);
    size = job->board_size * KEEL_BOARDS + 64;
    int room = (job->memory = share_memory(job, size)) != NULL, all;
    if (room && job->local == 0) {
        memset(job->memory, 0, size);
    }
    /* pages are shared, so the same bytes begin a cache line in every process */
    job->boards = (char *)(((uintptr_t)job->memory + 63) & ~(uintptr_t)63);
    MPI_Allreduce(&room, &all, 1, MPI_INT, MPI_MIN, job->comm);
    return all;
}

/* --- closing --- */

static void free_memory(struct keel_job *job)
{
    if (job->window != MPI_WIN_NULL) {
        MPI_Win_unlock_all(job->window);
        MPI_Win_free(&job->window);
    } else {
        free(job->memory);
    }
    keel_record_free_all(job->records);
    free(job->address);
    free(job->node_first);
    free(job->ranks_by_node);
}

static void unlink_job(struct keel_job *job)
{
    for (struct keel_job **link = &jobs; *link != NULL; link = &(*link)->next) {
        if (*link == job) {
            *link = job->next;
            break;
        }
    }
    if (keel_job_latest == job) {
        keel_job_latest = NULL;
    }
}

/* Collective: the program frees its communicator, or ends MPI. */
static void close_job(struct keel_job *job)
{
    keel_loop_abandon(job);
    keel_loop_complete_all(job);
    keel_progress_stop(job);
    if (job->ranks > 1) {
        /* all letters of loops that are complete have been answered; others may be on their way */
        MPI_Barrier(job->comm);
        struct keel_letter letter;
        while (keel_post_take(&job->post, &letter)) {
        }
        keel_post_close(&job->post);
    }
    keel_loop_release_all(job);
    unlink_job(job);
    free_memory(job);
    MPI_Comm_free(&job->node_comm);
    MPI_Comm_free(&job->comm);
    free(job);
}

/* Some MPIs let go of attributes when they can't be called any more. */
static bool is_too_late(void)
{
    int finalised;

    MPI_Finalized(&finalised);
    return finalised;
}

static int communicator_goes(MPI_Comm comm, int key, void *job, void *extra)
{
    (void)comm;
    (void)key;
    (void)extra;
    if (!is_too_late() && job != NULL && jobs != NULL) {
        close_job(job);
    }
    return MPI_SUCCESS;
}

static int mpi_ends(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    while (!is_too_late() && jobs != NULL) {
        close_job(jobs);
    }
    return MPI_SUCCESS;
}

static void make_keys(void)
{
    if (job_key == MPI_KEYVAL_INVALID) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, communicator_goes, &job_key, NULL);
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, mpi_ends, &end_key, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, end_key, &end_key);
    }
}

static struct keel_job *open_job(MPI_Comm comm)
{
    struct keel_job *job = calloc(1, sizeof *job);
    int rank, ranks, room = job != NULL, all;

    MPI_Allreduce(&room, &all, 1, MPI_INT, MPI_MIN, comm);
    if (!all) {
        free(job);
        return NULL;
    }
    MPI_Comm_dup(comm, &job->comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    job->rank = (uint32_t)rank;
    job->ranks = (uint32_t)ranks;
    job->window = MPI_WIN_NULL;
    atomic_flag_clear(&job->talking);
    if (!find_nodes(job) || !make_boards(job)) {
        free_memory(job);
        MPI_Comm_free(&job->node_comm);
        MPI_Comm_free(&job->comm);
        free(job);
        return NULL;
    }
    if (job->ranks > 1) {
        keel_post_open(&job->post, job->comm);
    }
    job->next = jobs;
    jobs = job;
    return job;
}

/* --- finding --- */

#ifdef KEEL_SIMULATED
/* Ranks are contexts of one thread there, which MPI_Is_thread_main() takes for other threads. */
bool keel_job_may_talk(void)
{
    return true;
}
#else
bool keel_job_may_talk(void)
{
    int level, is_main;

    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    return level >= MPI_THREAD_SERIALIZED || is_main;
}
#endif

struct keel_job *keel_job_find(MPI_Comm comm)
{
    struct keel_job *job = NULL;
    int found = 0;

    if (job_key != MPI_KEYVAL_INVALID && comm != MPI_COMM_NULL) {
        MPI_Comm_get_attr(comm, job_key, &job, &found);
    }
    return found ? job : NULL;
}

struct keel_job *keel_job_of(MPI_Comm comm, int *code)
{
    struct keel_job *job;
    int between = 0;

    *code = KEEL_MPI_COMM;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_test_inter(comm, &between);
    }
    if (comm == MPI_COMM_NULL || between) {
        keel_message("a loop can be shared over an intracommunicator only; it runs whole on every "
                     "rank");
        return NULL;
    }
    *code = KEEL_MPI_OK;
    make_keys();
    if ((job = keel_job_find(comm)) != NULL) {
        return job;
    }
    if ((job = open_job(comm)) == NULL) {
        *code = KEEL_MPI_NO_ROOM;
        keel_message("no memory to share loops among ranks; they run whole on every rank");
        return NULL;
    }
    MPI_Comm_set_attr(comm, job_key, job);
    return job;
}
