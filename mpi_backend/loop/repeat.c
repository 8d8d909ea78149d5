/* Loops whose iterations may be executed again: what ranks that were lost in the course of one have
 * left to others (keel_mpi_repeatable()).
 *
 *   loop of a job that ranks were lost of -> ranges of those that are left -> all tell each other
 *       -> the rest -> the next loop of the job of the survivors
 *
 * By threads that may call MPI. */
#include <stdlib.h>

#include "mpi_backend/include/exported.h"
#include "mpi_backend/include/keel_mpi.h"
#include "mpi_backend/job/job.h"
#include "mpi_backend/process/mpi_process.h"
#include "mpi_backend/job/peers.h"
#include "mpi_backend/loop/shared_loop.h"
#include "mpi_backend/loop/state/loop_state.h"
#include "mpi_backend/results/gather.h"

#define WHERE "in keel_mpi_repeatable()"

/* The last loop over the ranks that there were, if it is of that number, and this rank has executed
 * what it had begun of it; NULL: it is another one. */
static const struct keel_mpi_loop *find_loop(const struct keel_mpi_job *job, uint64_t number)
{
    const struct keel_mpi_job *before = job->before;

    while (before != NULL && before->loops == 0) {
        before = before->before; /* none was begun over these */
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

    return keel_mpi_peers_maxima(&job->peers, WHERE, &lacks, 1) == KEEL_MPI_OK && !lacks;
}

/* --- the rest --- */

/* Whether those that have executed anything of the loop mean the same one. of: its iterations, and
 * its grain; 0: nobody has executed anything. */
static bool is_known(struct keel_mpi_job *job, const struct keel_mpi_loop *loop, uint64_t of[2])
{
    /* the least that there is, also where MPI_MAX takes numbers for signed (open.c) */
    uint64_t none = UINT64_C(1) << 63, all[4] = {0, none, 0, none};

    if (loop != NULL) {
        all[0] = loop->iterations, all[1] = ~loop->iterations;
        all[2] = loop->grain, all[3] = ~loop->grain;
    }
    if (keel_mpi_peers_maxima(&job->peers, WHERE, all, 4) != KEEL_MPI_OK) {
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

/* All ranks that are left come here, before the first repeatable loop of theirs. Where the rest
 * can't be known the loop is executed whole, as it may be. */
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
    struct keel_mpi_job *job = code == KEEL_MPI_OK ? keel_mpi_job_of(comm, WHERE, &code) : NULL;

    if (job == NULL) {
        return code;
    }
    if (keel_mpi_running_busy(job)) {
        keel_mpi_misuse("a shared loop is running, or has not come yet; the next one is not "
                        "repeatable");
        return KEEL_MPI_BUSY;
    }
    if (!job->repeatable || job->instance != number) {
        job->next_rest = NULL; /* of another one */
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
