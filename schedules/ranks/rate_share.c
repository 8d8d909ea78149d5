/* One rank's block, by the rates of all. */
#include "schedules/ranks/rate_share.h"

#include <math.h>

#include "schedules/arithmetic/arithmetic.h"

enum view { FILTERED, UNCHANGED };

/* A picosecond to thirty years: values outside were not measured. Keeps sums of rates finite. */
#define TIME_MIN_NS 1e-3
#define TIME_MAX_NS 1e18

/* Weight of a rank of mean speed. With 2^31 ranks all weights together still fit 64 bits. */
#define UNIT 0x1p32

void keel_rate_share_begin(struct keel_rate_share *share, uint64_t rank, uint64_t ranks)
{
    *share = (struct keel_rate_share){
        .ranks = ranks,
        .first = (double)rank / (double)ranks,
        .last = (double)(rank + 1) / (double)ranks,
    };
}

/* --- measuring --- */

static bool is_measured(double done, double busy_ns)
{
    return done >= 1 && isfinite(done) && busy_ns >= TIME_MIN_NS && busy_ns <= TIME_MAX_NS;
}

static double rate_of(const struct keel_rate_share *share, enum view view)
{
    return view == FILTERED ? share->rate.filtered : share->unchanged_rate;
}

static struct keel_rate_sums_view sums_of(const struct keel_rate_share *share, enum view view)
{
    double rate = rate_of(share, view), width = share->last - share->first;

    return rate > 0
               ? (struct keel_rate_sums_view){.rates = rate, .known = 1, .longest = width / rate}
               : (struct keel_rate_sums_view){0};
}

static bool is_unmeasured(const struct keel_rate_share *share)
{
    return share->unmeasured >= KEEL_ADJUST_PERIOD;
}

/* A rank that has only now been measured counts as if it had had this rate before. */
static void learn_unchanged(struct keel_rate_share *share)
{
    double weight = share->unchanged_rate > 0 ? 1 / (double)(share->unchanged + 1) : 1;

    share->unchanged_rate += weight * (share->rate.filtered - share->unchanged_rate);
}

struct keel_rate_sums keel_rate_share_measure(struct keel_rate_share *share, double done,
                                              double busy_ns)
{
    bool measured = is_measured(done, busy_ns);

    share->unmeasured = measured ? 0 : share->unmeasured + 1;
    if (measured) {
        keel_rate_filter_update(&share->rate, done / busy_ns);
    }
    learn_unchanged(share);
    return (struct keel_rate_sums){
        .view = {sums_of(share, FILTERED), sums_of(share, UNCHANGED)},
        .ranks = 1,
        .measured = measured,
        .unmeasured = is_unmeasured(share),
    };
}

void keel_rate_sums_add(struct keel_rate_sums *sums, const struct keel_rate_sums *other)
{
    for (int v = 0; v < KEEL_RATE_VIEWS; v++) {
        struct keel_rate_sums_view *view = &sums->view[v];
        view->rates += other->view[v].rates;
        view->known += other->view[v].known;
        view->longest = fmax(view->longest, other->view[v].longest);
    }
    sums->ranks += other->ranks;
    sums->measured += other->measured;
    sums->unmeasured += other->unmeasured;
}

/* --- deciding --- */

static double mean_of(const struct keel_rate_sums *sums, enum view view)
{
    return sums->view[view].known > 0 ? sums->view[view].rates / sums->view[view].known : 0;
}

/* The gain of blocks by the rates of `view`, which take 1 / P of the loop's time at mean speed.
 * Ranks without a known rate count as of mean speed: they have 1 / P of the loop already. */
static double gain_of(const struct keel_rate_share *share, const struct keel_rate_sums *sums,
                      enum view view)
{
    double present = sums->view[view].longest * mean_of(sums, view);

    return keel_threshold_gain(present, 1 / (double)share->ranks);
}

/* Whether blocks change so that ranks without an iteration for long get one. */
static bool gives_room(const struct keel_rate_share *share, const struct keel_rate_sums *sums,
                       uint64_t iterations)
{
    return sums->unmeasured > 0 && iterations >= share->ranks;
}

enum keel_blocks_decision keel_rate_share_decide(struct keel_rate_share *share,
                                                 const struct keel_rate_sums *sums,
                                                 uint64_t iterations)
{
    share->instances++;
    share->unchanged++;
    share->mean = mean_of(sums, FILTERED);
    share->gain = gain_of(share, sums, FILTERED);
    enum keel_blocks_decision decision = keel_threshold_decide(
        share->instances, share->unchanged, share->gain, gain_of(share, sums, UNCHANGED));
    return decision == KEEL_BLOCKS_KEPT && gives_room(share, sums, iterations)
               ? KEEL_BLOCKS_ADJUSTED
               : decision;
}

/* --- changing --- */

/* A rank that was so slow that it got no iteration gets one, which shows whether it still is: twice
 * the weight of one, as blocks are adjusted by half. */
static double room_of(const struct keel_rate_share *share, uint64_t iterations)
{
    return iterations >= share->ranks
               ? fmin(2.01 * (double)share->ranks / (double)iterations, 1) * UNIT
               : 0;
}

struct keel_rate_change keel_rate_share_change(const struct keel_rate_share *share,
                                               enum keel_blocks_decision decision,
                                               const struct keel_rate_sums *sums,
                                               uint64_t iterations)
{
    enum view view = decision == KEEL_BLOCKS_MOVED ? FILTERED : UNCHANGED;
    double rate = rate_of(share, view), mean = mean_of(sums, view);
    double room = room_of(share, iterations);
    double weight = rate > 0 && mean > 0 ? fmin(rate / mean, (double)share->ranks) * UNIT : UNIT;

    return (struct keel_rate_change){
        .decision = decision,
        .weight = count_of(is_unmeasured(share) ? fmax(weight, room) : weight),
        .total = count_of((double)share->ranks * UNIT + sums->unmeasured * room),
    };
}

/* Half of the way to `best` if blocks are adjusted, so that less noise gets into the bounds. Not
 * decreasing in either argument. */
static double next_bound(double bound, double best, enum keel_blocks_decision decision)
{
    return decision == KEEL_BLOCKS_ADJUSTED ? (bound + best) / 2 : best;
}

static double part_of(uint64_t weights, uint64_t total)
{
    return fmin((double)weights / (double)total, 1);
}

void keel_rate_share_set(struct keel_rate_share *share, const struct keel_rate_change *change,
                         uint64_t rank, uint64_t before)
{
    double first = part_of(before, change->total);
    double last = part_of(before + change->weight, change->total);

    share->first = rank > 0 ? next_bound(share->first, first, change->decision) : 0;
    share->last = rank + 1 < share->ranks ? next_bound(share->last, last, change->decision) : 1;
    share->unchanged = 0;
}

/* --- using --- */

double keel_rate_share_speed(const struct keel_rate_share *share)
{
    return share->rate.filtered > 0 && share->mean > 0 ? share->rate.filtered / share->mean : 1;
}

uint64_t keel_rate_share_iteration(double position, uint64_t iterations)
{
    return position < 1 ? min_u64(count_of(position * (double)iterations + 0.5), iterations)
                        : iterations;
}
