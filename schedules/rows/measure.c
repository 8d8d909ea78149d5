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

/* Fewer rows than this part say nothing of the rank's speed. */
#define FEW_ROWS 0.2

/* What a shift may be off by at least, and one by a single part. */
#define SHIFT_ERROR 0.05
#define SINGLE_ERROR 0.1

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

/* Rows of all parts, and of those from there. */
static double rows_of(const struct keel_row_part *part, unsigned parts, int origin)
{
    double rows = 0;

    for (unsigned i = 0; i < parts; i++) {
        rows += origin == KEEL_ROW_ORIGINS || part[i].origin == (enum keel_row_origin)origin
                    ? part[i].rows
                    : 0;
    }
    return rows;
}

/* The speed of most rows that were here already, but the one before where enough of them still have
 * it: then the others' costs have changed. Where hardly any were here, a rank is as fast as before.
 * 0: nothing is known. */
static double speed_of(const struct keel_row_part *part, unsigned parts, double before)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    double rows, all = rows_of(part, parts, KEEL_ROW_ORIGINS);
    unsigned count = list_speeds(part, parts, KEEL_ROW_HERE, ratio, &rows), timed = 0;

    for (unsigned i = 0; i < parts; i++) {
        timed += part[i].time_s > 0;
    }
    if (timed == 0) {
        return 0;
    }
    if (before > 0 && (count == 0 || rows < FEW_ROWS * all ||
                       rows_at(ratio, count, before) >= SAME_ROWS * rows)) {
        return before;
    }
    for (int origin = KEEL_ROW_FROM_BELOW; count == 0 && origin < KEEL_ROW_ORIGINS; origin++) {
        count = list_speeds(part, parts, (enum keel_row_origin)origin, ratio, &rows);
    }
    return count > 0 ? median(ratio, count, rows) : 0;
}

/* Mean square of the differences of log speeds from part to part: what a part's weight may be off
 * by where it is cut. */
static double roughness(const struct keel_row_part *part, unsigned parts)
{
    double sum = 0, count = 1;

    for (unsigned i = 1; i < parts; i++) {
        double before = part[i - 1].time_s / part[i - 1].rows, time = part[i].time_s / part[i].rows;
        if (before > 0 && time > 0) {
            double difference = log(time / before);
            sum += difference * difference;
            count++;
        }
    }
    return sum / count;
}

static void compare_origin(const struct keel_row_part *part, unsigned parts,
                           enum keel_row_origin origin, struct keel_row_measurement *measurement)
{
    struct ratio ratio[KEEL_ROW_PARTS];
    double rows, each = SINGLE_ERROR * SINGLE_ERROR + roughness(part, parts);
    double here = rows_of(part, parts, KEEL_ROW_HERE) / part[0].rows;
    unsigned count = list_speeds(part, parts, origin, ratio, &rows);

    if (count > 0) {
        double spread = log(ratio[count - 1].speed / ratio[0].speed) / 2;
        measurement->shift[origin] = log(median(ratio, count, rows) / measurement->speed);
        measurement->trust[origin] =
            1 / (SHIFT_ERROR * SHIFT_ERROR + (each + spread * spread) / (double)count +
                 each / fmax(here, 1));
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
