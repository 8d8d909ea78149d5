#include "bench/papers_dir/fg95/plane.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- cells --- */

static int column_of(double place)
{
    double even = place / (1 + fabs(place)); /* -1 .. 1 */

    return (int)((even + 1) / 2 * PLANE_SIDE);
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

/* The middle of an owner's particles, in cells. */
static void find_middle(const struct plane *plane, const double (*at)[2], int particles, int owner,
                        double middle[2])
{
    int count = 0;

    middle[0] = middle[1] = 0;
    for (int p = 0; p < particles; p++) {
        int cell = plane_cell(at[p]);
        if (plane->owner[cell] == owner) {
            middle[0] += cell % PLANE_SIDE;
            middle[1] += cell / PLANE_SIDE;
            count++;
        }
    }
    for (int d = 0; d < 2; d++) {
        middle[d] = count > 0 ? middle[d] / count : PLANE_SIDE / 2;
    }
}

static const struct plane_gift *sorted_for;

static int compare_keys(const void *a, const void *b)
{
    double x = plane_key(sorted_for, plane_cell(((const struct particle *)a)->at));
    double y = plane_key(sorted_for, plane_cell(((const struct particle *)b)->at));
    int64_t m = ((const struct particle *)a)->number, n = ((const struct particle *)b)->number;

    return x != y ? (x > y) - (x < y) : (m > n) - (m < n);
}

static double key_at(const struct plane_gift *gift, const struct particle *own, int p)
{
    return plane_key(gift, plane_cell(own[p].at));
}

/* As many as are nearest to `tasks`. */
static int first_given(const struct plane_gift *gift, const struct particle *own, int staying,
                       int tasks)
{
    int up = staying - tasks, down = up;

    while (up < staying && up > 0 && key_at(gift, own, up - 1) == key_at(gift, own, up)) {
        up++;
    }
    while (down > 0 && key_at(gift, own, down - 1) == key_at(gift, own, down)) {
        down--;
    }
    return up - (staying - tasks) <= staying - tasks - down ? up : down;
}

int plane_choose(const struct plane *plane, struct plane_gift *gift, const double (*at)[2],
                 int particles, struct particle *own, int staying, int tasks)
{
    double middle[2], of_other[2];

    find_middle(plane, at, particles, gift->from, middle);
    find_middle(plane, at, particles, gift->to, of_other);
    plane_set_key(plane, gift, middle, of_other);
    sorted_for = gift;
    qsort(own, (size_t)staying, sizeof *own, compare_keys);
    int first = first_given(gift, own, staying, tasks < staying ? tasks : staying);
    if (first < staying) {
        double below = first > 0 ? key_at(gift, own, first - 1) : -1e9;
        gift->bound = (below + key_at(gift, own, first)) / 2;
    }
    return first;
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

/* --- who gives whom --- */

double plane_ideal(int owners, const double *power, int owner, int tasks)
{
    double powers = 0;

    for (int i = 0; i < owners; i++) {
        powers += power[i];
    }
    return tasks * power[owner] / powers;
}

size_t plane_transfers(const struct plane_rule *rule, int owners, const bool *next,
                       const double *power, int owner, const int *tasks, int all, uint64_t step,
                       struct keel_transfer transfer[PLANE_OWNERS_MAX])
{
    int who[PLANE_OWNERS_MAX] = {owner};
    uint64_t known[PLANE_OWNERS_MAX] = {(uint64_t)tasks[owner]}, room[PLANE_OWNERS_MAX];
    double near_power[PLANE_OWNERS_MAX] = {power[owner]}, powers = power[owner];
    struct keel_transfer listed[PLANE_OWNERS_MAX * PLANE_OWNERS_MAX];
    struct keel_neighbours near = {
        .kind = rule->random ? KEEL_NEIGHBOURS_RANDOM : KEEL_NEIGHBOURS_DIFFUSION,
        .graph = KEEL_GRAPH_ALL,
        .workers = 1,
        .power = near_power,
        .threshold = rule->threshold,
        .alpha = rule->alpha,
        .seed = rule->seed,
    };
    size_t count = 0;

    for (int j = 0; j < owners; j++) {
        if (next[owner * owners + j]) {
            near_power[near.workers] = power[j];
            powers += power[j];
            known[near.workers] = rule->random ? 0 : (uint64_t)tasks[j];
            who[near.workers++] = j;
        }
    }
    if (rule->random && tasks[owner] > 0) {
        near.threshold *=
            plane_ideal(owners, power, owner, all) / (tasks[owner] * power[owner] / powers);
    }
    size_t of_all =
        keel_neighbours_list(&near, known, step, room, listed, PLANE_OWNERS_MAX * PLANE_OWNERS_MAX);
    for (size_t i = 0; i < of_all; i++) {
        if (listed[i].from == 0) {
            transfer[count++] = (struct keel_transfer){(uint32_t)owner, (uint32_t)who[listed[i].to],
                                                       listed[i].tasks};
        }
    }
    return count;
}
