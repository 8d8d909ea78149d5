/* Bounds of a phase of objects, and the best number of objects. */
#include "schedules/model/objects_terms.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

/* --- ranks --- */

/* Products of three such numbers are finite. */
#define NUMBER_MAX 1e60
#define RATE_MIN (1 / NUMBER_MAX) /* so that times are finite */

/* Measured values; 0 if one is impossible. */
static double valid_number(double value)
{
    return value > 0 && value < INFINITY ? fmin(value, NUMBER_MAX) : 0;
}

/* 0 if not known. */
static double rate_of(const struct keel_objects_known *known, uint32_t rank)
{
    double rate = valid_number(known->rank[rank].rate);

    return rate >= RATE_MIN ? rate : 0;
}

/* Mean of the known rates; 0 if none is known. */
static double mean_rate(const struct keel_objects_known *known)
{
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < known->ranks; i++) {
        double rate = rate_of(known, i);
        sum += rate;
        count += rate > 0;
    }
    return count > 0 ? sum / count : 0;
}

struct share {
    double begun, rate;
};

static struct share share_of(const struct keel_objects_known *known, uint32_t rank, double mean)
{
    double rate = rate_of(known, rank);

    return (struct share){valid_number(known->rank[rank].begun), rate > 0 ? rate : mean};
}

/* Values that follow from shares alone. */
struct shares {
    double begun;        /* of all */
    double ideal_s;      /* T_work, if weights predict the times of objects on any rank */
    double own_s;        /* T_work, if ranks differ in their objects, and not in speed */
    double unbalanced_s; /* the latest one */
    double moved;        /* weight that has to move */
    uint32_t overloaded, underloaded;
};

static struct shares shares_of(const struct keel_objects_known *known, double mean)
{
    struct shares shares = {0};
    double rates = 0;

    for (uint32_t i = 0; i < known->ranks; i++) {
        struct share share = share_of(known, i, mean);
        shares.begun += share.begun;
        rates += share.rate;
        shares.own_s += share.begun / share.rate / known->ranks;
        shares.unbalanced_s = fmax(shares.unbalanced_s, share.begun / share.rate);
    }
    shares.ideal_s = fmin(shares.begun / rates, shares.unbalanced_s); /* but for rounding */
    for (uint32_t i = 0; i < known->ranks; i++) {
        struct share share = share_of(known, i, mean);
        double more = share.begun - shares.ideal_s * share.rate;
        shares.moved += fmax(more, 0);
        shares.overloaded += more > 0;
        shares.underloaded += more < 0;
    }
    return shares;
}

/* --- bounds --- */

/* Each object in this many pieces; fewer than 1: several together, so that shares may be off by one
 * of these, and ranks do not know earlier that they will be idle. There is work, and a rate. */
static struct keel_objects_bounds bounds_of(const struct keel_objects_known *known,
                                            const struct shares *shares, double pieces)
{
    double objects = (double)known->objects * pieces;
    double visits_s = objects * valid_number(known->visit_s) / known->ranks;
    double object_s = valid_number(known->mean_s) / max_real(pieces, 1);
    double longest_s = valid_number(known->longest_s) / pieces;
    double moved = shares->moved / shares->begun * objects;
    struct keel_objects_bounds bounds = {
        .ideal_s = shares->ideal_s,
        .unbalanced_s = shares->unbalanced_s,
        .lower_s = shares->unbalanced_s + visits_s,
        .upper_s = shares->unbalanced_s + visits_s,
        .overloaded = shares->overloaded,
        .moved = moved,
    };

    if (!known->moves || shares->overloaded == 0 || shares->underloaded == 0) {
        return bounds;
    }
    double request_s = valid_number(known->request_s);
    double given_s = moved / shares->overloaded * valid_number(known->give_s);
    double taken_s = moved / shares->underloaded * valid_number(known->take_s);
    double found_s = max_real(request_s - object_s, 0);
    double groups = ceil((double)shares->underloaded / max_real(known->neighbourhood, 1));
    double searches = 1 + log2(1 + moved / shares->underloaded);
    double lower_s = shares->ideal_s + visits_s + max_real(given_s, found_s + taken_s);
    double upper_s = max_real(shares->ideal_s, shares->own_s) + visits_s + longest_s +
                     max_real(given_s, taken_s) + searches * groups * request_s;
    bounds.lower_s = fmin(lower_s, bounds.lower_s);
    upper_s = fmin(upper_s, bounds.upper_s + (pieces < 1 ? longest_s : 0));
    bounds.upper_s = max_real(upper_s, bounds.lower_s);
    return bounds;
}

bool keel_objects_bounds(const struct keel_objects_known *known, struct keel_objects_bounds *bounds)
{
    double mean = known->ranks > 0 && known->objects > 0 ? mean_rate(known) : 0;
    struct shares shares = {0};

    *bounds = (struct keel_objects_bounds){0};
    if (mean > 0) {
        shares = shares_of(known, mean);
    }
    if (!(shares.begun > 0)) {
        return false;
    }
    *bounds = bounds_of(known, &shares, 1);
    return true;
}

/* --- advice --- */

static double mean_s(const struct keel_objects_known *known, const struct shares *shares,
                     double pieces)
{
    struct keel_objects_bounds bounds = bounds_of(known, shares, pieces);

    return (bounds.lower_s + bounds.upper_s) / 2;
}

/* The part of the time that it saves; 0 if none, or if some rank would have no object. */
static double gain_of(const struct keel_objects_known *known, const struct shares *shares,
                      int pieces_log)
{
    double pieces = ldexp(1, pieces_log), now_s = mean_s(known, shares, 1);

    if (pieces < 1 && (double)known->objects * pieces < known->ranks) {
        return 0;
    }
    return now_s > 0 ? max_real(1 - mean_s(known, shares, pieces) / now_s, 0) : 0;
}

/* 0, 1, -1, 2, -2, ... */
static int number_of(int place)
{
    return place % 2 == 1 ? (place + 1) / 2 : -place / 2;
}

struct keel_objects_advice keel_objects_advise(const struct keel_objects_known *known)
{
    struct keel_objects_bounds bounds;
    bool any = keel_objects_bounds(known, &bounds);
    struct keel_objects_advice advice = {
        .pieces = 1, .per_rank = any ? (double)known->objects / known->ranks : 0};
    double most = 0;

    if (!any || !known->moves) {
        return advice;
    }
    struct shares shares = shares_of(known, mean_rate(known));
    for (int place = 0; place <= 2 * KEEL_OBJECTS_PIECES_LOG; place++) {
        most = fmax(most, gain_of(known, &shares, number_of(place)));
    }
    for (int place = 0; most >= KEEL_OBJECTS_ADVICE_GAIN && place <= 2 * KEEL_OBJECTS_PIECES_LOG;
         place++) {
        double gain = gain_of(known, &shares, number_of(place));
        if (gain >= 0.9 * most) {
            advice.pieces = ldexp(1, number_of(place));
            advice.gain = gain;
            advice.per_rank *= advice.pieces;
            break;
        }
    }
    return advice;
}
