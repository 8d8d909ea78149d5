/* How much one worker hands to another that runs dry (PAPERS.md K4, K5), and where the
 * workers' first blocks lie. Pure. */
#ifndef SCHEDULES_BALANCE_AMOUNTS_H
#define SCHEDULES_BALANCE_AMOUNTS_H

#include <stdint.h>

/* One of the two workers. */
struct keel_migration_side {
    uint64_t left; /* iterations that it has not begun */
    double speed;  /* iterations per ns; 0: not known */
};

/* How many of giver->left iterations to hand over so that both end at the same time or, as these
 * are whole, that the later end comes soonest: 0 .. giver->left. The giver is half-way through an
 * iteration, on average, and the taker waits `delay_ns` >= 0 for what it gets. gamma: 0: by
 * throughput (K4), or half of what the giver has more, rounded up, where a speed is not known; else
 * the fraction to hand over, rounded up.
 *
 * A giver that stands between two iterations has to begin one before it asks: else the last
 * iteration of a job could go from dry worker to dry worker for ever. */
uint64_t keel_migration_amount(const struct keel_migration_side *giver,
                               const struct keel_migration_side *taker, double delay_ns,
                               double gamma);

/* Writes where the first block of each of `workers` >= 1 begins, in proportion to `weight` (each >
 * 0 and finite; NULL: equal): workers + 1 values from 0 to `iterations`, not decreasing, each
 * within one iteration of the exact share's end; with weights while workers * iterations < 2^60. */
void keel_migration_blocks(uint64_t iterations, uint32_t workers, const double *weight,
                           uint64_t *first);

#endif
