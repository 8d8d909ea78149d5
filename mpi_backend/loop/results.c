/* Results of the last loop of a communicator: waiting for it, its data and its measurements. */
#include "mpi_backend/loop/shared_loop.h"

#include <stdlib.h>

#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/results/range_list.h"
#include "omp_ext/support/message.h"
#include "schedules/arithmetic/arithmetic.h"

/* --- the job --- */

/* Returns the job of a communicator over which a loop was shared; NULL: the reason is in *code. */
static struct keel_mpi_job *find_job(MPI_Comm comm, int *code)
{
    *code = keel_mpi_call_check();
    if (*code == KEEL_MPI_OK) {
        *code = keel_mpi_refusal_of(comm);
    }
    struct keel_mpi_job *job = *code == KEEL_MPI_OK ? keel_mpi_job_find(comm) : NULL;

    if (*code == KEEL_MPI_OK && job == NULL) {
        keel_mpi_misuse("no loop has been shared over this communicator");
        *code = KEEL_MPI_NO_LOOP;
    }
    return job;
}

static struct keel_mpi_job *job_of(MPI_Comm comm, int *code)
{
    struct keel_mpi_job *job = find_job(comm, code);

    if (job != NULL && keel_mpi_running_any(job)) {
        keel_mpi_misuse("a shared loop is still running; its results can't be asked for");
        *code = KEEL_MPI_BUSY;
        job = NULL;
    }
    return job;
}

/* --- waiting --- */

/* Waits for all loops of the job. Returns the code of the last one; *missed: of one before. */
static int settle(struct keel_mpi_job *job, int *missed)
{
    keel_mpi_loop_abandon(job, KEEL_MPI_LOOP_MISSING);
    keel_mpi_loop_complete_all(job);
    *missed = job->failed;
    job->failed = KEEL_MPI_OK;
    if (keel_mpi_job_code(job) != KEEL_MPI_OK) {
        return keel_mpi_job_code(job);
    }
    if (job->latest == NULL) {
        return job->ranks == 1 ? KEEL_MPI_OK : KEEL_MPI_NO_LOOP;
    }
    return job->latest->code;
}

static int complete(struct keel_mpi_job *job)
{
    int missed;

    return settle(job, &missed);
}

KEEL_MPI_PUBLIC int keel_mpi_wait(MPI_Comm comm)
{
    int code, missed;
    struct keel_mpi_job *job = job_of(comm, &code);

    if (job != NULL) {
        code = settle(job, &missed);
        code = code != KEEL_MPI_OK ? code : missed;
    }
    return keel_mpi_error_return(code);
}

/* --- data --- */

static int gather(void *buffer, size_t count, MPI_Datatype type, int root, MPI_Comm comm)
{
    int code;
    struct keel_mpi_job *job = job_of(comm, &code);

    if (job == NULL || (code = complete(job)) != KEEL_MPI_OK || job->latest == NULL) {
        return code; /* no loop was recorded, but a rank without others has all data */
    }
    job->peers.call = root == KEEL_MPI_GATHER_ALL ? "keel_mpi_allgather()" : "keel_mpi_gather()";
    code = keel_mpi_gather_ranges(&job->peers, job->latest->iterations, &job->latest->ranges,
                                  buffer, count, type, root);
    job->peers.call = NULL;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_gather(void *buffer, size_t count, MPI_Datatype type, int root,
                                    MPI_Comm comm)
{
    return keel_mpi_error_return(gather(buffer, count, type, root, comm));
}

KEEL_MPI_PUBLIC int keel_mpi_allgather(void *buffer, size_t count, MPI_Datatype type, MPI_Comm comm)
{
    return keel_mpi_error_return(gather(buffer, count, type, KEEL_MPI_GATHER_ALL, comm));
}

/* --- executed iterations --- */

KEEL_MPI_PUBLIC int keel_mpi_loop_last_rank(MPI_Comm comm, int *rank)
{
    int code;
    struct keel_mpi_job *job = job_of(comm, &code);

    if (job != NULL) {
        code = complete(job);
        *rank = job->latest != NULL ? job->latest->last_rank : code == KEEL_MPI_OK ? 0 : -1;
    }
    return keel_mpi_error_return(code);
}

/* Returns the last complete loop; NULL: there is none. *code: its result. */
static const struct keel_mpi_loop *latest_loop(MPI_Comm comm, int *code)
{
    const struct keel_mpi_job *job = find_job(comm, code);
    const struct keel_mpi_loop *loop = job != NULL ? job->latest : NULL;

    if (job != NULL) {
        *code = loop != NULL ? loop->code : KEEL_MPI_NO_LOOP;
    }
    return loop;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_ranges(MPI_Comm comm, const struct keel_mpi_range **ranges,
                                         size_t *count)
{
    int code;
    const struct keel_mpi_loop *loop = latest_loop(comm, &code);

    *ranges = loop != NULL ? loop->ranges.range : NULL;
    *count = loop != NULL ? loop->ranges.count : 0;
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_loop_report(MPI_Comm comm, struct keel_mpi_loop_report *report)
{
    static const struct keel_mpi_loop_report none;
    int code;

    if (!keel_mpi_sized_check(report, sizeof report->struct_size, "keel_mpi_loop_report")) {
        return KEEL_MPI_ARGUMENT;
    }
    const struct keel_mpi_loop *loop = latest_loop(comm, &code);
    keel_mpi_sized_give(report, loop != NULL ? &loop->report : &none, sizeof none);
    return code;
}

/* --- reductions --- */

#define WHERE "where parts of a loop are combined"
#define ALL (-1)                      /* instead of a root: the result goes to all ranks */
#define BLOCK_MAX (UINT64_C(1) << 30) /* elements of a call, whose count is an int */

struct reduction {
    struct keel_mpi_peers *peers;
    int root;
    char *buffer;
    size_t count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Count size;
    MPI_Aint extent; /* of `type`, bytes */
};

/* --- arguments --- */

enum problem { FINE, DIFFERENT, BAD_ROOT, BAD_BUFFER, IN_PLACE, BAD_TYPE, BAD_OP, BROKEN };

static const char *const reasons[BROKEN] = {
    [DIFFERENT] = "ranks name different roots, or elements that are not alike",
    [BAD_ROOT] = "the root of some rank is no rank",
    [BAD_BUFFER] = "the buffer of some rank is NULL",
    [IN_PLACE] = "the buffer of some rank is MPI_IN_PLACE, expected its address",
    [BAD_TYPE] = "the datatype of some rank is MPI_DATATYPE_NULL",
    [BAD_OP] = "the operation of some rank is MPI_OP_NULL",
};

static enum problem look_at_arguments(struct reduction *reduction, int ranks)
{
    MPI_Aint bound;
    int size;

    if (reduction->type == MPI_DATATYPE_NULL) {
        return BAD_TYPE;
    }
    if (reduction->op == MPI_OP_NULL) {
        return BAD_OP;
    }
    if (reduction->root < ALL || reduction->root >= ranks) {
        return BAD_ROOT;
    }
    if (!KEEL_MPI_CALL(reduction->peers, MPI_Type_size, reduction->type, &size) ||
        !KEEL_MPI_CALL(reduction->peers, MPI_Type_get_extent, reduction->type, &bound,
                       &reduction->extent)) {
        return BROKEN;
    }
    reduction->size = size;
    if (reduction->buffer == MPI_IN_PLACE) {
        return IN_PLACE;
    }
    return reduction->buffer == NULL && reduction->count > 0 ? BAD_BUFFER : FINE;
}

/* Returns the highest problem of all ranks. Numbers are equal if their maximum is their minimum. */
static enum problem agree(const struct reduction *reduction, enum problem problem)
{
    uint64_t bytes = reduction->count * (uint64_t)reduction->size;
    uint64_t root = (uint64_t)reduction->root;
    uint64_t all[] = {(uint64_t)problem, bytes, ~bytes, root, ~root};

    if (keel_mpi_peers_maxima(reduction->peers, WHERE, all, 5) != KEEL_MPI_OK) {
        return BROKEN;
    }
    if (all[0] != FINE) {
        return (enum problem)all[0];
    }
    return all[1] == ~all[2] && all[3] == ~all[4] ? FINE : DIFFERENT;
}

/* --- combining --- */

static int begin_block(const struct reduction *reduction, char *block, int count,
                       MPI_Request *request)
{
    struct keel_mpi_peers *peers = reduction->peers;
    MPI_Comm comm = peers->comm;

    if (reduction->root == ALL) {
        return MPI_Iallreduce(MPI_IN_PLACE, block, count, reduction->type, reduction->op, comm,
                              request);
    }
    bool takes = reduction->root == (int)peers->rank;
    return MPI_Ireduce(takes ? MPI_IN_PLACE : block, takes ? block : NULL, count, reduction->type,
                       reduction->op, reduction->root, comm, request);
}

static int combine(const struct reduction *reduction)
{
    struct keel_mpi_peers *peers = reduction->peers;
    const char *call = reduction->root == ALL ? "MPI_Iallreduce" : "MPI_Ireduce";
    MPI_Request request;

    for (uint64_t done = 0; done < reduction->count; done += BLOCK_MAX) {
        char *block = reduction->buffer + (MPI_Aint)done * reduction->extent;
        int count = (int)min_u64(reduction->count - done, BLOCK_MAX);
        if (!keel_mpi_check(peers, begin_block(reduction, block, count, &request), call) ||
            keel_mpi_peers_await(peers, WHERE, 1, &request) != KEEL_MPI_OK) {
            break;
        }
    }
    return keel_mpi_peers_code(peers);
}

/* Combines the parts of a shared loop, on Keel's own communicator. */
static int combine_parts(struct reduction *reduction, struct keel_mpi_job *job)
{
    reduction->peers = &job->peers;
    enum problem problem = agree(reduction, look_at_arguments(reduction, (int)job->ranks));

    if (problem == BROKEN) {
        return keel_mpi_peers_code(&job->peers);
    }
    if (problem != FINE) {
        keel_mpi_misuse("%s; nothing is combined (here %zu elements of %lld bytes)",
                        reasons[problem], reduction->count, (long long)reduction->size);
        return KEEL_MPI_ARGUMENT;
    }
    return combine(reduction);
}

/* All ranks know whether the loop was shared, so either all combine or none does. */
static int reduce(struct reduction *reduction, MPI_Comm comm)
{
    int code;
    struct keel_mpi_job *job = job_of(comm, &code);

    if (job == NULL) {
        return code;
    }
    code = complete(job);
    if (code != KEEL_MPI_OK && code != KEEL_MPI_CANCELLED) {
        return code;
    }
    job->peers.call = reduction->root == ALL ? "keel_mpi_allreduce()" : "keel_mpi_reduce()";
    int combined = combine_parts(reduction, job);
    job->peers.call = NULL;
    return combined != KEEL_MPI_OK ? combined : code;
}

KEEL_MPI_PUBLIC int keel_mpi_reduce(void *buffer, size_t count, MPI_Datatype type, MPI_Op op,
                                    int root, MPI_Comm comm)
{
    struct reduction reduction = {
        .buffer = buffer, .count = count, .type = type, .op = op, .root = root >= 0 ? root : -2};

    return keel_mpi_error_return(reduce(&reduction, comm));
}

KEEL_MPI_PUBLIC int keel_mpi_allreduce(void *buffer, size_t count, MPI_Datatype type, MPI_Op op,
                                       MPI_Comm comm)
{
    struct reduction reduction = {
        .buffer = buffer, .count = count, .type = type, .op = op, .root = ALL};

    return keel_mpi_error_return(reduce(&reduction, comm));
}

/* --- repeatable loops ---
 *
 * Loops whose iterations may be executed again: survivors execute what lost ranks have not
 * (keel_mpi_repeatable()).
 *
 *   a loop during which ranks were lost -> ranges of survivors -> exchanged among survivors
 *       -> the rest -> the next loop of the job of the survivors
 *
 * By threads that may call MPI. */

#define WHERE_REPEATED "in keel_mpi_repeatable()"

/* Returns the last loop over the ranks before, if it has that number, and this rank has executed
 * all that it had begun of it; otherwise NULL. */
static const struct keel_mpi_loop *find_loop(const struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_job *before = job->before;

    while (before != NULL && before->loops == 0) {
        before = before->before; /* no loop was begun over these */
    }
    const struct keel_mpi_loop *loop = before != NULL ? before->latest : NULL;
    bool whole = loop != NULL && loop->number == before->loops && !loop->alone &&
                 (loop->code == KEEL_MPI_OK || loop->code == KEEL_MPI_RANKS_LOST) &&
                 !loop->ranges.incomplete;
    return whole && loop->repeatable && loop->instance == number ? loop : NULL;
}

/* Whether all ranks have memory, as each of them needs the rest. */
static bool all_have_room(struct keel_mpi_job *job, bool room)
{
    uint64_t lacks = !room;

    return keel_mpi_peers_maxima(&job->peers, WHERE_REPEATED, &lacks, 1) == KEEL_MPI_OK && !lacks;
}

/* --- the rest --- */

/* Whether all ranks that have executed iterations of the loop mean the same one. of: its iterations
 * and its grain. False if no rank has executed any. */
static bool is_known(struct keel_mpi_job *job, const struct keel_mpi_loop *loop, uint64_t of[2])
{
    /* the minimum, even if MPI_MAX takes numbers for signed (loop_state.h) */
    uint64_t none = UINT64_C(1) << 63, all[4] = {0, none, 0, none};

    if (loop != NULL) {
        all[0] = loop->iterations, all[1] = ~loop->iterations;
        all[2] = loop->grain, all[3] = ~loop->grain;
    }
    if (keel_mpi_peers_maxima(&job->peers, WHERE_REPEATED, all, 4) != KEEL_MPI_OK) {
        return false;
    }
    of[0] = all[0], of[1] = all[2];
    return all[2] > 0 && all[0] == ~all[1] && all[2] == ~all[3];
}

static struct keel_mpi_rest *make_rest(const struct keel_mpi_loop *loop, const uint64_t of[2],
                                       struct keel_mpi_range_list *all)
{
    struct keel_mpi_rest *rest = malloc(sizeof *rest);
    struct keel_mpi_range_list own = {0};
    bool made = rest != NULL && (loop == NULL || keel_mpi_range_list_append(&own, &loop->ranges)) &&
                keel_mpi_rest_open(rest, of[0], of[1], &own, all);

    keel_mpi_range_list_free(&own);
    if (!made) {
        free(rest);
        return NULL;
    }
    return rest;
}

/* Called by all survivors, before their first repeatable loop. If the rest is not known, the whole
 * loop is executed again. */
static int find_rest(struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_loop *loop = find_loop(job, number);
    struct keel_mpi_rest *rest = NULL;
    struct keel_mpi_range_list none = {0}, all = {0};
    uint64_t of[2];

    if (is_known(job, loop, of) &&
        keel_mpi_gather_lists(&job->peers, loop != NULL ? &loop->ranges : &none, &all)) {
        rest = make_rest(loop, of, &all);
        if (!all_have_room(job, rest != NULL) && rest != NULL) {
            keel_mpi_rest_free(rest);
            free(rest);
            rest = NULL;
        }
    }
    keel_mpi_range_list_free(&all);
    job->rest = job->next_rest = rest;
    return keel_mpi_job_code(job);
}

static int repeatable(MPI_Comm comm, uint64_t number)
{
    int code = keel_mpi_call_check();
    struct keel_mpi_job *job =
        code == KEEL_MPI_OK ? keel_mpi_job_of(comm, WHERE_REPEATED, &code) : NULL;

    if (job == NULL) {
        return code;
    }
    if (keel_mpi_running_busy(job)) {
        keel_mpi_misuse("a shared loop is running, or has not come yet; the next one is not "
                        "repeatable");
        return KEEL_MPI_BUSY;
    }
    if (!job->repeatable || job->instance != number) {
        job->next_rest = NULL; /* of another loop */
    }
    job->repeatable = true;
    job->instance = number;
    if (job->descends && !job->rest_known) {
        job->rest_known = true;
        code = find_rest(job, number);
    }
    return code;
}

KEEL_MPI_PUBLIC int keel_mpi_repeatable(MPI_Comm comm, uint64_t number)
{
    return keel_mpi_error_return(repeatable(comm, number));
}
