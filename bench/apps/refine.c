/* Parallel Delaunay refinement on rows: tasks whose costs have a heavy tail, and which talk (PCDT,
 * Barker & others: the mesh refinement of PAPERS.md R7). The squares of squares.h are rows; a
 * square's mesh is its item. The same with objects that exchange messages: pcdt.c.
 *
 *   cuts from neighbours -> each own mesh refines itself -> hook -> cuts of borders go to the ranks
 *   that have the meshes beyond -> ... until no mesh has anything to do
 *
 * Result: the same mesh as the serial program's, which fills the plane and has the same points on
 * both sides of every border. */
#include <stdlib.h>
#include <string.h>

#include "bench/apps/app.h"
#include "bench/apps/route.h"
#include "bench/apps/squares.h"

struct job {
    struct app app;
    struct squares squares;
    uint64_t rounds;
    struct keel_mpi_rows *rows;
};

/* --- what Keel moves --- */

static struct mesh *mesh_of(void *context, uint64_t row)
{
    return &((struct job *)context)->squares.mesh[row];
}

static size_t item_size(void *context, uint64_t row)
{
    return mesh_size(mesh_of(context, row));
}

static int item_pack(void *context, uint64_t row, void *buffer)
{
    mesh_pack(mesh_of(context, row), buffer);
    return 0;
}

static int item_unpack(void *context, uint64_t row, const void *buffer, size_t size)
{
    (void)size;
    return !mesh_unpack(mesh_of(context, row), buffer);
}

static void item_drop(void *context, uint64_t row)
{
    mesh_free(mesh_of(context, row));
}

/* --- a phase --- */

/* What the next phase may have to do for a square, in triangles: those that it has to look at. */
static double weight_of(const struct job *job, uint64_t square)
{
    int unfinished = mesh_unfinished(&job->squares.mesh[square]), batch = job->squares.batch;

    return 1 + (unfinished < batch ? unfinished : batch);
}

static void weigh(struct job *job, const uint64_t *row, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++) {
        double weight = weight_of(job, row[i]);
        app_check(keel_mpi_rows_weigh(job->rows, row[i], row[i] + 1, &weight));
    }
}

/* Cuts go to the ranks that have the meshes now. */
static void send_cuts(struct job *job, struct squares_cut *cut, int count)
{
    int *to = app_room((uint64_t)count, sizeof *to);
    struct squares_cut *arrived;

    for (int c = 0; c < count; c++) {
        app_check(keel_mpi_rows_owner(job->rows, (uint64_t)cut[c].to, &to[c]));
    }
    count = route(MPI_COMM_WORLD, cut, count, sizeof *cut, to, (void **)&arrived);
    squares_set_cuts(&job->squares, arrived, count);
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
        squares_refine(&job->squares, (int)row[i]);
    }
    if (told) {
        weigh(job, row, rows);
    }
    struct squares_cut *cut = squares_take_all_told(&job->squares, row, rows, &count, &left);
    app_check(keel_mpi_rows_balance(job->rows, NULL));
    app_note(&job->app, job->rows);
    left += count;
    send_cuts(job, cut, count);
    MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return left > 0;
}

static void begin_round(struct job *job, uint64_t round)
{
    const uint64_t *row;
    uint64_t rows;

    squares_set_goal(&job->squares, round);
    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        mesh_restart(&job->squares.mesh[row[i]]);
    }
}

/* False: it was to stop before its end. */
static bool run(struct job *job, bool told)
{
    uint64_t step = 0;
    bool more = false;

    for (uint64_t round = 0; round < job->rounds && !more; round++) {
        begin_round(job, round);
        more = true;
        while (more && step++ < job->app.steps) {
            more = phase(job, told);
        }
    }
    return !more;
}

/* --- the result --- */

/* Of the meshes of all ranks. */
static struct mesh_summary summarise(struct job *job)
{
    struct mesh_summary summary = {0};
    const uint64_t *row;
    uint64_t rows;

    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        mesh_add_to(&summary, &job->squares.mesh[row[i]], GEOMETRY_MAX);
    }
    MPI_Allreduce(MPI_IN_PLACE, &summary, 4, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return summary;
}

/* Rank 0 compares with what it makes alone, and looks whether the plane is filled and, if there was
 * nothing left to do, whether meshes meet at their borders. Collective. */
static bool same_as_alone(struct job *job, bool finished)
{
    struct mesh_summary summary = summarise(job), alone;
    uint64_t side = GEOMETRY_MAX;

    if (job->app.rank != 0) {
        return true;
    }
    alone = squares_run_alone(&job->squares, job->rounds, job->app.steps);
    return memcmp(&summary, &alone, sizeof alone) == 0 && summary.area == 2 * side * side &&
           (summary.open == 0 || !finished);
}

/* --- the program --- */

static void make_own_squares(struct job *job)
{
    const uint64_t *row;
    uint64_t rows;

    job->squares.mesh = app_room((uint64_t)squares_count(&job->squares), sizeof *job->squares.mesh);
    app_check(keel_mpi_rows_list(job->rows, &row, &rows));
    for (uint64_t i = 0; i < rows; i++) {
        squares_make(&job->squares, (int)row[i], &job->squares.mesh[row[i]]);
    }
}

int main(int arguments, char **argument)
{
    const char *across = "32", *batch = "100", *rounds = "1", *told = NULL, *adjacent = NULL;
    const struct app_option own[] = {
        {"across", "N", "rows are N x N squares, N a power of 2 (default 32)", &across},
        {"batch", "N", "points that a square adds in a phase, at most (default 100)", &batch},
        {"rounds", "N", "places that the disc takes in turn (default 1)", &rounds},
        {"told", NULL, "rows weigh what they have to look at in the next phase", &told},
        {"adjacent", NULL, "squares move between neighbouring ranks only", &adjacent},
        {NULL, NULL, NULL, NULL},
    };
    struct job job = {.app = app_begin("refine", 8000, 1000000, own, arguments, argument)};
    struct keel_mpi_rows_items items = {sizeof items, &job,        item_size,
                                        item_pack,    item_unpack, item_drop};

    squares_read(&job.squares, &job.app, across, batch);
    job.rounds = app_number(&job.app, "rounds", rounds, 1, 1000000);
    app_check(keel_mpi_rows_create(MPI_COMM_WORLD, (uint64_t)squares_count(&job.squares),
                                   adjacent == NULL ? KEEL_MPI_ANY : KEEL_MPI_ADJACENT, &job.rows));
    make_own_squares(&job);
    app_check(keel_mpi_rows_items(job.rows, &items));

    app_start(&job.app);
    bool finished = run(&job, told != NULL);
    app_stop(&job.app, job.rows);

    bool same = !job.app.verify || same_as_alone(&job, finished);
    squares_free(&job.squares);
    app_check(keel_mpi_rows_free(&job.rows));
    return app_end(&job.app, same);
}
