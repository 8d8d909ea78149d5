/* A cluster of stars (Franklin & Govindan 1995: PAPERS.md F7): the plane is cut into
 * regions, which are rows, and the particles of a region are its item.
 *
 *   all places -> tree -> pulls on own particles -> hook -> half a kick, drift -> particles that
 *   have left their region go to the rank of the new one -> all places ...
 *
 * Regions are pieces of a Hilbert curve with as many particles each at first, so that neighbouring
 * rows are neighbours in the plane. A region weighs what its particles have looked at in the tree.
 * Result: every particle is, to the last bit, where the serial program has it. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/apps/cluster.h"
#include "bench/apps/curve.h"
#include "bench/apps/route.h"

#define TIME 0.02         /* of a step; a star near the middle goes round in 6.3 */
#define CURVE_ORDER 16    /* the curve passes 2^16 x 2^16 squares */
#define CURVE_RADIUS 12.0 /* of these; what is outside counts as on their edge */

struct region {
    struct particle *particle; /* in any order */
    int count, room;
};

struct job {
    struct app app;
    int particles, regions;
    double opening;
    struct keel_mpi_rows *rows;
    struct region *region;
    uint32_t *cut; /* region r is the curve from cut[r] to before cut[r + 1] */
    struct tree tree;
};

/* --- regions --- */

static uint32_t square_of(double at)
{
    double squares = 1u << CURVE_ORDER, place = (at / CURVE_RADIUS + 1) / 2 * squares;

    return (uint32_t)(place < 0 ? 0 : place < squares ? place : squares - 1);
}

static uint32_t key_of(const struct particle *particle)
{
    return curve_to(CURVE_ORDER, square_of(particle->at[0]), square_of(particle->at[1]));
}

/* The region that a particle belongs to now. */
static int region_of(const struct job *job, const struct particle *particle)
{
    uint32_t key = key_of(particle);
    int low = 0, high = job->regions;

    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        *(job->cut[middle] <= key ? &low : &high) = middle;
    }
    return low;
}

static int compare_keys(const void *a, const void *b)
{
    uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

    return (one > other) - (one < other);
}

static void cut_curve(struct job *job, const struct particle *particle)
{
    uint32_t *key = app_room((uint64_t)job->particles, sizeof *key);

    for (int p = 0; p < job->particles; p++) {
        key[p] = key_of(&particle[p]);
    }
    qsort(key, (size_t)job->particles, sizeof *key, compare_keys);
    for (int r = 1; r < job->regions && job->particles > 0; r++) {
        job->cut[r] = key[(int64_t)job->particles * r / job->regions];
    }
    free(key);
}

static bool region_hold(struct region *region, int count)
{
    if (count > region->room) {
        int room = count > 2 * region->room ? count : 2 * region->room;
        struct particle *more = realloc(region->particle, (size_t)room * sizeof *more);
        if (more == NULL) {
            return false;
        }
        region->particle = more;
        region->room = room;
    }
    return true;
}

static void region_add(struct region *region, const struct particle *particle)
{
    if (!region_hold(region, region->count + 1)) {
        app_check(KEEL_MPI_NO_ROOM);
    }
    region->particle[region->count++] = *particle;
}

/* --- what Keel moves --- */

static size_t item_size(void *context, uint64_t row)
{
    const struct job *job = context;

    return (size_t)job->region[row].count * sizeof(struct particle);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    const struct region *region = &((struct job *)context)->region[row];

    if (region->count > 0) {
        memcpy(buffer, region->particle, (size_t)region->count * sizeof *region->particle);
    }
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    struct region *region = &((struct job *)context)->region[row];
    int count = (int)(size / sizeof *region->particle);

    if (!region_hold(region, count)) {
        return 1;
    }
    if (count > 0) {
        memcpy(region->particle, buffer, size);
    }
    region->count = count;
    return 0;
}

static void item_drop(void *context, uint64_t row)
{
    struct region *region = &((struct job *)context)->region[row];

    free(region->particle);
    *region = (struct region){0};
}

/* --- a step --- */

/* Copies the own particles into one array. */
static struct particle *own_particles(struct job *job, int *count)
{
    struct particle *own;
    const uint64_t *row;
    uint64_t rows;

    *count = 0;
    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        *count += job->region[row[i]].count;
    }
    own = app_room((uint64_t)*count, sizeof *own);
    *count = 0;
    for (uint64_t i = 0; i < rows; i++) {
        const struct region *region = &job->region[row[i]];
        if (region->count > 0) {
            memcpy(&own[*count], region->particle, (size_t)region->count * sizeof *own);
        }
        *count += region->count;
    }
    return own;
}

/* Every rank learns where all particles are, and builds the same tree of them. */
static void build_tree(struct job *job)
{
    struct place {
        int64_t number;
        double at[2];
    } * place, *all;
    int count;
    struct particle *own = own_particles(job, &count);

    place = app_room((uint64_t)count, sizeof *place);
    for (int p = 0; p < count; p++) {
        place[p] = (struct place){own[p].number, {own[p].at[0], own[p].at[1]}};
    }
    int known = route_to_all(MPI_COMM_WORLD, place, count, sizeof *place, (void **)&all);
    for (int p = 0; p < known; p++) {
        memcpy(job->tree.at[all[p].number], all[p].at, sizeof all[p].at);
    }
    tree_build(&job->tree);
    free(all);
    free(place);
    free(own);
}

static int64_t pull_region(const struct job *job, struct region *region, double time)
{
    int64_t looked_at = 0;

    for (int p = 0; p < region->count; p++) {
        looked_at += tree_pull(&job->tree, job->opening, &region->particle[p]);
        particle_kick(&region->particle[p], time);
    }
    return looked_at;
}

/* Pulls on own particles, and `time` of kicking by them. Weighs the regions. */
static void pull(struct job *job, double time)
{
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    double *weight = app_room(rows, sizeof *weight);
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < rows; i++) {
        weight[i] = (double)pull_region(job, &job->region[row[i]], time);
    }
    for (uint64_t i = 0; i < rows; i++) {
        app_check(keel_mpi_rows_weigh(job->rows, row[i], row[i] + 1, &weight[i]));
    }
    free(weight);
}

static void drift(struct job *job)
{
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < rows; i++) {
        struct region *region = &job->region[row[i]];
        for (int p = 0; p < region->count; p++) {
            particle_kick(&region->particle[p], TIME / 2);
            particle_drift(&region->particle[p], TIME);
        }
    }
}

/* Takes those that have left a region out of it, behind the `count` that are in `leaving`. */
static int take_out(struct job *job, int row, struct particle *leaving, int count)
{
    struct region *region = &job->region[row];

    for (int p = 0; p < region->count;) {
        if (region_of(job, &region->particle[p]) == row) {
            p++;
        } else {
            leaving[count++] = region->particle[p];
            region->particle[p] = region->particle[--region->count];
        }
    }
    return count;
}

/* Particles that have left their region go to the rank that has the new one. */
static void change_regions(struct job *job)
{
    struct particle *leaving = app_room((uint64_t)job->particles, sizeof *leaving), *arrived;
    int *to = app_room((uint64_t)job->particles, sizeof *to), count = 0;
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        count = take_out(job, (int)row[i], leaving, count);
    }
    for (int p = 0; p < count; p++) {
        uint64_t home = (uint64_t)region_of(job, &leaving[p]);
        app_check(keel_mpi_rows_owner(job->rows, home, &to[p]));
    }
    count = route(MPI_COMM_WORLD, leaving, count, sizeof *leaving, to, (void **)&arrived);
    for (int p = 0; p < count; p++) {
        region_add(&job->region[region_of(job, &arrived[p])], &arrived[p]);
    }
    free(arrived);
    free(to);
    free(leaving);
}

static void run(struct job *job)
{
    build_tree(job);
    pull(job, 0);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        drift(job);
        change_regions(job);
        build_tree(job);
        pull(job, TIME / 2);
        app_check(keel_mpi_rows_balance(job->rows, NULL));
        app_note(&job->app, job->rows);
    }
}

/* --- the serial program --- */

static void pull_alone(struct job *job, struct particle *particle, double time)
{
    for (int p = 0; p < job->particles; p++) {
        memcpy(job->tree.at[p], particle[p].at, sizeof particle[p].at);
    }
    tree_build(&job->tree);
    for (int p = 0; p < job->particles; p++) {
        tree_pull(&job->tree, job->opening, &particle[p]);
        particle_kick(&particle[p], time);
    }
}

static void run_alone(struct job *job, struct particle *particle)
{
    cluster_make(particle, job->particles, job->app.seed);
    pull_alone(job, particle, 0);
    for (uint64_t step = 0; step < job->app.steps; step++) {
        for (int p = 0; p < job->particles; p++) {
            particle_kick(&particle[p], TIME / 2);
            particle_drift(&particle[p], TIME);
        }
        pull_alone(job, particle, TIME / 2);
    }
}

/* Particles of all ranks that lie outside of the region that has them. Collective. */
static int count_strays(const struct job *job)
{
    const uint64_t *row;
    uint64_t rows;
    int strays = 0;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        const struct region *region = &job->region[row[i]];
        for (int p = 0; p < region->count; p++) {
            strays += region_of(job, &region->particle[p]) != (int)row[i];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &strays, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return strays;
}

/* Rank 0 compares every particle with what it computes alone. Collective. */
static bool same_as_alone(struct job *job)
{
    int count, wrong = count_strays(job);
    struct particle *own = own_particles(job, &count), *all;

    count = route_to_all(MPI_COMM_WORLD, own, count, sizeof *own, (void **)&all);
    if (job->app.rank == 0) {
        struct particle *alone = app_room((uint64_t)job->particles, sizeof *alone);
        run_alone(job, alone);
        for (int p = 0; p < count; p++) {
            wrong += memcmp(&all[p], &alone[all[p].number], sizeof *all) != 0;
        }
        free(alone);
    }
    free(all);
    free(own);
    return count == job->particles && wrong == 0;
}

/* --- the program --- */

/* Every rank makes all particles, and keeps those in its own regions. */
static void make_regions(struct job *job)
{
    struct particle *particle = app_room((uint64_t)job->particles, sizeof *particle);
    int owner;

    job->region = app_room((uint64_t)job->regions, sizeof *job->region);
    job->cut = app_room((uint64_t)job->regions, sizeof *job->cut);
    cluster_make(particle, job->particles, job->app.seed);
    cut_curve(job, particle);
    for (int p = 0; p < job->particles; p++) {
        int row = region_of(job, &particle[p]);
        app_check(keel_mpi_rows_owner(job->rows, (uint64_t)row, &owner));
        if (owner == job->app.rank) {
            region_add(&job->region[row], &particle[p]);
        }
    }
    free(particle);
}

static void free_regions(struct job *job)
{
    for (int row = 0; row < job->regions; row++) {
        item_drop(job, (uint64_t)row);
    }
    free(job->region);
    free(job->cut);
}

static double read_opening(const struct app *app, const char *text)
{
    char *end;
    double opening = strtod(text, &end);

    if (end == text || *end != 0 || !(opening >= 0 && opening <= 0.7)) {
        app_refuse(app, "opening", text, "a number from 0 to 0.7");
    }
    return opening;
}

int main(int arguments, char **argument)
{
    const char *regions = "64", *opening = "0.5", *any = NULL;
    const struct app_option own[] = {
        {"regions", "N", "rows (default 64)", &regions},
        {"opening", "X", "size / distance of cells that count as one body (default 0.5)", &opening},
        {"any", NULL, "regions go to any rank, instead of between neighbours", &any},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("nbody", 1024, 100, own, arguments, argument)};
    struct keel_mpi_rows_items items = {sizeof items, &job,        item_size,
                                        item_pack,    item_unpack, item_drop};

    job.particles = (int)job.app.size;
    job.regions = (int)app_number(&job.app, "regions", regions, 1, 1000000);
    job.opening = read_opening(&job.app, opening);
    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, (uint64_t)job.regions,
                                   any == NULL ? KEEL_MPI_ADJACENT : KEEL_MPI_ANY, &job.rows));
    make_regions(&job);
    app_check(keel_mpi_rows_items(job.rows, &items));
    tree_open(&job.tree, job.particles);

    app_start(&job.app);
    run(&job);
    app_stop(&job.app, job.rows);

    bool same = !job.app.verify || same_as_alone(&job);
    tree_close(&job.tree);
    free_regions(&job);
    app_check(keel_mpi_rows_free(&job.rows));
    return app_end(&job.app, same);
}
