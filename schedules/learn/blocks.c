/* Rate-proportional blocks. */
#include "schedules/learn/blocks.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "schedules/arithmetic/arithmetic.h"

/* In a loop's first instance, rates and profile are estimated in turns until no rate changes by
 * more than CLOSE any more. */
#define ROUNDS_MAX 16
#define CLOSE 1e-3

/* Part of the way to equal times, when blocks are adjusted. The cost of iterations next to a bound
 * is only known as the mean of their bin; if it is higher, the whole way could lead as far beyond
 * the goal as the blocks were before it, again and again. Also, less noise gets into the bounds. */
#define ADJUSTED_PART 0.5

/* A picosecond to thirty years: values outside were not measured. Keeps sums of rates finite. */
#define TIME_MIN_NS 1e-3
#define TIME_MAX_NS 1e18

size_t keel_blocks_size(uint64_t workers)
{
    return sizeof(struct keel_blocks) + workers * sizeof(struct keel_blocks_worker);
}

void keel_blocks_begin(struct keel_blocks *blocks, uint64_t workers)
{
    memset(blocks, 0, keel_blocks_size(workers));
    blocks->workers = workers;
    keel_profile_begin(&blocks->profile);
    for (uint64_t w = 0; w < workers; w++) {
        blocks->worker[w].bound = (double)w / (double)workers;
    }
}

static bool is_time(double time_ns)
{
    return time_ns >= TIME_MIN_NS && time_ns <= TIME_MAX_NS;
}

static bool is_measured(const struct keel_blocks_part *part)
{
    return part->done > 0 && is_time(part->busy_ns);
}

/* Sums over a worker's chunks. */
struct logged {
    double iterations, work, time_ns;
};

static struct logged logged_of(const struct keel_blocks_part *part, uint64_t iterations,
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

/* Sets raw rates in chunks, by `profile`. Returns the largest relative change of one. */
static double set_chunk_rates(struct keel_blocks *blocks, uint64_t iterations,
                              const struct keel_blocks_part *part,
                              const struct keel_profile *profile)
{
    double change = 0;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        struct keel_blocks_worker *worker = &blocks->worker[w];
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

static double mean_raw(const struct keel_blocks *blocks)
{
    double sum = 0, measured = 0;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        sum += blocks->worker[w].raw;
        measured += blocks->worker[w].raw > 0;
    }
    return measured > 0 ? sum / measured : 0;
}

/* Weight of a worker's chunks in the profile: its CPU share. Its raw rate in this instance, by
 * which its times are divided, already contains the part of its core that other programs took all
 * the time. But interruptions hit single chunks: the more of them, the less the shape is worth. */
static double weight_of_chunks(const struct keel_blocks_part *part)
{
    return part->cpu_ns > 0 ? fmin(1, part->cpu_ns / part->busy_ns) : 1;
}

/* Each worker's times, as if all had the mean rate of this very instance: slow workers do not count
 * as expensive iterations. */
static struct keel_profile_sample sample_of(const struct keel_blocks *blocks, uint64_t iterations,
                                            const struct keel_blocks_part *part,
                                            const struct keel_profile *profile)
{
    struct keel_profile_sample sample = {0};
    double mean = mean_raw(blocks);

    for (uint64_t w = 0; w < blocks->workers; w++) {
        if (!(blocks->worker[w].raw > 0)) {
            continue;
        }
        struct keel_profile_sample own = {0};
        double weight = weight_of_chunks(&part[w]);
        keel_profile_sample_add(&own, profile, part[w].chunk, part[w].chunks, iterations,
                                blocks->worker[w].raw / mean);
        for (int b = 0; b < KEEL_PROFILE_BINS; b++) {
            sample.time_ns[b] += weight * own.time_ns[b];
            sample.iterations[b] += weight * own.iterations[b];
        }
    }
    return sample;
}

/* Each bin's cost averaged with its neighbours'. */
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
 * a whole bin may depend on one thread alone, and only its neighbours separate speed from cost.
 * Later ones trust the profile: in blocks, threads share only the bins where they meet, and each
 * times another part of one; more turns would ascribe differences within a bin to speed. */
static void learn_profile(struct keel_blocks *blocks, uint64_t iterations,
                          const struct keel_blocks_part *part)
{
    const struct keel_profile before = blocks->profile;
    const bool known = blocks->instances > 0;
    const int rounds = known ? 1 : ROUNDS_MAX;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        blocks->worker[w].raw = 0;
    }
    for (int round = 0; round < rounds; round++) {
        const struct keel_profile expected = known ? blocks->profile : smoothed(&blocks->profile);
        if (set_chunk_rates(blocks, iterations, part, &expected) < CLOSE) {
            break;
        }
        struct keel_profile_sample sample = sample_of(blocks, iterations, part, &blocks->profile);
        blocks->profile = before;
        keel_profile_learn(&blocks->profile, &sample);
    }
}

/* Work of all iterations done. Iterations in no chunk count as the mean of those in chunks, which
 * are usually in the same part of the loop; without chunks, as mean iterations. */
static double work_of(const struct keel_blocks_part *part, uint64_t iterations,
                      const struct keel_profile *profile)
{
    struct logged logged = logged_of(part, iterations, profile);

    return (double)part->done * (logged.work > 0 ? logged.work / logged.iterations : 1);
}

static void learn_rates(struct keel_blocks *blocks, uint64_t iterations,
                        const struct keel_blocks_part *part)
{
    for (uint64_t w = 0; w < blocks->workers; w++) {
        struct keel_blocks_worker *worker = &blocks->worker[w];
        worker->raw = 0;
        worker->unmeasured++;
        if (!is_measured(&part[w])) {
            continue;
        }
        worker->raw = work_of(&part[w], iterations, &blocks->profile) / part[w].busy_ns;
        worker->unmeasured = 0;
        keel_rate_filter_update(&worker->rate, worker->raw);
    }
}

/* A worker that has only now been measured counts as if it had had this rate before. */
static void learn_unchanged(struct keel_blocks *blocks)
{
    blocks->unchanged++;
    for (uint64_t w = 0; w < blocks->workers; w++) {
        struct keel_blocks_worker *worker = &blocks->worker[w];
        double weight = worker->unchanged_rate > 0 ? 1 / (double)blocks->unchanged : 1;
        worker->unchanged_rate += weight * (worker->rate.filtered - worker->unchanged_rate);
    }
}

/* Which of a worker's rates to use. */
enum view {
    FILTERED,
    UNCHANGED, /* their mean since blocks moved or were adjusted */
};

/* 0 if not known. */
static double known_rate(const struct keel_blocks_worker *worker, enum view view)
{
    return view == UNCHANGED ? worker->unchanged_rate : worker->rate.filtered;
}

/* 0 if none is known. */
static double mean_rate(const struct keel_blocks *blocks, enum view view)
{
    double sum = 0, known = 0;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        double rate = known_rate(&blocks->worker[w], view);
        sum += rate;
        known += rate > 0;
    }
    return known > 0 ? sum / known : 0;
}

/* Rate over the mean; 1 if unknown, so that speeds have the mean 1. */
static double speed_of(const struct keel_blocks *blocks, uint64_t worker, enum view view,
                       double mean)
{
    double rate = known_rate(&blocks->worker[worker], view);

    return rate > 0 ? rate / mean : 1;
}

static double bound_of(const struct keel_blocks *blocks, uint64_t worker)
{
    return worker < blocks->workers ? blocks->worker[worker].bound : 1;
}

/* --- certainty --- */

#define FILTERED_MEAN 2.0 /* a filtered rate is roughly the mean of this many instances */
#define SHORT_NOISE \
    0.005 /* of its time: in longer loops the threshold alone separates noise from change */
#define USUAL_MEMORY 16.0 /* instances that usual_ns goes back */
#define USUAL_CHANGE 2.0  /* factor by which one instance counts as longer than that, at most */
#define INTERRUPTED 8.0   /* times as long as usual: an instance that took longer was interrupted */
#define INTERRUPTED_MAX 2 /* of them in a row that are left out */

/* The rate of this instance; for workers without iterations, the filtered one. */
static double raw_rate(const struct keel_blocks_worker *worker)
{
    return worker->raw > 0 ? worker->raw : worker->rate.filtered;
}

/* Records where this instance alone would begin the blocks. If blocks have just moved, each worker
 * has a different part of the loop, and a change is not by chance. */
static void learn_spread(struct keel_blocks *blocks)
{
    double sum = 0, known = 0, speeds = 0;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        sum += raw_rate(&blocks->worker[w]);
        known += raw_rate(&blocks->worker[w]) > 0;
    }
    for (uint64_t w = 0; w < blocks->workers && sum > 0; w++) {
        struct keel_blocks_worker *worker = &blocks->worker[w];
        double rate = raw_rate(worker), work = speeds / (double)blocks->workers;
        if (blocks->unchanged == 1) {
            keel_spread_break(&worker->wanted);
        }
        keel_spread_add(&worker->wanted, keel_profile_position(&blocks->profile, work));
        speeds += rate > 0 ? rate * known / sum : 1;
    }
}

/* Time of all workers together, and the largest standard error of one. */
static double busy_of(const struct keel_blocks *blocks, const struct keel_blocks_part *part,
                      double *noise_ns)
{
    double busy_ns = 0;

    *noise_ns = 0;
    for (uint64_t w = 0; w < blocks->workers; w++) {
        busy_ns += is_measured(&part[w]) ? part[w].busy_ns : 0;
        *noise_ns = fmax(*noise_ns, part[w].noise_ns);
    }
    return busy_ns;
}

/* Whether interruptions make the instance useless: the loop is short, and took many times as long
 * as usual. A change that lasts is learned nevertheless. */
static bool is_interrupted(struct keel_blocks *blocks, uint64_t iterations,
                           const struct keel_blocks_part *part)
{
    double noise_ns, busy_ns = busy_of(blocks, part, &noise_ns);
    bool longer = blocks->usual_ns > 0 && noise_ns > 0 &&
                  busy_ns > INTERRUPTED * blocks->usual_ns * (double)iterations;

    blocks->interrupted = longer ? blocks->interrupted + 1 : 0;
    return longer && blocks->interrupted <= INTERRUPTED_MAX;
}

static void learn_noise(struct keel_blocks *blocks, uint64_t iterations,
                        const struct keel_blocks_part *part)
{
    double noise_ns, seen = busy_of(blocks, part, &noise_ns) / (double)iterations;
    double before = blocks->usual_ns;

    if (before > 0) {
        double weight = seen > before ? fmin((double)blocks->instances, USUAL_MEMORY) : 2;
        seen = before + (fmin(seen, before * USUAL_CHANGE) - before) / weight;
    }
    blocks->usual_ns = seen;
    blocks->noise = noise_ns / (seen * (double)iterations);
}

/* Number of instances that the rates of `view` average. */
static double averaged(const struct keel_blocks *blocks, enum view view)
{
    double most = view == UNCHANGED ? (double)blocks->unchanged : FILTERED_MEAN;

    return fmin(fmax(1, most), (double)blocks->instances);
}

/* Where the block of `worker` is to begin: `speeds` of all the workers' speeds are before it. */
static double certain_bound(const struct keel_blocks *blocks, uint64_t worker, enum view view,
                            double speeds)
{
    double workers = (double)blocks->workers;
    double best = keel_profile_position(&blocks->profile, speeds / workers);
    bool is_short = blocks->noise > SHORT_NOISE;
    double strays =
        is_short ? keel_spread_error(&blocks->worker[worker].wanted, averaged(blocks, view)) : 0;

    return keel_certainty_shrink(best, (double)worker / workers, hypot(blocks->noise, strays));
}

/* The time that blocks take, in time of the whole loop at mean speed: that of the last of them. */
struct length {
    double present; /* of the present blocks */
    double certain; /* of the blocks that the measurements justify */
    double excess;  /* how far a present bound is beyond the certain one, seen from equal blocks */
};

/* How much farther `bound` is from `equal` than `certain`, or how far it is on its other side. */
static double excess_of(double bound, double certain, double equal)
{
    double side = certain > equal ? 1 : -1; /* where they are the same, either */

    return fmax((bound - certain) * side, (equal - bound) * side);
}

static struct length length_of(const struct keel_blocks *blocks, enum view view)
{
    double mean = mean_rate(blocks, view), speeds = 0, before = 0, certain_before = 0;
    struct length length = {0};

    for (uint64_t w = 0; w < blocks->workers; w++) {
        double speed = speed_of(blocks, w, view, mean);
        speeds += speed;
        bool last = w + 1 == blocks->workers;
        double bound = last ? 1 : certain_bound(blocks, w + 1, view, speeds);
        double behind = keel_profile_work(&blocks->profile, bound_of(blocks, w + 1));
        double certain = keel_profile_work(&blocks->profile, bound);
        length.present = fmax(length.present, (behind - before) / speed);
        length.certain = fmax(length.certain, (certain - certain_before) / speed);
        length.excess = fmax(length.excess, excess_of(bound_of(blocks, w + 1), bound,
                                                      (double)(w + 1) / (double)blocks->workers));
        before = behind;
        certain_before = certain;
    }
    return length;
}

/* The gain of other blocks. */
static double gain_of(const struct length *length)
{
    return keel_threshold_gain(length->present, length->certain);
}

#define EXCESS 0.01 /* of the loop: bounds that are farther out than this come back */

/* Whether it has had no iteration for so long that its rate is no longer valid. */
static bool is_unmeasured(const struct keel_blocks *blocks, uint64_t worker, uint64_t iterations)
{
    return blocks->worker[worker].unmeasured >= KEEL_ADJUST_PERIOD && iterations >= blocks->workers;
}

static bool any_unmeasured(const struct keel_blocks *blocks, uint64_t iterations)
{
    for (uint64_t w = 0; w < blocks->workers; w++) {
        if (is_unmeasured(blocks, w, iterations)) {
            return true;
        }
    }
    return false;
}

/* Widens the blocks of unmeasured workers to an iteration, at the cost of those behind them, or
 * before them at the end of the loop. */
static void make_room(struct keel_blocks *blocks, uint64_t iterations)
{
    const double one = 1 / (double)iterations;
    double least = 0, most = 1;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        blocks->worker[w].bound = fmax(blocks->worker[w].bound, least);
        least = blocks->worker[w].bound + (is_unmeasured(blocks, w, iterations) ? one : 0);
    }
    for (uint64_t w = blocks->workers; w-- > 0;) {
        most = fmax(0, most - (is_unmeasured(blocks, w, iterations) ? one : 0));
        blocks->worker[w].bound = most = fmin(blocks->worker[w].bound, most);
    }
}

/* Equal time for all, or part of the way there; restarts the count of unchanged instances. */
static void set_bounds(struct keel_blocks *blocks, uint64_t iterations, enum view view, double part)
{
    double mean = mean_rate(blocks, view), speeds = 0;

    for (uint64_t w = 0; w < blocks->workers; w++) {
        struct keel_blocks_worker *worker = &blocks->worker[w];
        double best = w == 0 ? 0 : certain_bound(blocks, w, view, speeds);
        worker->bound += part * (best - worker->bound);
        speeds += speed_of(blocks, w, view, mean);
    }
    make_room(blocks, iterations);
    blocks->unchanged = 0;
}

static bool any_measured(const struct keel_blocks *blocks, const struct keel_blocks_part *part)
{
    for (uint64_t w = 0; w < blocks->workers; w++) {
        if (is_measured(&part[w])) {
            return true;
        }
    }
    return false;
}

enum keel_blocks_decision keel_blocks_learn(struct keel_blocks *blocks, uint64_t iterations,
                                            const struct keel_blocks_part *part)
{
    if (!any_measured(blocks, part) || is_interrupted(blocks, iterations, part)) {
        return KEEL_BLOCKS_KEPT;
    }
    learn_profile(blocks, iterations, part);
    learn_rates(blocks, iterations, part);
    learn_unchanged(blocks);
    blocks->instances++;
    learn_spread(blocks);
    learn_noise(blocks, iterations, part);
    const struct length now = length_of(blocks, FILTERED), unchanged = length_of(blocks, UNCHANGED);
    blocks->gain = gain_of(&now);

    enum keel_blocks_decision decision = keel_threshold_decide(blocks->instances, blocks->unchanged,
                                                               blocks->gain, gain_of(&unchanged));
    bool due = blocks->unchanged >= KEEL_ADJUST_PERIOD && unchanged.excess > EXCESS;
    if (decision == KEEL_BLOCKS_KEPT && (due || any_unmeasured(blocks, iterations))) {
        decision = KEEL_BLOCKS_ADJUSTED;
    }
    if (decision == KEEL_BLOCKS_MOVED) {
        set_bounds(blocks, iterations, FILTERED, 1);
    } else if (decision == KEEL_BLOCKS_ADJUSTED) {
        set_bounds(blocks, iterations, UNCHANGED, ADJUSTED_PART);
    }
    return decision;
}

double keel_blocks_speed(const struct keel_blocks *blocks, uint64_t worker)
{
    return speed_of(blocks, worker, FILTERED, mean_rate(blocks, FILTERED));
}

double keel_blocks_iteration_ns(const struct keel_blocks *blocks)
{
    double rate = mean_rate(blocks, FILTERED);

    return rate > 0 ? 1 / rate : 0;
}

uint64_t keel_blocks_first(const struct keel_blocks *blocks, uint64_t worker, uint64_t iterations)
{
    if (worker >= blocks->workers) {
        return iterations;
    }
    return min_u64(count_of(blocks->worker[worker].bound * (double)iterations + 0.5), iterations);
}
