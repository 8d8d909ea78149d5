/* Weights of rows, and measurements for balancing. */
#include <math.h>
#include <string.h>

#include "mpi_backend/rows/costs/measurements.h"
#include "mpi_backend/rows/weighted_rows.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- weights: whole rows with different weights: the numbers of all ranks give shares that are as
 * near to the wanted work as rows allow --- */

#define RANKS 5
#define ROWS 12

/* Rows of each rank, in any order of ranks; the weights of all, minus 1. */
struct job {
    uint32_t ranks;
    uint64_t rows, count[RANKS], list[RANKS][ROWS];
    double less_one[ROWS], present[RANKS], wanted[RANKS];
    int64_t said[RANKS], heard[RANKS];
    uint64_t shares[RANKS];
};

static struct keel_mpi_work_division all_of(const struct job *job)
{
    return (struct keel_mpi_work_division){job->ranks, job->rows, job->present, job->wanted};
}

static struct keel_mpi_weighted_rows rows_of(const struct job *job, uint32_t rank)
{
    return (struct keel_mpi_weighted_rows){rank, job->list[rank], job->count[rank], job->less_one};
}

static void own(struct job *job, uint32_t rank, uint64_t row)
{
    job->list[rank][job->count[rank]++] = row;
    job->present[rank] += 1 + job->less_one[row];
}

static void share_blocks(struct job *job)
{
    struct keel_mpi_work_division all = all_of(job);

    memset(job->heard, 0, sizeof job->heard);
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct keel_mpi_weighted_rows own = rows_of(job, r);
        keel_mpi_weighted_rows_bounds(&all, &own, job->said);
        for (uint32_t b = 0; b < job->ranks; b++) {
            assert_true(job->said[b] == 0 || job->heard[b] == 0); /* one rank knows it */
            job->heard[b] = job->said[b] > 0 ? job->said[b] : job->heard[b];
        }
    }
    for (uint32_t b = 1; b < job->ranks; b++) {
        assert_true(job->heard[b] > 0);
    }
    keel_mpi_weighted_rows_shares(&all, job->heard, job->shares);
}

static void share_directly(struct job *job)
{
    struct keel_mpi_work_division all = all_of(job);

    for (uint32_t r = 0; r < job->ranks; r++) {
        job->shares[r] = job->count[r];
    }
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct keel_mpi_weighted_rows own = rows_of(job, r);
        int64_t sum = 0;
        keel_mpi_weighted_rows_changes(&all, &own, job->said);
        for (uint32_t i = 0; i < job->ranks; i++) {
            sum += job->said[i];
            job->shares[i] += (uint64_t)job->said[i];
        }
        assert_int_equal(sum, 0);
    }
}

/* The work of ranks under the shares: sums over all ranks. */
static void sum_work(struct job *job, int blocks, int64_t *sum)
{
    struct keel_mpi_work_division all = all_of(job);
    int64_t change[RANKS], work[RANKS];

    memset(sum, 0, job->ranks * sizeof *sum);
    for (uint32_t r = 0; r < job->ranks; r++) {
        struct keel_mpi_weighted_rows own = rows_of(job, r);
        if (!blocks) {
            keel_mpi_weighted_rows_changes(&all, &own, change);
        }
        keel_mpi_weighted_rows_work(&all, &own, blocks ? job->shares : NULL, change, work);
        for (uint32_t i = 0; i < job->ranks; i++) {
            sum[i] += work[i];
        }
    }
}

/* Rows 0, 1, ...: the first count[0] are rank 0's, and so on. */
static const struct example {
    bool blocks;
    uint32_t ranks;
    uint64_t count[4];
    double weight[12], wanted[4];
    uint64_t shares[4];
} examples[] = {
    /* ends of rows at 2, 3, 4, 7, 8 and 12 */
    {true, 3, {2, 2, 2}, {2, 1, 1, 3, 1, 4}, {4, 4, 4}, {3, 2, 1}},
    /* the nearest end of a row, and of two the later one */
    {true, 2, {3}, {4, 4, 4}, {5.9, 6.1}, {1, 2}},
    {true, 2, {3}, {4, 4, 4}, {6, 6}, {2, 1}},
    {true, 2, {0, 3}, {4, 4, 4}, {6.1, 5.9}, {2, 1}},
    /* one row at least, if there are as many as ranks */
    {true, 2, {2, 2}, {1, 1, 1, 1}, {0, 4}, {1, 3}},
    {true, 3, {0, 4}, {1, 1, 1, 1}, {4, 0, 0}, {2, 1, 1}},
    {true, 3, {1, 1, 1}, {0, 0, 1}, {0, 1, 0}, {1, 1, 1}},
    {true, 3, {2}, {1, 1}, {2, 0, 0}, {2, 0, 0}},
    {true, 3, {1}, {0}, {0, 0, 0}, {1, 0, 0}},
    /* one row of weight 2 is nearer to 2.9 than two are */
    {false, 2, {4, 1}, {2, 2, 2, 2, 1}, {5.1, 3.9}, {3, 2}},
    {false, 2, {4, 1}, {2, 2, 2, 2, 1}, {4.9, 4.1}, {2, 3}},
    {false, 2, {1, 3}, {1, 1, 1, 1}, {2, 2}, {2, 2}},
    /* one row stays; rows of weight 0 leave only a rank with a surplus */
    {false, 2, {3, 0}, {1, 1, 1}, {0, 3}, {1, 2}},
    {false, 2, {3, 1}, {2, 2, 0, 1}, {3.1, 1.9}, {2, 2}},
    {false, 3, {2, 2, 1}, {1, 0, 1, 1, 1}, {1, 1, 2}, {2, 1, 2}},
    /* rows of two ranks go to two others, to each by its shortage */
    {false, 4, {4, 4, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {2, 3, 2, 2}, {2, 3, 2, 2}},
    {false, 4, {1, 4, 0, 4}, {1, 1, 1, 1, 1, 1, 1, 1, 1}, {3, 2, 2, 2}, {3, 2, 2, 2}},
    /* 6 for 5.2: their middles are 0.87, 2.6 and 4.33 */
    {false, 3, {4, 1, 1}, {2, 2, 2, 2, 1, 1}, {2.8, 4, 3.2}, {1, 3, 2}},
};

static void example_is_reproduced(void **state)
{
    const struct example *example = *state;
    struct job job = {.ranks = example->ranks};

    for (uint32_t r = 0; r < job.ranks; r++) {
        job.wanted[r] = example->wanted[r];
        for (uint64_t i = 0; i < example->count[r]; i++) {
            job.less_one[job.rows] = example->weight[job.rows] - 1;
            own(&job, r, job.rows++);
        }
    }
    job.wanted[job.ranks] = 1; /* of no rank */
    (example->blocks ? share_blocks : share_directly)(&job);
    for (uint32_t r = 0; r < job.ranks; r++) {
        assert_int_equal(job.shares[r], example->shares[r]);
    }
}

/* 1 1 1 1 3 1 on two equal ranks, 4 and 4: no other division is as even. */
TEST(moving_back_and_forth_gains_nothing)
{
    struct job job = {.ranks = 2, .rows = 6, .less_one = {0, 0, 0, 0, 2, 0}};
    struct keel_mpi_work_division all = all_of(&job);
    double rate[] = {2, 2}, unknown[] = {2, 0};
    int64_t work[RANKS];

    for (uint64_t row = 0; row < 6; row++) {
        own(&job, row < 3 ? 0 : 1, row); /* 3 and 5 */
    }
    memcpy(job.wanted, (double[]){4, 4}, 2 * sizeof(double));
    all = all_of(&job);
    share_blocks(&job);
    sum_work(&job, 1, work);
    assert_int_equal(work[0], work[1]);
    assert_true(fabs(keel_mpi_weighted_rows_gain(&all, work, rate) - 0.2) < 1e-9);
    assert_true(fabs(keel_mpi_weighted_rows_gain(&all, work, unknown) - 0.2) < 1e-9);
    job.shares[0] = 5; /* a row that is taken to have the mean weight weighs more */
    job.shares[1] = 1;
    sum_work(&job, 1, work);
    assert_true(fabs(keel_mpi_weighted_rows_gain(&all, work, rate) + 0.4) < 1e-9);
}

/* The sum of own weights is less than the work known to others. */
TEST(rounding_misses_no_end)
{
    struct job job = {.ranks = 2, .rows = 3, .wanted = {2.25, 1.25}};

    own(&job, 0, 0);
    own(&job, 0, 1);
    own(&job, 1, 2);
    job.present[0] += 0.5;
    share_blocks(&job);
    assert_int_equal(job.shares[0], 2);
}

/* Rank 1 has rows that weigh 1, 2, 3, 4 and 0.5: a bound within a row may go to either end. */
TEST(rows_that_leave_count_for_their_receivers)
{
    static const double present[] = {1, 10.5, 1}, level[] = {3.25, 6, 3.25};
    static const double even[] = {0.25, 0.25, 0.25}, rate[] = {2, 0, 2};
    static const double encoded[] = {0, 1, 2, 3, -2 - 1 / 0.5};
    static const uint64_t row[] = {0, 1, 2, 3, 4};
    struct keel_mpi_weighted_rows own = {.rank = 1, .row = row, .count = 5, .encoded = encoded};
    struct keel_mpi_work_division all = {3, 5, present, level};
    int64_t change[3], work[3];

    keel_mpi_weighted_rows_changes(&all, &own, change); /* 4.5 of 4.5 leave */
    assert_int_equal(change[0], 1);
    assert_int_equal(change[1], -2);
    assert_int_equal(change[2], 1);
    keel_mpi_weighted_rows_work(&all, &own, NULL, change, work);
    assert_near((double)work[0] * 12.5 / KEEL_MPI_WEIGHTED_PARTS, 4);
    assert_near((double)work[1] * 12.5 / KEEL_MPI_WEIGHTED_PARTS, 6);
    assert_near((double)work[2] * 12.5 / KEEL_MPI_WEIGHTED_PARTS, 0.5);
    /* 0.5 and half of 4: as far from 2.5 with the row as without, so it leaves */
    all.wanted = (const double[]){2.25, 8, 2.25};
    keel_mpi_weighted_rows_changes(&all, &own, change);
    assert_int_equal(change[1], -2);
    /* times below 1; a rank without a rate has the mean of the others */
    all.present = even;
    work[0] = work[1] = work[2] = llround(KEEL_MPI_WEIGHTED_PARTS / 6);
    assert_near(keel_mpi_weighted_rows_gain(&all, work, rate), 0.5);
}

/* Rows have got new weights since measurements were sent. */
TEST(weights_that_have_changed_since_do_no_harm)
{
    static const double present[] = {50, 50}, wanted[] = {70, 30}, rate[] = {7, 3};
    static const double tiny[] = {1e-299, 1e-299};
    const uint64_t row[] = {0, 1, 2};
    double encoded[] = {keel_mpi_weight_encode(1e100), keel_mpi_weight_encode(1e-300),
                        keel_mpi_weight_encode(1)};
    const struct keel_mpi_weighted_rows own = {1, row, 3, encoded};
    struct keel_mpi_work_division all = {2, 100, present, wanted};
    const uint64_t shares[] = {1, 99};
    int64_t change[2] = {1, -1}, work[2];

    keel_mpi_weighted_rows_work(&all, &own, shares, NULL, work);
    assert_near((double)work[0] / KEEL_MPI_WEIGHTED_PARTS, 1);
    assert_near((double)work[1] * 100 / KEEL_MPI_WEIGHTED_PARTS, 1);
    keel_mpi_weighted_rows_work(&all, &own, NULL, change, work);
    assert_near((double)work[1] / KEEL_MPI_WEIGHTED_PARTS, 1);
    assert_near((double)work[0] * 100 / KEEL_MPI_WEIGHTED_PARTS, 1);
    all.present = tiny;
    keel_mpi_weighted_rows_work(&all, &own, shares, NULL, work);
    assert_true(keel_mpi_weighted_rows_gain(&all, work, rate) == 0);
}

BEFORE_TESTS
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        ADD_CASE(example_is_reproduced, &examples[i], "example %zu", i);
    }
}

/* --- measurements: the summary of all ranks: sums, extremes, and flags that one rank sets for all.
 * And rates from phases: of all phases if they are long, only of undisturbed ones if they are
 * shorter than a quantum. --- */

enum { MEASUREMENTS_RANKS = 3 };

/* The value is `low` on all ranks but one, and `high` on that. */
static struct keel_mpi_measurements_summary with(size_t offset, double low, double high, int one)
{
    struct keel_mpi_measurements measurements[MEASUREMENTS_RANKS] = {{0}};

    for (int i = 0; i < MEASUREMENTS_RANKS; i++) {
        *(double *)(void *)((char *)&measurements[i] + offset) = i == one ? high : low;
    }
    return keel_mpi_measurements_of_all(measurements, MEASUREMENTS_RANKS);
}

#define WITH(field, low, high, one) \
    with(offsetof(struct keel_mpi_measurements, field), low, high, one)

TEST(times_are_those_of_the_slowest)
{
    for (int one = 0; one < MEASUREMENTS_RANKS; one++) {
        assert_near(WITH(span_s, 2, 3, one).span_s, 3);
        assert_near(WITH(busy_s, 2, 3, one).busy_s, 3);
        assert_near(WITH(phase_s, 2, 3, one).phase_s, 3);
        assert_near(WITH(movement_s, 2, 3, one).movement_s, 3);
        assert_near(WITH(item_bytes, 2, 3, one).item_bytes, 3);
        assert_near(WITH(skew_calls, 2, 3, one).skew_calls, 3);
    }
}

TEST(work_is_that_of_all_and_the_end_the_earliest)
{
    for (int one = 0; one < MEASUREMENTS_RANKS; one++) {
        assert_near(WITH(work, 2, 5, one).work, 9);
        assert_near(WITH(last_call, INFINITY, 70, one).last_call, 70);
    }
    assert_near(WITH(last_call, INFINITY, INFINITY, 0).last_call, INFINITY);
}

TEST(one_rank_is_enough)
{
    for (int one = 0; one < MEASUREMENTS_RANKS; one++) {
        assert_true(WITH(weighted, 0, 1, one).weighted);
        assert_true(WITH(weights_set, 0, 1, one).weights_set);
        assert_true(WITH(measured, 0, 1, one).measured);
        assert_true(WITH(timed, 0, 1, one).timed);
        assert_true(WITH(in_sweep, 0, 1, one).in_sweep);
        assert_true(WITH(call, 7, 8, one).differ);
    }
    struct keel_mpi_measurements_summary none = WITH(call, 7, 7, 0);
    assert_false(none.weighted || none.weights_set || none.measured || none.timed ||
                 none.in_sweep || none.differ);
}

/* --- phases --- */

#define QUANTUM_S 0.004

TEST(without_phases_the_rate_is_not_known)
{
    allow_exceptions();
    struct keel_mpi_phases phases = {0};

    assert_true(keel_mpi_phases_rate(&phases, QUANTUM_S) == 0);
    keel_mpi_phases_note(&phases, 0, 1);
    keel_mpi_phases_note(&phases, 1, 0);
    keel_mpi_phases_note(&phases, -1, 1);
    keel_mpi_phases_note(&phases, 1, NAN);
    keel_mpi_phases_note(&phases, INFINITY, 1);
    assert_true(keel_mpi_phases_rate(&phases, QUANTUM_S) == 0);
}

TEST(interruptions_of_short_ones_do_not)
{
    struct keel_mpi_phases phases = {0};

    for (int i = 0; i < 40; i++) {
        keel_mpi_phases_note(&phases, 100, i % 10 == 0 ? 0.00325 : i % 2 == 0 ? 0.00024 : 0.00026);
    }
    /* of ten, one is left out, 4 take 0.24 ms and 5 take 0.26 ms */
    assert_true(
        is_near(keel_mpi_phases_rate(&phases, QUANTUM_S), 900 / (4 * 0.00024 + 5 * 0.00026)));
    /* with a shorter quantum, all count */
    assert_true(is_near(keel_mpi_phases_rate(&phases, 0.0004),
                        1000 / (0.00325 + 4 * 0.00024 + 5 * 0.00026)));
}

/* However many there are, the kept ones are spread over the whole time. */
TEST(many_phases_are_thinned_out)
{
    struct draws draws = draws_begin();

    for (int round = 0; round < 200; round++) {
        struct keel_mpi_phases phases = {0};
        uint64_t count = 1 + draws_below(&draws, 5000);
        for (uint64_t i = 1; i <= count; i++) {
            keel_mpi_phases_note(&phases, 1, (double)i);
            assert_true(phases.count < KEEL_MPI_PHASES);
        }
        assert_true(count >= KEEL_MPI_PHASES || phases.count == count);
        assert_true(count < KEEL_MPI_PHASES || phases.count >= KEEL_MPI_PHASES / 2);
        for (unsigned i = 0; i < phases.count; i++) {
            assert_true(phases.busy_s[i] == (double)((i + 1) * phases.stride));
        }
        assert_true((double)count - phases.busy_s[phases.count - 1] < (double)phases.stride);
    }
}
