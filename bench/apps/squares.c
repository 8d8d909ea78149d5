#include "bench/apps/squares.h"

#include <stdlib.h>

/* The disc, in hundredths of the plane's side. */
#define DISC_X 35
#define DISC_Y 60
#define DISC_RADIUS 10
#define SLOPE 0.1

/* How far it goes from round to round, between DISC_LEAST and 100 - DISC_LEAST. */
#define DISC_STEP_X 17
#define DISC_STEP_Y 11
#define DISC_LEAST 12

#define GIVEN_POINTS 3 /* of each square, anywhere in it but near its border */
#define MARGIN 0.05

/* --- the plane --- */

void squares_read(struct squares *squares, const struct app *app, const char *across,
                  const char *batch)
{
    int number = (int)app_number(app, "across", across, 1, 1024);

    if ((number & (number - 1)) != 0) {
        app_refuse(app, "across", across, "a power of 2");
    }
    *squares = (struct squares){.across = number,
                                .batch = (int)app_number(app, "batch", batch, 1, 1000000000),
                                .seed = app->seed,
                                .size = app->size};
}

void squares_make(const struct squares *squares, int square, struct mesh *mesh)
{
    int32_t side = GEOMETRY_MAX / squares->across;
    struct mesh_point low = {square % squares->across * side, square / squares->across * side};

    mesh_make(mesh, low, side);
    for (uint64_t p = 0; p < GIVEN_POINTS; p++) {
        uint64_t draw = 2 * ((uint64_t)square * GIVEN_POINTS + p);
        double x = MARGIN + (1 - 2 * MARGIN) * app_uniform(squares->seed, draw);
        double y = MARGIN + (1 - 2 * MARGIN) * app_uniform(squares->seed, draw + 1);
        mesh_add(mesh,
                 (struct mesh_point){low.x + (int32_t)(x * side), low.y + (int32_t)(y * side)});
    }
}

void squares_free(struct squares *squares)
{
    for (int square = 0; square < squares_count(squares); square++) {
        mesh_free(&squares->mesh[square]);
    }
    free(squares->mesh);
    free(squares->cut);
}

/* Where it is after `steps` of `step`, to and fro. */
static int to_and_fro(int from, uint64_t steps, int step)
{
    int way = 100 - 2 * DISC_LEAST;
    int gone =
        (int)(((uint64_t)(from - DISC_LEAST) + steps * (uint64_t)step) % (2 * (uint64_t)way));

    return DISC_LEAST + (gone < way ? gone : 2 * way - gone);
}

void squares_set_goal(struct squares *squares, uint64_t round)
{
    double side = GEOMETRY_MAX;

    squares->goal = (struct mesh_goal){.x = to_and_fro(DISC_X, round, DISC_STEP_X) / 100.0 * side,
                                       .y = to_and_fro(DISC_Y, round, DISC_STEP_Y) / 100.0 * side,
                                       .radius = DISC_RADIUS / 100.0 * side,
                                       .least = side / (double)squares->size,
                                       .slope = SLOPE};
}

int squares_beyond(const struct squares *squares, int square, const struct mesh *mesh,
                   struct mesh_point at)
{
    int across = squares->across, x = square % across, y = square / across;

    x += at.x == mesh->low.x ? -1 : at.x == mesh->low.x + mesh->side ? 1 : 0;
    y += at.y == mesh->low.y ? -1 : at.y == mesh->low.y + mesh->side ? 1 : 0;
    return x < 0 || y < 0 || x == across || y == across ? -1 : y * across + x;
}

/* --- cuts --- */

int squares_compare_cuts(const void *a, const void *b)
{
    const struct squares_cut *one = a, *other = b;

    if (one->to != other->to) {
        return one->to < other->to ? -1 : 1;
    }
    if (one->from != other->from) {
        return one->from < other->from ? -1 : 1;
    }
    return (one->number > other->number) - (one->number < other->number);
}

void squares_take_told(const struct squares *squares, int square, struct mesh *mesh,
                       struct squares_cut *cut, int *count)
{
    for (int p = 0; p < mesh->told_points; p++) {
        int to = squares_beyond(squares, square, mesh, mesh->told[p]);
        if (to >= 0) {
            cut[(*count)++] = (struct squares_cut){to, square, p, mesh->told[p]};
        }
    }
    mesh->told_points = 0;
}

/* The first cut for a square. */
static int first_cut(const struct squares *squares, int square)
{
    int low = 0, high = squares->cuts;

    while (low < high) {
        int middle = low + (high - low) / 2;
        if (squares->cut[middle].to < square) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void squares_set_cuts(struct squares *squares, struct squares_cut *cut, int count)
{
    qsort(cut, (size_t)count, sizeof *cut, squares_compare_cuts);
    free(squares->cut);
    squares->cut = cut;
    squares->cuts = count;
}

/* --- a phase --- */

void squares_refine(struct squares *squares, int square)
{
    struct mesh *mesh = &squares->mesh[square];

    for (int c = first_cut(squares, square); c < squares->cuts && squares->cut[c].to == square;
         c++) {
        mesh_add(mesh, squares->cut[c].at);
    }
    mesh_refine(mesh, &squares->goal, squares->batch);
}

struct squares_cut *squares_take_all_told(struct squares *squares, const uint64_t *square,
                                          uint64_t count, int *cuts, int64_t *unfinished)
{
    uint64_t told = 0;

    *cuts = 0;
    *unfinished = 0;
    for (uint64_t i = 0; i < count; i++) {
        told += (uint64_t)squares->mesh[square[i]].told_points;
        *unfinished += mesh_unfinished(&squares->mesh[square[i]]);
    }
    struct squares_cut *cut = app_room(told, sizeof *cut);
    for (uint64_t i = 0; i < count; i++) {
        squares_take_told(squares, (int)square[i], &squares->mesh[square[i]], cut, cuts);
    }
    return cut;
}

/* --- the serial program --- */

/* False: nobody has anything to do after this phase. */
static bool phase_alone(struct squares *squares, const uint64_t *all)
{
    int64_t left;
    int cuts;

    for (int square = 0; square < squares_count(squares); square++) {
        squares_refine(squares, square);
    }
    struct squares_cut *cut =
        squares_take_all_told(squares, all, (uint64_t)squares_count(squares), &cuts, &left);
    squares_set_cuts(squares, cut, cuts);
    return left + cuts > 0;
}

static void round_alone(struct squares *squares, uint64_t round, const uint64_t *all,
                        uint64_t *steps)
{
    bool more = true;

    squares_set_goal(squares, round);
    for (int square = 0; square < squares_count(squares); square++) {
        mesh_restart(&squares->mesh[square]);
    }
    for (; more && *steps > 0; --*steps) {
        more = phase_alone(squares, all);
    }
}

struct mesh_summary squares_run_alone(const struct squares *like, uint64_t rounds, uint64_t steps)
{
    int count = squares_count(like);
    uint64_t *all = app_room((uint64_t)count, sizeof *all);
    struct mesh_summary summary = {0};
    struct squares alone = *like;

    alone.cut = NULL;
    alone.cuts = 0;
    alone.mesh = app_room((uint64_t)count, sizeof *alone.mesh);
    for (int square = 0; square < count; square++) {
        all[square] = (uint64_t)square;
        squares_make(&alone, square, &alone.mesh[square]);
    }
    for (uint64_t round = 0; round < rounds && steps > 0; round++) {
        round_alone(&alone, round, all, &steps);
    }
    for (int square = 0; square < count; square++) {
        mesh_add_to(&summary, &alone.mesh[square], GEOMETRY_MAX);
    }
    squares_free(&alone);
    free(all);
    return summary;
}
