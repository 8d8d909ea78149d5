/* Parallel constrained Delaunay refinement with objects that exchange messages (PCDT, Barker &
 * others: the mesh refinement of PAPERS.md R7): the squares of squares.h are objects.
 *
 *   each: a mesh refines itself to the end -> it cuts borders ~~> messages to the meshes beyond
 *         -> these cut the same sides at the same places, and refine what that spoils ~~> ...
 *   a round ends when no message is left; then the disc goes elsewhere
 *
 * Meshes never wait for each other, so that the order of cuts, and with it the mesh, differs from
 * run to run; both sides of a border are cut in halves, and come to the same points. Verified are
 * the properties of the result: exact ones (a Delaunay mesh that fills the plane and has the same
 * points on both sides of each border), angles, sizes.
 *
 * With --phases cuts wait for the next phase, and are applied in an order that tells nothing of
 * ranks: then the mesh is that of the serial program, and of refine.c, bit for bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/apps/memory.h"
#include "bench/apps/mesh/measure.h"
#include "bench/apps/squares.h"
#include "bench/support/clock.h"

/* A message: a border was cut. */
struct news {
    struct squares_cut cut;
    uint32_t phase; /* in which */
};

/* An object. */
struct square {
    int32_t number;
    uint32_t round; /* that it has begun, from 1 */
    double busy_s;  /* that it took so far, wherever it was */
    int news_count, news_room;
    struct news *news; /* --phases: not applied yet */
    struct mesh mesh;
};

struct job {
    struct app app;
    struct squares squares; /* without meshes */
    uint64_t rounds;
    bool phases, told, gathered;
    uint32_t round, phase; /* from 1 */
    struct keel_mpi_objects *objects;
    const char *weights_file;
};

static struct job *job_of(void *context)
{
    return context;
}

/* --- what Keel moves --- */

struct packed {
    int32_t number;
    uint32_t round;
    double busy_s;
    int64_t news_count;
};

static size_t news_bytes(const struct square *square)
{
    return (size_t)square->news_count * sizeof *square->news;
}

static size_t square_size(void *context, uint64_t index, const void *data)
{
    const struct square *square = data;

    (void)context;
    (void)index;
    return sizeof(struct packed) + news_bytes(square) + mesh_size(&square->mesh);
}

static int square_pack(void *context, uint64_t index, const void *data, void *buffer)
{
    const struct square *square = data;
    struct packed packed = {square->number, square->round, square->busy_s, square->news_count};
    char *to = buffer;

    (void)context;
    (void)index;
    memcpy(to, &packed, sizeof packed);
    if (square->news_count > 0) {
        memcpy(to + sizeof packed, square->news, news_bytes(square));
    }
    mesh_pack(&square->mesh, to + sizeof packed + news_bytes(square));
    return 0;
}

static void square_drop(void *context, uint64_t index, void *data)
{
    struct square *square = data;

    (void)context;
    (void)index;
    mesh_free(&square->mesh);
    free(square->news);
    free(square);
}

static int square_unpack(void *context, uint64_t index, const void *buffer, size_t size,
                         void **data)
{
    struct square *square = calloc(1, sizeof *square);
    const char *from = buffer;
    struct packed packed;

    (void)size;
    if (square == NULL) {
        return 1;
    }
    memcpy(&packed, from, sizeof packed);
    *square = (struct square){.number = packed.number,
                              .round = packed.round,
                              .busy_s = packed.busy_s,
                              .news_count = (int)packed.news_count,
                              .news_room = (int)packed.news_count};
    square->news = malloc(news_bytes(square) + 1);
    if (square->news == NULL ||
        !mesh_unpack(&square->mesh, from + sizeof packed + news_bytes(square))) {
        square_drop(context, index, square);
        return 1;
    }
    memcpy(square->news, from + sizeof packed, news_bytes(square));
    *data = square;
    return 0;
}

/* --- messages --- */

enum { CUT }; /* the handler */

/* The meshes beyond get to know where a mesh has cut its borders. */
static void tell(struct job *job, struct square *square)
{
    struct mesh *mesh = &square->mesh;

    for (int p = 0; p < mesh->told_points; p++) {
        int to = squares_beyond(&job->squares, square->number, mesh, mesh->told[p]);
        struct news news = {{to, square->number, p, mesh->told[p]}, job->phase};
        if (to >= 0) {
            app_check(keel_mpi_objects_send(job->objects, (uint64_t)to, CUT, &news, sizeof news));
        }
    }
    mesh->told_points = 0;
}

static void refine(struct job *job, struct square *square)
{
    while (mesh_unfinished(&square->mesh) > 0) {
        mesh_refine(&square->mesh, &job->squares.goal, job->squares.batch);
        tell(job, square);
        keel_mpi_poll();
    }
}

static void keep(struct square *square, const struct news *news)
{
    square->news =
        memory_grow(square->news, &square->news_room, square->news_count + 1, sizeof *square->news);
    square->news[square->news_count++] = *news;
}

/* A mesh that has not begun the round has not been refined for it: it will be. */
static void cut_border(void *context, uint64_t index, void *data, const void *message, size_t bytes)
{
    struct job *job = job_of(context);
    struct square *square = data;
    const struct news *news = message;
    double began_ns = now_ns();

    (void)index;
    (void)bytes;
    if (job->phases) {
        keep(square, news);
    } else {
        mesh_add(&square->mesh, news->cut.at);
        if (square->round == job->round) {
            refine(job, square);
        }
    }
    square->busy_s += (now_ns() - began_ns) * 1e-9;
}

/* --- phases --- */

static int compare_news(const void *a, const void *b)
{
    const struct news *one = a, *other = b;

    if (one->phase != other->phase) {
        return one->phase < other->phase ? -1 : 1;
    }
    return squares_compare_cuts(&one->cut, &other->cut);
}

/* News of earlier phases, by order; what came in this one waits. */
static void apply_news(struct job *job, struct square *square)
{
    int applied = 0;

    if (square->news_count > 0) {
        qsort(square->news, (size_t)square->news_count, sizeof *square->news, compare_news);
    }
    while (applied < square->news_count && square->news[applied].phase < job->phase) {
        mesh_add(&square->mesh, square->news[applied++].cut.at);
    }
    square->news_count -= applied;
    if (applied > 0) {
        memmove(square->news, square->news + applied, news_bytes(square));
    }
}

static void compute(void *context, uint64_t index, void *data)
{
    struct job *job = job_of(context);
    struct square *square = data;
    double began_ns = now_ns();

    (void)index;
    if (square->round != job->round) {
        square->round = job->round;
        mesh_restart(&square->mesh);
    }
    if (job->phases) {
        apply_news(job, square);
        mesh_refine(&square->mesh, &job->squares.goal, job->squares.batch);
        tell(job, square);
    } else {
        refine(job, square);
    }
    square->busy_s += (now_ns() - began_ns) * 1e-9;
}

/* Calls do() with each object of this rank. */
static void for_own(struct job *job, void (*act)(struct job *job, struct square *square, void *sum),
                    void *sum)
{
    const uint64_t *index;
    uint64_t count;

    app_check(keel_mpi_objects_list(job->objects, &index, &count));
    for (uint64_t i = 0; i < count; i++) {
        act(job, keel_mpi_objects_data(job->objects, index[i]), sum);
    }
}

static void weigh(struct job *job, struct square *square, void *none)
{
    (void)none;
    app_check(keel_mpi_objects_weigh(job->objects, (uint64_t)square->number,
                                     mesh_work(&square->mesh, &job->squares.goal)));
}

static void add_left(struct job *job, struct square *square, void *sum)
{
    (void)job;
    *(int64_t *)sum += mesh_unfinished(&square->mesh) + square->news_count;
}

/* What is left to do after a phase, in all meshes. */
static int64_t left(struct job *job)
{
    int64_t sum = 0;

    for_own(job, add_left, &sum);
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* False: the phases that there were to be did not suffice. */
static bool run_round(struct job *job)
{
    do {
        if (job->phase == job->app.steps) {
            return false;
        }
        job->phase++;
        app_check(keel_mpi_objects_each(job->objects, compute));
    } while (job->phases && left(job) > 0);
    return true;
}

static bool run(struct job *job)
{
    bool finished = true;

    while (finished && job->round < job->rounds) {
        squares_set_goal(&job->squares, job->round++);
        if (job->told) {
            for_own(job, weigh, NULL);
        }
        finished = run_round(job);
    }
    return finished;
}

/* --- the result --- */

struct result {
    struct mesh_summary summary;
    struct mesh_faults faults;
};

static void add_result(struct job *job, struct square *square, void *sum)
{
    struct result *result = sum;

    mesh_add_to(&result->summary, &square->mesh, GEOMETRY_MAX);
    mesh_add_faults(&result->faults, &square->mesh, &job->squares.goal);
}

static bool is_sound(const struct result *result, bool finished)
{
    const struct mesh_faults *faults = &result->faults;
    uint64_t side = GEOMETRY_MAX;

    return faults->inverted + faults->unlinked + faults->not_delaunay == 0 &&
           result->summary.area == 2 * side * side &&
           (!finished || faults->flat + faults->large + faults->encroached == 0) &&
           (!finished || result->summary.open == 0);
}

static void print_faults(const struct result *result)
{
    const struct mesh_faults *faults = &result->faults;

    fprintf(stderr,
            "keel: pcdt: of %llu triangles: %llu inverted, %llu not linked, %llu not Delaunay's, "
            "%llu flat, %llu large, %llu encroached upon; borders %s; area %llu\n",
            (unsigned long long)result->summary.triangles, (unsigned long long)faults->inverted,
            (unsigned long long)faults->unlinked, (unsigned long long)faults->not_delaunay,
            (unsigned long long)faults->flat, (unsigned long long)faults->large,
            (unsigned long long)faults->encroached,
            result->summary.open == 0 ? "meet" : "do not meet",
            (unsigned long long)result->summary.area);
}

/* Rank 0 tells. Collective. */
static bool is_right(struct job *job, bool finished)
{
    struct result result = {0};
    bool nothing_left = left(job) == 0;

    for_own(job, add_result, &result);
    MPI_Allreduce(MPI_IN_PLACE, &result, sizeof result / sizeof(uint64_t), MPI_UINT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    if (job->app.rank != 0) {
        return true;
    }
    if (!is_sound(&result, finished) || (finished && !nothing_left)) {
        print_faults(&result);
        return false;
    }
    if (!job->phases) {
        return true;
    }
    struct mesh_summary alone = squares_run_alone(&job->squares, job->rounds, job->app.steps);
    return memcmp(&result.summary, &alone, sizeof alone) == 0;
}

/* --- weights --- */

/* What an object has come to. */
struct weight {
    double points, busy_s;
};

static void add_weight(struct job *job, struct square *square, void *sum)
{
    (void)job;
    ((struct weight *)sum)[square->number] = (struct weight){square->mesh.points, square->busy_s};
}

/* Rank 0 writes a row for each object. Collective. */
static void write_weights(struct job *job)
{
    int count = squares_count(&job->squares);
    struct weight *weight = app_room((uint64_t)count, sizeof *weight);

    for_own(job, add_weight, weight);
    MPI_Allreduce(MPI_IN_PLACE, weight, 2 * count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (job->app.rank == 0) {
        FILE *file = fopen(job->weights_file, "w");
        if (file == NULL) {
            perror(job->weights_file);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        fputs("object,points,busy_s\n", file);
        for (int i = 0; i < count; i++) {
            fprintf(file, "%d,%.0f,%.9f\n", i, weight[i].points, weight[i].busy_s);
        }
        fclose(file);
    }
    free(weight);
}

/* --- the program --- */

/* Blocks of squares, as large on each rank; or all on rank 0. */
static void make_own_squares(struct job *job)
{
    uint64_t count = (uint64_t)squares_count(&job->squares);
    uint64_t rank = (uint64_t)job->app.rank, ranks = (uint64_t)job->app.ranks;

    uint64_t first = count * rank / ranks, last = count * (rank + 1) / ranks;
    if (job->gathered) {
        first = 0;
        last = rank == 0 ? count : 0;
    }
    for (uint64_t i = first; i < last; i++) {
        struct square *square = app_room(1, sizeof *square);
        square->number = (int32_t)i;
        squares_make(&job->squares, (int)i, &square->mesh);
        app_check(keel_mpi_objects_insert(job->objects, i, square));
    }
}

static void make_objects(struct job *job)
{
    static keel_mpi_objects_handler *const handlers[] = {[CUT] = cut_border};
    struct keel_mpi_objects_functions functions = {.struct_size = sizeof functions,
                                                   .context = job,
                                                   .size = square_size,
                                                   .pack = square_pack,
                                                   .unpack = square_unpack,
                                                   .drop = square_drop,
                                                   .handler = handlers,
                                                   .handlers = 1};

    app_check(keel_mpi_objects_create(MPI_COMM_WORLD, &functions, &job->objects));
    make_own_squares(job);
}

int main(int arguments, char **argument)
{
    const char *across = "32", *batch = "100", *rounds = "1";
    const char *told = NULL, *phases = NULL, *weights = NULL, *gathered = NULL;
    const struct app_option own[] = {
        {"across", "N", "objects are N x N squares, N a power of 2 (default 32)", &across},
        {"batch", "N", "points that a square adds before it looks for messages (default 100)",
         &batch},
        {"rounds", "N", "places that the disc takes in turn (default 1)", &rounds},
        {"told", NULL, "objects weigh what they have to do in a round, by their areas", &told},
        {"gathered", NULL, "all objects are on rank 0 at first", &gathered},
        {"phases", NULL, "cuts wait for the next phase: always the same mesh", &phases},
        {"weights", "FILE", "write what objects have come to: object,points,busy_s", &weights},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("pcdt", 8000, 1000000, own, arguments, argument)};

    if (job.app.trace_file != NULL) {
        app_refuse(&job.app, "trace", job.app.trace_file, "written of objects");
    }
    squares_read(&job.squares, &job.app, across, batch);
    job.rounds = app_number(&job.app, "rounds", rounds, 1, 1000000);
    job.told = told != NULL;
    job.phases = phases != NULL;
    job.gathered = gathered != NULL;
    job.weights_file = weights;
    make_objects(&job);

    app_start(&job.app);
    bool finished = run(&job);
    app_stop_objects(&job.app, job.objects);

    bool same = !job.app.verify || is_right(&job, finished);
    if (job.weights_file != NULL) {
        write_weights(&job);
    }
    app_check(keel_mpi_objects_destroy(&job.objects));
    return app_end(&job.app, same);
}
