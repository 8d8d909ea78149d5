#include "bench/papers_dir/fg95/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- cells --- */

static int column_of(double place)
{
    double even = place / (1 + fabs(place)); /* -1 .. 1 */
    int column = (int)((even + 1) / 2 * PLANE_SIDE);

    return column < 0 ? 0 : column < PLANE_SIDE ? column : PLANE_SIDE - 1;
}

int plane_cell(const double at[2])
{
    return column_of(at[1]) * PLANE_SIDE + column_of(at[0]);
}

static uint32_t curve_of(int cell)
{
    return curve_to(PLANE_ORDER, (uint32_t)(cell % PLANE_SIDE), (uint32_t)(cell / PLANE_SIDE));
}

/* --- boxes --- */

/* A rectangle of cells, [from, to) in each direction, and the owners that share it. */
struct box {
    int from[2], to[2];
    int first, last; /* owners [first, last) */
    int axis;        /* that is cut next */
};

static struct box whole(const struct plane *plane)
{
    return (struct box){.to = {PLANE_SIDE, PLANE_SIDE}, .last = plane->owners};
}

/* The part of a box below (0) or above (1) a cut. */
static struct box half_of(const struct box *box, int cut, int upper)
{
    struct box half = *box;
    int middle = (box->first + box->last) / 2;

    half.axis = !box->axis;
    (upper ? half.from : half.to)[box->axis] = cut;
    *(upper ? &half.first : &half.last) = middle;
    return half;
}

/* Particles of a box in a line of cells across the axis. */
static int count_line(const struct box *box, const int *count, int line)
{
    int across = !box->axis, sum = 0;

    for (int i = box->from[across]; i < box->to[across]; i++) {
        sum += count[box->axis == 0 ? i * PLANE_SIDE + line : line * PLANE_SIDE + i];
    }
    return sum;
}

static double power_of(const double *power, int first, int last)
{
    double sum = 0;

    for (int i = first; i < last; i++) {
        sum += power[i];
    }
    return sum;
}

/* The place where a running sum comes nearest to `wanted`. */
static int cut_box(const struct box *box, const int *count, const double *power)
{
    int all = 0, below = 0, line = box->from[box->axis], last = box->to[box->axis];

    for (int i = line; i < last; i++) {
        all += count_line(box, count, i);
    }
    double wanted = all * power_of(power, box->first, (box->first + box->last) / 2) /
                    power_of(power, box->first, box->last);
    for (; line < last; line++) {
        int more = count_line(box, count, line);
        if (below + more / 2.0 > wanted) {
            break;
        }
        below += more;
    }
    return line;
}

static void cut_boxes(const struct box *box, const int *count, const double *power, int **cut)
{
    if (box->last - box->first < 2) {
        return;
    }
    int at = *(*cut)++ = cut_box(box, count, power);
    for (int upper = 0; upper < 2; upper++) {
        struct box half = half_of(box, at, upper);
        cut_boxes(&half, count, power, cut);
    }
}

static void paint_boxes(struct plane *plane, const struct box *box, const int **cut)
{
    if (box->last - box->first < 2) {
        for (int y = box->from[1]; y < box->to[1] && box->to[0] > box->from[0]; y++) {
            memset(&plane->owner[y * PLANE_SIDE + box->from[0]], box->first,
                   (size_t)(box->to[0] - box->from[0]));
        }
        return;
    }
    int at = *(*cut)++;
    for (int upper = 0; upper < 2; upper++) {
        struct box half = half_of(box, at, upper);
        paint_boxes(plane, &half, cut);
    }
}

/* --- the curve --- */

static void cut_curve(const struct plane *plane, const int *count, const double *power, int *cut)
{
    int *along = calloc(PLANE_CELLS, sizeof *along), all = 0, place = 0, below = 0;

    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        along[curve_of(cell)] = count[cell];
        all += count[cell];
    }
    for (int i = 1; i < plane->owners; i++) {
        double wanted = all * power_of(power, 0, i) / power_of(power, 0, plane->owners);
        while (place < PLANE_CELLS && below + along[place] / 2.0 <= wanted) {
            below += along[place++];
        }
        cut[i - 1] = place;
    }
    free(along);
}

static void paint_curve(struct plane *plane, const int *cut)
{
    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        int owner = 0, place = (int)curve_of(cell);
        while (owner < plane->owners - 1 && cut[owner] <= place) {
            owner++;
        }
        plane->owner[cell] = (uint8_t)owner;
    }
}

/* --- all domains anew --- */

void plane_cut(const struct plane *plane, const int *count, const double *power, int *cut)
{
    struct box all = whole(plane);

    if (plane->shape == PLANE_BOXES) {
        cut_boxes(&all, count, power, &cut);
    } else {
        cut_curve(plane, count, power, cut);
    }
}

void plane_paint(struct plane *plane, const int *cut)
{
    struct box all = whole(plane);

    if (plane->shape == PLANE_BOXES) {
        paint_boxes(plane, &all, &cut);
    } else {
        paint_curve(plane, cut);
    }
}

static void touch(const struct plane *plane, bool *next, int cell, int other)
{
    int a = plane->owner[cell], b = plane->owner[other];

    if (a != b) {
        next[a * plane->owners + b] = next[b * plane->owners + a] = true;
    }
}

void plane_neighbours(const struct plane *plane, bool *next)
{
    memset(next, 0, (size_t)plane->owners * (size_t)plane->owners * sizeof *next);
    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        if (cell % PLANE_SIDE > 0) {
            touch(plane, next, cell, cell - 1);
        }
        if (cell >= PLANE_SIDE) {
            touch(plane, next, cell, cell - PLANE_SIDE);
        }
    }
}

void plane_line(int owners, bool *next)
{
    for (int i = 0; i < owners * owners; i++) {
        int apart = i / owners - i % owners;
        next[i] = apart == 1 || apart == -1;
    }
}

/* --- a part of a domain --- */

void plane_set_key(const struct plane *plane, struct plane_gift *gift, const double middle[2],
                   const double of_other[2])
{
    memset(gift->key, 0, sizeof gift->key);
    if (plane->shape == PLANE_CURVE) {
        gift->key[2] = gift->to > gift->from ? 1 : -1;
        return;
    }
    for (int d = 0; d < 2; d++) {
        gift->key[d] = of_other[d] - middle[d];
    }
}

double plane_key(const struct plane_gift *gift, int cell)
{
    return gift->key[0] * (cell % PLANE_SIDE) + gift->key[1] * (cell / PLANE_SIDE) +
           gift->key[2] * (gift->key[2] != 0 ? curve_of(cell) : 0);
}

void plane_give(struct plane *plane, const uint8_t *before, const struct plane_gift *gift)
{
    for (int cell = 0; cell < PLANE_CELLS; cell++) {
        if (before[cell] == gift->from && plane->owner[cell] == gift->from &&
            plane_key(gift, cell) > gift->bound) {
            plane->owner[cell] = (uint8_t)gift->to;
        }
    }
}
