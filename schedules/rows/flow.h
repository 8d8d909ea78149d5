/* What rows weigh that have gone over borders between ranks, where nothing is known but how long
 * each rank takes.
 *
 *   work and time of each rank before rows moved, and after -> [flow] -> work of each rank, and by
 *   how much rows that went over each border weigh otherwise than was supposed
 *
 * A rank that was as fast before and after tells by the difference of its times what rows that came
 * and went take. All ranks together tell whether that is so: what some have got more, others have
 * less. If that comes out for the speeds that follow from the weights, these are true; if it comes
 * out for equal speeds, ranks are equally fast, and some have heavier rows; if for neither, speeds
 * have changed meanwhile, and nothing follows. For rows in blocks. Pure. */
#ifndef SCHEDULES_ROWS_FLOW_H
#define SCHEDULES_ROWS_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* A rank, before rows moved and after. */
struct keel_row_flow_rank {
    double work_before, time_before_s; /* sum of weights, and time of a phase */
    double work, time_s;               /* by the same weights of rows */
};

/* What follows for a rank. */
struct keel_row_flow {
    double work;   /* that it has now */
    double factor; /* of the weights of rows that came over its lower border, from either side */
};

enum keel_row_flow_result {
    KEEL_ROW_FLOW_UNKNOWN,     /* times or work are not known */
    KEEL_ROW_FLOW_AS_SUPPOSED, /* weights were about right, or hardly anything has changed */
    KEEL_ROW_FLOW_DOUBTFUL,    /* speeds have changed; or they differ, and costs do, too */
    KEEL_ROW_FLOW_FOUND        /* flow[] is filled in */
};

/* noise: by what part a rank's time differs from one time to the next on average where no rows have
 * moved, >= 0; changes that this explains tell nothing. speed: room for P values. */
enum keel_row_flow_result keel_row_flow_find(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double noise, double *speed,
                                             struct keel_row_flow *flow);

#endif
