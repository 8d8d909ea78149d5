/* Costs of migration by hand (PAPERS.md K5-K9). */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "schedules/model/migration/master.h"
#include "schedules/model/migration/migration.h"
#include "tests/support/near.h"

/* --- formulas --- */

static void pairs_move_their_balance_ratio(void **state)
{
    (void)state;
    assert_true(is_near(keel_migration_tasks(1, 4, 100), 60));
    assert_true(is_near(keel_migration_tasks(3, 2, 100), 20));
    assert_true(keel_migration_tasks(2, 2, 100) == 0 && keel_migration_tasks(0, 0, 100) == 0);
    assert_true(keel_migration_tasks(0, 3, 100) == 100);
    assert_true(is_near(keel_migration_tasks(1e300, 4e300, 100), 60));
    assert_true(keel_migration_tasks(NAN, INFINITY, 100) == 0);
    assert_true(keel_migration_tasks(1, 2, NAN) == 0);
}

/* (1 - 1/4) / 2 = 3/8, (1 - 2/3) / 2 = 1/6 and (1 - 0) / 2 = 1/2 */
static void halves_are_moved_until_one_task_is_left(void **state)
{
    (void)state;
    assert_true(is_near(keel_migration_movements(1, 4, pow(8 / 3.0, 3)), 3));
    assert_true(is_near(keel_migration_movements(3, 2, 36), 2));
    assert_true(is_near(keel_migration_movements(0, 2, 32), 5));
    assert_true(keel_migration_movements(2, 2, 32) == 0);
    assert_true(keel_migration_movements(1, 2, 1) == 0);
    assert_true(keel_migration_movements(1, 2, 0) == 0);
    assert_true(keel_migration_movements(0, 0, 8) == 0);
    assert_true(keel_migration_movements(NAN, 2, NAN) == 0);
}

static void assert_overhead(struct keel_migration_overhead overhead, double messages, double tasks,
                            double time_s)
{
    assert_true(is_near(overhead.messages, messages));
    assert_true(is_near(overhead.tasks, tasks));
    assert_true(is_near(overhead.time_s, time_s));
}

/* p = 4, N = 16, alpha 2, beta 1/2 */
static void overheads_by_hand(void **state)
{
    (void)state;
    assert_overhead(keel_migration_self_scheduling(4, 16, 2, 0.5), 64, 64, 160);
    assert_overhead(keel_migration_tree_average(4, 16, 0.5, 0.6, 2, 0.5), 6, 28.8, 26.4);
    assert_overhead(keel_migration_tree_worst(4, 16, 2, 0.5), 24, 96, 96);
    for (uint32_t workers = 0; workers < 2; workers++) {
        assert_overhead(keel_migration_tree_average(workers, 16, 1, 1, 1, 1), 0, 0, 0);
        assert_overhead(keel_migration_tree_worst(workers, 16, 1, 1), 0, 0, 0);
    }
    assert_overhead(keel_migration_tree_average(4, 16, 0, 0, 1, 1), 0, 0, 0);
    assert_overhead(keel_migration_tree_average(4, 1, 1, 0.5, 1, 1), 0, 1.5, 1.5);
    assert_overhead(keel_migration_tree_worst(4, 0, 1, 1), 0, 0, 0);
    assert_overhead(keel_migration_tree_average(4, NAN, NAN, NAN, NAN, NAN), 0, 0, 0);
    assert_overhead(keel_migration_self_scheduling(4, 16, INFINITY, -1), 64, 64, 0);
    assert_true(isinf(keel_migration_self_scheduling(16, 1e308, 1, 0).time_s));
    assert_overhead(keel_migration_tree_average(16, 1e308, 1, 0, 0, 1), 15 * log2(1e308), 0, 0);
}

/* K8: 16 workers with 50 tasks each */
static void the_paper_s_number_of_migrations(void **state)
{
    (void)state;
    double messages = keel_migration_tree_average(16, 50, 1, 0, 0, 0).messages;
    assert_true(fabs(messages - 84.7) < 0.05);
    messages = keel_migration_tree_average(16, 50, 692 / 693.0, 0, 0, 0).messages;
    assert_true(fabs(messages - 84.48) < 0.005);
}

static void slow_workers_with_equal_shares_make_it_slower(void **state)
{
    static const double throughput[] = {2, 1, 3, 1.5};
    struct keel_migration_anomaly anomaly = keel_migration_anomaly(4, throughput, 40, 0.5);

    (void)state;
    assert_true(is_near(anomaly.without_s, 10) && is_near(anomaly.with_s, 16));
    assert_true(is_near(anomaly.limit, 0.8));
    assert_true(is_near(keel_migration_anomaly(4, throughput, 40, 0.8).with_s, 10));
    assert_true(is_near(keel_migration_anomaly(4, throughput, 40, 5).with_s, 8));
    assert_true(isinf(keel_migration_anomaly(4, throughput, 40, 0).with_s));
    assert_true(keel_migration_anomaly(4, throughput, 0, 0).with_s == 0);
    anomaly = keel_migration_anomaly(0, throughput, 40, 4);
    assert_true(isinf(anomaly.without_s) && is_near(anomaly.with_s, 10) && anomaly.limit == 0);
    assert_true(keel_migration_anomaly(0, throughput, 0, 4).without_s == 0);
}

/* The master is busy for 0.01 + 2 * 0.02 + 0.03 = 0.08 s a task; a worker comes again after
 * 0.62 + 0.08 + 0.1 = 0.8 s. */
static void masters_are_saturated_by_so_many_workers(void **state)
{
    struct keel_migration_master master = {.tasks = 100,
                                           .service_s = 0.01,
                                           .alpha_s = 0.02,
                                           .beta_s = 0.001,
                                           .latency_s = 0.05,
                                           .task_bytes = 10,
                                           .result_bytes = 20};
    double throughput[20];

    (void)state;
    for (int w = 0; w < 20; w++) {
        throughput[w] = 1 / 0.62;
    }
    struct keel_migration_saturation few = keel_migration_master_saturate(&master, 5, throughput);
    assert_true(is_near(few.workers, 10) && is_near(few.master_s, 8));
    assert_true(is_near(few.workers_s, 16) && few.time_s == few.workers_s);
    struct keel_migration_saturation many = keel_migration_master_saturate(&master, 20, throughput);
    assert_true(is_near(many.workers, 10) && is_near(many.workers_s, 4));
    assert_true(many.time_s == many.master_s && is_near(many.time_s, 8));

    throughput[1] = 0; /* does nothing */
    many = keel_migration_master_saturate(&master, 2, throughput);
    assert_true(is_near(many.workers_s, 80) && is_near(many.workers, 20));
    many = keel_migration_master_saturate(&master, 0, throughput);
    assert_true(isinf(many.time_s) && isinf(many.workers));
    master = (struct keel_migration_master){.tasks = 100};
    many = keel_migration_master_saturate(&master, 1, throughput);
    assert_true(many.master_s == 0 && isinf(many.workers) && is_near(many.time_s, 62));
    master = (struct keel_migration_master){.beta_s = 1, .task_bytes = INFINITY};
    assert_true(keel_migration_master_saturate(&master, 1, throughput).time_s == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_move_their_balance_ratio),
        cmocka_unit_test(halves_are_moved_until_one_task_is_left),
        cmocka_unit_test(overheads_by_hand),
        cmocka_unit_test(the_paper_s_number_of_migrations),
        cmocka_unit_test(slow_workers_with_equal_shares_make_it_slower),
        cmocka_unit_test(masters_are_saturated_by_so_many_workers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
