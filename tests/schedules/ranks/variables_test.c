/* The variables of Keel across nodes: good values, bad ones with their messages, and what holds
 * without any; and which of a node's ranks complains. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "omp_ext/machine/launch.h"
#include "schedules/ranks/variables.h"

static struct keel_ranks_settings settings;

/* Reads one variable into fresh settings. */
static void assert_reads(const char *name, const char *value, const char *problem)
{
    char got[KEEL_RANKS_PROBLEM_MAX] = "";
    const struct keel_ranks_variable *variable = keel_ranks_variables;

    memset(&settings, 0, sizeof settings);
    keel_ranks_variables_begin(&settings);
    while (strcmp(variable->name, name) != 0) {
        variable++;
        assert_non_null(variable->name);
    }
    keel_ranks_variable_read(&settings, variable, value, got);
    assert_string_equal(got, problem);
}

static void stands_on_its_own(void **state)
{
    (void)state;
    memset(&settings, 0, sizeof settings);
    keel_ranks_variables_begin(&settings);
    assert_int_equal(settings.schedule.kind, KEEL_RANKS_RATE);
    assert_false(settings.schedule_stated);
    assert_int_equal(settings.weights, 0);
    assert_true(settings.poll_ns == 1e6);
    assert_false(settings.progress);
    assert_int_equal(settings.node_ranks, 0);
    assert_int_equal(settings.balance.decider, KEEL_ROWS_DECIDER_ALL);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_RATE);
    assert_false(settings.balance_stated);
    assert_true(settings.deadline_s == 60);
    assert_int_equal(settings.copies, 0);
    assert_int_equal(settings.block, 0);
}

static void reads_schedules(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_SCHEDULE", "tree:gamma=0.5", "");
    assert_true(settings.schedule_stated);
    assert_int_equal(settings.schedule.kind, KEEL_RANKS_TREE);
    assert_reads("KEEL_MPI_SCHEDULE", "tree:gamma=2",
                 "gamma '2' is not a number above 0 and up to 1; going by throughput");
    assert_true(settings.schedule_stated);
    assert_reads("KEEL_MPI_SCHEDULE", "tre",
                 "unknown schedule 'tre', nearest is 'tree'; it counts as not set");
    assert_false(settings.schedule_stated);
    assert_int_equal(settings.schedule.kind, KEEL_RANKS_RATE);
}

static void scales_weights(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_WEIGHTS", "1,2,3", "");
    assert_int_equal(settings.weights, 3);
    assert_true(settings.weight[0] == 0.5 && settings.weight[1] == 1 && settings.weight[2] == 1.5);
    assert_reads("KEEL_MPI_WEIGHTS", "7", "");
    assert_true(settings.weights == 1 && settings.weight[0] == 1);
}

static void takes_a_weight_for_each_of_many_ranks(void **state)
{
    char *list = malloc(2 * KEEL_RANKS_WEIGHTS_MAX + 3);
    size_t length = 0;

    (void)state;
    for (int i = 0; i < KEEL_RANKS_WEIGHTS_MAX; i++) {
        list[length++] = '3';
        list[length++] = ',';
    }
    list[length - 1] = '\0';
    assert_reads("KEEL_MPI_WEIGHTS", list, "");
    assert_int_equal(settings.weights, KEEL_RANKS_WEIGHTS_MAX);
    assert_true(settings.weight[KEEL_RANKS_WEIGHTS_MAX - 1] == 1);
    strcpy(list + length - 1, ",3");
    assert_reads("KEEL_MPI_WEIGHTS", list,
                 "'3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,3,' is not a list of up to 65536 numbers "
                 "from 1e-6 to 1e6; using equal weights");
    assert_int_equal(settings.weights, 0);
    free(list);
}

static void refuses_what_is_no_weight(void **state)
{
    static const char *const bad[] = {"1,", ",1", "1,x", "0", "-1,1", "1;2", "nan", "1e7"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem,
                 "'%s' is not a list of up to 65536 numbers from 1e-6 to 1e6; using equal weights",
                 bad[i]);
        assert_reads("KEEL_MPI_WEIGHTS", bad[i], problem);
        assert_int_equal(settings.weights, 0);
    }
}

static void bounds_the_poll_time(void **state)
{
    static const char *const bad[] = {"9", "1000001", "1e3", " 50", "99999999999999999999"};

    (void)state;
    assert_reads("KEEL_MPI_POLL", "10", "");
    assert_true(settings.poll_ns == 1e4);
    assert_reads("KEEL_MPI_POLL", "1000000", "");
    assert_true(settings.poll_ns == 1e9 && settings.poll_stated);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem,
                 "'%s' is not a whole number from 10 to 1000000; using 1000", bad[i]);
        assert_reads("KEEL_MPI_POLL", bad[i], problem);
        assert_true(settings.poll_ns == 1e6 && !settings.poll_stated);
    }
}

static void takes_nothing_as_not_set(void **state)
{
    static struct keel_ranks_settings standard;

    (void)state;
    keel_ranks_variables_begin(&standard);
    for (const struct keel_ranks_variable *variable = keel_ranks_variables; variable->name != NULL;
         variable++) {
        assert_reads(variable->name, "", "it is empty, and counts as not set");
        assert_memory_equal(&settings, &standard, sizeof settings);
        assert_reads(variable->name, " \t", "it is empty, and counts as not set");
    }
}

static void reads_the_others(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_PROGRESS", "1", "");
    assert_true(settings.progress);
    assert_reads("KEEL_MPI_PROGRESS", "0", "");
    assert_false(settings.progress);
    assert_reads("KEEL_MPI_PROGRESS", "yes", "'yes' is not 0 or 1; using 0");
    assert_false(settings.progress);
    assert_reads("KEEL_MPI_NODE_RANKS", "2", "");
    assert_int_equal(settings.node_ranks, 2);
    assert_reads("KEEL_MPI_NODE_RANKS", "0",
                 "'0' is not a whole number from 1 to 65536; all ranks of a machine share memory");
    assert_int_equal(settings.node_ranks, 0);
}

static void reads_balancing(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_BALANCE", "diffusion:w=1.25", "");
    assert_true(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_DIFFUSION);
    assert_true(settings.balance.rules.threshold == 1.25);
    assert_reads("KEEL_MPI_BALANCE", "off", "");
    assert_int_equal(settings.balance.decider, KEEL_ROWS_DECIDER_NONE);
    assert_reads("KEEL_MPI_BALANCE", "diffusion:w=0",
                 "w '0' is not a number from 1 up; using what was best in the paper");
    assert_true(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_DIFFUSION);
    assert_reads("KEEL_MPI_BALANCE", "difusion",
                 "unknown policy 'difusion', nearest is 'diffusion'; it counts as not set");
    assert_false(settings.balance_stated);
    assert_int_equal(settings.balance.rules.kind, KEEL_DECIDE_BY_RATE);
}

static void bounds_the_deadline(void **state)
{
    static const char *const bad[] = {"0", "0.09", "1000001", "-1", "60s"};

    (void)state;
    assert_reads("KEEL_MPI_DEADLINE", "0.1", "");
    assert_true(settings.deadline_s == 0.1);
    assert_reads("KEEL_MPI_DEADLINE", "1000000", "");
    assert_true(settings.deadline_s == 1e6);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem, "'%s' is not a number from 0.1 to 1000000; using 60",
                 bad[i]);
        assert_reads("KEEL_MPI_DEADLINE", bad[i], problem);
        assert_true(settings.deadline_s == 60);
    }
}

static void reads_how_often_copies_are_taken(void **state)
{
    static const char *const bad[] = {"1000000001", "1.5", "-1", "yes"};

    (void)state;
    assert_reads("KEEL_MPI_COPIES", "1", "");
    assert_int_equal(settings.copies, 1);
    assert_reads("KEEL_MPI_COPIES", "1000000000", "");
    assert_int_equal(settings.copies, 1000000000);
    assert_reads("KEEL_MPI_COPIES", "0", "");
    assert_int_equal(settings.copies, 0);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem,
                 "'%s' is not a whole number from 0 to 1000000000; using 0", bad[i]);
        assert_reads("KEEL_MPI_COPIES", bad[i], problem);
        assert_int_equal(settings.copies, 0);
    }
}

static void reads_what_follows_errors(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_ON_ERROR", "abort", "");
    assert_true(settings.aborts);
    assert_reads("KEEL_MPI_ON_ERROR", "message", "");
    assert_false(settings.aborts);
    assert_reads("KEEL_MPI_ON_ERROR", "stop", "'stop' is not abort or message; using message");
    assert_false(settings.aborts);
}

static void reads_what_follows_lateness(void **state)
{
    (void)state;
    assert_reads("KEEL_MPI_ON_LATE", "fail", "");
    assert_int_equal(settings.on_late, KEEL_RANKS_ON_LATE_FAIL);
    assert_reads("KEEL_MPI_ON_LATE", "wait", "");
    assert_int_equal(settings.on_late, KEEL_RANKS_ON_LATE_WAIT);
    assert_reads("KEEL_MPI_ON_LATE", "auto", "");
    assert_int_equal(settings.on_late, KEEL_RANKS_ON_LATE_AUTO);
    assert_reads("KEEL_MPI_ON_LATE", "fail", "");
    assert_reads("KEEL_MPI_ON_LATE", "leave", "'leave' is not auto, wait, fail or end; using auto");
    assert_int_equal(settings.on_late, KEEL_RANKS_ON_LATE_AUTO);
    assert_reads("KEEL_MPI_ON_LATE", "end", "");
    assert_int_equal(settings.on_late, KEEL_RANKS_ON_LATE_END);
    assert_reads("KEEL_MPI_WATCH", "on", "");
    assert_int_equal(settings.watch, KEEL_RANKS_WATCH_ON);
    assert_reads("KEEL_MPI_WATCH", "off", "");
    assert_int_equal(settings.watch, KEEL_RANKS_WATCH_OFF);
    assert_reads("KEEL_MPI_WATCH", "auto", "");
    assert_int_equal(settings.watch, KEEL_RANKS_WATCH_AUTO);
    assert_reads("KEEL_MPI_WATCH", "yes", "'yes' is not auto, on or off; using auto");
}

static void reads_blocks(void **state)
{
    static const char *const bad[] = {"0", "18446744073709551616", "x", "-1"};

    (void)state;
    assert_reads("KEEL_MPI_BLOCK", "1", "");
    assert_true(settings.block == 1);
    assert_reads("KEEL_MPI_BLOCK", "18446744073709551615", "");
    assert_true(settings.block == UINT64_MAX);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char problem[200];
        snprintf(problem, sizeof problem,
                 "'%s' is not a whole number from 1 to 18446744073709551615; it counts as not set",
                 bad[i]);
        assert_reads("KEEL_MPI_BLOCK", bad[i], problem);
        assert_true(settings.block == 0);
    }
}

static void names_each_variable_once(void **state)
{
    (void)state;
    for (const struct keel_ranks_variable *a = keel_ranks_variables; a->name != NULL; a++) {
        assert_memory_equal(a->name, "KEEL_MPI_", strlen("KEEL_MPI_"));
        assert_true(a->form[0] != '\0' && a->standard[0] != '\0' && a->summary[0] != '\0');
        assert_true(strcmp(a->name, "KEEL_MPI_TRACE") != 0 ||
                    strstr(a->summary,
                           "; work in rows, or the sum of their weights, in a phase, and "
                           "rates in work per s") != NULL);
        for (const struct keel_ranks_variable *b = a + 1; b->name != NULL; b++) {
            assert_string_not_equal(a->name, b->name);
        }
    }
}

/* --- who prints_common --- */

static const char *no_launcher(const char *name)
{
    (void)name;
    return NULL;
}

static const char *first_of_mpirun(const char *name)
{
    return strcmp(name, "OMPI_COMM_WORLD_LOCAL_RANK") == 0 ? "0"
           : strcmp(name, "SLURM_LOCALID") == 0            ? "3"
                                                           : NULL;
}

static const char *third_of_slurm(const char *name)
{
    return strcmp(name, "SLURM_LOCALID") == 0 ? "2" : NULL;
}

static void knows_the_first_rank_of_a_node(void **state)
{
    (void)state;
    assert_int_equal(keel_launch_role(no_launcher), KEEL_LAUNCH_ALONE);
    assert_int_equal(keel_launch_role(first_of_mpirun), KEEL_LAUNCH_FIRST);
    assert_int_equal(keel_launch_role(third_of_slurm), KEEL_LAUNCH_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stands_on_its_own),
        cmocka_unit_test(reads_schedules),
        cmocka_unit_test(scales_weights),
        cmocka_unit_test(takes_a_weight_for_each_of_many_ranks),
        cmocka_unit_test(refuses_what_is_no_weight),
        cmocka_unit_test(bounds_the_poll_time),
        cmocka_unit_test(takes_nothing_as_not_set),
        cmocka_unit_test(reads_the_others),
        cmocka_unit_test(reads_balancing),
        cmocka_unit_test(bounds_the_deadline),
        cmocka_unit_test(reads_how_often_copies_are_taken),
        cmocka_unit_test(reads_what_follows_errors),
        cmocka_unit_test(reads_what_follows_lateness),
        cmocka_unit_test(reads_blocks),
        cmocka_unit_test(names_each_variable_once),
        cmocka_unit_test(knows_the_first_rank_of_a_node),
    };

    return cmocka_run_group_tests_name("variables", tests, NULL, NULL);
}
