/* Measurements of shared loops: what a loop teaches the next one, and sums over all ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mpi_backend/loop/state/loop_record.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/helpers.h"
#include "tests/support/unit.h"

/* --- what a loop teaches: records: measurements of ranks become costs, weights and blocks of the
 * next instance, the same on all ranks; measurements that can't be are left out --- */

#define RANKS 3

static struct keel_mpi_rank_measurements measurements(double executed, double mean_ns,
                                                      double threads)
{
    return (struct keel_mpi_rank_measurements){
        .executed = executed,
        .busy_ns = executed * mean_ns,
        .threads = threads,
        .variance_ns2 = 9,
        .overhead_ns = 50,
    };
}

/* The record of one place on each rank. */
struct job {
    struct keel_mpi_record *records[RANKS], *rank[RANKS];
};

static struct job begin(void)
{
    struct job job = {0};

    for (uint32_t i = 0; i < RANKS; i++) {
        job.rank[i] = keel_mpi_record_of(&job.records[i], 1, 1, RANKS, i);
        assert_non_null(job.rank[i]);
        assert_true(keel_mpi_record_make_room(job.rank[i], 1));
    }
    return job;
}

static void end(struct job *job)
{
    for (uint32_t i = 0; i < RANKS; i++) {
        keel_mpi_record_free_all(job->records[i]);
    }
}

/* Sums up all ranks' measurements, as at the end of a loop. Returns the decision, which is the same
 * on all. */
static enum keel_blocks_decision learn(struct job *job, uint64_t iterations,
                                       const struct keel_mpi_rank_measurements *measurements)
{
    struct keel_mpi_summary all, own;
    enum keel_blocks_decision decision = KEEL_BLOCKS_KEPT;
    uint64_t below = 0;

    for (uint32_t i = 0; i < RANKS; i++) {
        own = keel_mpi_summary_of(&measurements[i], i);
        keel_mpi_record_add_speeds(job->rank[i], &measurements[i], &own);
        if (i == 0) {
            all = own;
        } else {
            keel_mpi_summary_add(&all, &own);
        }
    }
    for (uint32_t i = 0; i < RANKS; i++) {
        keel_mpi_record_note(job->rank[i], &all);
        enum keel_blocks_decision next = keel_mpi_record_learn(job->rank[i], iterations, &all);
        assert_true(i == 0 || next == decision);
        decision = next;
        if (decision != KEEL_BLOCKS_KEPT) {
            struct keel_rate_share *share = &job->rank[i]->own.share;
            const struct keel_rate_change change =
                keel_rate_share_change(share, decision, &all.learned.rates, iterations);
            keel_rate_share_set(share, &change, i, below);
            below += change.weight;
        }
    }
    return decision;
}

static uint64_t first_of(const struct job *job, uint32_t rank, uint64_t iterations)
{
    return keel_rate_share_iteration(job->rank[rank]->own.share.first, iterations);
}

static double pace_of(const struct job *job, uint32_t rank)
{
    return keel_sample_pace_ns(&job->rank[rank]->own.sample);
}

TEST(places_are_bounded)
{
    struct keel_mpi_record *records = NULL;
    uintptr_t site = 1;

    while (site < 100000 && keel_mpi_record_of(&records, site, 1, 1, 0) != NULL) {
        site++;
    }
    assert_int_equal(site, 4097);
    assert_null(keel_mpi_record_of(&records, site + 5, 1, 1, 0));
    assert_non_null(keel_mpi_record_of(&records, 7, 1, 1, 0)); /* one that is known */
    keel_mpi_record_free_all(records);
}

/* The throughput of a rank is that of its threads in parallel. */
TEST(blocks_and_weights_follow_throughput)
{
    struct job job = begin();
    const struct keel_mpi_record *record = job.rank[0];
    /* 1, 1/3 and 2 threads' 2/4 iterations per ns: 6 to 2 to 3 */
    const struct keel_mpi_rank_measurements rank[RANKS] = {
        measurements(600, 1, 1), measurements(200, 3, 1), measurements(300, 4, 2)};

    for (unsigned i = 0; i < 5; i++) {
        learn(&job, 1100, rank);
    }
    assert_true(fabs(pace_of(&job, 0) - 1) < 1e-9);
    assert_true(fabs(pace_of(&job, 2) - 2) < 1e-9);
    assert_in_range(first_of(&job, 1, 1100), 590, 610);
    assert_in_range(first_of(&job, 2, 1100), 790, 810);
    assert_true(keel_rate_share_speed(&record->own.share) >
                2 * keel_rate_share_speed(&job.rank[1]->own.share));
    /* their sum is 3 */
    const double expected[] = {18. / 11, 6. / 11, 9. / 11};
    for (uint32_t i = 0; i < RANKS; i++) {
        double own, least;
        keel_mpi_record_weights(job.rank[i], &own, &least);
        assert_true(fabs(own - expected[i]) < 1e-9 && fabs(least - expected[1]) < 1e-9);
    }
    end(&job);
}

/* For example a rank that had no memory for it. */
TEST(nothing_is_learned_if_a_rank_is_missing)
{
    struct job job = begin();
    const struct keel_mpi_rank_measurements one = measurements(90, 1, 1);
    struct keel_mpi_summary all = keel_mpi_summary_of(&one, 0), other = all;

    keel_mpi_record_add_speeds(job.rank[0], &one, &all);
    keel_mpi_summary_add(&all, &other);
    assert_int_equal(keel_mpi_record_learn(job.rank[0], 180, &all), KEEL_BLOCKS_KEPT);
    assert_int_equal(job.rank[0]->instances, 0);
    assert_true(job.rank[0]->own.share.rate.filtered == 0 && pace_of(&job, 0) == 0);
    end(&job);
}

/* They have run the loop at different places of the program: otherwise one alone would decide to
 * change blocks, and wait for the others. */
TEST(ranks_whose_records_differ_begin_anew)
{
    struct job here = begin(), there = begin(), both = here;
    const struct keel_mpi_rank_measurements rank[RANKS] = {
        measurements(90, 1, 1), measurements(30, 3, 1), measurements(90, 1, 1)};

    for (unsigned i = 0; i < 3; i++) {
        learn(&here, 210, rank);
    }
    both.rank[1] = there.rank[1];
    assert_int_equal(learn(&both, 210, rank), KEEL_BLOCKS_KEPT);
    for (uint32_t i = 0; i < RANKS; i++) {
        assert_int_equal(both.rank[i]->instances, 0);
        assert_int_equal(both.rank[i]->speeds.measured, 0);
        assert_int_equal(first_of(&both, i, 300), 100 * i);
    }
    assert_int_equal(learn(&both, 210, rank), KEEL_BLOCKS_MOVED);
    end(&here);
    end(&there);
}

TEST(instances_without_iterations_change_nothing)
{
    struct job job = begin();
    const struct keel_mpi_record *record = job.rank[0];
    const struct keel_mpi_rank_measurements nothing[RANKS] = {{0}};
    const struct keel_mpi_rank_measurements rank[RANKS] = {
        measurements(90, 1, 1), measurements(30, 3, 1), measurements(90, 1, 1)};

    learn(&job, 210, rank);
    uint64_t before = first_of(&job, 1, 1000);
    learn(&job, 0, nothing);
    assert_int_equal(first_of(&job, 1, 1000), before);
    assert_true(record->mean_ns > 0);
    end(&job);
}

TEST(measured_parameters_are_filled_in)
{
    struct job job = begin();
    const struct keel_mpi_record *record = job.rank[0];
    const struct keel_mpi_rank_measurements rank[RANKS] = {
        measurements(100, 10, 1), measurements(100, 10, 1), {.threads = 0}};
    struct keel_spec fac = keel_spec_of(&keel_schedule_fac), gss = keel_spec_of(&keel_schedule_gss);

    assert_true(keel_mpi_record_complete(record, &gss)); /* needs none */
    assert_true(keel_mpi_record_complete(NULL, &gss));
    assert_false(keel_mpi_record_complete(record, &fac));
    assert_false(keel_mpi_record_complete(NULL, &fac));
    learn(&job, 200, rank);
    assert_true(keel_mpi_record_complete(record, &fac));
    assert_true(fac.value[KEEL_MU].real == 10 && fac.value[KEEL_SIGMA].real == 3);
    assert_int_equal(keel_spec_unmeasured(&fac), 0);
    end(&job);
}

/* --- summaries at the end of a loop: sums in any order are the same --- */

static struct keel_mpi_rank_measurements measurements_of_rank(void)
{
    return (struct keel_mpi_rank_measurements){
        .executed = 10,
        .busy_ns = 100,
        .threads = 2,
        .variance_ns2 = 3,
        .overhead_ns = 5,
    };
}

/* Of ranks first .. last - 1, halved at random places, whose halves are added in either order: as a
 * tree of ranks does, whatever its form. */
static struct keel_mpi_summary sum_of(const struct keel_mpi_rank_measurements *rank, uint32_t first,
                                      uint32_t last, struct draws *draws)
{
    if (last - first == 1) {
        return keel_mpi_summary_of(&rank[first], first);
    }
    uint32_t middle = first + 1 + (uint32_t)draws_below(draws, last - first - 1);
    struct keel_mpi_summary lower = sum_of(rank, first, middle, draws);
    struct keel_mpi_summary upper = sum_of(rank, middle, last, draws);
    if (draws_below(draws, 2) == 0) {
        keel_mpi_summary_add(&lower, &upper);
        return lower;
    }
    keel_mpi_summary_add(&upper, &lower);
    return upper;
}

TEST(sums_are_over_all_ranks)
{
    struct keel_mpi_rank_measurements rank[4] = {measurements_of_rank(), measurements_of_rank(),
                                                 measurements_of_rank(), measurements_of_rank()};
    struct draws draws = draws_begin();

    rank[1].threads = 0; /* not measured */
    rank[2].ran_last = true;
    rank[3].cancelled = true;
    struct keel_mpi_summary all = sum_of(rank, 0, 4, &draws);
    assert_true(all.measured == 3 && all.iterations == 30 && all.busy_ns == 300);
    assert_true(all.squares_ns2 == 90 && all.overhead_ns == 15);
    assert_int_equal(all.ran_last, 3);
    assert_int_equal(all.cancelled, 1);
}
