/* Parallel Delaunay refinement: tasks whose costs have a heavy tail, and which talk (PCDT, Barker &
 * others: the mesh refinement of PAPERS.md R7). The plane is cut into squares, which are rows; a
 * square's mesh is its item. One small disc is to be meshed much finer than the rest.
 *
 *   cuts from neighbours -> each own mesh refines itself -> hook -> cuts of borders go to the ranks
 *   that have the meshes beyond -> ... until no mesh has anything to do
 *
 * A mesh adds at most --batch points in a phase, so that there are many. Result: the same mesh as
 * the serial program's, which fills the plane and has the same points on both sides of every
 * border. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/apps/mesh.h"
#include "bench/apps/route.h"

/* The disc, in parts of the plane's side. */
#define DISC_X 0.35
#define DISC_Y 0.6
#define DISC_RADIUS 0.1
#define SLOPE 0.1

#define GIVEN_POINTS 3 /* of each square, anywhere in it but near its border */
#define MARGIN 0.05

/* A border was cut: mesh `to` is to know. Number: one of the phase and of `from`. */
struct cut {
    int32_t to, from, number;
    struct mesh_point at;
};

struct job {
    struct app app;
    int across; /* squares in a row, and rows of squares */
    int batch;
    struct mesh_goal goal;
    struct keel_mpi_rows *rows;
    struct mesh *mesh;
    struct cut *cut; /* to be applied in the next phase, sorted */
    int cuts;
};

/* --- squares --- */

/* Given points of a square are those of the seed, on any rank. */
static void make_square(struct job *job, int square)
{
    int32_t side = MESH_COORDINATE_MAX / job->across;
    struct mesh_point low = {square % job->across * side, square / job->across * side};

    mesh_make(&job->mesh[square], low, side);
    for (uint64_t p = 0; p < GIVEN_POINTS; p++) {
        uint64_t draw = 2 * ((uint64_t)square * GIVEN_POINTS + p);
        double x = MARGIN + (1 - 2 * MARGIN) * app_uniform(job->app.seed, draw);
        double y = MARGIN + (1 - 2 * MARGIN) * app_uniform(job->app.seed, draw + 1);
        mesh_add(&job->mesh[square],
                 (struct mesh_point){low.x + (int32_t)(x * side), low.y + (int32_t)(y * side)});
    }
}

static void free_squares(struct job *job)
{
    for (int square = 0; square < job->across * job->across; square++) {
        mesh_free(&job->mesh[square]);
    }
    free(job->mesh);
    free(job->cut);
}

/* --- what Keel moves --- */

static size_t item_size(void *context, uint64_t row)
{
    return mesh_size(&((struct job *)context)->mesh[row]);
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    mesh_pack(&((struct job *)context)->mesh[row], buffer);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    (void)size;
    return !mesh_unpack(&((struct job *)context)->mesh[row], buffer);
}

static void item_drop(void *context, uint64_t row)
{
    mesh_free(&((struct job *)context)->mesh[row]);
}

/* --- cuts --- */

static int compare_cuts(const void *a, const void *b)
{
    const struct cut *one = a, *other = b;

    if (one->to != other->to) {
        return one->to < other->to ? -1 : 1;
    }
    if (one->from != other->from) {
        return one->from < other->from ? -1 : 1;
    }
    return (one->number > other->number) - (one->number < other->number);
}

/* The square beyond the border that `at` lies on; -1: none. */
static int beyond(const struct job *job, int square, struct mesh_point at)
{
    const struct mesh *mesh = &job->mesh[square];
    int x = square % job->across, y = square / job->across;

    x += at.x == mesh->low.x ? -1 : at.x == mesh->low.x + mesh->side ? 1 : 0;
    y += at.y == mesh->low.y ? -1 : at.y == mesh->low.y + mesh->side ? 1 : 0;
    return x < 0 || y < 0 || x == job->across || y == job->across ? -1 : y * job->across + x;
}

/* Appends what a mesh has to tell to *count cuts. */
static void take_told(struct job *job, int square, struct cut *cut, int *count)
{
    struct mesh *mesh = &job->mesh[square];

    for (int p = 0; p < mesh->told_points; p++) {
        int to = beyond(job, square, mesh->told[p]);
        if (to >= 0) {
            cut[(*count)++] = (struct cut){to, square, p, mesh->told[p]};
        }
    }
    mesh->told_points = 0;
}

/* The first cut for a square. */
static int first_cut(const struct job *job, int square)
{
    int low = 0, high = job->cuts;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (job->cut[middle].to < square) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Those of the phase are to be applied in the next one, in an order that tells nothing of ranks. */
static void set_cuts(struct job *job, struct cut *cut, int count)
{
    qsort(cut, (size_t)count, sizeof *cut, compare_cuts);
    free(job->cut);
    job->cut = cut;
    job->cuts = count;
}

/* --- a phase --- */

static void refine_square(struct job *job, int square)
{
    for (int c = first_cut(job, square); c < job->cuts && job->cut[c].to == square; c++) {
        mesh_add(&job->mesh[square], job->cut[c].at);
    }
    mesh_refine(&job->mesh[square], &job->goal, job->batch);
}

/* What the next phase may have to do for a square, in triangles: those that it has to look at. */
static double weight_of(const struct job *job, int square)
{
    int unfinished = mesh_unfinished(&job->mesh[square]);

    return 1 + (unfinished < job->batch ? unfinished : job->batch);
}

static void weigh(struct job *job, const uint64_t *row, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        double weight = weight_of(job, (int)row[i]);
        app_check(keel_mpi_rows_weigh(job->rows, row[i], row[i] + 1, &weight));
    }
}

/* All that own meshes have to tell, and how many triangles they have not looked at. */
static struct cut *take_all_told(struct job *job, const uint64_t *row, uint64_t rows, int *count,
                                 int64_t *unfinished)
{
    uint64_t told = 0;

    *count = 0;
    *unfinished = 0;
    for (uint64_t i = 0; i < rows; i++) {
        told += (uint64_t)job->mesh[row[i]].told_points;
        *unfinished += mesh_unfinished(&job->mesh[row[i]]);
    }
    struct cut *cut = app_room(told, sizeof *cut);
    for (uint64_t i = 0; i < rows; i++) {
        take_told(job, (int)row[i], cut, count);
    }
    return cut;
}

/* Cuts go to the ranks that have the meshes now. */
static void send_cuts(struct job *job, struct cut *cut, int count)
{
    int *to = app_room((uint64_t)count, sizeof *to);
    struct cut *arrived;

    for (int c = 0; c < count; c++) {
        app_check(keel_mpi_rows_owner(job->rows, (uint64_t)cut[c].to, &to[c]));
    }
    count = route(MPI_COMM_WORLD, cut, count, sizeof *cut, to, (void **)&arrived);
    set_cuts(job, arrived, count);
    free(cut);
    free(to);
}

/* False: nobody has anything to do after this phase. */
static bool phase(struct job *job, bool told)
{
    const uint64_t *row;
    uint64_t rows;
    int64_t left;
    int count;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
#pragma omp parallel for schedule(runtime)
    for (uint64_t i = 0; i < rows; i++) {
        refine_square(job, (int)row[i]);
    }
    if (told) {
        weigh(job, row, rows);
    }
    struct cut *cut = take_all_told(job, row, rows, &count, &left);
    app_check(keel_mpi_rows_balance(job->rows, NULL));
    app_note(&job->app, job->rows);
    left += count;
    send_cuts(job, cut, count);
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return left > 0;
}

/* --- the serial program --- */

static bool phase_alone(struct job *job, const uint64_t *all)
{
    uint64_t rows = (uint64_t)job->across * (uint64_t)job->across;
    int64_t left;
    int count;

    for (uint64_t square = 0; square < rows; square++) {
        refine_square(job, (int)square);
    }
    struct cut *cut = take_all_told(job, all, rows, &count, &left);
    set_cuts(job, cut, count);
    return left + count > 0;
}

static struct mesh_summary run_alone(const struct job *job)
{
    uint64_t squares = (uint64_t)job->across * (uint64_t)job->across, step = 0;
    uint64_t *all = app_room(squares, sizeof *all);
    struct mesh_summary summary = {0};
    struct job alone = {
        .app = job->app, .across = job->across, .batch = job->batch, .goal = job->goal};

    alone.mesh = app_room(squares, sizeof *alone.mesh);
    for (uint64_t square = 0; square < squares; square++) {
        all[square] = square;
        make_square(&alone, (int)square);
    }
    while (step++ < job->app.steps && phase_alone(&alone, all)) {
    }
    for (uint64_t square = 0; square < squares; square++) {
        mesh_add_to(&summary, &alone.mesh[square], MESH_COORDINATE_MAX);
    }
    free_squares(&alone);
    free(all);
    return summary;
}

/* Of the meshes of all ranks. */
static struct mesh_summary summarise(struct job *job)
{
    struct mesh_summary summary = {0};
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        mesh_add_to(&summary, &job->mesh[row[i]], MESH_COORDINATE_MAX);
    }
    MPI_Allreduce(MPI_IN_PLACE, &summary, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return summary;
}

/* Rank 0 compares with what it makes alone, and looks whether the plane is filled and, if there was
 * nothing left to do, whether meshes meet at their borders. Collective. */
static bool same_as_alone(struct job *job, bool finished)
{
    struct mesh_summary summary = summarise(job), alone;
    uint64_t side = MESH_COORDINATE_MAX;

    if (job->app.rank != 0) {
        return true;
    }
    alone = run_alone(job);
    return memcmp(&summary, &alone, sizeof alone) == 0 && summary.area == 2 * side * side &&
           (summary.open == 0 || !finished);
}

/* --- the program --- */

static void make_own_squares(struct job *job)
{
    const uint64_t *row;
    uint64_t rows;

    job->mesh = app_room((uint64_t)job->across * (uint64_t)job->across, sizeof *job->mesh);
    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        make_square(job, (int)row[i]);
    }
}

/* A power of 2. */
static int read_across(const struct app *app, const char *text)
{
    int across = (int)app_number(app, "across", text, 1, 1024);

    if ((across & (across - 1)) != 0) {
        app_refuse(app, "across", text, "a power of 2");
    }
    return across;
}

static struct mesh_goal goal_of(const struct app *app)
{
    double side = MESH_COORDINATE_MAX;

    return (struct mesh_goal){.x = DISC_X * side,
                              .y = DISC_Y * side,
                              .radius = DISC_RADIUS * side,
                              .least = side / (double)app->size,
                              .slope = SLOPE};
}

int main(int arguments, char **argument)
{
    const char *across = "32", *batch = "100", *told = NULL, *adjacent = NULL;
    const struct app_option own[] = {
        {"across", "N", "rows are N x N squares, N a power of 2 (default 32)", &across},
        {"batch", "N", "points that a square adds in a phase, at most (default 100)", &batch},
        {"told", NULL, "rows weigh what they have to look at in the next phase", &told},
        {"adjacent", NULL, "squares move between neighbouring ranks only", &adjacent},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("refine", 8000, 1000000, own, arguments, argument)};
    struct keel_mpi_rows_items items = {sizeof items, &job,        item_size,
                                        item_pack,    item_unpack, item_drop};
    uint64_t step = 0;
    bool more = true;

    job.across = read_across(&job.app, across);
    job.batch = (int)app_number(&job.app, "batch", batch, 1, 1000000000);
    job.goal = goal_of(&job.app);
    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, (uint64_t)job.across * (uint64_t)job.across,
                                   adjacent == NULL ? KEEL_MPI_ANY : KEEL_MPI_ADJACENT, &job.rows));
    make_own_squares(&job);
    app_check(keel_mpi_rows_items(job.rows, &items));

    app_start(&job.app);
    while (more && step++ < job.app.steps) {
        more = phase(&job, told != NULL);
    }
    app_stop(&job.app, job.rows);

    bool same = !job.app.verify || same_as_alone(&job, !more);
    free_squares(&job);
    app_check(keel_mpi_rows_free(&job.rows));
    return app_end(&job.app, same);
}
