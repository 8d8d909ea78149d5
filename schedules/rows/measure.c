/* Weights from times. */
#include "schedules/rows/measure.h"

#include <math.h>
#include <stdlib.h>

/* What weights may be off by before they are changed, as a part of them; of all weights. */
#define PART_OFF 0.05
#define ALL_OFF 0.02

/* So many errors of a time are taken for chance. */
#define ERRORS 2

/* Speeds that differ by less are the same one; the rank is as fast as before if this part of its
 * rows says so. */
#define SAME 0.1
#define SAME_ROWS 0.4

/* No row weighs less than this part of the mean: what is not computed on today may be tomorrow. */
#define LEAST_WEIGHT 1e-3

/* What a shift may be off by at least. */
#define SHIFT_ERROR 0.05

struct ratio {
    double speed, rows; /* of a part: weight per s */
};

static int by_speed(const void *a, const void *b)
{
    double x = ((const struct ratio *)a)->speed, y = ((const struct ratio *)b)->speed;

    return (x > y) - (x < y);
}

/* Speeds that parts from there tell of, sorted; returns how many. *rows: theirs together. */
static unsigned list_speeds(const struct keel_row_part *part, unsigned parts,
                            enum keel_row_origin origin, struct ratio *ratio, double *rows)
{
    unsigned count = 0;

    *rows = 0;
    for (unsigned i = 0; i < parts; i++) {
        if (part[i].origin == origin && part[i].time_s > 0 && part[i].weight > 0) {
            ratio[count++] = (struct ratio){part[i].weight / part[i].time_s, part[i].rows};
            *rows += part[i].rows;
        }
    }
    qsort(ratio, count, sizeof *ratio, by_speed);
    return count;
}

/* That of half of the rows is less. count > 0. */
static double median(const struct ratio *ratio, unsigned count, double rows)
{
    double below = 0;
    unsigned i = 0;

    while (i + 1 < count && below + ratio[i].rows < rows / 2) {
        below += ratio[i++].rows;
    }
    return ratio[i].speed;
}

/* Rows whose speed is about that. */
static double rows_at(const struct ratio *ratio, unsigned count, double speed)
{
    double rows = 0;

    for (unsigned i = 0; i < count; i++) {
        rows += fabs(log(ratio[i].speed / speed)) < SAME ? ratio[i].rows : 0;
    }
    return rows;
}

/* The speed of most rows, but the one before where enough rows still have it: then the others'
 * costs have changed. 0: nothing is known. */
static double speed_of(const struct keel_row_part *part, unsigned parts, double before)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    double rows;
    unsigned count = 0;

    for (int origin = 0; count == 0 && origin < KEEL_ROW_ORIGINS; origin++) {
        count = list_speeds(part, parts, (enum keel_row_origin)origin, ratio, &rows);
    }
    if (count == 0) {
        return 0;
    }
    bool as_before = before > 0 && rows_at(ratio, count, before) >= SAME_ROWS * rows;
    return as_before ? before : median(ratio, count, rows);
}

static void compare_origin(const struct keel_row_part *part, unsigned parts,
                           enum keel_row_origin origin, struct keel_row_measurement *measurement)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    double rows;
    unsigned count = list_speeds(part, parts, origin, ratio, &rows);

    if (count > 0) {
        double middle = median(ratio, count, rows);
        double spread = log(ratio[count - 1].speed / ratio[0].speed) / 2;
        measurement->shift[origin] = log(middle / measurement->speed);
        measurement->trust[origin] =
            1 / (SHIFT_ERROR * SHIFT_ERROR + spread * spread / (double)count);
    }
}

/* The weight of a part by its time, or the one that it has where that may be as well. */
static double weight_of(const struct keel_row_part *part, double speed, double mean)
{
    double weight = fmax(part->time_s * speed, LEAST_WEIGHT * mean * part->rows);
    double off = fabs(weight - part->weight);

    return off > PART_OFF * part->weight && off > ERRORS * part->error_s * speed ? weight
                                                                                 : part->weight;
}

static void set_factors(const struct keel_row_part *part, unsigned parts,
                        struct keel_row_measurement *measurement)
{
    double weight = 0, rows = 0, off = 0;

    for (unsigned i = 0; i < parts; i++) {
        weight += part[i].time_s * measurement->speed;
        rows += part[i].rows;
    }
    for (unsigned i = 0; i < parts; i++) {
        double own = weight_of(&part[i], measurement->speed, weight / rows);
        off += fabs(own - part[i].weight);
        measurement->factor[i] = part[i].weight > 0 ? own / part[i].weight : -own / part[i].rows;
    }
    measurement->differs = off > ALL_OFF * weight;
}

void keel_row_measure(const struct keel_row_part *part, unsigned parts, double before,
                      struct keel_row_measurement *measurement)
{
    *measurement = (struct keel_row_measurement){.speed = speed_of(part, parts, before)};
    if (measurement->speed > 0) {
        compare_origin(part, parts, KEEL_ROW_FROM_BELOW, measurement);
        compare_origin(part, parts, KEEL_ROW_FROM_ABOVE, measurement);
        set_factors(part, parts, measurement);
    }
}
