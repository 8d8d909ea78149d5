/* How much one worker hands to another that is idle (PAPERS.md K4, K5), and where the
 * workers' first blocks lie. Pure. */
#ifndef SCHEDULES_BALANCE_AMOUNTS_H
#define SCHEDULES_BALANCE_AMOUNTS_H

#include <stdint.h>

/* One of the two workers. */
struct keel_amounts_side {
    uint64_t left; /* iterations that it has not begun */
    double speed;  /* iterations per ns; 0: not known */
};

/* As gamma: the victim's throughput over the thief's, up to 1; 1/2 where one is not known (K4). */
#define KEEL_AMOUNTS_BY_RATIO (-2.0)

/* The fraction that gamma stands for; 0: by throughput. Speeds as of struct keel_amounts_side. */
double keel_amounts_fraction(double victim_speed, double thief_speed, double gamma);

/* How many of victim->left iterations to hand over so that both end at the same time or, as these
 * are whole, that the later end comes soonest: 0 .. victim->left. The victim is half-way through an
 * iteration, on average, and the thief waits `delay_ns` >= 0 for what it gets. gamma: 0: by
 * throughput (K4), or half of what the victim has more, rounded up, where a speed is not known;
 * else the fraction to hand over, or KEEL_AMOUNTS_BY_RATIO, rounded up.
 *
 * A victim that stands between two iterations has to begin one before it asks: else the last
 * iteration of a job could go from dry worker to dry worker for ever. */
uint64_t keel_amounts_to_transfer(const struct keel_amounts_side *victim,
                                  const struct keel_amounts_side *thief, double delay_ns,
                                  double gamma);

/* Writes where the first block of each of `workers` >= 1 begins, in proportion to `weight` (each >
 * 0 and finite; NULL: equal): workers + 1 values from 0 to `iterations`, not decreasing, each
 * within one iteration of the exact share's end; with weights while workers * iterations < 2^60. */
void keel_amounts_first_blocks(uint64_t iterations, uint32_t workers, const double *weight,
                               uint64_t *first);

/* Where the block of one of `workers` begins if all are equal: the same, without memory. worker: 0
 * .. workers. */
uint64_t keel_amounts_equal_block(uint64_t iterations, uint32_t workers, uint32_t worker);

#endif
