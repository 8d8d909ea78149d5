/* Work that went over borders. */
#include "schedules/rows/flow.h"

#include <math.h>

/* Changes of work are to be this part of all work, or nothing follows from them; and of them, this
 * part may be left over in the sum of all ranks. Where that is so by the weights that there are,
 * they stay. */
#define LEAST_CHANGE 0.05
#define LEFT_OVER 0.1

/* So many times what ranks' times differ by as a rule may be chance. */
#define NOISE_TIMES 3

/* Factors lie between 1 / MOST and MOST; and a border is none where less than this part of all work
 * is supposed to have gone over it. */
#define MOST 16.0
#define LEAST_FLOW 1e-3

static bool are_known(const struct keel_row_flow_rank *rank, uint32_t ranks)
{
    for (uint32_t p = 0; p < ranks; p++) {
        if (!(rank[p].time_before_s > 0 && rank[p].time_s > 0 && rank[p].work_before > 0 &&
              rank[p].work > 0)) {
            return false;
        }
    }
    return true;
}

/* --- speeds --- */

/* Each rank is as fast as its weights say. */
static void set_weighted(const struct keel_row_flow_rank *rank, uint32_t ranks, double *speed)
{
    for (uint32_t p = 0; p < ranks; p++) {
        speed[p] = rank[p].work_before / rank[p].time_before_s;
    }
}

/* All ranks are equally fast. */
static void set_equal(const struct keel_row_flow_rank *rank, uint32_t ranks, double *speed)
{
    double work = 0, time_s = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        work += rank[p].work_before;
        time_s += rank[p].time_before_s;
    }
    for (uint32_t p = 0; p < ranks; p++) {
        speed[p] = work / time_s;
    }
}

/* What part of the changes is left over in the sum of all ranks, 0 .. 1; INFINITY: they are less
 * than the part `least` of all work. */
static double left_over(const struct keel_row_flow_rank *rank, uint32_t ranks, double least,
                        const double *speed)
{
    double work = 0, changes = 0, sum = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        double change = speed[p] * (rank[p].time_s - rank[p].time_before_s);
        work += speed[p] * rank[p].time_before_s;
        changes += fabs(change);
        sum += change;
    }
    return changes > least * work ? fabs(sum) / changes : INFINITY;
}

/* Speeds by which ranks together have as much work as before. */
static enum keel_row_flow_result find_speeds(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double least, double *speed)
{
    double left = left_over(rank, ranks, least, speed);
    if (left <= LEFT_OVER || isinf(left)) {
        return isinf(left) ? KEEL_ROW_FLOW_UNKNOWN : KEEL_ROW_FLOW_FOUND;
    }
    set_equal(rank, ranks, speed);
    return left_over(rank, ranks, least, speed) <= LEFT_OVER ? KEEL_ROW_FLOW_FOUND
                                                             : KEEL_ROW_FLOW_DOUBTFUL;
}

/* Whether ranks have other work than is supposed, at such speeds. */
static bool differs(const struct keel_row_flow_rank *rank, uint32_t ranks, double least,
                    const double *speed)
{
    double off = 0, work = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        off += fabs(speed[p] * rank[p].time_s - rank[p].work);
        work += rank[p].work;
    }
    return off > least * work;
}

/* --- borders --- */

static void set_borders(const struct keel_row_flow_rank *rank, uint32_t ranks, double *speed,
                        struct keel_row_flow *flow)
{
    double supposed = 0, was = 0, work = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        work += rank[p].work;
    }
    for (uint32_t p = 0; p < ranks; p++) {
        double time_s = rank[p].time_s;
        bool flows = fabs(supposed) > LEAST_FLOW * work;
        flow[p].factor = flows ? fmin(fmax(was / supposed, 1 / MOST), MOST) : 1;
        supposed += rank[p].work_before - rank[p].work;
        was += speed[p] * (rank[p].time_before_s - time_s);
        flow[p].work = speed[p] * time_s;
    }
}

enum keel_row_flow_result keel_row_flow_find(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double noise, double *speed,
                                             struct keel_row_flow *flow)
{
    double least = LEAST_CHANGE + NOISE_TIMES * noise;

    if (!are_known(rank, ranks)) {
        return KEEL_ROW_FLOW_UNKNOWN;
    }
    set_weighted(rank, ranks, speed);
    if (!differs(rank, ranks, least, speed)) {
        return KEEL_ROW_FLOW_AS_SUPPOSED;
    }
    enum keel_row_flow_result result = find_speeds(rank, ranks, least, speed);
    if (result == KEEL_ROW_FLOW_FOUND) {
        set_borders(rank, ranks, speed, flow);
        result =
            differs(rank, ranks, least, speed) ? KEEL_ROW_FLOW_FOUND : KEEL_ROW_FLOW_AS_SUPPOSED;
    }
    return result;
}
