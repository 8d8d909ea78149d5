/* Blocks by the rates of all ranks, each of which knows its own and sums: no iteration is left out
 * or runs twice, and blocks are those of one place that knows all. */
#include <stddef.h>
#include <stdlib.h>

#include <math.h>

#include "schedules/ranks/rate_share.h"
#include "schedules/learn/blocks.h"
#include "tests/support/draws.h"
#include "tests/support/unit.h"

enum { RANKS_MAX = 40 };

struct job {
    uint32_t ranks;
    struct keel_rate_share rank[RANKS_MAX];
};

static struct job begin(uint32_t ranks)
{
    struct job job = {.ranks = ranks};

    for (uint32_t r = 0; r < ranks; r++) {
        keel_rate_share_begin(&job.rank[r], r, ranks);
    }
    return job;
}

static uint64_t first_of(const struct job *job, uint32_t rank, uint64_t iterations)
{
    return keel_rate_share_iteration(job->rank[rank].first, iterations);
}

static uint64_t last_of(const struct job *job, uint32_t rank, uint64_t iterations)
{
    return keel_rate_share_iteration(job->rank[rank].last, iterations);
}

/* One instance: what ranks tell is added up, and where blocks change, weights of the ranks below.
 * */
static enum keel_blocks_decision run(struct job *job, uint64_t iterations,
                                     const struct keel_blocks_part *part)
{
    struct keel_rate_sums sums = {0};
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;
    uint64_t below = 0;

    for (uint32_t r = 0; r < job->ranks; r++) {
        const struct keel_rate_sums own =
            keel_rate_share_measure(&job->rank[r], (double)part[r].done, part[r].busy_ns);
        keel_rate_sums_add(&sums, &own);
    }
    assert_true(sums.told == job->ranks);
    for (uint32_t r = 0; r < job->ranks; r++) {
        decision = keel_rate_share_decide(&job->rank[r], &sums, iterations);
        if (decision != KEEL_BLOCKS_KEPT) {
            const struct keel_rate_change change =
                keel_rate_share_change(&job->rank[r], decision, &sums, iterations);
            keel_rate_share_set(&job->rank[r], &change, r, below);
            below += change.weight;
        }
    }
    return decision;
}

static void assert_blocks_meet(const struct job *job, uint64_t iterations)
{
    assert_int_equal(first_of(job, 0, iterations), 0);
    assert_int_equal(last_of(job, job->ranks - 1, iterations), iterations);
    for (uint32_t r = 0; r < job->ranks; r++) {
        assert_true(first_of(job, r, iterations) <= last_of(job, r, iterations));
        if (r > 0) {
            assert_true(job->rank[r].first == job->rank[r - 1].last);
        }
    }
}

TEST(blocks_meet_whatever_ranks_tell)
{
    static const double strange[] = {0, -1, NAN, INFINITY, 1e-9, 1e30, 5, 1e6};
    struct draws draws = draws_begin();
    struct keel_blocks_part part[RANKS_MAX];

    for (unsigned i = 0; i < 300; i++) {
        struct job job = begin(1 + (uint32_t)draws_below(&draws, RANKS_MAX));
        for (unsigned instance = 0; instance < 20; instance++) {
            uint64_t iterations = 1 + (draws_below(&draws, 2) == 0 ? draws_below(&draws, 50)
                                                                   : draws_next(&draws) / 2);
            for (uint32_t r = 0; r < job.ranks; r++) {
                part[r].done = draws_below(&draws, 3) * draws_below(&draws, 100);
                part[r].busy_ns = strange[draws_below(&draws, sizeof strange / sizeof *strange)];
            }
            run(&job, iterations, part);
            assert_blocks_meet(&job, iterations);
            assert_true(isfinite(keel_rate_share_speed(&job.rank[0])));
        }
    }
}

/* Nobody knows whether it still is as slow as it was. */
TEST(a_rank_that_got_nothing_gets_one_after_a_while)
{
    struct job job = begin(4);
    struct keel_blocks_part part[4];
    uint64_t most = 0;

    for (unsigned instance = 0; instance < 2 * KEEL_ADJUST_PERIOD + 2; instance++) {
        for (uint32_t r = 0; r < 4; r++) {
            uint64_t done = last_of(&job, r, 1000) - first_of(&job, r, 1000);
            part[r] = (struct keel_blocks_part){.done = done,
                                                .busy_ns = (double)done * (r == 1 ? 1e7 : 1)};
        }
        run(&job, 1000, part);
        assert_blocks_meet(&job, 1000);
        uint64_t width = last_of(&job, 1, 1000) - first_of(&job, 1, 1000);
        if (instance == 1) {
            assert_int_equal(width, 0);
        }
        most = instance > 1 && width > most ? width : most;
    }
    assert_true(most >= 1 && most <= 3);
}

/* Of fewer iterations than ranks some get none, which says nothing of their speed. */
TEST(blocks_stay_where_there_are_fewer_iterations_than_ranks)
{
    struct job job = begin(5);
    struct keel_blocks *all = malloc(keel_blocks_size(5));
    struct keel_blocks_part part[5];

    assert_non_null(all);
    keel_blocks_begin(all, 5);
    for (unsigned instance = 0; instance < 3 * KEEL_ADJUST_PERIOD; instance++) {
        for (uint32_t r = 0; r < 5; r++) {
            uint64_t done = last_of(&job, r, 3) - first_of(&job, r, 3);
            part[r] = (struct keel_blocks_part){.done = done, .busy_ns = (double)done * 100};
        }
        enum keel_blocks_decision decision = run(&job, 3, part);
        assert_int_equal(decision, keel_blocks_learn(all, 3, part));
        assert_int_equal(decision, instance == 0 ? KEEL_BLOCKS_MOVED : KEEL_BLOCKS_KEPT);
    }
    free(all);
}
