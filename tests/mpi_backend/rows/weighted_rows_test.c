/* Whole rows where each has a weight of its own: what all ranks say comes to shares that are as
 * near to the work wanted as rows allow. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "mpi_backend/rows/balance/weighted_rows.h"
#include "tests/support/draws.h"
#include "tests/support/near.h"
#include "tests/support/unit.h"

#define RANKS 9
#define ROWS 200

static struct draws draws;

/* Rows of each rank, in any order of ranks; the weights of all, less one. */
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
            assert_true(job->said[b] == 0 || job->heard[b] == 0); /* one knows it */
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

/* What ranks have to do with the shares; adds up what all say. */
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

static uint64_t sum_of(const struct job *job)
{
    uint64_t sum = 0;

    for (uint32_t r = 0; r < job->ranks; r++) {
        assert_true(job->shares[r] <= job->rows);
        sum += job->shares[r];
    }
    return sum;
}

/* --- by hand --- */

/* 1 1 1 1 3 1 on two equal ranks, 4 and 4: that is level, and so is nothing else. */
TEST(to_and_fro_gains_nothing)
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
    job.shares[0] = 5; /* a row that counts as others on the average weighs more */
    job.shares[1] = 1;
    sum_work(&job, 1, work);
    assert_true(fabs(keel_mpi_weighted_rows_gain(&all, work, rate) + 0.4) < 1e-9);
}

/* --- any --- */

static double draw_weight(void)
{
    uint64_t kind = draws_below(&draws, 10);

    return kind == 0 ? 0 : kind == 1 ? 50 : (double)draws_below(&draws, 1000) / 333;
}

static void draw_wanted(struct job *job)
{
    double work = 0, sum = 0;

    for (uint32_t r = 0; r < job->ranks; r++) {
        job->wanted[r] = draws_below(&draws, 5) == 0 ? 0 : 1 + (double)draws_below(&draws, 1000);
        work += job->present[r];
        sum += job->wanted[r];
    }
    for (uint32_t r = 0; r < job->ranks; r++) {
        job->wanted[r] = sum > 0 ? job->wanted[r] * work / sum : work / job->ranks;
    }
}

static void draw_job(struct job *job, int blocks)
{
    uint32_t owner = 0;

    *job = (struct job){.ranks = 1 + (uint32_t)draws_below(&draws, RANKS),
                        .rows = draws_below(&draws, ROWS + 1)};
    for (uint64_t row = 0; row < job->rows; row++) {
        job->less_one[row] = draw_weight() - 1;
        if (blocks && owner + 1 < job->ranks && draws_below(&draws, 20) == 0) {
            owner += 1 + (uint32_t)draws_below(&draws, job->ranks - owner - 1);
        }
        own(job, blocks ? owner : (uint32_t)draws_below(&draws, job->ranks), row);
    }
    draw_wanted(job);
}

/* Heaviest row. */
static double heaviest(const struct job *job)
{
    double most = 0;

    for (uint64_t row = 0; row < job->rows; row++) {
        most = fmax(most, 1 + job->less_one[row]);
    }
    return most;
}

TEST(blocks_are_as_near_as_rows_allow)
{
    for (int i = 0; i < 20000; i++) {
        struct job job;
        double before = 0, wanted = 0;
        uint64_t row = 0;
        int forced = 0;
        draw_job(&job, 1);
        share_blocks(&job);
        assert_int_equal(sum_of(&job), job.rows);
        for (uint32_t r = 0; r < job.ranks; r++) {
            assert_true(job.rows < job.ranks || job.shares[r] >= 1);
            forced = forced || job.shares[r] <= 1;
        }
        for (uint32_t r = 0; !forced && r < job.ranks; r++) {
            for (uint64_t k = 0; k < job.shares[r]; k++, row++) {
                before += 1 + job.less_one[row];
            }
            wanted += job.wanted[r];
            assert_true(fabs(before - wanted) <= heaviest(&job) / 2 + 1e-6);
        }
    }
}

TEST(direct_shares_are_as_near_as_rows_allow)
{
    for (int i = 0; i < 20000; i++) {
        struct job job;
        draw_job(&job, 0);
        share_directly(&job);
        assert_int_equal(sum_of(&job), job.rows);
        for (uint32_t r = 0; r < job.ranks; r++) {
            double kept = 0;
            assert_true(job.shares[r] >= 1 || job.count[r] == 0);
            if (job.present[r] <= job.wanted[r] || job.shares[r] <= 1) {
                assert_true(job.shares[r] >= job.count[r] || job.shares[r] <= 1);
                continue;
            }
            for (uint64_t k = 0; k < job.shares[r]; k++) {
                kept += 1 + job.less_one[job.list[r][k]];
            }
            assert_true(fabs(kept - job.wanted[r]) <= heaviest(&job) / 2 + 1e-6);
        }
    }
}

/* Rank 1 has rows that weigh 1, 2, 3, 4 and 0.5: what is in the middle of a row may go or stay. */
TEST(rows_that_leave_count_where_they_go)
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
    /* 0.5 and half of 4 are as far from 2.5 with the row as without: it goes */
    all.wanted = (const double[]){2.25, 8, 2.25};
    keel_mpi_weighted_rows_changes(&all, &own, change);
    assert_int_equal(change[1], -2);
    /* times below 1; a rank without a rate is as fast as the others are on average */
    all.present = even;
    work[0] = work[1] = work[2] = llround(KEEL_MPI_WEIGHTED_PARTS / 6);
    assert_near(keel_mpi_weighted_rows_gain(&all, work, rate), 0.5);
}

BEFORE_TESTS
{
    draws = draws_begin();
}
