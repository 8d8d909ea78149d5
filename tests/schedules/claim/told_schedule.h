/* Schedules that do as they are told, and tell what they saw, and teams under them that one thread
 * drives, chunk by chunk. Comes after <cmocka.h>. */
#ifndef TESTS_SCHEDULES_CLAIM_TOLD_SCHEDULE_H
#define TESTS_SCHEDULES_CLAIM_TOLD_SCHEDULE_H

#include <math.h>
#include <stddef.h>

#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/schedules/support/adaptive_team.h"
#include "tests/support/unit.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b))

static uint64_t told_size, told_loot;
static struct keel_claim_context seen;
static struct keel_pace seen_victim;

static inline uint64_t told_take(const struct keel_claim_context *context)
{
    seen = *context;
    return told_size;
}

static inline uint64_t told_steal(const struct keel_claim_context *context,
                                  const struct keel_pace *victim)
{
    seen = *context;
    seen_victim = *victim;
    return told_loot;
}

static inline void see(struct keel_claim_context *context)
{
    seen = *context;
}

static const struct keel_schedule told_sized = {
    .claim = KEEL_CLAIM_SIZED, .take = told_take, .timed = true};
static const struct keel_schedule told_blocks = {
    .claim = KEEL_CLAIM_BLOCKS, .take = told_take, .steal = told_steal, .timed = true};
static const struct keel_schedule plain_blocks = {.claim = KEEL_CLAIM_BLOCKS};
static const struct keel_schedule one_chunk_stolen = {.claim = KEEL_CLAIM_BLOCKS,
                                                      .steals_one_chunk = true};
static const struct keel_schedule adapting = {
    .claim = KEEL_CLAIM_BLOCKS, .take = told_take, .adapt = see};

static inline struct adaptive_team begin(const struct keel_schedule *schedule, uint64_t iterations,
                                         uint64_t threads, uint64_t minimum)
{
    static struct keel_spec spec;

    spec = (struct keel_spec){.schedule = schedule};
    spec.value[KEEL_MIN].count = minimum;
    return adaptive_team_begin(&spec, iterations, threads, NULL);
}

/* The thread takes [first, last). */
static inline void takes(struct adaptive_team *team, uint64_t thread, uint64_t first, uint64_t last)
{
    assert_true(adaptive_team_claim(team, thread));
    assert_int_equal(team->chunks[team->count - 1].first, first);
    assert_int_equal(team->chunks[team->count - 1].last, last);
}

/* A chunk of `size` in `time_ns`, after `overhead_ns`. */
static inline void runs(struct adaptive_team *team, uint64_t thread, uint64_t size, double time_ns,
                        double overhead_ns)
{
    told_size = size;
    assert_true(adaptive_team_claim(team, thread));
    adaptive_team_done(team, thread, time_ns, overhead_ns);
}

static inline struct keel_pace pace(struct adaptive_team *team, uint64_t thread)
{
    return keel_timing_pace(&team->members[thread].worker.timing);
}

static inline void worker(struct adaptive_team *team, uint64_t thread, double mean_ns,
                          double variance_ns2)
{
    keel_team_worker_begin(&team->members[thread].worker, team->team, thread,
                           (struct keel_pace){mean_ns, variance_ns2});
}

#endif
