/* Records: figures of ranks become costs, weights and blocks of the next instance, the same on all
 * ranks; figures that can't be are left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "mpi_backend/loop/state/record.h"
#include "schedules/loop/registry.h"
#include "schedules/loop/spec.h"
#include "tests/support/draws.h"

#define RANKS 3

static struct keel_mpi_rank_figures figures(double executed, double mean_ns, double threads)
{
    return (struct keel_mpi_rank_figures){
        .executed = executed,
        .busy_ns = executed * mean_ns,
        .threads = threads,
        .variance_ns2 = 9,
        .overhead_ns = 50,
    };
}

/* As the end of a loop does: all ranks' figures, summed up, and each one's part. */
static void learn(struct keel_mpi_record *record, uint64_t iterations,
                  const struct keel_mpi_rank_figures *rank)
{
    struct keel_mpi_summary all = keel_mpi_summary_of(&rank[0], 0);
    struct keel_mpi_rank_part part[RANKS];

    for (uint32_t i = 0; i < RANKS; i++) {
        part[i] = keel_mpi_record_part(&rank[i]);
        if (i > 0) {
            struct keel_mpi_summary own = keel_mpi_summary_of(&rank[i], i);
            keel_mpi_summary_add(&all, &own);
        }
    }
    keel_mpi_record_note(record, &all);
    keel_mpi_record_learn(record, iterations, part);
}

static void places_have_records_of_their_own(void **state)
{
    struct keel_mpi_record *records = NULL;
    struct keel_mpi_record *first = keel_mpi_record_of(&records, 0x100, 1, RANKS);

    (void)state;
    assert_non_null(first);
    assert_int_equal(first->instances, 0);
    assert_ptr_not_equal(keel_mpi_record_of(&records, 0x200, 1, RANKS), first);
    assert_ptr_equal(keel_mpi_record_of(&records, 0x100, 1, RANKS), first);
    assert_ptr_not_equal(keel_mpi_record_of(&records, 0x100, 64, RANKS), first);
    keel_mpi_record_free_all(records);
}

static void places_are_bounded(void **state)
{
    struct keel_mpi_record *records = NULL;
    uintptr_t site = 1;

    (void)state;
    while (site < 100000 && keel_mpi_record_of(&records, site, 1, 1) != NULL) {
        site++;
    }
    assert_int_equal(site, 4097);
    assert_null(keel_mpi_record_of(&records, site + 5, 1, 1));
    assert_non_null(keel_mpi_record_of(&records, 7, 1, 1)); /* one that is known */
    keel_mpi_record_free_all(records);
}

static void costs_are_means_over_all_iterations(void **state)
{
    struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
    struct keel_mpi_rank_figures rank[RANKS] = {
        figures(100, 10, 1), figures(300, 30, 2), {.threads = 0}};

    (void)state;
    rank[1].variance_ns2 = 1;
    rank[1].overhead_ns = 70;
    learn(record, 400, rank);
    assert_int_equal(record->instances, 1);
    assert_true(fabs(record->mean_ns - 25) < 1e-9);
    assert_true(fabs(record->deviation_ns - sqrt(3)) < 1e-9);
    assert_true(fabs(record->overhead_ns - 60) < 1e-9);
    keel_mpi_record_free_all(records);
}

/* Throughput of a rank is that of its threads side by side. */
static void blocks_and_weights_follow_throughput(void **state)
{
    struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
    /* 1, 1/3 and 2 threads' 2/4 iterations per ns: 6 to 2 to 3 */
    const struct keel_mpi_rank_figures rank[RANKS] = {figures(600, 1, 1), figures(200, 3, 1),
                                                      figures(300, 4, 2)};

    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        learn(record, 1100, rank);
    }
    assert_true(fabs(keel_sample_pace_ns(&record->sample[0]) - 1) < 1e-9);
    assert_true(fabs(keel_sample_pace_ns(&record->sample[2]) - 2) < 1e-9);
    assert_in_range(keel_blocks_first(record->balance, 1, 1100), 590, 610);
    assert_in_range(keel_blocks_first(record->balance, 2, 1100), 790, 810);
    assert_int_equal(keel_blocks_first(record->balance, 3, 1100), 1100);
    assert_true(keel_blocks_speed(record->balance, 0) > 2 * keel_blocks_speed(record->balance, 1));
    keel_mpi_record_free_all(records);
}

static void all_ranks_learn_the_same(void **state)
{
    struct keel_mpi_record *mine = NULL, *other = NULL;
    struct keel_mpi_record *a = keel_mpi_record_of(&mine, 1, 1, RANKS);
    struct keel_mpi_record *b = keel_mpi_record_of(&other, 1, 1, RANKS);
    struct draws draws = draws_begin();

    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        struct keel_mpi_rank_figures rank[RANKS];
        for (unsigned k = 0; k < RANKS; k++) {
            rank[k] =
                figures((double)draws_below(&draws, 1000), 1 + (double)draws_below(&draws, 50),
                        1 + (double)draws_below(&draws, 4));
        }
        uint64_t iterations = 1 + draws_below(&draws, 5000);
        learn(a, iterations, rank);
        learn(b, iterations, rank);
        assert_memory_equal(&a->mean_ns, &b->mean_ns, sizeof a->mean_ns);
        assert_memory_equal(&a->deviation_ns, &b->deviation_ns, sizeof a->deviation_ns);
        assert_memory_equal(a->sample, b->sample, RANKS * sizeof a->sample[0]);
        for (unsigned k = 0; k <= RANKS; k++) {
            assert_int_equal(keel_blocks_first(a->balance, k, iterations),
                             keel_blocks_first(b->balance, k, iterations));
        }
    }
    keel_mpi_record_free_all(mine);
    keel_mpi_record_free_all(other);
}

static void broken_figures_are_left_out(void **state)
{
    const struct keel_mpi_rank_figures broken[] = {
        {0},
        {.executed = 100, .busy_ns = 0, .threads = 1, .overhead_ns = 1e9},
        {.executed = 100, .busy_ns = -5, .threads = 1, .overhead_ns = 1e9},
        {.executed = 0, .busy_ns = 100, .threads = 1, .overhead_ns = 1e9},
        {.executed = 100, .busy_ns = 100, .threads = 0, .overhead_ns = 1e9},
        {.executed = 100, .busy_ns = NAN, .threads = 1, .overhead_ns = 1e9},
    };

    (void)state;
    for (unsigned i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
        const struct keel_mpi_rank_figures rank[RANKS] = {figures(500, 10, 1), broken[i],
                                                          figures(500, 10, 1)};
        for (unsigned k = 0; k < 3; k++) {
            learn(record, 1000, rank);
        }
        assert_true(fabs(record->mean_ns - 10) < 1e-9);
        assert_true(fabs(record->overhead_ns - 50) < 1e-9);
        assert_true(keel_sample_pace_ns(&record->sample[1]) == 0);
        assert_true(fabs(keel_sample_pace_ns(&record->sample[2]) - 10) < 1e-9);
        assert_true(isfinite(keel_blocks_speed(record->balance, 1)));
        for (unsigned k = 0; k < RANKS; k++) {
            assert_true(keel_blocks_first(record->balance, k, 1000) <=
                        keel_blocks_first(record->balance, k + 1, 1000));
        }
        keel_mpi_record_free_all(records);
    }
}

static void instances_without_iterations_change_nothing(void **state)
{
    struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
    const struct keel_mpi_rank_figures nothing[RANKS] = {{0}};
    const struct keel_mpi_rank_figures rank[RANKS] = {figures(90, 1, 1), figures(30, 3, 1),
                                                      figures(90, 1, 1)};

    (void)state;
    learn(record, 210, rank);
    uint64_t before = keel_blocks_first(record->balance, 1, 1000);
    learn(record, 0, nothing);
    assert_int_equal(keel_blocks_first(record->balance, 1, 1000), before);
    assert_true(record->mean_ns > 0);
    keel_mpi_record_free_all(records);
}

static void measured_parameters_are_filled_in(void **state)
{
    struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
    const struct keel_mpi_rank_figures rank[RANKS] = {
        figures(100, 10, 1), figures(100, 10, 1), {.threads = 0}};
    struct keel_spec fac = keel_spec_of(&keel_schedule_fac), gss = keel_spec_of(&keel_schedule_gss);

    (void)state;
    assert_true(keel_mpi_record_complete(record, &gss)); /* wants none */
    assert_true(keel_mpi_record_complete(NULL, &gss));
    assert_false(keel_mpi_record_complete(record, &fac));
    assert_false(keel_mpi_record_complete(NULL, &fac));
    learn(record, 200, rank);
    assert_true(keel_mpi_record_complete(record, &fac));
    assert_true(fac.value[KEEL_MU].real == 10 && fac.value[KEEL_SIGMA].real == 3);
    assert_int_equal(keel_spec_unmeasured(&fac), 0);
    keel_mpi_record_free_all(records);
}

static void stated_parameters_stay(void **state)
{
    struct keel_mpi_record *records = NULL, *record = keel_mpi_record_of(&records, 1, 1, RANKS);
    const struct keel_mpi_rank_figures rank[RANKS] = {
        figures(100, 10, 1), figures(100, 10, 1), {.threads = 0}};
    struct keel_spec fac = keel_spec_of(&keel_schedule_fac);

    (void)state;
    fac.value[KEEL_MU].real = 77;
    fac.given |= KEEL_BIT(KEEL_MU);
    learn(record, 200, rank);
    assert_true(keel_mpi_record_complete(record, &fac));
    assert_true(fac.value[KEEL_MU].real == 77 && fac.value[KEEL_SIGMA].real == 3);
    keel_mpi_record_free_all(records);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_have_records_of_their_own),
        cmocka_unit_test(places_are_bounded),
        cmocka_unit_test(costs_are_means_over_all_iterations),
        cmocka_unit_test(blocks_and_weights_follow_throughput),
        cmocka_unit_test(all_ranks_learn_the_same),
        cmocka_unit_test(broken_figures_are_left_out),
        cmocka_unit_test(instances_without_iterations_change_nothing),
        cmocka_unit_test(measured_parameters_are_filled_in),
        cmocka_unit_test(stated_parameters_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
