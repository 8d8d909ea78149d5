/* Interruptions of objects, and the speeds of ranks. */
#include "schedules/objects/pace.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

double keel_interruption_s(const struct keel_interruption_case *counts)
{
    if (counts->taken == 0 || counts->given_up > 0) {
        return 0;
    }
    return fmin(fmax(counts->passed_s - counts->processor_s, 0), counts->took_s);
}

/* --- the speeds of ranks, apart from the weights of their objects --- */

/* --- work --- */

/* Neighbouring objects are often alike: the latest one counts as much as all before it. Not in
 * shorter times: then the time of an object depends on when others have the processor. */
#define SMOOTH_S 1.0

void keel_work_age(struct keel_work *work, double part)
{
    work->amount = faded(work->amount, part);
    work->stated = faded(work->stated, part);
    work->busy_s = faded(work->busy_s, part);
    work->own_s = faded(work->own_s, part);
    work->rank_s = faded(work->rank_s, part);
}

double keel_work_weight(const struct keel_work *work, double own_s, double before)
{
    return work->amount > 0 && work->own_s > 0 ? own_s * (work->amount / work->own_s) : before;
}

double keel_work_per_s(const struct keel_work *work)
{
    return work->rank_s > 0 ? work->amount / work->rank_s : 0;
}

void keel_work_smooth(struct keel_work *work, double weight)
{
    if (work->amount > weight && work->busy_s > SMOOTH_S) {
        keel_work_age(work, fmax(weight / work->amount, SMOOTH_S / work->busy_s));
    }
}

/* Time of a thread for an object of that weight, by the work done; 0 without any. */
static double expected_s_of(const struct keel_work *work, double weight)
{
    return work->amount > 0 ? weight * work->busy_s / work->amount : 0;
}

bool keel_work_is_overdue(const struct keel_work *work, double running, double running_s)
{
    return work->amount > 0 && running_s > expected_s_of(work, running);
}

struct keel_work keel_work_with(const struct keel_work *work, double running, double running_s,
                                unsigned threads)
{
    struct keel_work latest = *work;

    if (keel_work_is_overdue(work, running, running_s) && running_s > SMOOTH_S) {
        double whole_s = running_s + keel_work_running_left_s(work, running, running_s);
        keel_work_smooth(&latest, running);
        latest.amount += running;
        latest.busy_s += whole_s;
        latest.own_s += whole_s * work->own_s / work->busy_s;
        latest.rank_s += whole_s / threads;
    }
    return latest;
}

double keel_work_left_s(double expected_s, double running_s)
{
    return fabs(expected_s - running_s);
}

double keel_work_expected_s(double amount, double running, double running_s)
{
    return amount / running * (running_s + keel_work_left_s(0, running_s));
}

double keel_work_running_left_s(const struct keel_work *work, double running, double running_s)
{
    return keel_work_left_s(expected_s_of(work, running), running_s);
}

/* --- the speed of a machine --- */

/* Before anything is known, logarithms of speeds have this variance (a machine is twice as fast as
 * another one, or half), and those of the times of objects over the expected ones, that one. */
#define SPEEDS_VARIANCE 0.5
#define OBJECTS_VARIANCE 0.25

void keel_speed_note_moved(struct keel_speed *speed, double common_s, double took_s)
{
    double ratio = log(common_s / took_s);

    speed->moved += 1;
    speed->moved_sum += ratio;
    speed->moved_sum2 += ratio * ratio;
}

void keel_speed_note_own(struct keel_speed *speed, double expected_s, double took_s)
{
    double ratio = log(expected_s / took_s);

    speed->own += 1;
    speed->own_sum2 += ratio * ratio;
}

void keel_speed_age(struct keel_speed *speed, double part)
{
    speed->moved = faded(speed->moved, part);
    speed->moved_sum = faded(speed->moved_sum, part);
    speed->moved_sum2 = faded(speed->moved_sum2, part);
    speed->own = faded(speed->own, part);
    speed->own_sum2 = faded(speed->own_sum2, part);
}

/* Variance of the logarithms of the times of objects over the expected ones. */
static double variance_of(const struct keel_speed *speed)
{
    double mean = speed->moved_sum / speed->moved;
    double scatter = fmax(speed->moved_sum2 - mean * speed->moved_sum, 0);

    return (OBJECTS_VARIANCE + speed->own_sum2 + scatter) / (speed->own + fmax(speed->moved, 1));
}

/* The mean of the posterior normal distribution of its logarithm. */
double keel_speed_of(const struct keel_speed *speed)
{
    if (!(speed->moved > 0)) {
        return 1;
    }
    return exp(speed->moved_sum / (speed->moved + variance_of(speed) / SPEEDS_VARIANCE));
}

double keel_common_s(const struct keel_work *work, double speed, double weight)
{
    return work->amount > 0 ? weight * work->own_s / work->amount * speed : 0;
}

double keel_common_weight(const struct keel_work *work, double speed, double common_s)
{
    return work->own_s > 0 && work->amount > 0 ? common_s / speed * work->amount / work->own_s
                                               : common_s;
}

/* --- ranks --- */

struct keel_rank_speed keel_rank_speed(const struct keel_work *work, double speed, unsigned threads)
{
    bool known = work->rank_s > 0 && work->own_s > 0;

    return (struct keel_rank_speed){
        .weight_s = keel_work_per_s(work),
        .power = speed * (known ? work->own_s / work->rank_s : threads),
        .stated = work->amount > 0 && work->stated == work->amount,
    };
}

double keel_relative_speed(const struct keel_rank_speed *own, const struct keel_rank_speed *other)
{
    if (own->stated > 0 && other->stated > 0 && own->weight_s > 0 && other->weight_s > 0) {
        return other->weight_s / own->weight_s;
    }
    return other->power / own->power;
}
