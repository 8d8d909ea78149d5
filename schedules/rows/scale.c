/* Weights of all ranks together: work that went over borders, and one scale. */
#include "schedules/rows/row_weights.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"
#include "schedules/rows/row_constants.h"

/* --- work that went over borders --- */

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

/* Sets speeds by weights. */
static void set_weighted(const struct keel_row_flow_rank *rank, uint32_t ranks, double *speed)
{
    for (uint32_t p = 0; p < ranks; p++) {
        speed[p] = rank[p].work_before / rank[p].time_before_s;
    }
}

/* Sets equal speeds. */
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

/* The part of the changes that is left over in the sum of all ranks, 0 .. 1; INFINITY if they are
 * less than the part `least` of all work. */
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

/* Finds speeds by which ranks together have as much work as before. */
static enum keel_row_flow_result find_speeds(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double least, double *speed)
{
    double left = left_over(rank, ranks, least, speed);
    if (left <= KEEL_ROW_LEFT_OVER || isinf(left)) {
        return isinf(left) ? KEEL_ROW_FLOW_UNKNOWN : KEEL_ROW_FLOW_FOUND;
    }
    set_equal(rank, ranks, speed);
    return left_over(rank, ranks, least, speed) <= KEEL_ROW_LEFT_OVER ? KEEL_ROW_FLOW_FOUND
                                                                      : KEEL_ROW_FLOW_DOUBTFUL;
}

/* Whether ranks have other work than supposed, at these speeds. */
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

static void set_flows(const struct keel_row_flow_rank *rank, uint32_t ranks, double *speed,
                      struct keel_row_flow *flow)
{
    double supposed = 0, was = 0, work = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        work += rank[p].work;
    }
    for (uint32_t p = 0; p < ranks; p++) {
        double time_s = rank[p].time_s;
        bool flows = fabs(supposed) > KEEL_ROW_FLOW_LEAST * work;
        flow[p].factor =
            flows ? fmin(fmax(was / supposed, 1 / KEEL_ROW_FACTOR_MOST), KEEL_ROW_FACTOR_MOST) : 1;
        supposed += rank[p].work_before - rank[p].work;
        was += speed[p] * (rank[p].time_before_s - time_s);
        flow[p].work = speed[p] * time_s;
    }
}

enum keel_row_flow_result keel_row_flow_find(const struct keel_row_flow_rank *rank, uint32_t ranks,
                                             double noise, double *speed,
                                             struct keel_row_flow *flow)
{
    double least = KEEL_ROW_CHANGE_LEAST + KEEL_ROW_NOISE_TIMES * noise;

    if (!are_known(rank, ranks)) {
        return KEEL_ROW_FLOW_UNKNOWN;
    }
    set_weighted(rank, ranks, speed);
    if (!differs(rank, ranks, least, speed)) {
        return KEEL_ROW_FLOW_AS_SUPPOSED;
    }
    enum keel_row_flow_result result = find_speeds(rank, ranks, least, speed);
    if (result == KEEL_ROW_FLOW_FOUND) {
        set_flows(rank, ranks, speed, flow);
        result =
            differs(rank, ranks, least, speed) ? KEEL_ROW_FLOW_FOUND : KEEL_ROW_FLOW_AS_SUPPOSED;
    }
    return result;
}

/* --- one scale for all ranks --- */

static double precision(double deviation)
{
    return 1 / (deviation * deviation);
}

static double log_or_0(double value)
{
    return value > 0 && isfinite(value) ? log(value) : 0;
}

/* The equations: (diagonal[p] e[p] - side[p] e[p - 1] - side[p + 1] e[p + 1]) == right[p] */
struct equations {
    uint32_t ranks;
    double *diagonal, *side, *right, *e;
};

size_t keel_row_scale_scratch(uint32_t ranks)
{
    return 4 * sizeof(double) * ((size_t)ranks + 1);
}

static struct equations begin(uint32_t ranks, char *scratch)
{
    struct equations all = {.ranks = ranks};

    all.diagonal = scratch_take(&scratch, ranks + (size_t)1, sizeof(double));
    all.side = scratch_take(&scratch, ranks + (size_t)1, sizeof(double));
    all.right = scratch_take(&scratch, ranks + (size_t)1, sizeof(double));
    all.e = scratch_take(&scratch, ranks + (size_t)1, sizeof(double));
    for (uint32_t p = 0; p <= ranks; p++) {
        all.diagonal[p] = all.side[p] = all.right[p] = all.e[p] = 0;
    }
    return all;
}

/* e[p] == value */
static void set_own(struct equations *all, uint32_t p, double value, double trust)
{
    all->diagonal[p] += trust;
    all->right[p] += trust * value;
}

/* e[p] - e[p - 1] == value */
static void set_border(struct equations *all, uint32_t p, double value, double trust)
{
    all->side[p] += trust;
    set_own(all, p, value, trust);
    set_own(all, p - 1, -value, trust);
}

static double rough_of(const struct keel_row_scale_rank *rank, uint32_t ranks)
{
    double sum = 0, rows = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        sum += rank[p].rough >= 0 ? rank[p].rough * rank[p].rows : 0;
        rows += rank[p].rows;
    }
    return rows > 0 ? sqrt(sum / rows) : 0;
}

static double deviation_of(const struct keel_row_scale_rank *rank, uint32_t ranks)
{
    return hypot(KEEL_ROW_BORDER_DIFFERS, KEEL_ROW_ROUGHNESS * rough_of(rank, ranks));
}

/* Trust in a border or a mean beside the present knowledge. */
static double beside_known(double trust, double known)
{
    return trust / (1 + known / KEEL_ROW_KNOWN_ENOUGH);
}

/* The log of the mean of the known speeds. */
static double mean_speed(const struct keel_row_scale_rank *rank, uint32_t ranks)
{
    double sum = 0, count = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        sum += log_or_0(rank[p].speed);
        count += rank[p].speed > 0;
    }
    return count > 0 ? sum / count : 0;
}

static void set_speeds(struct equations *all, const struct keel_row_scale_rank *rank)
{
    double mean = mean_speed(rank, all->ranks);

    for (uint32_t p = 0; p < all->ranks; p++) {
        bool known = rank[p].speed > 0;
        set_own(all, p, known ? mean - log(rank[p].speed) : 0,
                known ? precision(KEEL_ROW_SPEEDS_DIFFER) : KEEL_ROW_SPEED_UNKNOWN);
    }
}

/* --- blocks --- */

/* Learns from shifts of rows that went up over border p, and of those that went down. */
static void learn_borders(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                          uint32_t ranks)
{
    for (uint32_t p = 1; p < ranks; p++) {
        double up = rank[p].trust[0], down = rank[p - 1].trust[1], all = up + down;
        if (all > 0) {
            /* e[p] - e[p - 1] is to be `shift`, from now on: it replaces the value before, as far
             * as the new one is believed */
            double shift = (up * rank[p].shift[0] - down * rank[p - 1].shift[1]) / all;
            double before = scale->known[p];
            scale->since[p] = (all * shift + before * scale->since[p]) / (all + before);
            scale->known[p] = fmin(all + before, KEEL_ROW_KNOWN_MOST);
        }
    }
}

/* Whether ranks have the rows that they had at the decision before. */
static bool lie_as_before(const struct keel_row_scale *scale,
                          const struct keel_row_scale_rank *rank, uint32_t ranks)
{
    bool same = true;

    for (uint32_t p = 0; p < ranks; p++) {
        same = same && scale->before[p].rows == rank[p].rows;
    }
    return same;
}

static double log_change(double before, double now)
{
    return before > 0 && now > 0 ? log(now / before) : 0;
}

/* Costs that have changed on a whole rank look like a change of its speed. Beyond its border, if
 * they have changed on a part of a rank only, they are visible as costs. */
static void explain_changes(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                            uint32_t ranks)
{
    if (!lie_as_before(scale, rank, ranks)) {
        scale->moved = scale->moved || scale->before[0].rows > 0;
        return;
    }
    for (uint32_t p = 1; p < ranks; p++) {
        const struct keel_row_scale_rank *below = &scale->before[p - 1], *above = &scale->before[p];
        double speeds =
            log_change(above->speed, rank[p].speed) - log_change(below->speed, rank[p - 1].speed);
        double weights =
            log_change(below->high, rank[p - 1].high) - log_change(above->low, rank[p].low);
        if (fabs(speeds) > KEEL_ROW_SPEED_CHANGE &&
            fabs(speeds + weights) <= KEEL_ROW_UNEXPLAINED * fabs(speeds)) {
            scale->since[p] -= speeds;
            scale->known[p] = fmax(scale->known[p], precision(KEEL_ROW_CHANGE_DIFFERS));
        }
    }
}

/* Records ranks by their new weights. */
static void remember(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                     uint32_t ranks, const double *factor)
{
    for (uint32_t p = 0; p < ranks; p++) {
        scale->before[p] = rank[p];
        scale->before[p].speed *= factor[p];
        scale->before[p].low *= factor[p];
        scale->before[p].high *= factor[p];
    }
}

static void set_borders(struct equations *all, const struct keel_row_scale *scale,
                        const struct keel_row_scale_rank *rank)
{
    double deviation = deviation_of(rank, all->ranks);

    for (uint32_t p = 1; p < all->ranks; p++) {
        set_border(all, p, scale->since[p], scale->known[p]);
        if (scale->moved) {
            set_border(all, p, 0, beside_known(precision(KEEL_ROW_SCALE_DIFFERS), scale->known[p]));
        } else if (rank[p].low > 0 && rank[p - 1].high > 0) {
            double weights = log(rank[p - 1].high / rank[p].low);
            double speeds = log_or_0(rank[p].speed) - log_or_0(rank[p - 1].speed) + weights;
            double trust = precision(hypot(deviation, KEEL_ROW_GREATLY * speeds));
            set_border(all, p, weights, beside_known(trust, scale->known[p]));
        }
    }
}

/* Gaussian elimination of a band of three; the matrix is dominated by its diagonal. */
static void solve(struct equations *all)
{
    for (uint32_t p = 1; p < all->ranks; p++) {
        double part = all->side[p] / all->diagonal[p - 1];
        all->diagonal[p] -= part * all->side[p];
        all->right[p] += part * all->right[p - 1];
    }
    for (uint32_t p = all->ranks; p-- > 0;) {
        double above = p + 1 < all->ranks ? all->side[p + 1] * all->e[p + 1] : 0;
        all->e[p] = (all->right[p] + above) / all->diagonal[p];
    }
}

/* --- rows that are no blocks --- */

static void learn_others(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                         uint32_t ranks)
{
    for (uint32_t p = 0; p < ranks; p++) {
        double trust = rank[p].trust[0], before = scale->known[p];
        if (trust > 0) {
            scale->since[p] =
                (trust * rank[p].shift[0] + before * scale->since[p]) / (trust + before);
            scale->known[p] = fmin(trust + before, KEEL_ROW_KNOWN_MOST);
        }
    }
}

/* Each rank's e against the mean of the others', and its mean weight against that of those which
 * are not known otherwise; both follow from all e in turn. */
static void solve_by_turns(struct equations *all, const struct keel_row_scale *scale,
                           const struct keel_row_scale_rank *rank)
{
    double deviation = deviation_of(rank, all->ranks), weight = 0;
    double all_e = 0; /* sum of e */
    double others = all->ranks > 1 ? all->ranks - 1 : 1;

    for (int turn = 0; turn < KEEL_ROW_TURNS; turn++) {
        double sum = 0, trusts = 0;
        for (uint32_t p = 0; p < all->ranks; p++) {
            bool has = rank[p].work > 0 && rank[p].rows > 0;
            double own = has ? log(rank[p].work / rank[p].rows) : 0;
            double speeds = all->right[p] / all->diagonal[p] + weight - own;
            double trust = precision(hypot(deviation, KEEL_ROW_GREATLY * speeds));
            double mean_trust = has ? beside_known(trust, scale->known[p]) : 0;
            double used = turn > 0 ? mean_trust : 0;
            double e = (all_e - all->e[p]) / others;
            all_e -= all->e[p];
            all->e[p] =
                (all->right[p] + used * (weight - own) + scale->known[p] * (scale->since[p] + e)) /
                (all->diagonal[p] + used + scale->known[p]);
            all_e += all->e[p];
            sum += mean_trust * (own + all->e[p]);
            trusts += mean_trust;
        }
        weight = trusts > 0 ? sum / trusts : 0;
    }
}

/* --- factors --- */

/* Factors so that all work is as if all rows weighed 1. Returns false if none is needed. */
static bool set_factors(const struct equations *all, const struct keel_row_scale_rank *rank,
                        double *factor)
{
    double rows = 0, after = 0, off = 0;

    for (uint32_t p = 0; p < all->ranks; p++) {
        factor[p] = exp(fmin(fmax(all->e[p], -KEEL_ROW_LOG_MOST), KEEL_ROW_LOG_MOST));
        rows += rank[p].rows;
        after += rank[p].work * factor[p];
    }
    for (uint32_t p = 0; p < all->ranks; p++) {
        factor[p] *= after > 0 && rows > 0 ? rows / after : 1;
        off = fmax(off, fabs(log(factor[p])));
    }
    bool changes = rows > 0 && after > 0 && off > KEEL_ROW_CORRECTION_LEAST && isfinite(off);
    for (uint32_t p = 0; !changes && p < all->ranks; p++) {
        factor[p] = 1;
    }
    return changes;
}

/* Records the corrections that are still to be made after these factors. */
static void note_factors(struct keel_row_scale *scale, uint32_t ranks, bool blocks,
                         const double *factor)
{
    double mean = 0;

    for (uint32_t p = 0; p < ranks; p++) {
        mean += log(factor[p]) / ranks;
    }
    for (uint32_t p = blocks ? 1 : 0; p < ranks; p++) {
        double others = ranks > 1 ? (double)ranks / (ranks - 1) : 0;
        scale->since[p] -=
            blocks ? log(factor[p] / factor[p - 1]) : others * (log(factor[p]) - mean);
    }
}

bool keel_row_scale_find(struct keel_row_scale *scale, const struct keel_row_scale_rank *rank,
                         uint32_t ranks, bool blocks, double *factor, void *scratch)
{
    struct equations all = begin(ranks, scratch);

    set_speeds(&all, rank);
    if (blocks) {
        learn_borders(scale, rank, ranks);
        explain_changes(scale, rank, ranks);
        set_borders(&all, scale, rank);
        solve(&all);
    } else {
        learn_others(scale, rank, ranks);
        solve_by_turns(&all, scale, rank);
    }
    bool changes = set_factors(&all, rank, factor);
    note_factors(scale, ranks, blocks, factor);
    remember(scale, rank, ranks, factor);
    return changes;
}

double keel_row_scale_recorded(double recorded, double measured, double factor)
{
    bool known = recorded > 0 && measured > 0 && factor > 0;
    bool changed =
        known && fabs(log(recorded / measured)) <= fabs(log(recorded * factor / measured));

    return changed ? 1 : factor;
}
