/* Rate-proportional blocks. */
#include "schedules/balance/rebalance.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "schedules/loop/arithmetic.h"

/* In a loop's first instance, rates and profile are estimated in turns until no rate changes by
 * more than CLOSE any more. */
#define ROUNDS_MAX 16
#define CLOSE 1e-3

/* Of the way to equal times, when blocks are adjusted. What iterations next to a bound cost is only
 * known as the mean of their bin; where they cost more, the whole way could lead as far beyond the
 * goal as they were before it, again and again. Also, less noise gets into the bounds. */
#define ADJUSTED_PART 0.5

/* A picosecond to thirty years: what lies outside was not measured. Keeps sums of rates finite. */
#define TIME_MIN_NS 1e-3
#define TIME_MAX_NS 1e18

size_t keel_rebalance_size(uint64_t workers)
{
    return sizeof(struct keel_rebalance) + workers * sizeof(struct keel_rebalance_worker);
}

void keel_rebalance_begin(struct keel_rebalance *balance, uint64_t workers)
{
    memset(balance, 0, keel_rebalance_size(workers));
    balance->workers = workers;
    keel_profile_begin(&balance->profile);
    for (uint64_t w = 0; w < workers; w++) {
        balance->worker[w].bound = (double)w / (double)workers;
    }
}

static bool is_time(double time_ns)
{
    return time_ns >= TIME_MIN_NS && time_ns <= TIME_MAX_NS;
}

static bool is_measured(const struct keel_part *part)
{
    return part->done > 0 && is_time(part->busy_ns);
}

/* A worker's chunks taken together. */
struct logged {
    double iterations, work, time_ns;
};

static struct logged logged_of(const struct keel_part *part, uint64_t iterations,
                               const struct keel_profile *profile)
{
    struct logged sum = {0};

    for (size_t i = 0; i < part->chunks; i++) {
        const struct keel_timed_chunk *chunk = &part->chunk[i];
        double work = keel_profile_chunk_work(profile, chunk, iterations);
        if (work > 0 && is_time(chunk->time_ns)) {
            sum.iterations += (double)(chunk->last - chunk->first);
            sum.work += work;
            sum.time_ns += chunk->time_ns;
        }
    }
    return sum;
}

/* Raw rates in chunks, by `profile`. Returns by which factor - 1 one changed most. */
static double set_chunk_rates(struct keel_rebalance *balance, uint64_t iterations,
                              const struct keel_part *part, const struct keel_profile *profile)
{
    double change = 0;

    for (uint64_t w = 0; w < balance->workers; w++) {
        struct keel_rebalance_worker *worker = &balance->worker[w];
        double before = worker->raw;
        worker->raw = 0;
        if (!is_measured(&part[w])) {
            continue;
        }
        struct logged logged = logged_of(&part[w], iterations, profile);
        if (logged.work > 0) {
            worker->raw = logged.work / logged.time_ns;
            change = fmax(change, before > 0 ? fabs(worker->raw / before - 1) : INFINITY);
        }
    }
    return change;
}

static double mean_raw(const struct keel_rebalance *balance)
{
    double sum = 0, measured = 0;

    for (uint64_t w = 0; w < balance->workers; w++) {
        sum += balance->worker[w].raw;
        measured += balance->worker[w].raw > 0;
    }
    return measured > 0 ? sum / measured : 0;
}

/* How much a worker's chunks tell of the loop. What its raw rate in this instance takes out of its
 * times is also what others took of its core, as far as that went on all the time; taking out the
 * CPU share, too, would count it twice. But interruptions fall on single chunks, so the more of
 * them, the less the shape is worth. */
static double evidence(const struct keel_part *part)
{
    return part->cpu_ns > 0 ? fmin(1, part->cpu_ns / part->busy_ns) : 1;
}

/* Each worker's times, as if all had its mean rate of this very instance: slow workers are not
 * taken for expensive iterations. */
static struct keel_profile_sample sample_of(const struct keel_rebalance *balance,
                                            uint64_t iterations, const struct keel_part *part,
                                            const struct keel_profile *profile)
{
    struct keel_profile_sample sample = {0};
    double mean = mean_raw(balance);

    for (uint64_t w = 0; w < balance->workers; w++) {
        if (!(balance->worker[w].raw > 0)) {
            continue;
        }
        struct keel_profile_sample own = {0};
        double weight = evidence(&part[w]);
        keel_profile_sample_add(&own, profile, part[w].chunk, part[w].chunks, iterations,
                                balance->worker[w].raw / mean);
        for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
            sample.time_ns[b] += weight * own.time_ns[b];
            sample.iterations[b] += weight * own.iterations[b];
        }
    }
    return sample;
}

/* Each bin's cost together with its neighbours'. */
static struct keel_profile smoothed(const struct keel_profile *profile)
{
    struct keel_profile smooth = *profile;

    for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
        int below = b > 0 ? b - 1 : b, above = b < KEEL_PROFILE_BINS - 1 ? b + 1 : b;
        smooth.cost[b] = (profile->cost[below] + 2 * profile->cost[b] + profile->cost[above]) / 4;
    }
    return smooth;
}

/* Rates given the profile, the profile given the rates. In a loop's first instance in turns; there,
 * a whole bin may rest on one thread alone, and it is its neighbours that tell speed from cost.
 * Later ones trust the profile: in blocks, all that threads share is the bins where they meet, each
 * seeing another part of one; more turns would take what differs in there for speed. */
static void learn_profile(struct keel_rebalance *balance, uint64_t iterations,
                          const struct keel_part *part)
{
    const struct keel_profile before = balance->profile;
    const bool known = balance->instances > 0;
    const int rounds = known ? 1 : ROUNDS_MAX;

    for (uint64_t w = 0; w < balance->workers; w++) {
        balance->worker[w].raw = 0;
    }
    for (int round = 0; round < rounds; round++) {
        const struct keel_profile expected = known ? balance->profile : smoothed(&balance->profile);
        if (set_chunk_rates(balance, iterations, part, &expected) < CLOSE) {
            break;
        }
        struct keel_profile_sample sample = sample_of(balance, iterations, part, &balance->profile);
        balance->profile = before;
        keel_profile_learn(&balance->profile, &sample);
    }
}

/* Work of all iterations done. Those in no chunk count as the mean of those that are, which lie in
 * the same part of the loop as a rule; as mean iterations where there are no chunks. */
static double work_of(const struct keel_part *part, uint64_t iterations,
                      const struct keel_profile *profile)
{
    struct logged logged = logged_of(part, iterations, profile);

    return (double)part->done * (logged.work > 0 ? logged.work / logged.iterations : 1);
}

static void learn_rates(struct keel_rebalance *balance, uint64_t iterations,
                        const struct keel_part *part)
{
    for (uint64_t w = 0; w < balance->workers; w++) {
        struct keel_rebalance_worker *worker = &balance->worker[w];
        worker->raw = 0;
        worker->idle++;
        if (!is_measured(&part[w])) {
            continue;
        }
        worker->raw = work_of(&part[w], iterations, &balance->profile) / part[w].busy_ns;
        worker->idle = 0;
        keel_rate_filter_update(&worker->rate, worker->raw);
    }
}

/* A worker that has only now been measured counts as if it had been so before. */
static void learn_calm(struct keel_rebalance *balance)
{
    balance->calm++;
    for (uint64_t w = 0; w < balance->workers; w++) {
        struct keel_rebalance_worker *worker = &balance->worker[w];
        double weight = worker->calm_rate > 0 ? 1 / (double)balance->calm : 1;
        worker->calm_rate += weight * (worker->rate.filtered - worker->calm_rate);
    }
}

/* One way to see the workers' rates. */
enum view {
    FILTERED,
    CALM, /* their mean since blocks moved or were adjusted */
};

/* 0: not known */
static double known_rate(const struct keel_rebalance_worker *worker, enum view view)
{
    return view == CALM ? worker->calm_rate : worker->rate.filtered;
}

/* 0: of none known */
static double mean_rate(const struct keel_rebalance *balance, enum view view)
{
    double sum = 0, known = 0;

    for (uint64_t w = 0; w < balance->workers; w++) {
        double rate = known_rate(&balance->worker[w], view);
        sum += rate;
        known += rate > 0;
    }
    return known > 0 ? sum / known : 0;
}

/* Over the mean; 1 where unknown, so that speeds have the mean 1. */
static double speed_of(const struct keel_rebalance *balance, uint64_t worker, enum view view,
                       double mean)
{
    double rate = known_rate(&balance->worker[worker], view);

    return rate > 0 ? rate / mean : 1;
}

static double bound_of(const struct keel_rebalance *balance, uint64_t worker)
{
    return worker < balance->workers ? balance->worker[worker].bound : 1;
}

/* What other blocks would save. In time of the whole loop at mean speed: the present ones take as
 * long as the last of them, the best ones 1 / P. */
static double gain_of(const struct keel_rebalance *balance, enum view view)
{
    double mean = mean_rate(balance, view), present = 0, before = 0;

    for (uint64_t w = 0; w < balance->workers; w++) {
        double behind = keel_profile_work(&balance->profile, bound_of(balance, w + 1));
        present = fmax(present, (behind - before) / speed_of(balance, w, view, mean));
        before = behind;
    }
    return keel_threshold_gain(present, 1 / (double)balance->workers);
}

/* Whether it has been without an iteration for so long that its rate says nothing any more. */
static bool is_forgotten(const struct keel_rebalance *balance, uint64_t worker, uint64_t iterations)
{
    return balance->worker[worker].idle >= KEEL_ADJUST_PERIOD && iterations >= balance->workers;
}

static bool any_forgotten(const struct keel_rebalance *balance, uint64_t iterations)
{
    for (uint64_t w = 0; w < balance->workers; w++) {
        if (is_forgotten(balance, w, iterations)) {
            return true;
        }
    }
    return false;
}

/* Widens the blocks of forgotten workers to an iteration, by those behind them, or before them
 * where the loop ends. */
static void make_room(struct keel_rebalance *balance, uint64_t iterations)
{
    const double one = 1 / (double)iterations;
    double least = 0, most = 1;

    for (uint64_t w = 0; w < balance->workers; w++) {
        balance->worker[w].bound = fmax(balance->worker[w].bound, least);
        least = balance->worker[w].bound + (is_forgotten(balance, w, iterations) ? one : 0);
    }
    for (uint64_t w = balance->workers; w-- > 0;) {
        most = fmax(0, most - (is_forgotten(balance, w, iterations) ? one : 0));
        balance->worker[w].bound = most = fmin(balance->worker[w].bound, most);
    }
}

/* Equal time for all, or part of the way there, and a new calm. */
static void set_bounds(struct keel_rebalance *balance, uint64_t iterations, enum view view,
                       double part)
{
    double mean = mean_rate(balance, view), speeds = 0;

    for (uint64_t w = 0; w < balance->workers; w++) {
        struct keel_rebalance_worker *worker = &balance->worker[w];
        double best = keel_profile_position(&balance->profile, speeds / (double)balance->workers);
        worker->bound += part * (best - worker->bound);
        speeds += speed_of(balance, w, view, mean);
    }
    make_room(balance, iterations);
    balance->calm = 0;
}

static bool any_measured(const struct keel_rebalance *balance, const struct keel_part *part)
{
    for (uint64_t w = 0; w < balance->workers; w++) {
        if (is_measured(&part[w])) {
            return true;
        }
    }
    return false;
}

enum keel_rebalance_decision keel_rebalance_learn(struct keel_rebalance *balance,
                                                  uint64_t iterations, const struct keel_part *part)
{
    if (!any_measured(balance, part)) {
        return KEEL_BLOCKS_KEPT;
    }
    learn_profile(balance, iterations, part);
    learn_rates(balance, iterations, part);
    learn_calm(balance);
    balance->instances++;
    balance->gain = gain_of(balance, FILTERED);

    enum keel_rebalance_decision decision = keel_threshold_decide(
        balance->instances, balance->calm, balance->gain, gain_of(balance, CALM));
    if (decision == KEEL_BLOCKS_KEPT && any_forgotten(balance, iterations)) {
        decision = KEEL_BLOCKS_ADJUSTED;
    }
    if (decision == KEEL_BLOCKS_MOVED) {
        set_bounds(balance, iterations, FILTERED, 1);
    } else if (decision == KEEL_BLOCKS_ADJUSTED) {
        set_bounds(balance, iterations, CALM, ADJUSTED_PART);
    }
    return decision;
}

double keel_rebalance_speed(const struct keel_rebalance *balance, uint64_t worker)
{
    return speed_of(balance, worker, FILTERED, mean_rate(balance, FILTERED));
}

double keel_rebalance_iteration_ns(const struct keel_rebalance *balance)
{
    double rate = mean_rate(balance, FILTERED);

    return rate > 0 ? 1 / rate : 0;
}

uint64_t keel_rebalance_first(const struct keel_rebalance *balance, uint64_t worker,
                              uint64_t iterations)
{
    if (worker >= balance->workers) {
        return iterations;
    }
    return min_u64(count_of(balance->worker[worker].bound * (double)iterations + 0.5), iterations);
}
