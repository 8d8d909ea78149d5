/* Particles that wander between regions, on simulated machines, under one policy after the other.
 *
 *   wander SEED POLICY...      a line for each POLICY, which is as KEEL_MPI_BALANCE has it, but
 *                              that "period=@2" is the time of two steps
 *
 * Regions are rows that move between ranks; each weighs as much as it has particles, and brings as
 * many bytes along. Messages are real; computing is simulated time, and the drawn load takes its
 * part of that. A line: policy, s, s with all machines at work all the time, exchanges of figures,
 * movements, rows moved, and whether every region was computed once in every step. */
#include <mpi.h>
#include <smpi/smpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/regret_dir/scene.h"
#include "bench/support/job.h"
#include "mpi_backend/include/keel_mpi.h"

struct job {
    struct scene scene;
    uint32_t *count; /* scene_count() */
    int rank, step;
    double began_s;
    struct keel_mpi_rows *rows;
    uint32_t *times; /* of each region: how often it was computed; its owner's counts */
    double *weight;
    int neighbour[2];
};

/* Particles of a region before the present step, or after the last one. */
static uint32_t count_of(const struct job *job, int step, uint64_t region)
{
    int last = job->scene.steps - 1;

    return job->count[(size_t)(step < last ? step : last) * (size_t)job->scene.regions + region];
}

/* --- what Keel moves: how often it was computed, and room for particles --- */

static size_t item_size(void *context, uint64_t region)
{
    const struct job *job = context;

    return sizeof(uint32_t) +
           (size_t)count_of(job, job->step + 1, region) * (size_t)job->scene.bytes;
}

static int item_pack(void *context, uint64_t region, void *buffer)
{
    const struct job *job = context;

    memset(buffer, 0, item_size(context, region));
    memcpy(buffer, &job->times[region], sizeof(uint32_t));
    return 0;
}

static int item_unpack(void *context, uint64_t region, const void *buffer, size_t size)
{
    const struct job *job = context;

    (void)size;
    memcpy(&job->times[region], buffer, sizeof(uint32_t));
    return 0;
}

static void item_drop(void *context, uint64_t region)
{
    const struct job *job = context;

    job->times[region] = 0;
}

/* --- a step --- */

/* The next regions of this rank from `from` on: [*first, *last); false: no more. */
static bool next_own(const struct job *job, uint64_t from, uint64_t *first, uint64_t *last)
{
    uint64_t regions = (uint64_t)job->scene.regions;
    int owner = -1;

    if (job->scene.adjacent) {
        job_check(keel_mpi_rows_bounds(job->rows, first, last));
        return from < *last && *first < *last;
    }
    for (; from < regions; from++) {
        job_check(keel_mpi_rows_owner(job->rows, from, &owner));
        if (owner == job->rank) {
            break;
        }
    }
    *first = *last = from;
    while (*last < regions && owner == job->rank) {
        if (++*last < regions) {
            job_check(keel_mpi_rows_owner(job->rows, *last, &owner));
        }
    }
    return *first < *last;
}

static void compute(struct job *job)
{
    uint64_t first, last = 0, particles = 0;

    keel_mpi_rows_work_begin(job->rows);
    while (next_own(job, last, &first, &last)) {
        for (uint64_t region = first; region < last; region++) {
            particles += count_of(job, job->step, region);
            job->times[region]++;
        }
    }
    if (particles > 0) {
        smpi_execute_flops(scene_time(&job->scene, job->rank, MPI_Wtime() - job->began_s,
                                      (double)particles * job->scene.flops) *
                           job->scene.speed[job->rank]);
    }
    keel_mpi_rows_work_end(job->rows);
}

typedef int weigher(struct keel_mpi_rows *rows, uint64_t first, uint64_t last,
                    const double *weight);

static void weigh(struct job *job, weigher *weigher, int step)
{
    uint64_t first, last = 0;

    while (next_own(job, last, &first, &last)) {
        for (uint64_t region = first; region < last; region++) {
            job->weight[region] = count_of(job, step, region);
        }
        job_check(weigher(job->rows, first, last, &job->weight[first]));
    }
}

/* Ranks tell their neighbours what passes their borders, and wait for the latest. */
static void exchange(struct job *job)
{
    char out[1024] = {0}, in[1024];

    for (int side = 0; side < 2; side++) {
        MPI_Sendrecv(out, sizeof out, MPI_BYTE, job->neighbour[side], side, in, sizeof in, MPI_BYTE,
                     job->neighbour[1 - side], side, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void step(struct job *job)
{
    compute(job);
    exchange(job);
    weigh(job, keel_mpi_rows_weigh_ahead, job->step + 1);
    job_check(keel_mpi_rows_balance(job->rows, NULL));
}

/* --- a run --- */

/* Puts seconds in place of "@STEPS". */
static void write_policy(const struct scene *scene, const char *policy, char *text, size_t size)
{
    const char *at = strchr(policy, '@');
    char *behind;

    if (at == NULL) {
        snprintf(text, size, "%s", policy);
        return;
    }
    double steps = strtod(at + 1, &behind);
    snprintf(text, size, "%.*s%.9f%s", (int)(at - policy), policy, steps * scene->step_s, behind);
}

static bool all_computed(const struct job *job)
{
    uint64_t first, last = 0;
    int fine = 1, all;

    while (next_own(job, last, &first, &last)) {
        for (uint64_t region = first; region < last; region++) {
            fine = fine && job->times[region] == (uint32_t)job->scene.steps;
        }
    }
    MPI_Allreduce(&fine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

static bool run(struct job *job, const char *policy)
{
    char text[256];
    struct keel_mpi_rows_items items = {sizeof items, job,         item_size,
                                        item_pack,    item_unpack, item_drop};
    struct keel_mpi_rows_report report = {.struct_size = sizeof report};

    memset(job->times, 0, (size_t)job->scene.regions * sizeof *job->times);
    write_policy(&job->scene, policy, text, sizeof text);
    job_check(keel_mpi_rows_create(MPI_COMM_WORLD, (uint64_t)job->scene.regions,
                                   job->scene.adjacent ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY,
                                   &job->rows));
    job_check(keel_mpi_rows_items(job->rows, &items));
    job_check(keel_mpi_rows_set_balance(job->rows, text));
    job_check(keel_mpi_rows_expect(job->rows, (uint64_t)job->scene.steps));
    weigh(job, keel_mpi_rows_weigh, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    job->began_s = MPI_Wtime();
    for (job->step = 0; job->step < job->scene.steps; job->step++) {
        step(job);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    double time_s = MPI_Wtime() - job->began_s;
    bool fine = all_computed(job);
    job_check(keel_mpi_rows_report(job->rows, &report));
    if (job->rank == 0) {
        printf("%s %.6f %.6f %lu %lu %lu %s\n", policy, time_s,
               job->scene.step_s * job->scene.steps, (unsigned long)report.interactions,
               (unsigned long)report.movements, (unsigned long)report.rows_moved,
               fine ? "once" : "WRONG");
        fflush(stdout);
    }
    keel_mpi_rows_free(&job->rows);
    return fine;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    int ranks;
    bool fine = true;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 3 || (job.scene = scene_draw(strtoull(argv[1], NULL, 10))).ranks != ranks) {
        fprintf(stderr, "usage: wander SEED POLICY..., with as many ranks as the scene has\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    size_t regions = (size_t)job.scene.regions;
    job.count = job_room(regions * (size_t)job.scene.steps, sizeof *job.count);
    job.times = job_room(regions, sizeof *job.times);
    job.weight = job_room(regions, sizeof *job.weight);
    job.neighbour[0] = (job.rank + ranks - 1) % ranks;
    job.neighbour[1] = (job.rank + 1) % ranks;
    scene_count(&job.scene, job.count);
    for (int i = 2; i < argc; i++) {
        fine = run(&job, argv[i]) && fine;
    }
    free(job.weight);
    free(job.times);
    free(job.count);
    MPI_Finalize();
    return fine ? 0 : 1;
}
