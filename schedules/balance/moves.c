/* From shares of work to whole rows, and moves of these. */
#include "schedules/balance/moves.h"

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
    uint64_t rows; /* before the worker's rows, and their work */
    double work;
};

static void walk_on(struct walk *walk)
{
    walk->rows += walk->present->present[walk->worker];
    walk->work += walk->present->work[walk->worker];
    walk->worker++;
}

/* Number of rows before the point that has `work` before it; points do not decrease. */
static double rows_before(struct walk *walk, double work)
{
    const struct keel_whole_rows *present = walk->present;

    while (walk->worker + 1 < present->workers && work > walk->work + present->work[walk->worker]) {
        walk_on(walk);
    }
    return (double)walk->rows + part_of((double)present->present[walk->worker], work - walk->work,
                                        present->work[walk->worker]);
}

/* Work before a row; rows do not decrease. */
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

/* Takes rows from each worker that has too much. Returns how many. */
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

/* Hands `given` rows to the workers that lack work, `lack` in all, in proportion. */
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

/* Each worker without rows gets one, from those with several in proportion to their surplus. */
static void leave_one_to_each(uint32_t workers, uint64_t *rows)
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
        leave_one_to_each(present->workers, rows);
    }
}

/* All rows that are given count as equal to the workers that take them. */
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

/* --- moves --- */

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* --- between neighbours --- */

/* Two shares of P workers. */
struct shares {
    uint32_t workers;
    const uint64_t *present, *wanted;
};

static uint64_t bound_after(const struct shares *shares, uint32_t b, uint32_t rounds)
{
    uint64_t lowest = shares->present[b - (uint32_t)min_u64(b, rounds)];
    uint64_t highest = shares->present[min_u64(shares->workers, (uint64_t)b + rounds)];

    return max_u64(lowest, min_u64(shares->wanted[b], highest));
}

/* Raises `rounds` to the number that bound b needs. */
static uint32_t rounds_of(const struct shares *shares, uint32_t b, uint32_t rounds)
{
    uint32_t enough = shares->workers;

    while (rounds < enough) {
        uint32_t middle = rounds + (enough - rounds) / 2;
        if (bound_after(shares, b, middle) == shares->wanted[b]) {
            enough = middle;
        } else {
            rounds = middle + 1;
        }
    }
    return rounds;
}

uint32_t keel_moves_adjacent_rounds(uint32_t workers, const uint64_t *present,
                                    const uint64_t *wanted)
{
    struct shares shares = {workers, present, wanted};
    uint32_t rounds = 0;

    for (uint32_t b = 1; b < workers; b++) {
        rounds = rounds_of(&shares, b, rounds);
    }
    return rounds;
}

/* Rows change sides over bound b, between workers b - 1 and b, as it passes them. */
size_t keel_moves_adjacent_round(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                                 uint32_t round, struct keel_move *move)
{
    struct shares shares = {workers, present, wanted};
    size_t moves = 0;

    for (uint32_t b = 1; b < workers; b++) {
        uint64_t before = bound_after(&shares, b, round),
                 after = bound_after(&shares, b, round + 1);
        bool left = after > before;
        if (after != before) {
            move[moves++] = (struct keel_move){.from = left ? b : b - 1,
                                               .to = left ? b - 1 : b,
                                               .first = min_u64(before, after),
                                               .rows = distance(before, after)};
        }
    }
    return moves;
}

struct keel_moves_sum keel_moves_adjacent_sum(uint32_t workers, const uint64_t *present,
                                              const uint64_t *wanted)
{
    struct keel_moves_sum sum = {.rounds = keel_moves_adjacent_rounds(workers, present, wanted)};

    for (uint32_t w = 0; w < workers; w++) {
        uint64_t left = distance(present[w], wanted[w]);
        uint64_t right = distance(present[w + 1], wanted[w + 1]);
        sum.rows += left;
        sum.most_rows = max_u64(sum.most_rows, left + right);
    }
    return sum;
}

/* --- from surplus to shortage --- */

static uint64_t surplus(uint64_t present, uint64_t wanted)
{
    return present - min_u64(present, wanted);
}

bool keel_moves_any_next(struct keel_moves_walk *walk, struct keel_move *move)
{
    const uint64_t *present = walk->present, *wanted = walk->wanted;
    uint32_t from = walk->from, to = walk->to;

    for (; from < walk->workers && surplus(present[from], wanted[from]) == walk->given; from++) {
        walk->given = 0;
    }
    for (; to < walk->workers && surplus(wanted[to], present[to]) == walk->taken; to++) {
        walk->taken = 0;
    }
    walk->from = from, walk->to = to;
    if (from == walk->workers || to == walk->workers) {
        return false;
    }
    uint64_t rows = min_u64(surplus(present[from], wanted[from]) - walk->given,
                            surplus(wanted[to], present[to]) - walk->taken);
    *move = (struct keel_move){from, to, wanted[from] + walk->given, rows};
    walk->given += rows;
    walk->taken += rows;
    return true;
}

size_t keel_moves_any(uint32_t workers, const uint64_t *present, const uint64_t *wanted,
                      struct keel_move *move)
{
    struct keel_moves_walk walk = {workers, present, wanted, 0, 0, 0, 0};
    size_t moves = 0;

    for (struct keel_move next; keel_moves_any_next(&walk, &next);) {
        move[moves++] = next;
    }
    return moves;
}

struct keel_moves_sum keel_moves_any_sum(uint32_t workers, const uint64_t *present,
                                         const uint64_t *wanted)
{
    struct keel_moves_sum sum = {0};

    for (uint32_t w = 0; w < workers; w++) {
        sum.rows += surplus(present[w], wanted[w]);
        sum.most_rows = max_u64(sum.most_rows, distance(present[w], wanted[w]));
    }
    sum.rounds = sum.rows > 0;
    return sum;
}
