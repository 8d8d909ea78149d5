/* The N-body program of Franklin and Govindan as their paper has it (PAPERS.md F1 to F7), on
 * simulated hosts: each processor has a domain of the plane, and gives a part of it to another one.
 * nbody.c is the same program with Keel's rows.
 *
 *   all particles, gifts of the last step -> domains -> own tasks -> particles move, those that
 *   leave their domain go to its owner -> tasks of neighbours -> gifts -> all particles ...
 *
 *   domains NAME=VALUE...
 *
 *   power=C,C,...    operations per s of each host
 *   steps, time, wind, flops, stars   as nbody's STEPS, TIME, WIND, FLOPS; seed of the stars
 *   bytes            that others get of a particle in each step, 24 or more
 *   shape            boxes (orthogonal recursive bisection) or curve (pieces of a Hilbert curve)
 *   graph            plane: who touches whom; line: the ones before and behind
 *   policy           none, random, diffusion, redistribution
 *   w, alpha, draw   w*, alpha, seed of random
 *   sync             own: only the messages that the policy needs; all: as Keel's rows, all send
 *                    all how many tasks they have, and agree six times
 *   state            operations that a processor spends where diffusion asks a neighbour
 *   sort             operations of processor 0 for redistribution
 *
 * Messages are real; computing is simulated time. What it prints: outcome.h. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/papers_dir/fg95/cluster.h"
#include "bench/papers_dir/fg95/outcome.h"
#include "bench/papers_dir/fg95/plane.h"
#include "bench/support/end_job.h"
#include "bench/support/support.h"

#define PARTICLES 1024
#define AGREEMENTS 5 /* and one of bounds, where rows move */
#define AGREED_BYTES 64
#define TAG 1

static struct {
    double steps, time, wind, flops, stars, bytes, w, alpha, draw, state, sort;
    const char *power, *shape, *graph, *policy, *sync;
} set = {.steps = 100,
         .time = .1,
         .flops = 1e4,
         .stars = 1,
         .bytes = 24,
         .w = 1,
         .alpha = .5,
         .draw = 1,
         .power = "",
         .shape = "boxes",
         .graph = "plane",
         .policy = "none",
         .sync = "own"};

static const struct setting settings[] = {
    NUMBER(steps), NUMBER(time),  NUMBER(wind), NUMBER(flops), NUMBER(stars),  NUMBER(bytes),
    NUMBER(w),     NUMBER(alpha), NUMBER(draw), NUMBER(state), NUMBER(sort),   TEXT(power),
    TEXT(shape),   TEXT(graph),   TEXT(policy), TEXT(sync),    {.name = NULL},
};

struct job {
    int rank, ranks;
    double power[PLANE_OWNERS_MAX];
    struct plane plane;
    uint8_t before[PLANE_CELLS];
    bool next[PLANE_OWNERS_MAX * PLANE_OWNERS_MAX];
    struct tree tree;
    struct particle *own; /* room for all */
    int count;
    int leaving;             /* the last of them, which have been sent and not been announced */
    struct plane_gift *gift; /* to be announced */
    int gifts;
    struct particle *sent; /* those, until they have arrived */
    MPI_Request *request;
    struct outcome outcome;
};

static bool is(const char *setting, const char *value)
{
    return strcmp(setting, value) == 0;
}

static int owner_of(void *context, const struct particle *particle)
{
    return ((const struct job *)context)->plane.owner[plane_cell(particle->at)];
}

/* --- messages to all --- */

static size_t place_bytes(void)
{
    return place_size((size_t)set.bytes);
}

/* Gifts, then places: in a message from each to all. Returns its size. */
static size_t pack(const struct job *job, char *message)
{
    size_t size = (size_t)job->gifts * sizeof *job->gift;

    memcpy(message, job->gift, size);
    places_pack(job->own, job->count, (size_t)set.bytes, message + size);
    return size + (size_t)job->count * place_bytes();
}

static void know(struct job *job, const char *places, size_t size)
{
    places_know(&job->tree, places, size / place_bytes(), (size_t)set.bytes);
}

static void take(struct job *job, const struct plane_gift *gift)
{
    if (!gift->painted) {
        plane_give(&job->plane, job->before, gift);
    }
    if (gift->to == job->rank && gift->particles > 0) {
        MPI_Recv(&job->own[job->count], gift->particles * (int)sizeof *job->own, MPI_BYTE,
                 gift->from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        job->count += gift->particles;
    }
}

/* What has been given has arrived. */
static void forget_gifts(struct job *job)
{
    MPI_Waitall(job->gifts, job->request, MPI_STATUSES_IGNORE);
    job->gifts = 0;
}

struct header {
    int bytes, gifts;
};

static void read_all(struct job *job, const struct header *header, const char *messages)
{
    const char *message = messages;

    memcpy(job->before, job->plane.owner, sizeof job->before);
    for (int rank = 0; rank < job->ranks; rank++) {
        size_t size = (size_t)header[rank].gifts * sizeof(struct plane_gift);
        know(job, message + size, (size_t)header[rank].bytes - size);
        message += header[rank].bytes;
    }
    message = messages;
    for (int rank = 0; rank < job->ranks; rank++) {
        for (int i = 0; i < header[rank].gifts; i++) {
            struct plane_gift gift;
            memcpy(&gift, message + (size_t)i * sizeof gift, sizeof gift);
            take(job, &gift);
        }
        message += header[rank].bytes;
    }
}

static void exchange(struct job *job)
{
    char *message =
        memory_new((size_t)job->ranks * sizeof(struct plane_gift) + PARTICLES * place_bytes(), 1);
    struct header own = {(int)pack(job, message), job->gifts};
    struct header *header = memory_new(job->ranks, sizeof *header);
    int *part = memory_new(2 * job->ranks, sizeof *part), *begin = part + job->ranks;
    int all = 0;

    MPI_Allgather(&own, 2, MPI_INT, header, 2, MPI_INT, MPI_COMM_WORLD);
    for (int rank = 0; rank < job->ranks; rank++) {
        part[rank] = header[rank].bytes;
        begin[rank] = all;
        all += part[rank];
    }
    char *messages = memory_new(all, 1);
    MPI_Allgatherv(message, own.bytes, MPI_BYTE, messages, part, begin, MPI_BYTE, MPI_COMM_WORLD);
    job->count -= job->leaving;
    job->leaving = 0;
    read_all(job, header, messages);
    forget_gifts(job);
    tree_build(&job->tree);
    free(messages);
    free(part);
    free(header);
    free(message);
}

/* --- who gives whom --- */

/* Sends the last `count` own particles that have not been sent. */
static void send_last(struct job *job, int count, struct plane_gift gift)
{
    struct particle *sent = &job->sent[job->leaving];

    gift.from = job->rank;
    gift.particles = count;
    job->leaving += count;
    memcpy(sent, &job->own[job->count - job->leaving], (size_t)count * sizeof *sent);
    job->request[job->gifts] = MPI_REQUEST_NULL;
    if (count > 0) {
        MPI_Isend(sent, count * (int)sizeof *sent, MPI_BYTE, gift.to, TAG, MPI_COMM_WORLD,
                  &job->request[job->gifts]);
    }
    job->gift[job->gifts++] = gift;
}

static void give(struct job *job, int to, int tasks)
{
    struct plane_gift gift = {.from = job->rank, .to = to};
    int staying = job->count - job->leaving;
    int first = plane_choose(&job->plane, &gift, (const double(*)[2])job->tree.at, PARTICLES,
                             job->own, staying, tasks);

    if (first < staying) {
        send_last(job, staying - first, gift);
    }
}

/* --- what is known of others --- */

static void tell_all(const struct job *job, int *tasks)
{
    MPI_Allgather(&job->count, 1, MPI_INT, tasks, 1, MPI_INT, MPI_COMM_WORLD);
}

static void tell_neighbours(const struct job *job, const bool *next, int *tasks)
{
    MPI_Request request[2 * PLANE_OWNERS_MAX];
    int requests = 0;

    for (int j = 0; j < job->ranks; j++) {
        if (next[job->rank * job->ranks + j]) {
            MPI_Irecv(&tasks[j], 1, MPI_INT, j, TAG + 1, MPI_COMM_WORLD, &request[requests++]);
            MPI_Isend(&job->count, 1, MPI_INT, j, TAG + 1, MPI_COMM_WORLD, &request[requests++]);
        }
    }
    MPI_Waitall(requests, request, MPI_STATUSES_IGNORE);
    if (set.state > 0 && requests > 0) {
        smpi_execute_flops(set.state * requests / 2);
    }
}

/* As Keel's balance call where rows move. */
static void agree(void)
{
    char own[AGREED_BYTES] = {0}, all[AGREED_BYTES];

    for (int i = 0; is(set.sync, "all") && i <= AGREEMENTS; i++) {
        MPI_Allreduce(own, all, AGREED_BYTES, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    }
}

/* --- policies --- */

static void find_neighbours(struct job *job)
{
    if (is(set.graph, "plane")) {
        plane_neighbours(&job->plane, job->next);
    } else {
        plane_line(job->ranks, job->next);
    }
}

static void give_to_neighbours(struct job *job, int *tasks, int step)
{
    struct keel_transfer transfer[PLANE_OWNERS_MAX];
    struct plane_rule rule = {
        .random = is(set.policy, "random"),
        .threshold = set.w,
        .alpha = set.alpha,
        .seed = (uint64_t)set.draw * 1000003 + (uint64_t)job->rank,
    };

    find_neighbours(job);
    tasks[job->rank] = job->count;
    if (!rule.random && is(set.sync, "own")) {
        tell_neighbours(job, job->next, tasks);
    }
    size_t count = plane_transfers(&rule, job->ranks, job->next, job->power, job->rank, tasks,
                                   PARTICLES, (uint64_t)step, transfer);
    for (size_t i = 0; i < count; i++) {
        give(job, (int)transfer[i].to, (int)transfer[i].tasks);
    }
}

/* Processor 0 receives where all particles are, and sends to all where to cut. */
static void cut_anew(struct job *job, int *cut)
{
    int *part = memory_new(2 * job->ranks, sizeof *part), *begin = part + job->ranks;
    int *count = memory_new(PLANE_CELLS, sizeof *count), all = 0;
    char *message = memory_new(PARTICLES * place_bytes(), 1);
    char *messages = memory_new(PARTICLES * place_bytes(), 1);
    int bytes = (int)pack(job, message);

    MPI_Gather(&bytes, 1, MPI_INT, part, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int rank = 0; rank < job->ranks; rank++) {
        begin[rank] = all;
        all += part[rank];
    }
    MPI_Gatherv(message, bytes, MPI_BYTE, messages, part, begin, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (job->rank == 0) {
        know(job, messages, (size_t)all);
        for (int p = 0; p < PARTICLES; p++) {
            count[plane_cell(job->tree.at[p])]++;
        }
        plane_cut(&job->plane, count, job->power, cut);
        smpi_execute_flops(set.sort);
    }
    MPI_Bcast(cut, job->ranks, MPI_INT, 0, MPI_COMM_WORLD);
    free(messages);
    free(message);
    free(count);
    free(part);
}

/* Own particles that belong to `to` go to the end of those that have not been sent. */
static int gather_for(struct job *job, int to)
{
    int staying = job->count - job->leaving, kept = staying;

    for (int p = 0; p < kept;) {
        if (owner_of(job, &job->own[p]) == to) {
            struct particle given = job->own[p];
            job->own[p] = job->own[--kept];
            job->own[kept] = given;
        } else {
            p++;
        }
    }
    return staying - kept;
}

static bool anybody_exceeds(struct job *job, int *tasks)
{
    int exceeds = 0;

    if (is(set.sync, "own")) {
        MPI_Gather(&job->count, 1, MPI_INT, tasks, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < job->ranks; i++) {
        exceeds = exceeds || tasks[i] > set.w * plane_ideal(job->ranks, job->power, i, PARTICLES);
    }
    if (is(set.sync, "own")) {
        MPI_Bcast(&exceeds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return exceeds;
}

static void redistribute(struct job *job, int *tasks)
{
    int cut[PLANE_OWNERS_MAX];

    if (!anybody_exceeds(job, tasks)) {
        return;
    }
    cut_anew(job, cut);
    plane_paint(&job->plane, cut);
    for (int to = 0; to < job->ranks; to++) {
        int count = to != job->rank ? gather_for(job, to) : 0;
        if (count > 0) {
            send_last(job, count, (struct plane_gift){.to = to, .painted = 1});
        }
    }
}

static void balance(struct job *job, int step)
{
    int *tasks = memory_new(job->ranks, sizeof *tasks);

    if (!is(set.policy, "none")) {
        if (is(set.sync, "all")) {
            tell_all(job, tasks);
        }
        if (is(set.policy, "redistribution")) {
            redistribute(job, tasks);
        } else {
            give_to_neighbours(job, tasks, step);
        }
        agree();
    }
    free(tasks);
}

/* --- beginning and end --- */

/* "C,C,...": false: not one for each rank. */
static bool read_powers(struct job *job)
{
    const char *text = set.power;
    char *end;

    for (int i = 0; i < job->ranks && i < PLANE_OWNERS_MAX; i++) {
        job->power[i] = strtod(text, &end);
        if (end == text || *end != (i + 1 < job->ranks ? ',' : '\0')) {
            return false;
        }
        text = end + 1;
    }
    return job->ranks <= PLANE_OWNERS_MAX;
}

static bool read_settings(struct job *job, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (!settings_take(settings, argv[i])) {
            return false;
        }
    }
    return read_powers(job);
}

static void cut_first(struct job *job, const struct particle *all)
{
    int *count = memory_new(PLANE_CELLS, sizeof *count), cut[PLANE_OWNERS_MAX];

    job->plane.shape = is(set.shape, "boxes") ? PLANE_BOXES : PLANE_CURVE;
    job->plane.owners = job->ranks;
    for (int p = 0; p < PARTICLES; p++) {
        count[plane_cell(all[p].at)]++;
    }
    plane_cut(&job->plane, count, job->power, cut);
    plane_paint(&job->plane, cut);
    free(count);
}

/* Every rank makes all particles, and keeps its own. */
static void begin(struct job *job)
{
    struct particle *all = memory_new(PARTICLES, sizeof *all);

    cluster_make(all, PARTICLES, (uint64_t)set.stars);
    cut_first(job, all);
    job->own = memory_new(PARTICLES, sizeof *job->own);
    job->sent = memory_new(PARTICLES, sizeof *job->sent);
    job->gift = memory_new(job->ranks, sizeof *job->gift);
    job->request = memory_new(job->ranks, sizeof(MPI_Request));
    job->outcome = outcome_open((int)set.steps, PARTICLES);
    for (int p = 0; p < PARTICLES; p++) {
        all[p].speed[0] += set.wind;
        if (owner_of(job, &all[p]) == job->rank) {
            job->own[job->count++] = all[p];
        }
    }
    tree_open(&job->tree, PARTICLES);
    free(all);
}

static void run(struct job *job)
{
    for (int step = 0; step < (int)set.steps; step++) {
        exchange(job);
        outcome_compute(&job->outcome, step, &job->tree, job->own, job->count, set.flops);
        job->count = particles_drift(job->own, job->count, set.time, owner_of, job);
        balance(job, step);
    }
}

static void end(struct job *job)
{
    tree_close(&job->tree);
    outcome_close(&job->outcome);
    free(job->own);
    free(job->sent);
    free(job->gift);
    free(job->request);
}

int main(int argc, char **argv)
{
    static struct job job;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (!read_settings(&job, argc, argv)) {
        fprintf(stderr, "usage: domains NAME=VALUE..., power= for each host\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    begin(&job);
    MPI_Barrier(MPI_COMM_WORLD);
    double began_s = MPI_Wtime();
    run(&job);
    MPI_Barrier(MPI_COMM_WORLD);
    double time_s = MPI_Wtime() - began_s;
    exchange(&job); /* what is on its way */
    bool fine = outcome_print(&job.outcome, time_s, job.own, job.count);
    end(&job);
    MPI_Finalize();
    return fine ? 0 : 1;
}
