/* Whole rows. */
#include "schedules/balance/whole_rows.h"

#include <math.h>
#include <stddef.h>

#include "schedules/arithmetic/arithmetic.h"

static uint64_t sum_of(uint32_t workers, const uint64_t *rows)
{
    uint64_t sum = 0;

    for (uint32_t w = 0; w < workers; w++) {
        sum += rows[w];
    }
    return sum;
}

/* a b / c, at most a; 0 where c is */
static double part_of(double a, double b, double c)
{
    return c > 0 ? a * fmin(fmax(b / c, 0), 1) : 0;
}

/* --- blocks --- */

/* Goes through the present blocks. */
struct walk {
    const struct keel_whole_rows *present;
    uint32_t worker;
    uint64_t rows; /* before the worker's, and their work */
    double work;
};

static void walk_on(struct walk *walk)
{
    walk->rows += walk->present->present[walk->worker];
    walk->work += walk->present->work[walk->worker];
    walk->worker++;
}

/* How many rows lie before the place that has so much work before it; places do not decrease. */
static double rows_before(struct walk *walk, double work)
{
    const struct keel_whole_rows *present = walk->present;

    while (walk->worker + 1 < present->workers && work > walk->work + present->work[walk->worker]) {
        walk_on(walk);
    }
    return (double)walk->rows + part_of((double)present->present[walk->worker], work - walk->work,
                                        present->work[walk->worker]);
}

/* How much work lies before a row; rows do not decrease. */
static double work_before(struct walk *walk, uint64_t row)
{
    const struct keel_whole_rows *present = walk->present;

    while (walk->worker + 1 < present->workers &&
           row > walk->rows + present->present[walk->worker]) {
        walk_on(walk);
    }
    return walk->work + part_of(present->work[walk->worker], (double)(row - walk->rows),
                                (double)present->present[walk->worker]);
}

static void cut_blocks(const struct keel_whole_rows *present, const double *wanted, uint64_t least,
                       uint64_t *rows)
{
    struct walk walk = {.present = present};
    uint64_t all = sum_of(present->workers, present->present), before = 0;
    double work = 0;

    for (uint32_t w = 0; w + 1 < present->workers; w++) {
        work += wanted[w];
        uint64_t bound = count_of(rows_before(&walk, work) + 0.5);
        bound = min_u64(bound, all - least * (present->workers - 1 - w));
        bound = max_u64(bound, before + least);
        rows[w] = bound - before;
        before = bound;
    }
    rows[present->workers - 1] = all - before;
}

static void work_of_blocks(const struct keel_whole_rows *present, const uint64_t *rows,
                           double *work)
{
    struct walk walk = {.present = present};
    uint64_t bound = 0;
    double before = 0;

    for (uint32_t w = 0; w < present->workers; w++) {
        bound += rows[w];
        double until = work_before(&walk, bound);
        work[w] = fmax(0, until - before);
        before = until;
    }
}

/* --- others --- */

/* Takes from each who has too much, and returns how many rows. */
static uint64_t give(const struct keel_whole_rows *present, const double *wanted, uint64_t *rows)
{
    uint64_t given = 0;
    double until = 0;

    for (uint32_t w = 0; w < present->workers; w++) {
        until +=
            part_of((double)present->present[w], present->work[w] - wanted[w], present->work[w]);
        uint64_t some = min_u64(count_of(until + 0.5) - given, present->present[w]);
        rows[w] = present->present[w] - some;
        given += some;
    }
    return given;
}

/* Hands `given` rows to those with lack, `lack` in all, in proportion to it. */
static void take(const struct keel_whole_rows *present, const double *wanted, double lack,
                 uint64_t given, uint64_t *rows)
{
    uint64_t taken = 0;
    double until = 0;

    for (uint32_t w = 0; w < present->workers; w++) {
        until += fmax(0, wanted[w] - present->work[w]);
        uint64_t bound = count_of((double)given * (until / lack) + 0.5);
        rows[w] += bound - taken;
        taken = bound;
    }
}

/* Who has no row gets one, from those with several in proportion to what they can spare. */
static void leave_nobody_without(uint32_t workers, uint64_t *rows)
{
    double spare = 0, until = 0;
    uint64_t without = 0, taken = 0;

    for (uint32_t w = 0; w < workers; w++) {
        without += rows[w] == 0;
        spare += rows[w] > 0 ? (double)(rows[w] - 1) : 0;
    }
    for (uint32_t w = 0; without > 0 && w < workers; w++) {
        if (rows[w] == 0) {
            rows[w] = 1;
            continue;
        }
        until += (double)(rows[w] - 1);
        uint64_t bound = count_of((double)without * (until / spare) + 0.5);
        rows[w] -= bound - taken;
        taken = bound;
    }
}

static void cut_any(const struct keel_whole_rows *present, const double *wanted, uint64_t least,
                    uint64_t *rows)
{
    double lack = 0;

    for (uint32_t w = 0; w < present->workers; w++) {
        lack += fmax(0, wanted[w] - present->work[w]);
        rows[w] = present->present[w];
    }
    if (lack > 0) {
        take(present, wanted, lack, give(present, wanted, rows), rows);
    }
    if (least > 0) {
        leave_nobody_without(present->workers, rows);
    }
}

/* All rows that are given count as alike to those who take them. */
static void work_of_any(const struct keel_whole_rows *present, const uint64_t *rows, double *work)
{
    double given = 0, given_rows = 0;

    for (uint32_t w = 0; w < present->workers; w++) {
        uint64_t kept = min_u64(rows[w], present->present[w]);
        work[w] = part_of(present->work[w], (double)kept, (double)present->present[w]);
        given_rows += (double)(present->present[w] - kept);
        given += present->work[w] - work[w];
    }
    for (uint32_t w = 0; w < present->workers; w++) {
        if (rows[w] > present->present[w]) {
            work[w] += given * ((double)(rows[w] - present->present[w]) / given_rows);
        }
    }
}

void keel_whole_rows_cut(const struct keel_whole_rows *present, const double *wanted,
                         bool leave_none, uint64_t *rows)
{
    bool enough = sum_of(present->workers, present->present) >= present->workers;
    uint64_t least = !leave_none && enough;

    if (present->adjacent) {
        cut_blocks(present, wanted, least, rows);
    } else {
        cut_any(present, wanted, least, rows);
    }
}

void keel_whole_rows_work(const struct keel_whole_rows *present, const uint64_t *rows, double *work)
{
    if (present->adjacent) {
        work_of_blocks(present, rows, work);
    } else {
        work_of_any(present, rows, work);
    }
}
